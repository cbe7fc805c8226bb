"""Count concordant pairs in O(n log n), with a Fenwick tree over ranks."""

import numpy as np

from tacit.kernels._jit import strict


@strict
def concordant_pairs(groups, ranks, size):
    """Twice the number of concordant pairs (a pair of equal rank counts once), and the number of comparable pairs.

    ``groups`` (n,) ascending: points of one group are not compared. ``ranks`` (n,) from 1 to ``size``, equal where
    scores are equal. A Fenwick tree over ranks holds the points of lower groups: each point asks it how many of them
    rank below and how many level with it.
    """
    tree = np.zeros(size + 1, dtype=np.int64)
    twice, comparable = 0, 0
    start = 0
    while start < len(groups):
        stop = start
        while stop < len(groups) and groups[stop] == groups[start]:
            below, up_to = 0, 0
            index = ranks[stop] - 1
            while index > 0:
                below += tree[index]
                index -= index & -index
            index = ranks[stop]
            while index > 0:
                up_to += tree[index]
                index -= index & -index
            twice += below + up_to
            stop += 1
        comparable += start * (stop - start)
        for point in range(start, stop):
            index = ranks[point]
            while index <= size:
                tree[index] += 1
                index += index & -index
        start = stop
    return twice, comparable
