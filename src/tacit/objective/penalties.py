"""Penalties on factors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def ridge_scale(evidence: Array, positive_mass: Array, strength: float, exponent: float) -> float:
    """The factor λ in λ_x = λ · evidence_x^ν that makes the mean ridge ``strength`` times the mean positive mass.

    evidence_x = Σ_{y∈Ω_x} c_xy + a_x Σ_y b_y is the total weight of the cells of x, positive_mass_x its first term.
    A row with more evidence is held back in proportion to it (ν = 1), which is far better on skewed data than the plain
    ridge (ν = 0). Measured against the positives, ``strength`` means the same on dense and sparse data, whatever the
    unlabelled weight: 0.1 holds a factor back like a tenth of its positives would.

    >>> ridge_scale(np.array([4.0, 8.0]), np.array([2.0, 4.0]), strength=0.5, exponent=1.0)
    0.25
    """
    mean = float(np.mean(evidence**exponent))
    return strength * float(np.mean(positive_mass)) / mean if mean > 0 else strength
