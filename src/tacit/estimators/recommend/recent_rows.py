"""Rows of a recommender that have changed or joined since its arrays were made.

One more purchase of one user must not copy the positives and factors of a million others. Such rows are kept apart, by
number, each an immutable record; ``gather`` brings everything into arrays again when somebody asks for them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import Csr, as_csr, take_rows

Array = NDArray[Any]


@dataclass(frozen=True)
class Row:
    """Positives of one row in ascending order of their columns, its factor (g,) and its weight a_x."""

    cols: NDArray[np.int32]
    values: NDArray[np.float32]
    factor: NDArray[np.float32]
    weight: np.float32

    def merged(self, cols: NDArray[np.int64], values: NDArray[np.float32]) -> tuple[Array, Array]:
        """Its columns and values with more cells; cells that it has gain the weight of the new ones, one by one."""
        grown, numbers = np.unique(np.concatenate((self.cols, cols)), return_inverse=True)
        total = np.zeros(len(grown), dtype=np.float32)
        total[numbers[: len(self.cols)]] = self.values
        np.add.at(total, numbers[len(self.cols) :], values)
        return grown.astype(np.int32), total


def take(
    recent: Mapping[int, Row], positives: sp.csr_array, factors: Array, numbers: NDArray[np.int64]
) -> tuple[Array, tuple[Array, Array]]:
    """Factors (n, g) of these rows and the lists of their columns; -1 stands for a row of which nothing is known."""
    wanted = numbers.tolist()
    if (len(numbers) == 0 or numbers.min() >= 0) and not (recent and any(number in recent for number in wanted)):
        return factors[numbers], take_rows(positives, numbers)[:2]
    found = [recent.get(number) or old_row(positives, factors, None, number) for number in wanted]
    indptr = np.cumsum([0, *(len(row.cols) for row in found)], dtype=np.int64)
    return np.stack([row.factor for row in found]), (indptr, np.concatenate([row.cols for row in found]))


def old_row(positives: sp.csr_array, factors: Array, weight: Array | None, number: int) -> Row:
    """A row as the arrays have it; one that they do not have is empty."""
    if not 0 <= number < len(factors):
        nothing = np.zeros(factors.shape[1], np.float32)
        return Row(np.empty(0, np.int32), np.empty(0, np.float32), nothing, np.float32(0))
    span = slice(positives.indptr[number], positives.indptr[number + 1])
    own = np.float32(0) if weight is None else weight[number]
    return Row(positives.indices[span], positives.data[span], factors[number], own)


def gather_positives(recent: Mapping[int, Row], positives: sp.csr_array, shape: tuple[int, int]) -> Csr:
    """The positives of all rows as one matrix."""
    old = len(positives.indptr) - 1
    changed = np.zeros(shape[0], dtype=bool)
    changed[list(recent)] = True
    counts = np.zeros(shape[0], dtype=np.int64)
    counts[:old] = np.diff(positives.indptr)
    stays = np.repeat(~changed[:old], counts[:old])
    for number, row in recent.items():
        counts[number] = len(row.cols)
    indptr = np.concatenate(([0], np.cumsum(counts)))
    kept = np.repeat(~changed, counts)
    indices, data = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    indices[kept], data[kept] = positives.indices[stays], positives.data[stays]
    for number, row in recent.items():
        indices[indptr[number] : indptr[number + 1]] = row.cols
        data[indptr[number] : indptr[number + 1]] = row.values
    return as_csr(sp.csr_array((data, indices, indptr), shape=shape), "the model's positives", allow_empty=True)


def gather(recent: Mapping[int, Row], part: str, array: Array, length: int) -> Array:
    """``array`` (one entry per row) with the ``part`` of the recent rows in their places."""
    grown = np.zeros((length, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    for number, row in recent.items():
        grown[number] = getattr(row, part)
    return grown
