"""Is one method really ahead of another? Paired differences with a bootstrap interval.

Both methods are scored on the same cases (users, rows, ratings). With d_i the difference on case i and
d̄* the mean of n of them drawn with replacement,

    interval = the (1 − level)/2 and (1 + level)/2 quantiles of d̄* over many draws        (percentile bootstrap).

Pairing takes out what makes cases hard for both, so that a small lead can be told from chance.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import InputError

RESAMPLES = 1000
LEVEL = 0.95
DRAWS_AT_ONCE = 2**22
"""Case numbers held at a time: 32 MiB."""

Verdict = Literal["ahead", "behind", "cannot tell"]


@dataclass(frozen=True)
class Difference:
    """The mean of paired differences over ``cases`` cases, and the interval in which it lies.

    >>> Difference(0.02, 0.01, 0.03, cases=100).verdict
    'ahead'
    >>> print(Difference(0.02, -0.01, 0.05, cases=100))
    +0.0200 [-0.0100, +0.0500]: cannot tell
    >>> print(Difference(0.02, 0.01, 0.03, cases=100, less_is_better=True))
    +0.0200 [+0.0100, +0.0300]: behind
    """

    mean: float
    low: float
    high: float
    cases: int
    less_is_better: bool = False

    @property
    def verdict(self) -> Verdict:
        """Ahead or behind where the interval does not hold 0; one case alone cannot tell."""
        if self.cases < 2 or self.low <= 0 <= self.high:
            return "cannot tell"
        return "ahead" if (self.low > 0) != self.less_is_better else "behind"

    def as_dict(self) -> dict[str, Any]:
        return {"mean": self.mean, "low": self.low, "high": self.high, "cases": self.cases, "verdict": self.verdict}

    def __str__(self) -> str:
        return f"{self.mean:+.4f} [{self.low:+.4f}, {self.high:+.4f}]: {self.verdict}"


def paired_difference(
    ours: ArrayLike,
    theirs: ArrayLike,
    *,
    less_is_better: bool = False,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> Difference:
    """Mean of ``ours`` − ``theirs`` (n,) with its bootstrap interval; the same seed draws the same cases.

    ``less_is_better`` for errors: less than theirs is then ahead. The verdict on one case alone is "cannot tell".

    >>> rng = np.random.default_rng(0)
    >>> hard = rng.normal(size=400)
    >>> paired_difference(hard + 0.1 + 0.5 * rng.normal(size=400), hard).verdict
    'ahead'
    """
    first, second = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise InputError(f"ours and theirs must hold one score per case each, not {first.shape} and {second.shape}.")
    if not len(first):
        raise InputError("ours and theirs are empty: there is nothing to compare.")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise InputError("ours and theirs must be finite; leave out cases that have no score.")
    if not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1, not {level!r}.")
    if resamples < 1:
        raise InputError(f"resamples must be at least 1, not {resamples!r}.")
    differences = first - second
    means = _resampled_means(differences, resamples, np.random.default_rng(seed))
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Difference(float(differences.mean()), float(low), float(high), len(differences), less_is_better)


def _resampled_means(values: NDArray[np.float64], resamples: int, rng: np.random.Generator) -> NDArray[np.float64]:
    n = len(values)
    means = np.empty(resamples)
    step = max(1, DRAWS_AT_ONCE // n)
    for start in range(0, resamples, step):
        stop = min(start + step, resamples)
        means[start:stop] = values[rng.integers(n, size=(stop - start, n))].mean(axis=1)
    return means
