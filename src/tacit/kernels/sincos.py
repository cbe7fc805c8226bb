"""Cosines and sines of a matrix of phases, several times faster than the C library's.

The phase z is folded to r = z − q·π/2 with |r| ≤ π/4, where both Taylor series end below 1e-16 after eight terms, and
the quadrant q picks series and sign. Nothing branches, so the loop vectorises. The error is that of rounding z itself,
about 1e-16·(1 + |z|). Beyond |z| ≈ 1e9, where a float64 hardly knows its own phase, r is clamped: the result is then
still a cosine of something.
"""

import numpy as np

from tacit.kernels._jit import fast

_TWO_OVER_PI = 0.6366197723675814
_HALF_PI = 1.5707963267948966
_FARTHEST_QUADRANT = 2.0**50


@fast
def sincos(phases, amplitude, out):
    """out = amplitude·[cos(phases), sin(phases)]: phases (n, m), out (n, 2m)."""
    m = phases.shape[1]
    for row in range(phases.shape[0]):
        for col in range(m):
            z = phases[row, col]
            quarter = min(max(np.rint(z * _TWO_OVER_PI), -_FARTHEST_QUADRANT), _FARTHEST_QUADRANT)
            r = min(max(z - quarter * _HALF_PI, -0.8), 0.8)
            s = r * r
            sine = 1 / 6227020800 - s / 1307674368000
            sine = -1 / 39916800 + s * sine
            sine = 1 / 362880 + s * sine
            sine = -1 / 5040 + s * sine
            sine = 1 / 120 + s * sine
            sine = -1 / 6 + s * sine
            sine = r + r * s * sine
            cosine = -1 / 87178291200 + s / 20922789888000
            cosine = 1 / 479001600 + s * cosine
            cosine = -1 / 3628800 + s * cosine
            cosine = 1 / 40320 + s * cosine
            cosine = -1 / 720 + s * cosine
            cosine = 1 / 24 + s * cosine
            cosine = -0.5 + s * cosine
            cosine = 1 + s * cosine
            turn = np.int64(quarter)
            odd = (turn & 1) != 0
            first = sine if odd else cosine
            second = cosine if odd else sine
            out[row, col] = amplitude * (-first if ((turn + 1) & 2) != 0 else first)
            out[row, m + col] = amplitude * (-second if (turn & 2) != 0 else second)
