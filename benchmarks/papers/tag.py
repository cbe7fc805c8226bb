"""Taggers beside their baselines.

    python -m benchmarks.papers.tag quality [--quick]   P@k, nDCG@5, PSP@k and seconds on the published sets
    python -m benchmarks.papers.tag hidden [--quick]    80 % of the training labels hidden, five seeds (Table 4)
    python -m benchmarks.papers.tag best [--quick]      our best models on Bibtex, chosen by validation
    python -m benchmarks.papers.tag scale [--quick]     200,000 rows × 50,000 features × 20,000 labels, synthetic
    python -m benchmarks.papers.tag audit [--quick]     a fifth of Debian's tags hidden, and found again

Each command writes ``results/tag-COMMAND.json``. With ``--quick`` it takes less than two minutes, skips the slow
baselines and writes ``results/tag-COMMAND-quick.json``.

``quality`` and ``hidden`` take hours, so they and ``audit`` write after every piece: ``--sets bibtex,corel5k`` and
``--methods "SLEEC,LEML"`` measure some, ``--missing`` those that the file lacks. ``quality --times`` trains once more
with the parameters that the file has, twice, methods alternating, and renews the seconds: for an idle machine.

Parameters are chosen by nDCG@5 on a fifth of the training rows, from the grids in ``tag_methods.py``: four points
for every method, peers included; ``hidden`` has grids of its own, as long for ours as for the others.
"""

import argparse
from typing import Any

from benchmarks.machine.kernel_growth import scale
from benchmarks.papers import tag_audit, tag_best, tag_hidden
from benchmarks.papers.tag_methods import NAMES, Split, chosen, fit_and_rank, points
from benchmarks.results import Record

COMMANDS = ["quality", "hidden", "best", "scale", "audit"]
SETS = ("bibtex", "rcv1v2", "corel5k", "stackex_cooking", "stackex_cs")
_SLOW = ("SLEEC", "NeighbourTagger skipgram", "one-vs-rest logistic", "LEML-IMC", "ExMLDS4")


def quality(record: Record, sets: list[str], methods: list[str], quick: bool) -> None:
    """One piece per set and method; the quick version has Bibtex, one point per grid, and no slow method."""
    for name in sets[:1] if quick else sets:
        split = Split(name)
        for method in methods or [method for method in NAMES if not quick or method not in _SLOW]:
            if record.lacks(name, method):
                record.put(name, method, _measured(method, split, quick))


def _measured(method: str, split: Split, quick: bool) -> dict[str, Any]:
    try:
        point = points(method)[0] if quick else chosen(method, split)
        top, seconds = fit_and_rank(method, point, split)
    except RuntimeError as reason:
        return {"failed": str(reason)}
    return {**split.measure(top), "seconds": round(seconds, 2), "chosen": point}


def times(record: Record, sets: list[str], methods: list[str]) -> None:
    """Train anew with what was chosen, twice, the methods alternating: for a machine that does nothing else."""
    for name in sets:
        split = Split(name)
        rows = record.figures[name]
        timed = [method for method in methods or rows if "failed" not in rows[method]]
        seconds: dict[str, list[float]] = {method: [] for method in timed}
        for _ in range(2):
            for method in timed:
                seconds[method].append(fit_and_rank(method, rows[method]["chosen"], split)[1])
        for method in timed:
            record.put(name, method, {**rows[method], "seconds": round(min(seconds[method]), 2)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--quick", action="store_true", help="less than two minutes, into a file of its own")
    parser.add_argument("--sets", help="names of data sets, with commas")
    parser.add_argument("--methods", help="names of methods as in the table, with commas")
    parser.add_argument("--missing", action="store_true", help="only what the results file lacks")
    parser.add_argument("--times", action="store_true", help="renew the seconds of quality")
    given = parser.parse_args()
    ending = ("-quick", " --quick") if given.quick else ("", "")
    command = f"python -m benchmarks.papers.tag {given.command}{ending[1]}"
    record = Record(f"tag-{given.command}{ending[0]}", command, given.missing)
    sets = given.sets.split(",") if given.sets else []
    methods = [name for name in (given.methods or "").split(",") if name]
    match given.command:
        case "quality" if given.times:
            times(record, sets or list(record.figures), methods)
        case "quality":
            quality(record, sets or list(SETS), methods, given.quick)
        case "hidden":
            tag_hidden.measure(record, sets or list(tag_hidden.SETS), methods, given.quick)
        case "best":
            tag_best.measure(record, given.quick)
        case "scale":
            record.write(scale(given.quick))
        case _:
            tag_audit.measure(record, methods, given.quick)
    print(f"results/{record.name}.json")


if __name__ == "__main__":
    main()
