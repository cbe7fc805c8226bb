"""Run the benchmarks one after the other, then rewrite the pages that show their figures.

    python -m benchmarks.run                    everything: hours
    python -m benchmarks.run --quick            the small versions; programs without one are left out
    python -m benchmarks.run recommend sizes    only these

A program that fails does not stop the others; the names of those that failed come at the end, with exit code 1. One
whose data are not in the folder ``TACIT_DATA``, or not there at all, is left out and named, which is no failure.
"""

import argparse
import time
from dataclasses import dataclass

from benchmarks.processes import ABSENT, launch

QUICK = "--quick"


@dataclass(frozen=True)
class Program:
    """A module of ``benchmarks`` that measures.

    Parameters
    ----------
    module : without ``benchmarks.``
    parts : it is called once for each of these arguments
    quick : the parts whose ``--quick`` takes less than two minutes
    """

    module: str
    parts: tuple[str, ...] = ("",)
    quick: tuple[str, ...] = ()


def _program(module: str, *parts: str, quick: bool = True) -> Program:
    """A program whose parts all have a quick version, or none."""
    return Program(module, parts or ("",), (parts or ("",)) if quick else ())


_WORDS = ("quality", "counting", "weights", "curve", "items", "output")
_DECLARED = (
    _program("papers.data_sets"),
    _program("papers.engine_quality"),
    _program("papers.engine_real"),
    _program("papers.engine_speed"),
    _program("papers.grade", "quality", "real", "size", "large", "rate", "steps"),
    _program("papers.label_formulations"),
    _program("papers.stream"),
    _program("papers.tag", "quality", "hidden", "best", "scale", "audit"),
    _program("papers.tag_online"),
    # Word vectors of 20 MB take ten minutes; those of 5 MB are in peers.versus.
    Program("papers.words", _WORDS, _WORDS[1:]),
    _program("peers.defaults_grade"),
    _program("peers.defaults_recommend"),
    _program("peers.defaults_stream"),
    _program("peers.defaults_tag", quick=False),
    _program("peers.full_rank", "sets", "gowalla", "dense"),
    _program("peers.measures", quick=False),
    _program("peers.own_choices", "tune", "gain"),
    _program("peers.recommend"),
    _program("peers.versus", "recommend", "tag", "words", "stream", "grade"),
    # Joins what the programs above have measured.
    _program("peers.defaults"),
    _program("machine.cluster", "same", quick=False),
    _program("machine.first_use", quick=False),
    _program("machine.kernel_growth", quick=False),
    _program("machine.lists", "one", "approximate"),
    _program("machine.readers"),
    _program("machine.roofline"),
    _program("machine.service"),
    _program("machine.service_pages", "paint", "review"),
    Program("machine.sizes", ("csv", "sweep", "evaluation"), ("sweep", "evaluation")),
    _program("machine.stream_speed"),
)
PROGRAMS = {program.module.rpartition(".")[2]: program for program in _DECLARED}
"""Name → program, in the order of a whole run."""


def commands(names: list[str], quick: bool) -> list[list[str]]:
    """What to call, in order."""
    return [
        [PROGRAMS[name].module, *part.split(), *([QUICK] if quick else [])]
        for name in names
        for part in (PROGRAMS[name].quick if quick else PROGRAMS[name].parts)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(PROGRAMS)}; all by default")
    parser.add_argument(QUICK, action="store_true", help="the small versions")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in PROGRAMS]
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(PROGRAMS)}")
    calls = commands(asked.names or [*PROGRAMS], asked.quick)
    if not asked.quick and not asked.names:
        calls.append(["pages", "--figures"])
    failed, left_out = [], []
    for call in [*calls, ["pages"]]:
        print(f"== {' '.join(call)}", flush=True)
        began = time.perf_counter()
        ended = launch(*call)
        print(f"== {time.perf_counter() - began:.0f} s", flush=True)
        if ended:
            (left_out if ended == ABSENT else failed).append(" ".join(call))
    if left_out:
        print(f"left out, their data are not here: {', '.join(left_out)}")
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
