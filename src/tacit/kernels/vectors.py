"""Inner products and steps on flat vectors."""

from tacit.kernels._jit import fast


@fast
def inner(start, stop, left, right):
    """Σ_i left[i] right[i] over start..stop, in float64."""
    total = 0.0
    for i in range(start, stop):
        total += float(left[i]) * float(right[i])
    return total


@fast
def move(start, stop, alpha, direction, point):
    """point[i] += alpha direction[i] over start..stop."""
    step = point.dtype.type(alpha)
    for i in range(start, stop):
        point[i] += step * direction[i]
