"""Ridge regressions of each column on the columns that co-occur with it most: local weights of a linear recommender.

Legend: C_iy = t_y G_iy are the strongest co-occurrences of column i by row, G = XᵀAX, in CSR form. For a target y, its
K neighbours c are those with the largest C_yc, and

    (G_cc′ + Λ) w = G_cy

is a system of K × K. Co-occurrences that are not stored count as zero; what either of two columns stores serves both.
"""

import numpy as np

from tacit.kernels._jit import fast
from tacit.kernels.als import solve_in_place
from tacit.kernels.topk import keep_largest, pack

_LOW_HALF = np.int64(0xFFFFFFFF)


@fast
def local_weights(first, last, indptr, indices, value, bits, scale, diagonal, best, weight):
    """Neighbours c and weights w_c of the targets first..last-1, into ``best`` and ``weight`` (last - first, K).

    ``bits`` is the memory of ``value`` as int32, ``scale`` (m,) is 1/t, ``diagonal`` (m,) that of G with the ridge
    added. ``best`` ends with -1 where a target has fewer than K neighbours. A system that is not definite, for want of
    what is not stored, gives each neighbour its weight alone.
    """
    k = best.shape[1]
    index_of = np.full(len(scale), -1, dtype=np.int32)
    system = np.empty((k, k), dtype=value.dtype)
    solution = np.empty(k, dtype=value.dtype)
    longest = np.int64(0)
    for y in range(first, last):
        longest = max(longest, indptr[y + 1] - indptr[y])
    keys = np.empty(longest, dtype=np.int64)
    for y in range(first, last):
        size = np.int64(0)
        for cell in range(indptr[y], indptr[y + 1]):
            keys[size] = pack(bits[cell], size)
            size += 1
        if size > k:
            keep_largest(keys, size, k)
            size = np.int64(k)
        near, found = best[y - first], weight[y - first]
        for a in range(k):
            near[a] = -1
            found[a] = 0
        for a in range(size):
            cell = indptr[y] + (_LOW_HALF - (keys[a] & _LOW_HALF))
            near[a] = indices[cell]
            found[a] = value[cell] * scale[near[a]]
            index_of[near[a]] = a
            solution[a] = found[a]
            for b in range(size):
                system[a, b] = 0
        for a in range(size):
            c = near[a]
            for cell in range(indptr[c], indptr[c + 1]):
                b = index_of[indices[cell]]
                if b >= 0:
                    together = value[cell] * scale[indices[cell]]
                    # The lower triangle is read.
                    system[max(a, b), min(a, b)] = together
            system[a, a] = diagonal[c]
        if solve_in_place(system[:size, :size], solution[:size]):
            for a in range(size):
                found[a] = solution[a]
        else:
            for a in range(size):
                found[a] /= diagonal[near[a]]
        for a in range(size):
            index_of[near[a]] = -1
