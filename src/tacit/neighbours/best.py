"""The k best columns of each row in a block of scores, sparse or dense. Ties go to the lower column."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[Any]


def best_columns(scores: sp.csr_array | Array, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Columns (n, k) and scores (n, k), best first; -1 and NaN in places that could not be filled.

    A cell that a sparse block does not store, and minus infinity in a dense one, cannot be chosen.

    >>> best_columns(sp.csr_array([[0.0, 3.0, 2.0]]), 3)
    (array([[ 1,  2, -1]]), array([[ 3.,  2., nan]], dtype=float32))
    """
    columns = np.full((scores.shape[0], k), -1, dtype=np.int64)
    values = np.full((scores.shape[0], k), np.nan, dtype=np.float32)
    if not isinstance(scores, np.ndarray):
        if not scores.has_sorted_indices:
            scores = scores.sorted_indices()
        row = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
        order = np.argsort(_descending_keys(row, scores.data), kind="stable")
        index = np.arange(len(order)) - scores.indptr[row]
        chosen = index < k
        columns[row[chosen], index[chosen]] = scores.indices[order[chosen]]
        values[row[chosen], index[chosen]] = scores.data[order[chosen]]
        return columns, values
    width = min(k, scores.shape[1])
    if width < scores.shape[1]:
        # Everything above the k-th value, and of those equal to it the first columns.
        border = np.partition(scores, scores.shape[1] - width, axis=1)[:, [scores.shape[1] - width]]
        above = scores > border
        level = scores == border
        room = width - above.sum(axis=1, keepdims=True)
        result = np.nonzero(above | (level & (np.cumsum(level, axis=1) <= room)))[1].reshape(len(scores), width)
    else:
        result = np.broadcast_to(np.arange(width), (len(scores), width))
    best_scores = np.take_along_axis(scores, result, axis=1)
    order = np.argsort(-best_scores, axis=1, kind="stable")
    best_scores = np.take_along_axis(best_scores, order, axis=1)
    allowed = best_scores > -np.inf
    columns[:, :width] = np.where(allowed, np.take_along_axis(result, order, axis=1), -1)
    values[:, :width] = np.where(allowed, best_scores, np.nan)
    return columns, values


def _descending_keys(row: Array, values: Array) -> NDArray[np.int64]:
    """Whole numbers that sort by row, then by falling value: one sort of these is quicker than one by two keys."""
    bits = (values.astype(np.float32) + np.float32(0)).view(np.int32)
    # Negative floats sort backwards by their bits, so all but the sign is flipped; + 0.0 has made -0.0 equal to 0.0.
    rising = np.where(bits >= 0, bits, bits ^ np.int32(0x7FFFFFFF)).astype(np.int64)
    return (row.astype(np.int64) << 32) - rising
