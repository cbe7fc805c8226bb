"""How the shares of a mixture change from row to row.

Full rank adds up what each positive of a row says; low rank squeezes them all into a few dozen factors. So the more
positives a row has, the less factors add. With n_x positives of row x and n̄ of the median row,

    ω_xm ∝ w_m (n̄ / n_x)^γ  for a member m of low rank,      ω_xm ∝ w_m  for the others,      Σ_m ω_xm = 1
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.data.matrix import Csr

EXPONENTS = (0.0, 0.5, 1.0, -0.5)
"""γ that are tried, preferred ones first."""
MOST = 8.0
"""Rows with more or less than so many times the positives of the median row are treated as if they had no more."""


@dataclass(frozen=True)
class RowShares:
    """``exponent`` γ and ``usual`` n̄; as it stands, all rows have the same shares."""

    exponent: float = 0.0
    usual: float = 1.0

    @classmethod
    def measured(cls, exponent: float, positives: Csr) -> "RowShares":
        """With the median of the rows that have positives."""
        counts = np.diff(positives.indptr)
        return cls(exponent, float(np.median(counts[counts > 0])) if positives.nnz else 1.0)

    def of(self, shares: Sequence[float], low_rank: Sequence[bool], positives: Csr) -> NDArray[np.float32]:
        """ω (n, members) for rows with these positives; a row without any counts as a usual one.

        >>> import scipy.sparse as sp
        >>> from tacit.data.matrix import as_csr
        >>> rows = as_csr(sp.csr_array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]]), "rows")
        >>> RowShares(1.0, 2.0).of((0.5, 0.5), (True, False), rows).round(2)
        array([[0.33, 0.67],
               [0.5 , 0.5 ],
               [0.67, 0.33]], dtype=float32)
        """
        counts = np.diff(positives.indptr)
        times = np.where(counts > 0, self.usual / np.maximum(counts, 1), 1.0)
        powers = np.clip(times, 1 / MOST, MOST) ** self.exponent
        given = np.asarray(shares, np.float64)
        parts = given / given.sum()
        result = np.where(np.asarray(low_rank, np.bool_), powers[:, None] * parts, parts)
        result *= given.sum() / result.sum(axis=1, keepdims=True)
        of_rows: NDArray[np.float32] = result.astype(np.float32)
        return of_rows


ALIKE = RowShares()
"""The same shares in every row."""
