"""Weights of cells: how much a positive counts, and how much an unlabelled cell counts.

The unlabelled weight is rank one, a_x b_y: only then do the sums over all cells factor into Gram caches.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError

Array = NDArray[Any]
PositiveWeight = Literal["log", "value", "one"]


@dataclass(frozen=True)
class FrequencyWeight:
    """Weights proportional to (share of the positives)^exponent: fBGD Eq. 22.

        b_y = α₀ (e^{f_y} − 1)^ρ / Σ_j (e^{f_j} − 1)^ρ,   α₀ = mean weight · |Y|

    f_y is the share of the positives that column y has. The paper states α₀, the *sum* of all weights; users think of
    the weight *per cell*. ρ = 0 gives every cell the same weight. Columns without positives count as one half, so that
    a positive exponent does not drop them and a negative one stays finite.

    total : of all positives when this was measured; scale : α₀ over the sum in the denominator
    """

    total: float
    scale: float
    exponent: float

    @classmethod
    def measure(cls, counts: Array, mean: float, exponent: float) -> "FrequencyWeight":
        """The rule under which columns with these ``counts`` have weights of this mean.

        >>> rule = FrequencyWeight.measure(np.array([1, 3]), mean=0.5, exponent=0.0)
        >>> rule.of(np.array([1, 3, 7]))
        array([0.5, 0.5, 0.5])
        """
        rule = cls(float(np.maximum(counts, 0.5).sum()), 1.0, float(exponent))
        return replace(rule, scale=float(mean / np.mean(rule.of(counts))))

    def of(self, counts: Array) -> Array:
        """Weights of columns with these counts, among them columns that came later."""
        if self.exponent == 0.0:
            return np.full(len(counts), self.scale)
        share = np.maximum(np.asarray(counts, dtype=np.float64), 0.5) / self.total
        weights: Array = self.scale * np.expm1(share) ** self.exponent
        return weights


def of_positives(values: Array, how: PositiveWeight, smallest: float | None = None) -> Array:
    """The weight c of each positive from the value that was stored for it.

    - ``"log"``: 1 + log(value / smallest value): 1 where all values agree, tame for play counts, blind to their unit;
      values below ``smallest`` (when given) weigh 1
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
    smallest = values.min() if smallest is None else smallest
    with np.errstate(over="ignore", divide="ignore"):  # a quotient beyond all numbers counts as the largest of them
        tamed: Array = (values / smallest).astype(values.dtype, copy=False)
    np.clip(tamed, 1.0, np.finfo(tamed.dtype).max, out=tamed)
    np.log(tamed, out=tamed)
    tamed += 1.0
    return tamed
