"""Measurements in turns that the host left alone.

A virtual machine whose processors are lent to others meanwhile says nothing about a program: turns in which more than
one percent of the time was stolen (``/proc/stat``) are left out and taken again. Where all that is measured runs in
this process, what other processes use can be left out with it.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

TURNS = 5
"""Turns that are wanted."""

STOLEN, ATTEMPTS = 0.01, 8
"""The share of stolen time up to which a turn counts, and the attempts for each that is wanted."""


def _processor_seconds() -> list[float]:
    """Seconds over all processors as user, nice, system, idle, waiting, interrupts (two kinds), stolen."""
    ticks = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    return [int(count) / os.sysconf("SC_CLK_TCK") for count in ticks]


def stolen_seconds() -> float:
    """Seconds, over all processors, for which the host ran somebody else."""
    return _processor_seconds()[7]


def seconds_of_others() -> float:
    """The same, and what processes other than this one used."""
    user, nice, system, _, _, *others = _processor_seconds()
    return user + nice + system + sum(others) - time.process_time()


class Turns:
    """Turns that were not disturbed, and how many were.

    taken : seconds so far that were taken from what is measured, ``stolen_seconds`` or ``seconds_of_others``
    """

    def __init__(self, taken: Callable[[], float] = stolen_seconds) -> None:
        self.taken = taken
        self.disturbed = 0

    def of(self, measure: Callable[[], T]) -> list[T]:
        """``TURNS`` undisturbed results of ``measure``; every result, where too few are left alone."""
        everything, kept = [], []
        while len(kept) < TURNS and len(everything) < TURNS * ATTEMPTS:
            taken, began = self.taken(), time.perf_counter()
            everything.append(measure())
            spent = (time.perf_counter() - began) * (os.cpu_count() or 1)
            if self.taken() - taken <= STOLEN * spent:
                kept.append(everything[-1])
        self.disturbed += len(everything) - len(kept)
        return kept if len(kept) == TURNS else everything
