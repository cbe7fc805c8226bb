"""The rows of a recommender: arrays, and the few rows that have changed or joined since the arrays were made.

One more purchase of one user must not copy the positives and factors of a million others. Such a row is stored apart,
under its number, as an immutable record. ``RowState.gathered`` writes all of them into the arrays.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import Csr, as_csr, take_rows
from tacit.neighbours.filters import Lists

Array = NDArray[Any]


@dataclass(frozen=True)
class Row:
    """Positives of one row in ascending order of their columns, its factor (g,) and its weight a_x."""

    cols: NDArray[np.int32]
    values: NDArray[np.float32]
    factor: NDArray[np.float32]
    weight: np.float32

    def merged(self, cols: NDArray[np.int64], values: NDArray[np.float32]) -> tuple[Array, Array]:
        """Its columns and values with more cells; a cell that it has gains the weight of the new one."""
        grown, numbers = np.unique(np.concatenate((self.cols, cols)), return_inverse=True)
        total = np.zeros(len(grown), dtype=np.float32)
        total[numbers[: len(self.cols)]] = self.values
        np.add.at(total, numbers[len(self.cols) :], values)
        return grown.astype(np.int32), total


@dataclass(frozen=True)
class RowState:
    """All rows of a model. A part that is not known yet is None.

    factors : P (n, g)
    weight : a (n,)
    positives : (n, m)
    recent : number → row, for those that have changed or joined since the arrays were made
    """

    factors: Any = None
    weight: Any = None
    positives: Any = None
    recent: dict[int, Row] = field(default_factory=dict)

    def row(self, number: int) -> Row:
        """One row as it is, at the cost of its own positives; one that is not there is empty."""
        recent = self.recent.get(number)
        if recent is not None:
            return recent
        if not 0 <= number < len(self.factors):
            nothing = np.zeros(self.factors.shape[1], np.float32)
            return Row(np.empty(0, np.int32), np.empty(0, np.float32), nothing, np.float32(0))
        span = slice(self.positives.indptr[number], self.positives.indptr[number + 1])
        weight = np.float32(0) if self.weight is None else self.weight[number]
        return Row(self.positives.indices[span], self.positives.data[span], self.factors[number], weight)

    def take(self, numbers: NDArray[np.int64]) -> tuple[Array, Lists]:
        """Factors (n, g) of these rows and the lists of their columns; -1 stands for a row that is not known."""
        wanted = numbers.tolist()
        changed = self.recent and any(number in self.recent for number in wanted)
        if not changed and (len(numbers) == 0 or numbers.min() >= 0):
            return self.factors[numbers], take_rows(self.positives, numbers)[:2]
        rows = [self.row(number) for number in wanted]
        indptr = np.cumsum([0, *(len(row.cols) for row in rows)], dtype=np.int64)
        return np.stack([row.factor for row in rows]), (indptr, np.concatenate([row.cols for row in rows]))

    def gathered(self, shape: tuple[int, int]) -> "RowState":
        """The same rows in arrays alone, for (n, m) rows and columns."""
        if not self.recent and (self.positives is None or self.positives.shape[1] == shape[1]):
            return self
        return RowState(
            self._gather("factor", self.factors, shape[0]),
            self._gather("weight", self.weight, shape[0]),
            self._gather_positives(shape),
        )

    def apart(self) -> "RowState":
        """The same rows; those that become recent later do not reach this copy."""
        return replace(self, recent=dict(self.recent))

    def _gather(self, part: str, array: Array, length: int) -> Array:
        grown = np.zeros((length, *array.shape[1:]), dtype=array.dtype)
        grown[: len(array)] = array
        for number, row in self.recent.items():
            grown[number] = getattr(row, part)
        return grown

    def _gather_positives(self, shape: tuple[int, int]) -> Csr:
        old = len(self.positives.indptr) - 1
        changed = np.zeros(shape[0], dtype=bool)
        changed[list(self.recent)] = True
        counts = np.zeros(shape[0], dtype=np.int64)
        counts[:old] = np.diff(self.positives.indptr)
        stays = np.repeat(~changed[:old], counts[:old])
        for number, row in self.recent.items():
            counts[number] = len(row.cols)
        indptr = np.concatenate(([0], np.cumsum(counts)))
        unchanged = np.repeat(~changed, counts)
        indices, data = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
        indices[unchanged], data[unchanged] = self.positives.indices[stays], self.positives.data[stays]
        for number, row in self.recent.items():
            indices[indptr[number] : indptr[number + 1]] = row.cols
            data[indptr[number] : indptr[number + 1]] = row.values
        return as_csr(sp.csr_array((data, indices, indptr), shape=shape), "the model's positives", allow_empty=True)
