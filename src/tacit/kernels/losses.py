"""Losses of one positive cell, chosen by an integer code so that kernels stay cacheable.

    SQUARE         (r − s)²
    LOGISTIC       log(1 + exp(−r s))
    SQUARED_HINGE  max(0, 1 − r s)²

r is the target of the cell, s its score.
"""

import numpy as np

from tacit.kernels._jit import strict

SQUARE, LOGISTIC, SQUARED_HINGE = 0, 1, 2


@strict
def evaluate(code, r, s):
    """ℓ(r, s), ℓ' and ℓ'' by s, and a bound: the curvature of the quadratic that touches ℓ at s and lies above it.

    Minimising that quadratic never raises ℓ. For the logistic loss it is Jaakkola and Jordan's, r² tanh(z/2) / (2z).
    """
    if code == SQUARE:
        return (r - s) * (r - s), 2.0 * (s - r), 2.0, 2.0
    z = r * s
    if code == LOGISTIC:
        # One exponential, of a number that is not positive: no overflow on either side.
        e = np.exp(-abs(z))
        share = 1.0 / (1.0 + e)
        first = -r * e * share if z > 0 else -r * share
        bound = 0.25 if abs(z) < 1e-4 else (1.0 - e) * share / (2.0 * abs(z))
        return np.log1p(e) + max(-z, 0.0), first, r * r * e * share * share, r * r * bound
    gap = max(0.0, 1.0 - z)
    return gap * gap, -2.0 * r * gap, (2.0 * r * r if z < 1.0 else 0.0), 2.0 * r * r
