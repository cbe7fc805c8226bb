"""Steps of first-order solvers."""

import numpy as np

from tacit.kernels._jit import fast


@fast
def adagrad(start, stop, width, rates, epsilon, nonnegative, gradient, sums, theta):
    """One Adagrad step on the parameters of features start..stop; each feature has ``width`` of them and its own rate.

    All arrays but ``rates`` are flat. Returns the squared norm of the gradient, in float64.
    """
    total = 0.0
    zero = theta.dtype.type(0)
    for j in range(start, stop):
        rate = rates[j]
        norm = zero
        for i in range(j * width, (j + 1) * width):
            u = gradient[i]
            norm += u * u
            sums[i] += u * u
            theta[i] -= rate * u / (np.sqrt(sums[i]) + epsilon)
        total += norm
        if nonnegative:
            for i in range(j * width, (j + 1) * width):
                theta[i] = max(theta[i], zero)
    return total
