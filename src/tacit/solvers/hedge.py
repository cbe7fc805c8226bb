"""Which experts run side by side, and how their weights went: a thinned record that never outgrows its room."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.solvers.passive_aggressive import Setting

REFERENCE = 5.0
"""The experts below are stated for ratings up to 5; other scales are converted as the largest rating shows."""

PAPER = tuple(
    Setting(factors=k, aggressiveness=c) for c in (0.01, 0.05, 0.4, 0.8, 5.0) for k in (5, 10, 15)
)  # fmt: skip
"""The paper's fifteen experts for small data sets (section 5.1.3)."""

BIASED = (
    Setting(factors=0, biases=True, aggressiveness=0.2),
    Setting(factors=5, biases=True, aggressiveness=0.1, start=0.1, adaptation="full"),
    Setting(factors=10, biases=True, aggressiveness=0.1, start=0.1, adaptation="full"),
)
"""Experts with biases, which the paper lacks: biases alone, and with factors under the full matrix."""

RECORDS = 512
"""The room of a record of weights, which is never full."""


def as_settings(experts: Sequence[Mapping[str, Any] | Setting]) -> list[Setting]:
    """Settings from mappings of ``RatingStream``'s parameters; what is left out keeps its default."""
    known = {field.name for field in fields(Setting)}
    settings = []
    for number, expert in enumerate(experts):
        if isinstance(expert, Setting):
            settings.append(expert)
            continue
        strange = set(expert) - known
        if strange:
            raise InputError(
                f"experts: number {number} has {', '.join(sorted(strange))}, which a setting does not know; "
                f"use {', '.join(sorted(known))}."
            )
        settings.append(replace(Setting(), **expert))
    if not settings:
        raise InputError("experts is empty; give at least one setting, or None for the default ones.")
    return settings


class WeightRecord:
    """Weights over time: every ``interval`` ratings; when the room is full every other record goes.

    >>> record = WeightRecord(experts=2)
    >>> for n_seen in range(1, 2001):
    ...     record.add(n_seen, np.array([0.5, 0.5]))
    >>> len(record.n_seen) <= 512, record.interval
    (True, 4)
    """

    def __init__(self, experts: int) -> None:
        self.interval = 1
        self.length = 0
        self._n_seen = np.zeros(RECORDS, dtype=np.int64)
        self._weights = np.zeros((RECORDS, experts))

    def until_next(self, n_seen: int) -> int:
        """Ratings until the next record is due."""
        return self.interval - n_seen % self.interval

    def is_due(self, n_seen: int) -> bool:
        """Whether the weights after so many ratings are to be recorded."""
        return n_seen % self.interval == 0

    def add(self, n_seen: int, weights: NDArray[np.float64]) -> None:
        """Record the weights if a record is due."""
        if not self.is_due(n_seen):
            return
        self._n_seen[self.length], self._weights[self.length] = n_seen, weights
        self.length += 1
        if self.length == RECORDS:
            self.interval *= 2
            kept = np.flatnonzero(self._n_seen % self.interval == 0)
            self.length = len(kept)
            self._n_seen[: self.length], self._weights[: self.length] = self._n_seen[kept], self._weights[kept]

    @property
    def n_seen(self) -> NDArray[np.int64]:
        """After how many ratings each record was taken."""
        return self._n_seen[: self.length]

    @property
    def weights(self) -> NDArray[np.float64]:
        """(records, experts)."""
        return self._weights[: self.length]

    def restore(self, interval: int, n_seen: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
        """Take back what an earlier record held."""
        self.interval, self.length = interval, len(n_seen)
        self._n_seen[: self.length], self._weights[: self.length] = n_seen, weights
