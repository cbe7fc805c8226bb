"""What a row is given of which nothing is known: what is popular when every row has one vote.

    v_y = 1/n Σ_{x has y} 1/k_x

k_x is the number of positives of row x, n the number of rows that have any: v_y is the share of them that would name
column y if each named one of its own at random. A newcomer is more like those who have done little than like those who
have done much, and a plain count hears the latter most. Factors come nearest to these scores by least squares over all
columns.
"""

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import Csr
from tacit.threads import single_threaded_blas

Array = NDArray[Any]

NAME = "popularity"
"""What an account of such a row's score calls it."""

RIDGE = 1e-6
"""Of the mean of the diagonal: more factors than columns leave some directions free."""
BLOCK = 1 << 16
"""Columns that are held in double precision at a time."""


def votes(positives: Csr | sp.csr_array) -> NDArray[np.float32]:
    """v (m,).

    >>> votes(sp.csr_array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])).tolist()
    [0.25, 0.75, 0.0]
    """
    counts = np.diff(positives.indptr)
    share = 1.0 / (counts[counts > 0] * max(1, np.count_nonzero(counts)))
    of_cells = np.repeat(share, counts[counts > 0])
    return np.bincount(positives.indices, of_cells, minlength=positives.shape[1]).astype(np.float32)


def popular_row(col_factors: Array, wanted: Array) -> NDArray[np.float64]:
    """p (g,) whose scores ⟨p, q_y⟩ come nearest to the ones ``wanted`` (m,) of the first m columns."""
    m, g = len(wanted), col_factors.shape[1]
    gram, right = np.zeros((g, g)), np.zeros(g)
    with single_threaded_blas():
        for start in range(0, m, BLOCK):
            q = col_factors[start : min(m, start + BLOCK)].astype(np.float64)
            gram += q.T @ q
            right += q.T @ wanted[start : start + BLOCK]
        scale = float(np.trace(gram)) / max(1, g)
        if not scale:
            return right
        gram[np.diag_indices(g)] += RIDGE * scale
        result: NDArray[np.float64] = scipy.linalg.solve(gram, right, assume_a="pos")
    return result
