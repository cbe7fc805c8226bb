"""Pairs in the right order, counted in O(n log n)."""

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
            place = ranks[stop] - 1
            while place > 0:
                below += tree[place]
                place -= place & -place
            place = ranks[stop]
            while place > 0:
                up_to += tree[place]
                place -= place & -place
            twice += below + up_to
            stop += 1
        comparable += start * (stop - start)
        for point in range(start, stop):
            place = ranks[point]
            while place <= size:
                tree[place] += 1
                place += place & -place
        start = stop
    return twice, comparable
