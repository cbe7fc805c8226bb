"""fBGD's own solver on real sets: time (Tables 7 and 8, Figure 5) and the weight of unlabelled cells (Figure 4).

    python -m benchmarks.papers.engine_real [time|training|weights] [--set NAME] [--quick]

    time      one gradient of the rows, cell by cell and through the caches; one iteration over the embedding size
    training  one iteration and all of them: Adagrad, sampled negatives, and our als
    weights   NDCG@10 over α₀ at ρ = 0, then over ρ at the best α₀

Without a name all parts run; ``--set`` restricts them to data sets with this in their name. ``results/fbgd-real.json``
keeps what is not measured anew; ``--quick`` takes MovieLens 100K, into ``fbgd-real-quick.json``. Seconds are those of
the processor, on one thread. Weights are looked at on the validation part, around the parameters that Table 4 chose
there, with the paper's rate of 0.05 and its 200 iterations; every row called fBGD is Adagrad alone.
"""

import argparse
import time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import results
from benchmarks.machine import kernel_work
from benchmarks.papers import engine_tasks as sets
from benchmarks.papers.engine_speed import best_of
from tacit import FactorRecommender
from tacit.baselines import SvdFeature
from tacit.baselines.naive_gradient import naive_gradient
from tacit.data import load_lastfm, load_lastfm_next, load_movielens_1m, load_movielens_100k
from tacit.estimators.recommend.tower_design import rows_of
from tacit.objective.two_towers import TwoTowers
from tacit.progress import Run
from tacit.solvers.alternation import alternate
from tacit.solvers.descent import Adagrad

SETS: dict[str, Any] = {
    "MovieLens 1M": lambda: load_movielens_1m().positives(4),
    "Last.fm HetRec": lambda: load_lastfm().interactions(binary=True),
    "Last.fm next song": lambda: load_lastfm_next().interactions(),
    "corel16k": lambda: sets.corel().train,
}
QUICK = {"MovieLens 100K": lambda: load_movielens_100k().positives(4)}
SIZES = (16, 32, 64, 128, 256)
G = 32


def times(data: Any, quick: bool) -> dict[str, Any]:
    """Seconds by ids: contexts and features of a set do not count here."""
    cells = data.matrix
    n, m = cells.shape
    objective = kernel_work.whole_data(cells)
    P, Q = kernel_work.factors(n, G), kernel_work.factors(m, G, 1)
    towers = TwoTowers.of_ids(objective, G)
    with threadpool_limits(1, user_api="blas"):
        naive = best_of(lambda: naive_gradient(objective.rows, P, Q), 2, time.process_time)
        gradient = lambda: towers.side_objective("rows", Q, n_threads=1).value_and_gradient(P)  # noqa: E731
        gradient()
        fast = best_of(gradient, 5, time.process_time)
        sizes = SIZES[:2] if quick else SIZES
        seconds = [_iteration(objective, g) for g in sizes]
    return {
        "rows": n, "columns": m, "positives": int(cells.nnz), "factors": G, "naive": naive, "fBGD": fast,
        "iteration": {"factors": sizes, "seconds": seconds},
    }  # fmt: skip


def _iteration(objective: Any, g: int) -> float:
    towers = TwoTowers.of_ids(objective, g)
    parameters = towers.start(0)

    def once() -> None:
        with Run("adagrad", 1, progress=False) as run:
            alternate(towers, parameters, Adagrad(), run, n_threads=1)

    once()
    return best_of(once, 3, time.process_time)


FITS: dict[str, tuple[int, int, int]] = {"Last.fm next song": (20, 4, 50), "corel16k": (100, 16, 100)}
"""Set → factors, negatives of a positive and epochs of SVDFeature, as in the paper; fBGD has 200 iterations."""


def training(name: str, data: Any) -> dict[str, Any]:
    """Fits with two numbers of iterations: their difference is what one takes."""
    factors, negatives, epochs = FITS.get(name, FITS["Last.fm next song"])
    given = {"positive_weight": "one", "progress": False, "regularization": 0.01, "threads": 1}
    makers: dict[str, tuple[Any, int]] = {
        f"SVDFeature ×{negatives}": (lambda count: SvdFeature(factors, negatives=negatives, epochs=count), epochs),
        "fBGD": (
            lambda count: FactorRecommender(factors, solver="adagrad", exact_rows=False, iterations=count, **given),
            200,
        ),
        "the same objective by als": (
            lambda count: FactorRecommender(factors, solver="als", iterations=count, **given),
            15,
        ),
    }
    figures: dict[str, Any] = {}
    for method, (make, iterations) in makers.items():
        few, many = (
            best_of(lambda make=make, count=count: make(count).fit(data), 2, time.process_time) for count in (1, 5)
        )
        one = (many - few) / 4
        figures[method] = {"seconds": one, "iterations": iterations, "minutes": one * iterations / 60}
    return figures


def weights(name: str, quick: bool) -> list[dict[str, Any]]:
    """α₀ in the paper's unit, the sum over a row's unlabelled cells."""
    task = WEIGHTS.get(name, _small)()
    chosen = results.read("engine-quality")["figures"]["table4"].get(name, {}).get("fBGD", {}).get("parameters", {})
    kept = {key: chosen[key] for key in ("noise", "regularization", "ridge_exponent", "biases") if key in chosen}
    total = chosen.get("unlabelled_total", 12.0)
    positives = rows_of(task.part, task.part.matrix).positives
    mean = positives.nnz / positives.shape[0]
    rows: list[dict[str, Any]] = []

    def measure(times: float, exponent: float) -> float:
        point = kept | {"unlabelled_total": total * times, "frequency_exponent": exponent}
        train = sets.whole_data(
            (), factors=20, solver="adagrad", exact_rows=False, positive_weight="one", learning_rate=0.05
        )
        model = train(point, task.part, 20 if quick else 200, lambda *_: False)
        found = task.score(model, task.part, task.validation)
        rows.append({"unlabelled_total": total * times * mean, "frequency_exponent": exponent, **found})
        print(name, rows[-1], flush=True)
        return next(iter(found.values()))

    multiples = (0.25, 1.0) if quick else (1 / 16, 1 / 4, 1.0, 4.0, 16.0)
    best = multiples[int(np.argmax([measure(times, 0.0) for times in multiples]))]
    for exponent in (0.5,) if quick else (0.25, 0.5, 0.8, 1.0):
        measure(best, exponent)
    return rows


def _small() -> sets.Task:
    return sets.by_chance(load_movielens_100k().positives(4), sets.lists)


WEIGHTS = {"MovieLens 1M": sets.movielens, "Last.fm HetRec": sets.lastfm, "Last.fm next song": sets.next_song}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=["time", "training", "weights", []])
    parser.add_argument("--set", default="", help="only data sets with this in their name")
    parser.add_argument("--quick", action="store_true", help="MovieLens 100K, into a file of its own")
    given = parser.parse_args()
    file = "fbgd-real-quick" if given.quick else "fbgd-real"
    loaded = QUICK if given.quick else SETS
    for part in given.parts or ("time", "training", "weights"):
        for name, load in loaded.items():
            if given.set not in name:
                continue
            found: Any
            match part:
                case "time":
                    found = times(load(), given.quick)
                case "training" if given.quick or name in FITS:
                    found = training(name, load())
                case "weights" if given.quick or name in WEIGHTS:
                    found = weights(name, given.quick)
                case _:
                    continue
            kept = results.figures_so_far(file).get(part, {})
            print(results.write_part(file, part, kept | {name: found}), name, found, flush=True)


if __name__ == "__main__":
    main()
