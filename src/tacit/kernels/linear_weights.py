"""Item-item weights of a sparse linear recommender, and the scores that rows get by them.

Legend: X (n, m) are the positives in CSR form, ``of_col`` the same cells by column. W (m, m) is kept by row: row i
holds what column i says for other columns.
"""

import numpy as np

from tacit.kernels._jit import fast
from tacit.kernels.topk import keep_largest, pack

_LOW_HALF = np.int64(0xFFFFFFFF)


@fast
def _add_rows(begin, end, rows_of_col, col_value, first_row, indptr, indices, value, sums, touched, count):
    """sums[y] += Σ_x col_value_x value_xy over the cells begin..end-1 of a column whose rows x are in this CSR.

    ``first_row`` is the number of its first row. Columns that had no sum yet join ``touched``; returns their number.
    A product that underflows adds nothing, or its column would join once more with every row.
    """
    for cell in range(begin, end):
        x, own = np.int64(rows_of_col[cell]) - first_row, col_value[cell]
        if x < 0 or x >= len(indptr) - 1:
            continue
        for other in range(indptr[x], indptr[x + 1]):
            y = indices[other]
            product = own * value[other]
            if product == 0:
                continue
            if sums[y] == 0:
                touched[count] = y
                count += 1
            sums[y] += product
    return count


@fast
def _write_strongest(i, sums, bits, touched, count, target_scale, keys, best, strength):
    """The K largest t_y sums[y] among the touched y ≠ i, into ``best`` and ``strength`` (K,); the sums are cleared."""
    k = len(best)
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
        best[index] = -1
        strength[index] = 0
        if index < size:
            y = np.int32(_LOW_HALF - (keys[index] & _LOW_HALF))
            best[index] = y
            strength[index] = sums[y]
    for index in range(count):
        sums[touched[index]] = 0


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
    for i in range(first, last):
        count = _add_rows(
            of_col[i], of_col[i + 1], rows_of_col, col_value, np.int64(0), indptr, indices, value, sums, touched,
            np.int64(0),
        )  # fmt: skip
        _write_strongest(i, sums, bits, touched, count, target_scale, keys, best[i - first], strength[i - first])


@fast
def add_cooccurrences(
    of_col, rows_of_col, col_value, first_row, indptr, indices, value, sums, room, sizes, columns, partial
):
    """The sums of some columns with a range of rows added, in the order of the rows.

    ``columns`` and ``partial`` hold what column i has so far, ``sizes[i]`` cells from ``room[i]`` on, and take what it
    has then. ``sums`` (m,) is zero and stays so.
    """
    touched = np.empty(len(sums), dtype=np.int32)
    for i in range(len(sizes)):
        count = np.int64(0)
        for index in range(room[i], room[i] + sizes[i]):
            y = columns[index]
            sums[y] = partial[index]
            touched[count] = y
            count += 1
        count = _add_rows(
            of_col[i], of_col[i + 1], rows_of_col, col_value, first_row, indptr, indices, value, sums, touched, count
        )
        for index in range(count):
            y = touched[index]
            columns[room[i] + index], partial[room[i] + index] = y, sums[y]
            sums[y] = 0
        sizes[i] = count


@fast
def strongest_of_sums(first, starts, columns, partial, target_scale, sums, bits, best, strength):
    """As ``strongest_targets``, from sums that are complete; ``first`` is the number of the first column."""
    touched = np.empty(len(sums), dtype=np.int32)
    keys = np.empty(len(sums), dtype=np.int64)
    for i in range(len(starts) - 1):
        count = np.int64(0)
        for index in range(starts[i], starts[i + 1]):
            y = columns[index]
            sums[y] = partial[index]
            touched[count] = y
            count += 1
        _write_strongest(first + i, sums, bits, touched, count, target_scale, keys, best[i], strength[i])


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
