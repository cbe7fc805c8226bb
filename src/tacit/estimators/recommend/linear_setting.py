"""What makes linear weights of positives, and the scores that rows get by them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.matrix import Csr
from tacit.solvers import linear_weights, sharpening
from tacit.solvers.sharpening import Leading, Sharpened

Array = NDArray[Any]
_ROUNDING = 1e-6
"""Scores of a row that are smaller than this share of the largest popularity are rounding."""
Weights = Array | Csr | Sharpened

MOST_KEPT = 3
"""Co-occurrences that a search keeps of a split: the best so far, and those that it is compared with."""


@dataclass
class Products:
    """Products of some positives that several settings use.

    co_occurrences : the last ones by the exponents (row, out) and how many of a column are kept; each serves all
        exponents ``in``
    leading : directions by the rows' exponent
    """

    co_occurrences: dict[tuple[float, float, int], Csr] = field(default_factory=dict)
    leading: dict[float, Leading] = field(default_factory=dict)

    def co_occurrence(self, positives: Csr, exponents: tuple[float, float], keep: int, threads: int) -> Csr:
        """The one for these exponents (row, out), with ``keep`` of each column; those asked for last stay."""
        key = (*exponents, keep)
        kept = self.co_occurrences.pop(key, None)
        while len(self.co_occurrences) >= MOST_KEPT:
            del self.co_occurrences[next(iter(self.co_occurrences))]
        if kept is None:
            kept = linear_weights.sparse_weights(positives, (0.0, *exponents), keep, threads=threads)
        self.co_occurrences[key] = kept
        return kept


@dataclass(frozen=True)
class Setting:
    """What makes weights of positives; ``ridge`` is that of dense and local weights and None for sparse ones, which may
    be sharpened."""

    method: str
    exponents: tuple[float, ...]
    ridge: float | None = None
    sharpening: float = 0.0

    def weights(self, positives: Csr, keep: int, threads: int, products: Products | None = None) -> Weights:
        """``products`` are those that other settings made of the same positives; they keep what this one makes."""
        products = products or Products()
        if self.ridge is not None:
            row, ridge = self.exponents
            given: dict[str, Any] = {"row_exponent": row, "ridge_exponent": ridge, "threads": threads}
            if self.method == "dense":
                return linear_weights.dense_weights(positives, self.ridge, **given)
            near, count = (row, linear_weights.NEARNESS), linear_weights.stored(positives.shape[1])
            known = products.co_occurrence(positives, near, count, threads)
            return linear_weights.local_weights(positives, known, self.ridge, keep, **given)
        into, by_row, out = self.exponents
        co_occurrence = products.co_occurrence(positives, (by_row, out), keep, threads)
        sparse = linear_weights.from_sources(co_occurrence, positives, into)
        if not self.sharpening:
            return sparse
        if by_row not in products.leading:
            products.leading[by_row] = sharpening.leading(positives, by_row, threads)
        return sharpening.sharpened(sparse, positives, (into, by_row, out), products.leading[by_row], self.sharpening)

    def __str__(self) -> str:
        numbers = ", ".join(f"{one:g}" for one in self.exponents)
        more = "" if self.ridge is None else f", ridge {self.ridge:g}"
        return f"{self.method}, exponents ({numbers}){more}" + f", sharpening {self.sharpening:g}" * bool(
            self.sharpening
        )


def row_scores(
    positives: Csr, weights: Weights, popular: Array, doubtful: Array, start: int, stop: int
) -> NDArray[np.float32]:
    """x W for the rows start..stop-1, and the columns' popularity (m,) for rows of which W says nothing.

    Those are rows without positives, and of the ``doubtful`` (n,) ones those whose scores are nothing but rounding.
    """
    scores = spoken_for(positives, sharpening.scores(positives, weights, start, stop), popular, start, stop)
    least = _ROUNDING * float(np.abs(popular).max(initial=0.0))
    for row in np.flatnonzero(doubtful[start:stop]).tolist():
        if np.abs(scores[row]).max(initial=0.0) <= least:
            scores[row] = popular
    return scores


def doubtful_rows(positives: Csr, holders: Array) -> NDArray[np.bool_]:
    """Which rows (n,) have nothing but columns that one row has at most; ``holders`` (m,) are the rows of a column."""
    common = np.flatnonzero(holders[positives.indices] > 1)
    having = np.zeros(positives.shape[0], dtype=bool)
    having[np.searchsorted(positives.indptr, common, side="right") - 1] = True
    return ~having


def spoken_for(
    positives: Csr, scores: NDArray[np.float32], popular: Array, start: int, stop: int
) -> NDArray[np.float32]:
    """``scores`` of the rows start..stop-1 with the columns' popularity in place of those without positives."""
    scores[np.flatnonzero(np.diff(positives.indptr[start : stop + 1]) == 0)] = popular
    return scores
