"""Run one benchmark program; what it lacks becomes one sentence instead of a traceback.

    python -m benchmarks.launch PROGRAM ARGUMENTS…    PROGRAM such as peers.recommend

Ends with 3 where data are not in the folder ``TACIT_DATA``, else as the program does.
"""

import runpy
import subprocess
import sys
from typing import Any

from benchmarks.processes import ROOT, environment

ABSENT = 3


def launch(program: str, *arguments: str, **options: Any) -> int:
    """Run a program in a process of its own; gives back how it ended."""
    command = [sys.executable, "-m", "benchmarks.launch", program, *arguments]
    return subprocess.run(command, env=environment(), cwd=ROOT, check=False, **options).returncode


def main() -> None:
    from tacit.errors import MissingDataError, TacitError

    sys.argv = sys.argv[1:]
    program = sys.argv[0]
    try:
        runpy.run_module(f"benchmarks.{program}", run_name="__main__", alter_sys=True)
    except MissingDataError as error:
        print(f"{program}: left out, {error}", file=sys.stderr)
        raise SystemExit(ABSENT) from None
    except TacitError as error:
        raise SystemExit(f"{program}: {error}") from None


if __name__ == "__main__":
    main()
