"""Weights for columns without positives: the mean weights of the columns with the most similar features."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import Csr, as_csr
from tacit.neighbours.best import best_columns
from tacit.solvers.sharpening import Sharpened
from tacit.threads import even_chunks

Array = NDArray[Any]

NEIGHBOURS = 10
AT_ONCE = 512


def lend(weights: Array | Csr | Sharpened, features: sp.csr_array, counts: Array) -> Array | Csr | Sharpened:
    """W with columns of its own for every y without positives: the mean of the columns W_n of the ten n with the
    highest cosine of features, weighted by it.

    A row that has n should get y too. Since W_nn is zero, the largest weight of column n is used in its place.
    """
    silent = np.flatnonzero(counts == 0)
    known = np.flatnonzero(counts)
    shares = _shares(features, silent, known, len(counts))
    if shares.nnz == 0:
        return weights
    if isinstance(weights, np.ndarray):
        full = weights.copy()
        np.fill_diagonal(full, weights.max(axis=0))
        weights = weights.copy()
        weights[:, silent] = (shares[:, silent].T @ full.T).T
        return weights
    if isinstance(weights, Sharpened):
        lent = (weights.right + shares.T @ weights.right).astype(np.float32)
        return Sharpened(_lent(weights.sparse, shares), weights.left, lent)
    return _lent(weights, shares)


def _lent(weights: Csr, shares: sp.csr_array) -> Csr:
    native = weights.native()
    full = native + sp.diags_array(native.max(axis=0).toarray().ravel(), format="csr")
    return as_csr((native + full @ shares).astype(np.float32), "weights", allow_empty=True)


def _shares(features: sp.csr_array, silent: Array, known: Array, m: int) -> sp.csr_array:
    """(m, m): column y of a silent column holds the shares of its neighbours, which sum to one."""
    native = as_csr(features, "col_features", allow_empty=True).native().astype(np.float64)
    length = np.sqrt(np.asarray(native.multiply(native).sum(axis=1)).ravel())
    unit = sp.diags_array(1 / np.where(length > 0, length, 1.0)).tocsr() @ native
    others = unit[known].T.tocsr()
    rows, cols, values = [], [], []
    for start, stop in even_chunks(len(silent), AT_ONCE):
        result, cosine = best_columns((unit[silent[start:stop]] @ others).tocsr(), NEIGHBOURS)
        cosine = np.where((result >= 0) & (cosine > 0), cosine, 0.0)
        total = cosine.sum(axis=1, keepdims=True)
        y, index = np.nonzero(cosine)
        rows.append(known[result[y, index]])
        cols.append(silent[start + y])
        values.append((cosine / np.where(total > 0, total, 1.0))[y, index])
    parts = [np.concatenate(part) if part else np.empty(0, dtype=int) for part in (rows, cols, values)]
    return sp.csr_array((parts[2].astype(np.float64), (parts[0], parts[1])), shape=(m, m))
