"""Weights of rows and columns, and targets of positives, that the caller gives in place of the recipe's."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.data.interactions import Interactions
from tacit.data.matrix import as_csr
from tacit.errors import InputError, UnsoundCombinationError
from tacit.estimators.recommend.settings import FitSettings

Array = NDArray[Any]
NAMES = ("row_weight", "col_weight", "targets")


@dataclass(frozen=True)
class GivenCells:
    """a (n,), b (m,) and r per stored cell in their order, None where the recipe's rule holds."""

    row_weight: Array | None = None
    col_weight: Array | None = None
    targets: Array | None = None

    @property
    def names(self) -> list[str]:
        """What was given."""
        return [name for name in NAMES if getattr(self, name) is not None]

    @classmethod
    def read(cls, data: Interactions, row_weight: Any, col_weight: Any, targets: Any) -> "GivenCells":
        """Checked against the interactions."""
        n, m = data.shape
        return cls(
            None if row_weight is None else _vector("row_weight", row_weight, n),
            None if col_weight is None else _vector("col_weight", col_weight, m),
            None if targets is None else _targets(data, targets),
        )

    def require_sound(self, settings: FitSettings, data: Interactions) -> None:
        """Refuse what these cannot be combined with."""
        if self.col_weight is not None and settings.unlabelled_weight is not None:
            raise UnsoundCombinationError(
                f"col_weight says what unlabelled cells weigh, and so does unlabelled_weight="
                f"{settings.unlabelled_weight:g}; give one of them."
            )
        if self.targets is None:
            return
        if not settings.loss.quadratic:
            raise UnsoundCombinationError(
                f"targets are numbers that scores should reach, which loss={settings.loss.name!r} does not know; "
                "use loss='square'."
            )
        if settings.held_out or data.context_ids:
            other = "held_out" if settings.held_out else "contexts"
            raise UnsoundCombinationError(f"targets belong to cells of the whole matrix and do not go with {other}.")

    def of_rows(self, row: Array, contexts: bool) -> "GivenCells":
        """The same for the rows of the objective, which with contexts are several of each row."""
        if not contexts or self.row_weight is None:
            return self
        return GivenCells(self.row_weight[row], self.col_weight, self.targets)

    def weights(self) -> dict[str, Array | None]:
        return {"row_weight": self.row_weight, "col_weight": self.col_weight}


NOTHING = GivenCells()


def _vector(name: str, given: Any, length: int) -> Array:
    values = checks.listed(name, given)
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be numbers, one for each of {length}.") from None
    if vector.shape != (length,):
        raise InputError(f"{name} must have {length} numbers, one for each, but has the shape {vector.shape}.")
    if not (np.isfinite(vector) & (vector >= 0)).all() or not vector.any():
        raise InputError(f"{name} must be finite and not negative, and not all zero; check its values.")
    return vector


def _targets(data: Interactions, given: Any) -> Array:
    result = as_csr(given, "targets", rows=data.shape[0], cols=data.shape[1], zeros="keep", allow_empty=True)
    if not (np.array_equal(result.indptr, data.matrix.indptr) and np.array_equal(result.indices, data.matrix.indices)):
        raise InputError(
            f"targets must store exactly the cells of the interactions, one number for each of {data.matrix.nnz} "
            f"positives, but stores {result.nnz} cells."
        )
    values: Array = result.data.astype(np.float32)
    return values
