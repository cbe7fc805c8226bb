"""What Tacit chooses and says by itself, on test parts that it never saw: ``tune``, and the verdict of ``report_gain``.

    python -m benchmarks.peers.own_choices tune [--seconds 120] [--trials N] [--set NAME] [--known] [--quick]
    python -m benchmarks.peers.own_choices gain [--quick]

``tune`` searches from no knowledge. Data and split are those of ``recommend.py``, without features and graphs; the
search sees the training part only. One row per data set and budget; ``--trials`` takes the place of the seconds, for
searches whose length should not depend on the machine.

``gain``: does ``report_gain`` tell the truth? Its verdict beside what a fresh test part says, on sets with graphs. A
fifth of the positives is set aside. ``fit(report_gain=True)`` sees the rest and says whether the graphs help; then fits
on the rest, with and without them, are evaluated on the fifth. A verdict of "helps" or "hurts" that has the other sign
than the test part is wrong; "cannot tell" is neither right nor wrong. A test part is a sample too: its own interval
says whether its sign means anything.

Writes ``results/tune.json`` and ``results/report_gain.json``, with ``--quick`` (20 seconds on Last.fm, one split)
``tune-quick.json`` and ``report_gain-quick.json``.
"""

import argparse
import time
from typing import Any

from benchmarks import results
from benchmarks.peers.recommend import data_sets, in_units_of
from tacit import FactorRecommender, tune
from tacit.data import load_ciaodvd, load_filmtrust, load_flixster, load_lastfm
from tacit.data.interactions import Interactions
from tacit.metrics import evaluate
from tacit.metrics.details import Details
from tacit.metrics.evaluation import evaluate_factors
from tacit.metrics.intervals import paired_difference

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


def tuned(asked: argparse.Namespace) -> None:
    """Rows of ``tune``, data set by data set."""
    name = "tune-quick" if asked.quick else "tune"
    budget: dict[str, Any] = {"seconds": 20.0 if asked.quick else asked.seconds}
    if asked.trials:
        budget = {"trials": asked.trials}
    row = "tune, " + ", ".join(f"{value:g} {unit}" for unit, value in budget.items())
    figures = results.figures_so_far(name)
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


GRAPHS = {
    "flixster": lambda: load_flixster().positives(4),
    "Last.fm": lambda: load_lastfm().interactions(binary=True),
    "ciaodvd": lambda: load_ciaodvd().positives(4),
    "filmtrust": lambda: load_filmtrust().positives(3),
}
SPLITS = 5


def trial(data: Interactions, seed: int) -> dict[str, Any]:
    """One split: the verdict on its training part, and the gain on its test part."""
    train, test = data.split(test=0.2, seed=100 + seed)
    said = FactorRecommender(progress=False).fit(train, report_gain=True)
    bare = FactorRecommender(progress=False).fit(Interactions(train.matrix, train.row_ids, train.col_ids))
    by_row = [Details(10, ("ndcg",)) for _ in range(2)]
    ours, theirs = (
        evaluate(model, train, test, metrics=("ndcg",), details=details)["ndcg@10"]
        for model, details in zip((said, bare), by_row)
    )
    interval = paired_difference(*(details.scores["ndcg"] for details in by_row))
    gain = {name: said.gain_[name] for name in ("gain", "low", "high", "verdict")}
    right = {"helps": ours > theirs, "hurts": ours < theirs}.get(gain["verdict"])
    return {
        "split": seed,
        **gain,
        "test_with": ours,
        "test_without": theirs,
        "test_gain": ours - theirs,
        "test_low": interval.low,
        "test_high": interval.high,
        "right": right,
    }


def verdicts(splits: int) -> dict[str, Any]:
    """Every set and split, and how many verdicts were right."""
    table = []
    for name, load in GRAPHS.items():
        data = load()
        for seed in range(splits):
            table.append({"set": name, **trial(data, seed)})
            print(table[-1], flush=True)
    right = [row["right"] for row in table]
    counts = {"right": right.count(True), "wrong": right.count(False), "cannot_tell": right.count(None)}
    counts["wrong_where_the_test_part_can_tell"] = sum(
        row["right"] is False and not row["test_low"] <= 0 <= row["test_high"] for row in table
    )
    print(counts)
    return {"splits": table, **counts}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("tune", "gain"))
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--trials", type=int)
    parser.add_argument("--set", default="", help="only data sets with this in their name")
    parser.add_argument("--known", action="store_true", help="no search: the best known parameters")
    parser.add_argument("--quick", action="store_true", help="20 seconds on Last.fm; one split of each set")
    asked = parser.parse_args()
    if asked.part == "tune":
        tuned(asked)
    else:
        print(results.write(f"report_gain{'-quick' * asked.quick}", verdicts(1 if asked.quick else SPLITS)))


if __name__ == "__main__":
    main()
