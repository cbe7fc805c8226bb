"""Taggers beside their baselines.

    python -m benchmarks.papers.tag quality [--quick]   P@k, nDCG@5, PSP@k and seconds on the published sets
    python -m benchmarks.papers.tag hidden [--quick]    80 % of the training labels hidden, five seeds (Table 4)
    python -m benchmarks.papers.tag best [--quick]      our best models on Bibtex, chosen by validation
    python -m benchmarks.papers.tag scale [--quick]     200,000 rows × 50,000 features × 20,000 labels, made
    python -m benchmarks.papers.tag audit [--quick]     a fifth of Debian's tags hidden, and found again

Each command writes ``results/tag-COMMAND.json``. With ``--quick`` it takes less than two minutes, skips the slow
baselines and writes ``results/tag-COMMAND-quick.json``.

``quality`` and ``hidden`` take hours, so they and ``audit`` write after every piece: ``--sets bibtex,corel5k`` and
``--methods "SLEEC,LEML"`` measure some, ``--missing`` those that the file lacks. ``quality --times`` trains once more
with the parameters that the file has, twice, methods alternating, and renews the seconds: for an idle machine.

Parameters are chosen by nDCG@5 on a fifth of the training rows, from the grids in ``tagging/methods.py``: four points
for every method, peers included; ``hidden`` has grids of its own, as long for ours as for the others.
"""

import argparse

from benchmarks.papers.tagging import audit, best, hidden, quality, scale
from benchmarks.papers.tagging.record import Record

COMMANDS = ["quality", "hidden", "best", "scale", "audit"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--quick", action="store_true", help="less than two minutes, into a file of its own")
    parser.add_argument("--sets", help="names of data sets, with commas")
    parser.add_argument("--methods", help="names of methods as in the table, with commas")
    parser.add_argument("--missing", action="store_true", help="only what the results file lacks")
    parser.add_argument("--times", action="store_true", help="renew the seconds of quality")
    given = parser.parse_args()
    record = Record(given.command, given.quick, given.missing)
    methods = [name for name in (given.methods or "").split(",") if name]
    match given.command:
        case "quality" if given.times:
            quality.times(record, given.sets.split(",") if given.sets else list(record.figures), methods)
        case "quality":
            quality.measure(record, given.sets.split(",") if given.sets else list(quality.SETS), methods, given.quick)
        case "hidden":
            hidden.measure(record, given.sets.split(",") if given.sets else list(hidden.SETS), methods, given.quick)
        case "best":
            best.measure(record, given.quick)
        case "scale":
            record.write(scale.measure(given.quick))
        case _:
            audit.measure(record, methods, given.quick)
    print(f"results/{record.name}.json")


if __name__ == "__main__":
    main()
