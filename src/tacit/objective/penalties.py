"""Penalties on factors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def frequency_ridge(positive_mass: Array, unlabelled_mass: Array, strength: float, exponent: float) -> Array:
    """λ_x = λ (Σ_{y∈Ω_x} c_xy + a_x Σ_y b_y)^ν: a row with more evidence is held back in proportion to it.

    ν = 1 makes λ a share of the evidence and is by far the better choice on skewed data; ν = 0 is the plain ridge.

    >>> frequency_ridge(np.array([3.0]), np.array([1.0]), strength=0.5, exponent=1.0)
    array([2.])
    """
    ridge: Array = strength * (np.asarray(positive_mass, np.float64) + unlabelled_mass) ** exponent
    return ridge
