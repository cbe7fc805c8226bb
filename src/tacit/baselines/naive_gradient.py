"""Batch gradient that visits every cell of |X| × |Y|, in blocks of rows: the cost that Gram caches avoid."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.objective.whole_data import Side

Array = NDArray[Any]

ROWS = 256


def naive_gradient(side: Side, own: Array, other: Array) -> Array:
    """∂J/∂P (n, g) of the squared whole-data loss, at O(|X||Y|g): what fBGD replaces.

    >>> from tacit.objective.side import Side
    >>> ones = np.ones(1)
    >>> side = Side(np.array([0, 1]), np.array([0], np.int32), ones, ones, ones, ones, ones, 0.0)
    >>> naive_gradient(side, np.full((1, 1), 2.0), np.full((1, 1), 3.0))
    array([[34.]])
    """
    out = np.empty_like(own)
    for start in range(0, side.rows, ROWS):
        stop = min(start + ROWS, side.rows)
        scores = own[start:stop] @ other.T
        weight = side.own_weight[start:stop, None] * side.other_weight[None, :]
        error = scores - own.dtype.type(side.unlabelled_target)
        low, high = side.indptr[start], side.indptr[stop]
        row = np.repeat(np.arange(stop - start), np.diff(side.indptr[start : stop + 1]))
        col = side.indices[low:high]
        weight[row, col] = side.weights[low:high]
        error[row, col] = scores[row, col] - side.targets[low:high]
        error *= weight
        out[start:stop] = 2 * (error @ other + side.ridge[start:stop, None] * own[start:stop])
    return out
