"""Ridge regressions of each column on the columns that co-occur with it most: local weights of a linear recommender.

Legend: C_iy = t_y G_iy are the strongest co-occurrences of column i by row, G = XᵀAX, in CSR form. For a target y, its
K neighbours c are those with the largest C_yc, and

    (G_cc′ + Λ) w = G_cy

is a system of K × K. Co-occurrences that are not stored count as zero; what either of two columns stores serves both.
With all of them a pivot of the Cholesky factor is at least λ_c. Where one is below half of that, for want of what is
not stored, the co-occurrences of the neighbours with each other are halved and the system is solved anew.
"""

import numpy as np

from tacit.kernels._jit import fast
from tacit.kernels.als import solve_in_place
from tacit.kernels.topk import keep_largest, pack

_LOW_HALF = np.int64(0xFFFFFFFF)


_HALVINGS = 30
"""Then next to nothing but the diagonal is left."""


@fast
def _solve_soundly(system, diagonal, ridge, right, solution):
    """``solution`` ← system⁻¹ right, the system's upper triangle halved as often as its pivots ask for.

    system : (k, k) with the co-occurrences above its diagonal; the rest is overwritten
    diagonal, ridge : (k,) that of G and Λ together, and Λ
    """
    k = len(right)
    share = right.dtype.type(1)
    for _ in range(_HALVINGS):
        for a in range(k):
            solution[a] = right[a]
            system[a, a] = diagonal[a]
            for b in range(a):
                system[a, b] = share * system[b, a]
        sound = solve_in_place(system, solution)
        for a in range(k):
            sound = sound and system[a, a] * system[a, a] >= ridge[a] / 2
        if sound:
            return
        share /= 2


@fast
def local_weights(first, last, indptr, indices, value, bits, scale, diagonal, ridge, best, weight):
    """Neighbours c and weights w_c of the targets first..last-1, into ``best`` and ``weight`` (last - first, K).

    ``bits`` is the memory of ``value`` as int32, ``scale`` (m,) is 1/t, ``diagonal`` (m,) that of G with the ``ridge``
    (m,) added. ``best`` ends with -1 where a target has fewer than K neighbours.
    """
    k = best.shape[1]
    index_of = np.full(len(scale), -1, dtype=np.int32)
    system = np.empty((k, k), dtype=value.dtype)
    vectors = np.empty((4, k), dtype=value.dtype)
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
            index_of[near[a]] = a
            vectors[0, a] = diagonal[near[a]]
            vectors[1, a] = ridge[near[a]]
            vectors[2, a] = value[cell] * scale[near[a]]
            for b in range(size):
                system[a, b] = 0
        for a in range(size):
            c = near[a]
            for cell in range(indptr[c], indptr[c + 1]):
                b = index_of[indices[cell]]
                if b >= 0:
                    system[min(a, b), max(a, b)] = value[cell] * scale[indices[cell]]
        _solve_soundly(system[:size, :size], vectors[0, :size], vectors[1, :size], vectors[2, :size], vectors[3, :size])
        for a in range(size):
            found[a] = vectors[3, a]
            index_of[near[a]] = -1
