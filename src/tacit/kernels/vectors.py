"""Inner products of flat vectors."""

from tacit.kernels._jit import fast


@fast
def inner(start, stop, left, right):
    """Σ_i left[i] right[i] over start..stop, in float64."""
    total = 0.0
    for i in range(start, stop):
        total += float(left[i]) * float(right[i])
    return total
