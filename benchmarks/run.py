"""Run the benchmarks one after the other, then rewrite the pages that show their figures.

    python benchmarks/run.py                    everything: hours
    python benchmarks/run.py --quick            the small versions; programs without one are left out
    python benchmarks/run.py recommend sweep    only these

A program that fails does not stop the others; the names of those that failed come at the end, with exit code 1. One
whose data are not in the folder ``TACIT_DATA``, or not there at all, is left out and named, which is no failure.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from launch import ABSENT

HERE = Path(__file__).parent
QUICK = "--quick"

ARGUMENTS = {
    "full_rank": ["sets", "gowalla", "dense"],
    "runtime": ["table7", "table8", "figure5"],
    "stream_tables": ["table3", "table4", "figure2"],
    "versus": ["recommend", "tag", "words", "stream", "grade"],
    "words": ["quality", "counting", "weights", "curve", "items", "output"],
    "grade": ["quality", "real", "size", "large", "rate"],
    "tag": ["quality", "hidden", "best", "scale", "audit"],
}
"""Programs that are called once for each of several tables."""

LONG_EVEN_IF_QUICK = [["words.py", "quality"]]
"""Calls whose quick version takes more than two minutes; ``make bench QUICK=1`` leaves them to another program."""

NOT_MEASURING = {"bench", "check", "launch", "run", "pages", "worker", "words_task"}


def programs() -> tuple[list[str], list[str]]:
    """The programs that measure, and those that draw what was measured."""
    found = sorted(file.stem for file in HERE.glob("*.py") if '__name__ == "__main__"' in file.read_text("utf-8"))
    pictures = [name for name in found if name.endswith("_figures")]
    return [name for name in found if name not in {*NOT_MEASURING, *pictures}], pictures


def commands(names: list[str], quick: bool) -> list[list[str]]:
    """What to call, in order."""
    calls = []
    for name in names:
        has_quick = f'"{QUICK}"' in (HERE / f"{name}.py").read_text("utf-8")
        if quick and not has_quick:
            continue
        size = [QUICK] if quick else []
        tables = [[f"{name}.py", *table] for table in map(str.split, ARGUMENTS.get(name, [""]))]
        calls += [[*call, *size] for call in tables if not (quick and call in LONG_EVEN_IF_QUICK)]
    return calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    measuring, pictures = programs()
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(measuring)}; all by default")
    parser.add_argument(QUICK, action="store_true", help="the small versions")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in measuring]
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(measuring)}")
    calls = commands(asked.names or measuring, asked.quick)
    if not asked.quick and not asked.names:
        calls += [[f"{name}.py"] for name in pictures]
    failed, left_out = [], []
    for call in [*calls, ["pages.py"]]:
        print(f"== {' '.join(call)}", flush=True)
        began = time.perf_counter()
        ended = subprocess.run([sys.executable, str(HERE / "launch.py"), *call], check=False).returncode
        print(f"== {time.perf_counter() - began:.0f} s", flush=True)
        if ended:
            (left_out if ended == ABSENT else failed).append(" ".join(call))
    if left_out:
        print(f"left out, their data are not here: {', '.join(left_out)}")
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
