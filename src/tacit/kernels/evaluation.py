"""Counts for the ranking metrics: hits in a list, and pairs in the right order."""

import numpy as np

from tacit.kernels._jit import fast


@fast
def mark_hits(numbers, indptr, indices, hits):
    """hits[r, j] = whether numbers[r, j] is in row r of the sorted lists; -1 (an empty place) never is."""
    for r in range(numbers.shape[0]):
        for j in range(numbers.shape[1]):
            low, high = indptr[r], indptr[r + 1]
            while low < high:
                middle = (low + high) // 2
                if indices[middle] < numbers[r, j]:
                    low = middle + 1
                else:
                    high = middle
            hits[r, j] = low < indptr[r + 1] and indices[low] == numbers[r, j]


@fast
def rank_sums(scores, rows, masked, indptr, indices, sums):
    """sums[r] = Σ over the listed items of (items below + ½ items level with it), itself included.

    The ``masked[r]`` items at -inf are not counted. One pass over all scores for each listed item: counting in int32
    vectorises, sorting does not.
    """
    for r in range(rows):
        row = scores[r]
        total = 0.0
        for cell in range(indptr[r], indptr[r + 1]):
            score = row[indices[cell]]
            below, up_to = np.int32(0), np.int32(0)
            for j in range(len(row)):
                below = np.int32(below + (1 if row[j] < score else 0))
                up_to = np.int32(up_to + (1 if row[j] <= score else 0))
            total += 0.5 * (below + up_to) - masked[r]
        sums[r] = total
