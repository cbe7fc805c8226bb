"""Column means and scales of a table, dense or sparse, with row weights.

A shift-invariant kernel asks only for differences of rows, so centring never changes it; scaling does. Both are kept
here as numbers and folded into the feature maps, so that a sparse table is never made dense to be centred.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.threads import even_chunks

Vector = NDArray[np.float64]

_BLOCK_CELLS = 1 << 22
_CONSTANT = 1e-14


@dataclass(frozen=True)
class Scaling:
    """x ↦ (x − mean) / scale, column by column.

    ``spread`` is the standard deviation of every column after scaling: 1, or 0 where the column is constant, when
    columns are standardised.
    """

    mean: Vector
    scale: Vector
    spread: Vector

    @classmethod
    def of(cls, table: Any, weights: Vector, standardise: bool = True) -> Self:
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
            mean = sum((share[a:b] @ table[a:b].astype(np.float64) for a, b in chunks), np.zeros(table.shape[1]))
            variance = np.zeros(table.shape[1])
            for a, b in chunks:
                variance += share[a:b] @ (table[a:b] - mean) ** 2
            square = variance + mean**2
        deviation = np.sqrt(np.where(variance > _CONSTANT * square, variance, 0.0))
        scale = np.where(deviation > 0, deviation, 1.0) if standardise else np.ones_like(deviation)
        return cls(mean, scale, deviation / scale)

    def dense(self, rows: Any) -> NDArray[np.float64]:
        """Scaled rows as a dense block."""
        block = rows.toarray() if sp.issparse(rows) else rows
        return np.asarray((block - self.mean) / self.scale, dtype=np.float64)

    def divide(self, rows: Any) -> Any:
        """Rows over the scale, not centred: sparse rows stay sparse."""
        if sp.issparse(rows):
            return rows @ sp.diags_array(1.0 / self.scale)
        return rows / self.scale
