"""``tacit.tune`` from no knowledge: what a budget finds, on the test part that it never saw.

    python -m benchmarks.peers.tune [--seconds 120] [--trials N] [--set NAME] [--known] [--quick]

Data and split are those of ``recommend.py``, without features and graphs; the search sees the training part only. One
row per data set and budget;
``--trials`` takes the place of the seconds, for searches whose length should not depend on the machine. Results go to
``results/tune.json``, with ``--quick`` (20 seconds, Last.fm) to ``results/tune-quick.json``.
"""

import argparse
import time
from typing import Any

from benchmarks import results
from benchmarks.peers.recommend import data_sets, in_units_of
from tacit import FactorRecommender, tune
from tacit.data.interactions import Interactions
from tacit.metrics.evaluation import evaluate_factors

KNOWN = {
    "MovieLens 1M": {
        "factors": 128, "unlabelled_total": 7.229, "frequency_exponent": (0.857, 0.141), "noise": 0.597,
        "ridge_exponent": 0.946, "iterations": 20,
    }
}  # fmt: skip
"""The best validation score (20 % of the training part, seed 1) of a longer search with 128 factors and up to 16
sweeps; the 20 sweeps were not part of it, and the rule by which the ridge carries over was found by looking at test
scores too. ``--known`` only fits these."""


def ndcg(model: FactorRecommender, train: Interactions, test: Interactions) -> float:
    found = evaluate_factors(model.row_factors_, model.col_factors_, train.matrix, test.matrix, k=10, metrics=("ndcg",))
    return round(float(found["ndcg@10"]), 4)


def searched(train: Interactions, test: Interactions, **budget: Any) -> dict[str, Any]:
    began = time.perf_counter()
    found = tune(train, **budget, progress=False)
    seconds = time.perf_counter() - began
    return {
        "ndcg@10": ndcg(found.model, train, test),
        "validation": round(found.score, 4),
        "trials": len(found.table),
        "seconds": round(seconds, 1),
        "parameters": {
            name: round(value, 4) if isinstance(value, float) else value for name, value in found.best.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--trials", type=int)
    parser.add_argument("--set", default="", help="only data sets with this in their name")
    parser.add_argument("--known", action="store_true", help="no search: the best known parameters")
    parser.add_argument("--quick", action="store_true", help="20 seconds on Last.fm")
    asked = parser.parse_args()
    name = "tune-quick" if asked.quick else "tune"
    budget: dict[str, Any] = {"seconds": 20.0 if asked.quick else asked.seconds}
    if asked.trials:
        budget = {"trials": asked.trials}
    row = "tune, " + ", ".join(f"{value:g} {unit}" for unit, value in budget.items())
    figures = results.read(name)["figures"] if (results.FOLDER / f"{name}.json").exists() else {}
    for set_name, data in data_sets().items():
        if (asked.set or ("Last.fm" if asked.quick else "")) not in set_name:
            continue
        bare = Interactions(data.matrix, data.row_ids, data.col_ids)
        train, test = bare.split(test=0.2, seed=0)
        plain = FactorRecommender(progress=False).fit(train)
        rows = figures.setdefault(set_name, {})
        rows["no parameters"] = {"ndcg@10": ndcg(plain, train, test)}
        if asked.known:
            if set_name in KNOWN:
                model = FactorRecommender(**in_units_of(train, KNOWN[set_name]), progress=False).fit(train)
                rows["best known"] = {"ndcg@10": ndcg(model, train, test), "parameters": KNOWN[set_name]}
        else:
            rows[row] = searched(train, test, **budget)
        print(set_name, rows, flush=True)
        results.write(name, figures)


if __name__ == "__main__":
    main()
