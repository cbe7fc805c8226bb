"""Positive pointwise mutual information of sparse counts, a range of rows at a time."""

import numpy as np

from tacit.kernels._jit import strict


@strict
def keep_positive(
    first, last, indptr, indices, counts, row_logs, col_logs, constant, sizes, kept_indices, values, kept_counts
):
    """Keep the cells of rows first..last-1 that have log x_ij + constant − row_logs_i − col_logs_j > 0.

    Their columns, values and counts are written from ``indptr[first]`` on, row after row without gaps, and ``sizes``
    says how many a row has. A cell is read before its place is written to, so the kept indices and counts may be those
    that are given.
    """
    place = indptr[first]
    for row in range(first, last):
        begin = place
        for cell in range(indptr[row], indptr[row + 1]):
            count, column = counts[cell], indices[cell]
            value = np.log(np.float64(count)) + constant - row_logs[row] - col_logs[column]
            if value > 0:
                kept_indices[place] = column
                values[place] = value
                kept_counts[place] = count
                place += 1
        sizes[row] = place - begin
