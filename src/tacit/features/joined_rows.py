"""Rows of a sparse and a dense part, which a kernel compares by both.

    r = [√(1 − μ) x, √μ z],      ⟨r, r'⟩ = (1 − μ) ⟨x, x'⟩ + μ ⟨z, z'⟩

The parts stay apart and unscaled: products of the dense ones go through BLAS, and no copy of either is made.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class JoinedRows:
    """x (n, d), z (n, g), and μ, the share of z.

    >>> rows = JoinedRows(sp.csr_array([[1.0, 0.0], [0.0, 1.0]]), np.array([[2.0], [3.0]]), 0.5)
    >>> rows.products(rows[:1]).tolist(), rows.squared_norms().tolist()
    ([[2.5], [3.0]], [2.5, 5.0])
    """

    sparse: sp.csr_array
    dense: Array
    share: float

    @property
    def shape(self) -> tuple[int, int]:
        return self.sparse.shape[0], self.sparse.shape[1] + self.dense.shape[1]

    def __getitem__(self, rows: slice) -> "JoinedRows":
        return JoinedRows(self.sparse[rows], self.dense[rows], self.share)

    def products(self, others: "JoinedRows") -> Array:
        """⟨r_i, r'_j⟩, dense."""
        number = self.dense.dtype.type
        result, beside = (self.sparse @ others.sparse.T).toarray(), self.dense @ others.dense.T
        result *= number(1 - self.share)
        beside *= number(self.share)
        result += beside
        return np.asarray(result)

    def squared_norms(self) -> Array:
        """‖r_i‖², (n,)."""
        sparse = np.asarray(self.sparse.multiply(self.sparse).sum(axis=1)).ravel()
        dense = np.einsum("ij,ij->i", self.dense, self.dense)
        return np.asarray((1 - self.share) * sparse + self.share * dense, dtype=self.dense.dtype)
