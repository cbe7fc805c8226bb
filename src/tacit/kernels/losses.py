"""Losses of one positive cell, chosen by an integer code so that kernels stay cacheable.

    SQUARE         (r − s)²
    LOGISTIC       log(1 + exp(−r s))
    SQUARED_HINGE  max(0, 1 − r s)²

r is the target of the cell, s its score. ``first`` and ``second`` are derivatives by s. ``bound`` is the curvature of
the quadratic that touches ℓ at s and lies above it everywhere: minimising that quadratic never raises ℓ.
"""

import numpy as np

from tacit.kernels._jit import strict

SQUARE, LOGISTIC, SQUARED_HINGE = 0, 1, 2


@strict
def value(code, r, s):
    if code == SQUARE:
        return (r - s) * (r - s)
    z = r * s
    if code == LOGISTIC:
        # log(1 + e^(−z)) without overflow on either side.
        return np.log1p(np.exp(-z)) if z > 0 else np.log1p(np.exp(z)) - z
    gap = max(0.0, 1.0 - z)
    return gap * gap


@strict
def first(code, r, s):
    if code == SQUARE:
        return 2.0 * (s - r)
    z = r * s
    if code == LOGISTIC:
        return -r / (1.0 + np.exp(z)) if z < 0 else -r * np.exp(-z) / (1.0 + np.exp(-z))
    return -2.0 * r * max(0.0, 1.0 - z)


@strict
def second(code, r, s):
    if code == SQUARE:
        return 2.0
    z = r * s
    if code == LOGISTIC:
        e = np.exp(-abs(z))
        return r * r * e / ((1.0 + e) * (1.0 + e))
    return 2.0 * r * r if z < 1.0 else 0.0


@strict
def bound(code, r, s):
    if code == SQUARE:
        return 2.0
    if code == LOGISTIC:
        # Jaakkola and Jordan's bound: r² tanh(z/2) / (2z), which is r²/4 at z = 0.
        z = abs(r * s)
        return r * r * (0.25 if z < 1e-4 else np.tanh(0.5 * z) / (2.0 * z))
    return 2.0 * r * r
