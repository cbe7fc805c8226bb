"""Results per user and per item behind the means of an evaluation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.metrics.intervals import Difference, paired_difference
from tacit.metrics.ranking import PER_USER, Floats, Hits, check_cutoffs

Array = NDArray[Any]
Counts = NDArray[np.int64]


@dataclass
class Details:
    """Give an empty one to ``evaluate(..., details=...)``; it is filled as lists go by.

    Parameters
    ----------
    k : the cut-off, one of those that are evaluated
    metrics : names out of ``tacit.metrics.ranking.PER_USER``

    Attributes
    ----------
    rows : (u,) the rows that were asked, by number
    scores : metric → (u,) values in their order
    listed, hits : (items,) how often each item stood in a list, and how often it had been held out there

    >>> from tacit.metrics import evaluate_factors
    >>> train, test = np.array([[1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 0], [1, 0, 0]])
    >>> details = Details(1, ("ndcg",))
    >>> factors = np.ones((2, 1)), np.array([[1.0], [3.0], [2.0]])
    >>> means = evaluate_factors(*factors, train, test, k=1, metrics=("ndcg",), details=details)
    >>> details.scores["ndcg"], details.listed, details.hits
    (array([1., 0.]), array([0, 1, 1]), array([0, 1, 0]))
    """

    k: int = 10
    metrics: Sequence[str] = ("ndcg",)
    listed: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    hits: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    _rows: list[Array] = field(default_factory=list)
    _scores: dict[str, list[Floats]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (self.k,) = check_cutoffs(self.k)

    @property
    def rows(self) -> Array:
        return np.concatenate([np.empty(0, dtype=np.int64), *self._rows])

    @property
    def scores(self) -> dict[str, Floats]:
        return {name: np.concatenate([np.empty(0), *self._scores.get(name, [])]) for name in self.metrics}

    def add(self, rows: Array, numbers: Array, hits: Hits, held_out: Array, items: int) -> None:
        """One batch: the lists (b, at least k) of so many rows, and which places hit."""
        numbers, hits = numbers[:, : self.k], hits[:, : self.k]
        if not len(self.listed):
            self.listed, self.hits = np.zeros(items, dtype=np.int64), np.zeros(items, dtype=np.int64)
        self.listed += np.bincount(numbers[numbers >= 0], minlength=items)
        self.hits += np.bincount(numbers[hits], minlength=items)
        self._rows.append(rows)
        for name in self.metrics:
            self._scores.setdefault(name, []).append(PER_USER[name](hits, held_out))


def lead(ours: Details, theirs: Details) -> dict[str, Difference]:
    """By how much ``ours`` leads ``theirs`` in every metric that both have, over the users that both were asked for.

    >>> ours, theirs = Details(1, ("ndcg",)), Details(1, ("ndcg",))
    >>> hits, misses = np.array([[True]] * 3), np.array([[False]] * 3)
    >>> for details, marks in ((ours, hits), (theirs, misses)):
    ...     details.add(np.arange(3), np.zeros((3, 1), dtype=int), marks, np.ones(3, dtype=int), 1)
    >>> print(lead(ours, theirs)["ndcg@1"])
    +1.0000 [+1.0000, +1.0000]: ahead
    """
    if not np.array_equal(ours.rows, theirs.rows) or ours.k != theirs.k or not len(ours.rows):
        return {}
    scores, others = ours.scores, theirs.scores
    return {f"{name}@{ours.k}": paired_difference(scores[name], others[name]) for name in scores if name in others}
