"""Losses on the positives: the names that users give, the codes that kernels take, and custom losses.

A loss is a convex function ℓ(r, s) of target and score with its first two derivatives. ``custom_loss`` makes one from
three Python functions and checks the derivatives by finite differences.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.errors import InputError
from tacit.kernels import losses as codes

Array = NDArray[Any]
Pointwise = Callable[[Array, Array], Array]
"""A function of targets and scores, both (k,), to values (k,)."""

OWN = -1


@dataclass(frozen=True)
class Loss:
    """A convex loss ℓ(r, s) of one positive cell with target r and score s.

    ``quadratic`` losses have a constant second derivative, so a row's problem is one linear system.
    ``value``, ``first`` and ``second`` are the functions of a user's own loss; the built-in ones are kernels.
    ``curvature_bound``: a number that ℓ'' never exceeds, which lets ``als`` descend surely.
    """

    name: str
    code: int
    quadratic: bool
    target: float
    """The target r of a positive when the caller gives none."""
    value: Pointwise | None = None
    first: Pointwise | None = None
    second: Pointwise | None = None
    curvature_bound: float | None = None

    @property
    def is_custom(self) -> bool:
        return self.code == OWN

    @property
    def relative_curvature(self) -> float:
        """ℓ'' at zero over that of the squared loss: what weights and ridges must be scaled by to mean alike."""
        if self.second is not None:
            return float(self.second(np.array([self.target]), np.zeros(1))[0]) / 2
        if self.quadratic:
            return 1.0  # known, and nothing is compiled for it
        return float(codes.evaluate(self.code, self.target, 0.0)[2]) / 2

    @property
    def has_majoriser(self) -> bool:
        """Whether a quadratic lies above ℓ everywhere and touches it where we are."""
        return not self.is_custom or self.curvature_bound is not None


LOSSES = {
    "square": Loss("square", codes.SQUARE, quadratic=True, target=1.0),
    "logistic": Loss("logistic", codes.LOGISTIC, quadratic=False, target=1.0),
    "squared_hinge": Loss("squared_hinge", codes.SQUARED_HINGE, quadratic=False, target=1.0),
}


def resolve(loss: str | Loss) -> Loss:
    """The loss of that name.

    >>> resolve("square").quadratic
    True
    """
    if isinstance(loss, Loss):
        return loss
    if not isinstance(loss, str) or loss not in LOSSES:
        raise InputError(f"loss must be one of {', '.join(map(repr, LOSSES))} or a Loss, not {checks.shown(loss)}.")
    return LOSSES[loss]


def custom_loss(
    name: str,
    value: Pointwise,
    first: Pointwise,
    second: Pointwise,
    *,
    target: float = 1.0,
    curvature_bound: float | None = None,
) -> Loss:
    """A loss of one's own, convex in the score, as NumPy functions of (targets, scores).

    Parameters
    ----------
    value, first, second : ℓ(r, s) and its first and second derivative by s; checked against differences of each other
    target : r of a positive
    curvature_bound : a number that ℓ'' never exceeds, checked near zero and near the target; with it ``solver="als"``
        can be used

    >>> huberish = custom_loss(
    ...     "pseudo_huber",
    ...     value=lambda r, s: np.sqrt(1 + (r - s) ** 2) - 1,
    ...     first=lambda r, s: (s - r) / np.sqrt(1 + (r - s) ** 2),
    ...     second=lambda r, s: (1 + (r - s) ** 2) ** -1.5,
    ...     curvature_bound=1.0,
    ... )
    >>> huberish.has_majoriser
    True
    """
    r, s = np.full(3, target), np.array([-1.0, 0.0, 1.0])
    for what, function in (("value", value), ("first", first), ("second", second)):
        try:
            result = np.asarray(function(r, s))
        except TypeError as error:
            raise InputError(
                f"loss {name!r}: {what} must take two arrays, targets and scores, and give one number per score, but "
                f"failed with {str(error)!r}; write it with NumPy's functions, such as np.exp for math.exp."
            ) from None
        if result.shape != s.shape or not np.all(np.isfinite(result)):
            raise InputError(
                f"loss {name!r}: {what}(targets, scores) must give one finite number per score, "
                f"but gave {result!r} for the scores {s}."
            )
        if what == "second" and np.any(result < 0):
            raise InputError(f"loss {name!r} is not convex: its second derivative is negative near zero.")
    _require_derivative(name, "first", "value", first, value, target)
    _require_derivative(name, "second", "first", second, first, target)
    if curvature_bound is not None:
        _require_bound(name, second, target, curvature_bound)
    return Loss(name, OWN, False, target, value, first, second, curvature_bound)


_TRIED = np.array([-1.37, -0.61, 0.23, 0.79, 1.43])
"""Scores at which derivatives are checked, away from where losses like the hinge have their corners."""


_NEAR = np.linspace(-4.0, 4.0, 65)
"""Distances from zero and from the target at which a bound is checked."""


def _require_bound(name: str, second: Pointwise, target: float, bound: float) -> None:
    """Refuse a bound that the second derivative exceeds: ``als`` would climb with it."""
    if not 0 < bound < np.inf:
        raise InputError(f"loss {name!r}: curvature_bound must be a number above 0, not {checks.shown(bound)}.")
    s = np.concatenate([_NEAR, target + _NEAR])
    curvature = np.asarray(second(np.full(len(s), target), s), dtype=np.float64)
    at = int(np.argmax(np.where(np.isnan(curvature), -np.inf, curvature)))
    if curvature[at] > bound * (1 + 1e-5):
        raise InputError(
            f"loss {name!r}: curvature_bound is {bound:g}, but the second derivative is {curvature[at]:.6g} at target "
            f"{target:g} and score {s[at]:g}; give a number that it never exceeds, or leave curvature_bound out."
        )


def _require_derivative(
    name: str, what: str, of: str, derivative: Pointwise, function: Pointwise, target: float
) -> None:
    """Refuse a derivative that differences of the function contradict."""
    r, step = np.full(len(_TRIED), target), 1e-5
    given = np.asarray(derivative(r, _TRIED), dtype=np.float64)
    above, below = (np.asarray(function(r, _TRIED + sign * step), dtype=np.float64) for sign in (1, -1))
    measured = (above - below) / (2 * step)
    off = np.abs(given - measured) > 1e-3 * (1 + np.abs(measured))
    if off.any():
        at = int(np.argmax(off))
        raise InputError(
            f"loss {name!r}: {what} is not the derivative of {of}: at target {target:g} and score {_TRIED[at]:g} it "
            f"gives {given[at]:.6g}, but {of} changes by {measured[at]:.6g} per unit of the score."
        )
