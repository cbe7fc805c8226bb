"""Recommenders on real data: NDCG@10 over the full ranking, and wall time of ``fit``, beside tuned peers.

    python -m benchmarks.peers.recommend [--quick]

Positives: MovieLens 1M ratings of at least 4, all of Last.fm's user–artist pairs, all events of the Toys sequences.
20 % of them are held out at random (seed 0), all items but the training ones are ranked, and users with held-out items
count. Peers are tuned on a validation part (20 % of the training part, seed 1) over the grids below; Tacit runs with no
parameter given, and tuned over a grid of the same size. Times are best and median of alternating runs on 2 threads.

Writes ``results/recommend.json``, with ``--quick`` ``recommend-quick.json``.
"""

import argparse
import itertools
import statistics
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.peers.workers import Worker, alternate
from tacit.data import load_lastfm, load_movielens_1m, load_sequences
from tacit.data.interactions import Interactions
from tacit.metrics.evaluation import evaluate_factors
from tacit.objective.default_ridge import noise_level

FACTORS = 64
GRIDS: dict[str, dict[str, list[Any]]] = {
    "implicit": {"regularization": [0.01, 0.1, 1.0, 10.0], "alpha": [1.0, 5.0, 20.0], "iterations": [15]},
    "irspack": {"alpha0": [0.01, 0.05, 0.2, 0.5], "reg": [0.003, 0.01, 0.03], "epochs": [12]},
    "tacit": {
        "noise": [0.35, 0.5, 0.7],
        "frequency_exponent": [(0.7, 0.1), (0.5, 0.4)],
        "unlabelled_total": [8.0, 20.0],
    },
}
PEER_DEFAULT_TIMES = {"implicit": {"iterations": 15}, "irspack": {"alpha0": 0.2, "reg": 0.01, "epochs": 12}}


def data_sets() -> dict[str, Interactions]:
    return {
        "MovieLens 1M": load_movielens_1m().positives(minimum=4),
        "Last.fm HetRec": load_lastfm().interactions(binary=True),
        "Toys sequences": load_sequences("Toys_and_Games").interactions(),
    }


def ndcg(answer: dict[str, Any], train: Interactions, test: Interactions) -> float:
    rows, cols = answer["factors"]
    found = evaluate_factors(rows, cols, train.matrix, test.matrix, k=10, metrics=("ndcg",))
    return round(float(found["ndcg@10"]), 4)


def points(adapter: str) -> list[dict[str, Any]]:
    grid = GRIDS[adapter]
    return [dict(zip(grid, values)) for values in itertools.product(*grid.values())]


def in_units_of(data: Interactions, point: dict[str, Any]) -> dict[str, Any]:
    """Tacit's parameters from units that carry over from a part of the data to all of them: the weight of all cells
    over that of the positives, and the ridge over the noise."""
    point = dict(point)
    if "unlabelled_total" in point:
        point["unlabelled_weight"] = point.pop("unlabelled_total") * data.nnz / (data.shape[0] * data.shape[1])
    if "noise" in point:
        point["regularization"] = point.pop("noise") * noise_level(data.matrix)
    return point


def tuned(adapter: str, train: Interactions) -> dict[str, Any]:
    """The best point of the grid on a validation part of the training data."""
    part, validation = train.split(test=0.2, seed=1)
    scores = []
    with Worker(adapter, part.matrix) as worker:
        for point in points(adapter):
            answer = worker.fit(save=True, factors=FACTORS, **in_units_of(part, point))
            scores.append((ndcg(answer, part, validation) if "factors" in answer else -np.inf, point))
    return max(scores, key=lambda pair: pair[0])[1]


def one_set(data: Interactions, repeats: int, tune: bool) -> dict[str, Any]:
    train, test = data.split(test=0.2, seed=0)
    methods: dict[str, tuple[str, dict[str, Any]]] = {"Tacit, no parameters": ("tacit", {})}
    for adapter in GRIDS:
        if tune:
            methods[f"{adapter.strip('_').capitalize()}, tuned"] = (adapter, in_units_of(train, tuned(adapter, train)))
        elif adapter in PEER_DEFAULT_TIMES:
            methods[adapter] = (adapter, PEER_DEFAULT_TIMES[adapter])
    workers = {adapter: Worker(adapter, train.matrix) for adapter in {name for name, _ in methods.values()}}
    runs = {
        name: (workers[adapter], {"factors": FACTORS, **parameters}) for name, (adapter, parameters) in methods.items()
    }
    seconds = alternate(runs, repeats)
    table = {}
    for name, (worker, parameters) in runs.items():
        answer = worker.fit(save=True, **parameters)
        table[name] = {
            "ndcg@10": ndcg(answer, train, test),
            "fit_seconds_best": round(min(seconds[name]), 4),
            "fit_seconds_median": round(statistics.median(seconds[name]), 4),
            "peak_mib": answer["peak_mib"],
            "version": worker.version,
            "parameters": parameters,
        }
    for worker in workers.values():
        worker.__exit__()
    return {
        "rows": train.shape[0],
        "columns": train.shape[1],
        "train": train.nnz,
        "test": test.nnz,
        "methods": table,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="MovieLens only, peers at fixed parameters")
    quick = parser.parse_args().quick
    figures = {}
    for name, data in data_sets().items():
        if quick and name != "MovieLens 1M":
            continue
        figures[name] = one_set(data, repeats=3 if quick else 5, tune=not quick)
        for method, row in figures[name]["methods"].items():
            print(f"{name:16} {method:24} {row['ndcg@10']:.4f}  {row['fit_seconds_best']:.3f} s", flush=True)
        # After every set, so that an interrupted run keeps what it has measured.
        path = results.write("recommend-quick" if quick else "recommend", figures)
    print(path)


if __name__ == "__main__":
    main()
