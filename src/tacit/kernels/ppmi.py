"""Positive pointwise mutual information of sparse counts, a range of rows at a time."""

import numpy as np

from tacit.kernels._jit import strict


@strict
def count_positive(first, last, indptr, indices, counts, row_logs, col_logs, constant, sizes):
    """How many cells of each row have log x_ij + constant − row_logs_i − col_logs_j > 0."""
    for row in range(first, last):
        kept = 0
        for cell in range(indptr[row], indptr[row + 1]):
            if np.log(np.float64(counts[cell])) + constant - row_logs[row] - col_logs[indices[cell]] > 0:
                kept += 1
        sizes[row] = kept


@strict
def fill_positive(
    first, last, indptr, indices, counts, row_logs, col_logs, constant, kept_indptr, kept_indices, values, kept_counts
):
    """Write column, value and count of those cells."""
    for row in range(first, last):
        index = kept_indptr[row]
        for cell in range(indptr[row], indptr[row + 1]):
            value = np.log(np.float64(counts[cell])) + constant - row_logs[row] - col_logs[indices[cell]]
            if value > 0:
                kept_indices[index] = indices[cell]
                values[index] = value
                kept_counts[index] = counts[cell]
                index += 1
