"""Passes over the positives that every solver shares."""

from tacit.kernels import losses
from tacit.kernels._jit import strict


@strict
def loss_of_rows(start, stop, indptr, indices, weight, target, own, other, a, b, unlabelled_target, code):
    """Σ over the positives of rows start..stop of  c ℓ(r, s) − a_x b_y (t − s)²,  in float64."""
    g = own.shape[1]
    total = 0.0
    for x in range(start, stop):
        for k in range(indptr[x], indptr[x + 1]):
            y = indices[k]
            s = 0.0
            for d in range(g):
                s += own[x, d] * other[y, d]
            gap = unlabelled_target - s
            total += weight[k] * losses.value(code, target[k], s) - a[x] * b[y] * gap * gap
    return total
