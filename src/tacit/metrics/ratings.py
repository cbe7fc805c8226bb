"""Errors of predicted numbers: MAE and RMSE, at once or as a stream goes by."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError

Array = NDArray[Any]


def mae(actual: Array, predicted: Array) -> float:
    """Mean absolute error (1/n) Σ |y − ŷ|.

    >>> mae([1, 2], [1, 4])
    1.0
    """
    return float(np.abs(_errors(actual, predicted)).mean())


def rmse(actual: Array, predicted: Array) -> float:
    """Root of the mean squared error √((1/n) Σ (y − ŷ)²).

    >>> rmse([1, 2], [1, 4]).__round__(4)
    1.4142
    """
    return float(np.sqrt(np.square(_errors(actual, predicted)).mean()))


@dataclass
class RunningError:
    """MAE and RMSE of a stream: every prediction is counted once, nothing is kept.

    >>> error = RunningError()
    >>> error.update(5, 4)
    >>> error.update([1, 1], [1, 3])
    >>> error.count, error.mae, error.rmse.__round__(4)
    (3, 1.0, 1.291)
    """

    count: int = 0
    absolute: float = 0.0
    squared: float = 0.0

    def update(self, actual: Any, predicted: Any) -> None:
        """Count one prediction or several."""
        errors = _errors(np.atleast_1d(actual), np.atleast_1d(predicted))
        self.count += len(errors)
        self.absolute += float(np.abs(errors).sum())
        self.squared += float(np.square(errors).sum())

    @property
    def mae(self) -> float:
        """NaN before the first prediction."""
        return self.absolute / self.count if self.count else float("nan")

    @property
    def rmse(self) -> float:
        """NaN before the first prediction."""
        return float(np.sqrt(self.squared / self.count)) if self.count else float("nan")


def _errors(actual: Array, predicted: Array) -> NDArray[np.float64]:
    actual, predicted = np.asarray(actual, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    if actual.ndim != 1 or actual.shape != predicted.shape or not len(actual):
        raise InputError(
            f"actual and predicted must be two lists of one length, not of shape {actual.shape} and {predicted.shape}."
        )
    errors = np.asarray(actual - predicted)
    if not np.all(np.isfinite(errors)):
        raise InputError("actual and predicted must not hold NaN or infinity; drop or fix such values first.")
    return errors
