"""Inner products of flat vectors, and rows that are scaled and added."""

from tacit.kernels._jit import fast, strict


@fast
def inner(start, stop, left, right):
    """Σ_i left[i] right[i] over start..stop, in float64."""
    total = 0.0
    for i in range(start, stop):
        total += float(left[i]) * float(right[i])
    return total


@strict
def scale_and_add(start, stop, scale, other_scale, other, out):
    """out[x] ← scale_x out[x] + other_scale_x other[x] for rows start..stop, rounded after every operation."""
    for x in range(start, stop):
        s, o = scale[x], other_scale[x]
        for d in range(out.shape[1]):
            out[x, d] = s * out[x, d] + o * other[x, d]
