"""Run one benchmark program; what it lacks becomes one sentence instead of a traceback.

    python benchmarks/launch.py PROGRAM ARGUMENTS…

Ends with 3 where data are not in the folder ``TACIT_DATA``, else as the program does.
"""

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent
ABSENT = 3


def main() -> None:
    from tacit.errors import MissingDataError, TacitError

    sys.argv = sys.argv[1:]
    sys.path[0] = str(HERE)
    program = sys.argv[0]
    try:
        runpy.run_path(str(HERE / program), run_name="__main__")
    except MissingDataError as error:
        print(f"{program}: left out, {error}", file=sys.stderr)
        raise SystemExit(ABSENT) from None
    except TacitError as error:
        raise SystemExit(f"{program}: {error}") from None


if __name__ == "__main__":
    main()
