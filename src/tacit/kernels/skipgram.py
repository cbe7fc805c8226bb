"""Skip-gram with negative sampling, one epoch at a time (Eq. 4 of the label-embedding paper).

For a drawn pair (i, j) that shares a label and n₋ drawn j':  log σ(⟨z_i, z_j⟩) + Σ log σ(−⟨z_i, z_j'⟩) is climbed by
plain steps on both vectors. The order of steps is part of the answer, so an epoch runs on one thread.
"""

import numpy as np

from tacit.kernels._jit import fast, strict
from tacit.kernels.counter_random import next_uniform


@strict
def sigmoid(score):
    """1 / (1 + e^−s), safe at both ends."""
    if score >= 0:
        return 1.0 / (1.0 + np.exp(-score))
    power = np.exp(score)
    return power / (1.0 + power)


@strict
def draw(row, indptr, indices, state):
    """One of the stored columns of a row, all alike."""
    size = indptr[row + 1] - indptr[row]
    return indices[indptr[row] + np.int64(next_uniform(state) * size)]


@fast
def climb(i, j, target, rate, Z, C, change):
    """One step on c_j, and the step on z_i added to ``change``; target is 1 for a pair seen, 0 for a pair drawn."""
    width = Z.shape[1]
    score = 0.0
    for d in range(width):
        score += Z[i, d] * C[j, d]
    step = rate * (target - sigmoid(score))
    for d in range(width):
        own = C[j, d]
        change[d] += step * own
        C[j, d] = own + step * Z[i, d]


@fast
def skipgram_epoch(order, of_row, indptr, indices, starts, holders, contexts, negatives, rate, Z, C, change, state):
    """One pass over the rows in ``order``, ``contexts`` pairs each.

    of_row : (n,) the label set of each row, whose vector is Z[of_row]
    indptr, indices : labels of each row; starts, holders : rows that hold each label
    Z : (u, g) changed in place; change : (g,) room
    """
    rows = len(of_row)
    for index in range(len(order)):
        row = order[index]
        i = of_row[row]
        for _ in range(contexts):
            j = of_row[draw(draw(row, indptr, indices, state), starts, holders, state)]
            change[:] = 0.0
            climb(i, j, 1.0, rate, Z, C, change)
            for _ in range(negatives):
                climb(i, of_row[np.int64(next_uniform(state) * rows)], 0.0, rate, Z, C, change)
            for d in range(Z.shape[1]):
                Z[i, d] += change[d]
