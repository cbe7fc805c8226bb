"""The history of the experts' weights, thinned so that its size is bounded.

When the record is full, every second entry is dropped and the interval between entries doubles.
"""

import numpy as np
from numpy.typing import NDArray

RECORDS = 512
"""Entries at most."""


class WeightRecord:
    """Weights after every ``interval`` ratings; when the record is full, every other entry is dropped.

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

    def copy(self) -> "WeightRecord":
        """The same record apart."""
        other = WeightRecord(self._weights.shape[1])
        other.restore(self.interval, self.n_seen, self.weights)
        return other
