"""The quadrature for A^{-1/2} x.

A^{-1/2} is a weighted sum of shifted inverses (A + s_k I)⁻¹. This module computes the shifts and weights;
``kernels/inverse_root.py`` solves the shifted systems.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ellipj, ellipkm1

NODES = 16
DECADES = 10


@cache
def quadrature() -> NDArray[np.float64]:
    """Shifts and weights, (2, DECADES, NODES): row d serves spectra in [1, 10^(d+1)].

    Midpoint rule for (2/π) ∫ (A + t²I)^{-1} dt under t = sn(w)/cn(w), dt = dn(w)/cn²(w) dw (Hale, Higham & Trefethen
    2008, method 3 for the inverse root). Sixteen nodes give eight digits up to 10⁶.

    >>> shifts, weights = quadrature()[:, 5]
    >>> round(float((weights / (1e3 + shifts)).sum() * 1e3**0.5), 6)
    1.0
    """
    rule = np.empty((2, DECADES, NODES))
    for decade in range(DECADES):
        ratio = 10.0 ** -(decade + 1)
        period = ellipkm1(ratio)
        sn, cn, dn, _ = ellipj((np.arange(NODES) + 0.5) * period / NODES, 1.0 - ratio)
        rule[0, decade] = (sn / cn) ** 2
        rule[1, decade] = 2.0 * period / (np.pi * NODES) * dn / cn**2
    rule.flags.writeable = False
    return rule
