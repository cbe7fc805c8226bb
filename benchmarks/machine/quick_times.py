"""How long the quick version of every table and figure takes: processor seconds, of all its processes together.

    python -m benchmarks.machine.quick_times [NAME ...]    names as ``tacit bench --list`` shows them; all by default

A program that several tables share is run once. Writes ``results/quick-times.json``, program by program; the figures
that the quick versions themselves write are of no further use and not kept in the repository.
"""

import argparse
import resource
import sys
import time

from benchmarks import registry, results
from benchmarks.processes import launch

FILE = "quick-times"


def spent() -> float:
    """Processor seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    names = parser.parse_args().names or registry.names()
    calls = {" ".join(call): call for name in names for call in registry.commands(name, quick=True)}
    for title, call in calls.items():
        worked, began = spent(), time.perf_counter()
        ended = launch(*call, stdout=sys.stderr)
        found = {
            "processor_seconds": round(spent() - worked, 1),
            "seconds": round(time.perf_counter() - began, 1),
            "ended": ended,
        }
        print(title, found, flush=True)
        figures = results.figures_so_far(FILE) | {title: found}
        every = [" ".join(one) for name in registry.names() for one in registry.commands(name, quick=True)]
        untimed = [one for one in dict.fromkeys(every) if one not in figures]
        results.write(FILE, figures, title, untimed=untimed)


if __name__ == "__main__":
    main()
