"""Losses on the positives: names users type, codes kernels take."""

from dataclasses import dataclass

from tacit.errors import InputError
from tacit.kernels import losses as codes


@dataclass(frozen=True)
class Loss:
    """A convex loss ℓ(r, s) of one positive cell with target r and score s.

    ``quadratic`` losses have a constant second derivative, so a row's problem is one linear system.
    """

    name: str
    code: int
    quadratic: bool
    target: float
    """The target r of a positive when the caller gives none."""


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
    if loss not in LOSSES:
        raise InputError(f"loss must be one of {', '.join(map(repr, LOSSES))}, not {loss!r}.")
    return LOSSES[loss]
