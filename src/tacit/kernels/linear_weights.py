"""Item-item weights of a sparse linear recommender, and the scores that rows get by them.

Legend: X (n, m) are the positives in CSR form, ``of_col`` the same cells by column. W (m, m) is kept by row: row i
holds what column i says for other columns.
"""

import numpy as np

from tacit.kernels._jit import fast
from tacit.kernels.topk import keep_largest, pack

_LOW_HALF = np.int64(0xFFFFFFFF)


@fast
def strongest_targets(
    first, last, of_col, rows_of_col, col_value, indptr, indices, value, target_scale, sums, bits, best, strength
):
    """The K columns y ≠ i with the largest t_y Σ_x col_value_xi value_xy, for each column i in first..last-1.

    t is ``target_scale`` (m,). ``sums`` (m,) is zero and stays so, ``bits`` the same memory as int32. ``best`` and
    ``strength`` (last - first, K) end with -1 and 0 where fewer than K columns co-occur.
    """
    touched = np.empty(len(sums), dtype=np.int32)
    keys = np.empty(len(sums), dtype=np.int64)
    k = best.shape[1]
    for i in range(first, last):
        count = 0
        for cell in range(of_col[i], of_col[i + 1]):
            x, own = rows_of_col[cell], col_value[cell]
            for other in range(indptr[x], indptr[x + 1]):
                y = indices[other]
                if sums[y] == 0:
                    touched[count] = y
                    count += 1
                sums[y] += own * value[other]
        size = np.int64(0)  # a bare 0 is a type of its own, and keep_largest would be compiled once more
        for index in range(count):
            y = touched[index]
            if y != i:
                sums[y] *= target_scale[y]
                keys[size] = pack(bits[y], np.int64(y))
                size += 1
        if size > k:
            keep_largest(keys, size, k)
        for index in range(k):
            best[i - first, index] = -1
            strength[i - first, index] = 0
            if index < size:
                y = np.int32(_LOW_HALF - (keys[index] & _LOW_HALF))
                best[i - first, index] = y
                strength[i - first, index] = sums[y]
        for index in range(count):
            sums[touched[index]] = 0


@fast
def add_sparse_rows(start, stop, indptr, indices, value, w_indptr, w_indices, w_data, scores):
    """scores[r] = Σ_i x_i W_i for the rows start..stop-1 of X, W in CSR form."""
    for x in range(start, stop):
        out = scores[x - start]
        for cell in range(indptr[x], indptr[x + 1]):
            i, own = indices[cell], value[cell]
            for index in range(w_indptr[i], w_indptr[i + 1]):
                out[w_indices[index]] += own * w_data[index]


@fast
def add_dense_rows(start, stop, indptr, indices, value, weights, scores):
    """The same for a dense W (m, m)."""
    for x in range(start, stop):
        out = scores[x - start]
        for cell in range(indptr[x], indptr[x + 1]):
            row, own = weights[indices[cell]], value[cell]
            for y in range(len(out)):
                out[y] += own * row[y]
