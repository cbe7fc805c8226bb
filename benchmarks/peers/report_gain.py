"""Does ``report_gain`` tell the truth? Its verdict beside what a fresh test part says, on sets with graphs.

    python -m benchmarks.peers.report_gain [--quick]

A fifth of the positives is set aside. ``fit(report_gain=True)`` sees the rest and says whether the graphs help; then
fits on the rest, with and without them, are evaluated on the fifth. A verdict of "helps" or "hurts" that has the other
sign than the test part is wrong; "cannot tell" is neither right nor wrong.

Writes ``results/report_gain.json``, with ``--quick`` ``report_gain-quick.json``.
"""

import argparse
from typing import Any

from benchmarks import results
from tacit import FactorRecommender, Interactions
from tacit.data import load_ciaodvd, load_filmtrust, load_flixster, load_lastfm
from tacit.metrics import evaluate

SETS = {
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
    ours, theirs = (evaluate(model, train, test, metrics=("ndcg",))["ndcg@10"] for model in (said, bare))
    gain = {name: said.gain_[name] for name in ("gain", "low", "high", "verdict")}
    right = {"helps": ours > theirs, "hurts": ours < theirs}.get(gain["verdict"])
    return {
        "split": seed,
        **gain,
        "test_with": ours,
        "test_without": theirs,
        "test_gain": ours - theirs,
        "right": right,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one split of each set")
    quick = parser.parse_args().quick
    table = []
    for name, load in SETS.items():
        data = load()
        for seed in range(1 if quick else SPLITS):
            table.append({"set": name, **trial(data, seed)})
            print(table[-1], flush=True)
    verdicts = [row["right"] for row in table]
    figures = {"splits": table, "right": verdicts.count(True), "wrong": verdicts.count(False)}
    figures["cannot_tell"] = verdicts.count(None)
    print({name: count for name, count in figures.items() if name != "splits"})
    print(results.write("report_gain-quick" if quick else "report_gain", figures))


if __name__ == "__main__":
    main()
