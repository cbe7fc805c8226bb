"""Are the kernels as fast as at an older commit? Both sides in turns, each in a process of its own.

    git worktree add ../older COMMIT
    python scripts/same_speed.py ../older [--turns 15] [--only NAME]

The kernels and shapes are those of ``make bench-check``, on one thread. A share of the roof divides by a bandwidth that
was read at another moment; here the two sides alternate, and the best of each is compared. A ratio above 1 is faster
than before. Sides are compared with default parameters: a rating stream learns more per rating today than 0.1.0 did.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

WORKER = """
import sys, time
if {old}:
    from roof.work import KERNELS
    from roofline import SMALL
else:
    from benchmarks.machine.kernel_work import KERNELS
    from benchmarks.machine.roofline import SMALL
calls = {{}}
for line in sys.stdin:
    name = line.strip()
    if name not in KERNELS:
        print(-1, flush=True)
        continue
    if name not in calls:
        calls[name] = KERNELS[name](**SMALL[name]).call
        calls[name](1)
    began = time.process_time()
    calls[name](1)
    print(time.process_time() - began, flush=True)
"""


def worker(root: Path) -> subprocess.Popen[str]:
    """A process that reads names of kernels and answers with the processor seconds of one call."""
    old = not (root / "benchmarks" / "machine").is_dir()
    paths = [root / "src", root / "benchmarks" if old else root]
    code = "import sys; sys.path[:0] = " + repr([str(path) for path in paths]) + WORKER.format(old=old)
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def knows(side: subprocess.Popen[str], kernel: str) -> bool:
    """Whether this side has the kernel."""
    return seconds(side, kernel) >= 0


def seconds(side: subprocess.Popen[str], kernel: str) -> float:
    pipes: Any = side
    pipes.stdin.write(f"{kernel}\n")
    pipes.stdin.flush()
    return float(pipes.stdout.readline())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("older", type=Path, help="work tree of the older commit")
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--only", default="", help="kernels with this in their names")
    given = parser.parse_args()
    here = Path(__file__).resolve().parents[1]
    sys.path.insert(0, str(here))
    from benchmarks.machine.kernel_work import KERNELS

    sides = worker(given.older.resolve()), worker(here)
    for kernel in KERNELS:
        if given.only in kernel and all(knows(side, kernel) for side in sides):
            turns = [[seconds(side, kernel) for side in sides] for _ in range(given.turns)]
            before, now = (min(turn[side] for turn in turns) for side in range(2))
            print(f"{kernel}: {before / now:.3f} (before {1000 * before:.2f} ms, now {1000 * now:.2f} ms)", flush=True)
    for side in sides:
        side.communicate()


if __name__ == "__main__":
    main()
