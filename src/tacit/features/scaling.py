"""Column means and scales of a table, dense or sparse, with row weights; and ranks in place of values.

A shift-invariant kernel depends on differences of rows only, so centring does not change it, but scaling does. Means
and scales are stored as numbers and applied inside the feature maps, so that a sparse table is never made dense.

A column with a long tail puts most rows close together and a few far out. Its ranks, spread like normal numbers, do
not: x ↦ Φ⁻¹(F(x)), with the column's distribution F kept as its values at ``KNOTS`` levels. Dense rows only.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import ndtri

from tacit.data.elsewhere import fold
from tacit.threads import even_chunks

Vector = NDArray[np.float64]

_BLOCK_CELLS = 1 << 22
_CONSTANT = 1e-14
KNOTS = 128
_MOST_RANKED = 20_000
"""Rows that say what a column's distribution is; more are thinned evenly."""


@dataclass(frozen=True)
class Scaling:
    """x ↦ (x − mean) / scale, column by column.

    ``spread`` is the standard deviation of every column after scaling: 1, or 0 where the column is constant, when
    columns are standardised. ``knots`` (levels, columns) turn values into ranks first, where they are given.
    """

    mean: Vector
    scale: Vector
    spread: Vector
    knots: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, table: Any, weights: Vector, standardize: bool = True) -> Self:
        """Weighted means and standard deviations in one place; a constant column keeps the scale 1.

        >>> Scaling.of(np.array([[1.0, 7.0], [3.0, 7.0]]), np.ones(2)).scale
        array([1., 1.])
        """
        share = weights / weights.sum()
        if sp.issparse(table):
            mean = np.asarray(table.T @ share).ravel()
            square = np.asarray(table.multiply(table).T @ share).ravel()
            variance = square - mean**2
        else:
            chunks = even_chunks(table.shape[0], max(1, _BLOCK_CELLS // table.shape[1]))
            zero = np.zeros(table.shape[1])
            (mean,) = fold(table, _with_sums, zero, [[(slice(a, b), (share[a:b],)) for a, b in chunks]])
            (variance,) = fold(table, _with_squares, zero, [[(slice(a, b), (share[a:b], mean)) for a, b in chunks]])
            square = variance + mean**2
        deviation = np.sqrt(np.where(variance > _CONSTANT * square, variance, 0.0))
        scale = np.where(deviation > 0, deviation, 1.0) if standardize else np.ones_like(deviation)
        return cls(mean, scale, deviation / scale)

    @classmethod
    def of_ranks(cls, table: Any, weights: Vector) -> Self:
        """Ranks of a dense table's values, spread like normal numbers and then standardised.

        >>> table = np.array([[1.0], [2.0], [1000.0]])
        >>> (Scaling.of_ranks(table, np.ones(3)).dense(table).round(2) + 0.0).ravel().tolist()  # no -0.0
        [-1.22, 0.0, 1.22]
        """
        step = -(-table.shape[0] // _MOST_RANKED)
        sample, share = np.asarray(table[::step], dtype=np.float64), weights[::step]
        knots = np.empty((KNOTS, sample.shape[1]))
        for number, column in enumerate(sample.T):
            order = np.argsort(column, kind="stable")
            reached = np.cumsum(share[order])
            places = np.searchsorted(reached, _levels() * reached[-1] * (1 - 1e-12))
            knots[:, number] = column[order[np.minimum(places, len(column) - 1)]]
        spread = cls.of(_ranks(sample, knots), share)
        return cls(spread.mean, spread.scale, spread.spread, knots)

    def weighted(self, relevance: Vector) -> Self:
        """The same with every column multiplied by a positive number: far apart where it matters, close where not."""
        return type(self)(self.mean, self.scale / relevance, self.spread * relevance, self.knots)

    def dense(self, rows: Any) -> NDArray[np.float64]:
        """Scaled rows as a dense block."""
        block = rows.toarray() if sp.issparse(rows) else rows
        block = block if self.knots is None else _ranks(block, self.knots)
        return np.asarray((block - self.mean) / self.scale, dtype=np.float64)

    def divide(self, rows: Any) -> Any:
        """Rows over the scale, not centred: sparse rows stay sparse, unless zeros have ranks too."""
        if self.knots is not None:
            return _ranks(rows.toarray() if sp.issparse(rows) else rows, self.knots) / self.scale
        return rows @ sp.diags_array(1.0 / self.scale) if sp.issparse(rows) else rows / self.scale


def _with_sums(total: Vector, rows: Any, share: Vector) -> Vector:
    return np.asarray(total + share @ rows.astype(np.float64))


def _with_squares(total: Vector, rows: Any, share: Vector, mean: Vector) -> Vector:
    return np.asarray(total + share @ (rows - mean) ** 2)


def _levels() -> Vector:
    return (np.arange(KNOTS) + 0.5) / KNOTS


def _ranks(rows: Any, knots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Φ⁻¹ of every value's level; a value that fills several levels gets their middle."""
    levels = ndtri(_levels())
    result = np.empty(rows.shape)
    for number, column in enumerate(np.asarray(rows, dtype=np.float64).T):
        knot = knots[:, number]
        upper = -np.interp(-column, -knot[::-1], -levels[::-1])
        result[:, number] = (np.interp(column, knot, levels) + upper) / 2
    return result


_OUTLYING = 3.0
_TAIL = 0.01
_MOST_CLIPPED = 10_000
_MOST_FACTOR = 1e12
"""Model files hold no larger ones; columns with smaller deviations count less."""


def standardising(rows: sp.csr_array, filled: bool) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Factors and shifts by which columns are near zero with a deviation of one: ``standardised`` applies them.

    A Gaussian kernel in single precision sees nothing of columns whose means are thousands of their deviations, such as
    dates in seconds, unless they are centred. Constant columns get the factor zero. Where the deviation is three times
    that of the values within the middle 98 %, a few outliers would put all other rows in one place, and the smaller
    deviation is taken.

    Parameters
    ----------
    filled : whether most cells hold a value; else columns are divided by their deviations alone, and zeros stay zeros

    >>> factors, shifts = standardising(sp.csr_array([[9.0, 7.0], [11.0, 7.0]]), True)
    >>> factors.tolist(), shifts.round(2).tolist()
    ([1.0, 0.0], [10.0, 0.0])
    """
    table: Any = rows.toarray().astype(np.float64) if filled else rows
    scaling = Scaling.of(table, np.ones(rows.shape[0]))
    scale, middle = scaling.scale, np.zeros_like(scaling.mean)
    if filled:
        thinned = table[:: -(-len(table) // _MOST_CLIPPED)]
        inner = np.clip(thinned, *np.quantile(thinned, [_TAIL, 1 - _TAIL], axis=0))
        deviation, middle = inner.std(axis=0), inner.mean(axis=0)
        scale = np.where((deviation > 0) & (scale > _OUTLYING * deviation), deviation, scale)
    factors = np.where(scaling.spread > 0, np.minimum(1 / scale, _MOST_FACTOR), 0.0).astype(np.float32)
    return factors, (middle * factors).astype(np.float32)


def standardised(
    rows: sp.csr_array, factors: NDArray[np.float32], shifts: NDArray[np.float32]
) -> NDArray[np.float32]:  # fmt: skip
    """Rows times factors less shifts, dense; the difference is taken in double precision."""
    return np.asarray(rows.toarray() * factors.astype(np.float64) - shifts, dtype=np.float32)
