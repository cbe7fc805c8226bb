"""Instances compared by their labels: M = Y Yᵀ without ever holding n × n cells.

Two facts keep it small. Rows with the same labels have the same row of M, so it is enough to compare *distinct*
label sets, each with the number of rows that carry it. And the sums of M's rows need no M: Σ_j ⟨y_i, y_j⟩ = y_i·Yᵀ1.
Beyond that, each label set may keep only its nearest partners.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

_BLOCK = 512


@dataclass(frozen=True)
class LabelSets:
    """The distinct rows of a label matrix.

    sets : (u, L) the distinct label sets, in order of first appearance
    of_row : (n,) which set each row carries
    count : (u,) how many rows carry each set
    """

    sets: sp.csr_array
    of_row: NDArray[np.int64]
    count: NDArray[np.int64]


def distinct_sets(Y: sp.csr_array) -> LabelSets:
    """Distinct rows of a canonical 0/1 matrix.

    >>> sets = distinct_sets(sp.csr_array([[1, 0], [0, 1], [1, 0]]))
    >>> sets.of_row, sets.count
    (array([0, 1, 0]), array([2, 1]))
    """
    numbers: dict[bytes, int] = {}
    of_row = np.empty(Y.shape[0], dtype=np.int64)
    first: list[int] = []
    for row, (start, end) in enumerate(zip(Y.indptr[:-1].tolist(), Y.indptr[1:].tolist())):
        key = Y.indices[start:end].tobytes()
        number = numbers.setdefault(key, len(numbers))
        if number == len(first):
            first.append(row)
        of_row[row] = number
    return LabelSets(Y[first], of_row, np.bincount(of_row, minlength=len(first)))


def shared_labels(sets: sp.csr_array, max_partners: int | None = None) -> sp.csr_array:
    """⟨y_a, y_b⟩ for pairs of label sets that share a label, symmetric; or of each set's ``max_partners`` nearest.

    Partners are ranked by the cosine of the label vectors; a pair is kept when either side keeps it. The product is
    taken in blocks of rows, so that at most ``_BLOCK`` rows of it exist before they are thinned.
    """
    if max_partners is None or max_partners >= sets.shape[0]:
        return sp.csr_array(sets @ sets.T)
    half = nearest_sets(sets, max_partners)
    return sp.csr_array(half.maximum(half.T))


def nearest_sets(sets: sp.csr_array, max_partners: int) -> sp.csr_array:
    """⟨y_a, y_b⟩ of each label set with its ``max_partners`` nearest by cosine, itself among them; not symmetric."""
    flipped = sp.csr_array(sets.T)
    length = np.sqrt(np.maximum(np.diff(sets.indptr), 1)).astype(np.float32)
    kept = [
        _nearest_of_rows(sp.csr_array(sets[start : start + _BLOCK] @ flipped), length, max_partners)
        for start in range(0, sets.shape[0], _BLOCK)
    ]
    return sp.csr_array(sp.vstack(kept))


def nearest_rows(Y: sp.csr_array, neighbours: int, rows: NDArray[np.int64] | None = None) -> sp.csr_array:
    """The rows that are nearest to each row by the cosine of their labels, without itself, as stored cells (n, n).

    With ``rows``, one line for each of those alone.

    >>> nearest_rows(sp.csr_array([[1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1]]), 1).indices
    array([2, 0, 0])
    """
    flipped = sp.csr_array(Y.T)
    length = np.sqrt(np.maximum(np.diff(Y.indptr), 1)).astype(np.float32)
    rows = np.arange(Y.shape[0]) if rows is None else rows
    kept = []
    for start in range(0, len(rows), _BLOCK):
        asked = rows[start : start + _BLOCK]
        block = sp.coo_array(Y[asked] @ flipped)
        row, col = block.coords
        others = asked[row] != col
        cells = sp.csr_array((block.data[others], (row[others], col[others])), shape=block.shape)
        kept.append(_nearest_of_rows(cells, length, neighbours))
    return sp.csr_array(sp.vstack(kept))


def _nearest_of_rows(block: sp.csr_array, length: NDArray[np.float32], max_partners: int) -> sp.csr_array:
    # The row's own length is the same for all its partners, so it does not change their order.
    cosine = block.data / length[block.indices]
    row = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
    order = np.lexsort((block.indices, -cosine, row))
    index = np.arange(len(order)) - block.indptr[row]
    chosen = order[index < max_partners]
    return sp.csr_array((block.data[chosen], (row[chosen], block.indices[chosen])), shape=block.shape)
