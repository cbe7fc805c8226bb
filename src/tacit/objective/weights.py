"""Weights of cells: how much a positive counts, and how much an unlabelled cell counts.

The unlabelled weight is rank one, a_x b_y: only then do the sums over all cells factor into Gram caches.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError

Array = NDArray[Any]
PositiveWeight = Literal["log", "value", "one"]


def by_frequency(counts: Array, weight: float, exponent: float) -> Array:
    """Weights with mean ``weight``, proportional to (share of the positives)^exponent: fBGD Eq. 22.

        b_y = α₀ (e^{f_y} − 1)^ρ / Σ_j (e^{f_j} − 1)^ρ,   α₀ = weight · |Y|

    ``counts`` (m,) are the positives of each column, f_y their share. The paper states α₀, the *sum* of all weights;
    users think of the weight *per cell*. ρ = 0 gives every cell the same weight. Columns without positives count as
    one half, so that a negative exponent stays finite and a positive one does not drop them.

    >>> by_frequency(np.array([1.0, 3.0]), weight=0.5, exponent=0.0)
    array([0.5, 0.5])
    """
    counts = np.maximum(np.asarray(counts, dtype=np.float64), 0.5)
    if exponent == 0.0:
        return np.full(len(counts), float(weight))
    raised = np.expm1(counts / counts.sum()) ** exponent
    scaled: Array = weight * len(counts) * raised / raised.sum()
    return scaled


def of_positives(values: Array, how: PositiveWeight) -> Array:
    """The weight c of each positive from the value that was stored for it.

    - ``"log"``: 1 + log(value / smallest value): 1 where all values agree, tame for play counts, blind to their unit
    - ``"value"``: as it is
    - ``"one"``: every positive counts alike

    >>> of_positives(np.array([1.0, 1.0, np.e]), "log")
    array([1., 1., 2.])
    """
    if how == "one":
        return np.ones_like(values)
    if how not in ("log", "value"):
        raise InputError(f"positive_weight must be 'log', 'value' or 'one', not {how!r}.")
    if len(values) and values.min() <= 0:
        raise InputError(
            f"positive_weight={how!r} needs values above zero, but the smallest stored value is {values.min():g}; "
            "keep only positives, or use positive_weight='one'."
        )
    if how == "value" or len(values) == 0:
        return values
    tamed: Array = (1.0 + np.log(values / values.min())).astype(values.dtype)
    return tamed
