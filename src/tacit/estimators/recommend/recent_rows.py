"""The rows of a recommender: arrays, and the few rows that have changed or joined since the arrays were made.

One more purchase of one user must not copy the positives and factors of a million others. Such a row is stored apart,
under its number, as an immutable record. ``RowState.gathered`` writes all of them into the arrays.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import Csr, as_csr, take_rows
from tacit.kernels import cells
from tacit.neighbours.filters import Lists

Array = NDArray[Any]


PARTS = 1024
"""Into so many parts rows are spread by number: what a change copies is a part, and the list of them."""

NO_COLS = np.empty(0, np.int32)

GATHERED = "rows in arrays"
"""The name under which a model holds them (``estimators.derived``)."""

FEW = 8
"""Rows up to which one slice each is quicker than what takes any number of them."""


class Row(NamedTuple):
    """Positives of one row in ascending order of their columns, its factor (g,) and its weight a_x."""

    cols: NDArray[np.int32]
    values: NDArray[np.float32]
    factor: NDArray[np.float32]
    weight: np.float32


class RecentRows:
    """Rows by number, never changed: ``with_rows`` gives others that share all but the parts that differ.

    >>> row = Row(np.array([3]), np.ones(1), np.zeros(2), np.float32(1))
    >>> few = RecentRows()
    >>> more = few.with_rows({7: row})
    >>> more.get(7) is row, few.get(7), len(more)
    (True, None, 1)
    """

    def __init__(self, parts: Sequence[dict[int, Row]] = ({},) * PARTS, length: int = 0) -> None:
        self._parts, self._length = parts, length

    def __len__(self) -> int:
        return self._length

    def get(self, number: int) -> Row | None:
        return self._parts[number % PARTS].get(number)

    def items(self) -> Iterator[tuple[int, Row]]:
        for part in self._parts:
            yield from part.items()

    def with_rows(self, changed: Mapping[int, Row]) -> "RecentRows":
        """These rows with others in their places or beside them."""
        parts, length = list(self._parts), self._length
        for number, row in changed.items():
            place = number % PARTS
            if parts[place] is self._parts[place]:
                parts[place] = dict(parts[place])
            length += number not in parts[place]
            parts[place][number] = row
        return RecentRows(parts, length)


NO_ROWS = RecentRows()


@dataclass(frozen=True)
class FewRows:
    """Positives of a few rows as solvers want them; a SciPy matrix of them would cost as much as the solution."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.float32]
    width: int

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.indptr) - 1, self.width


def merged(
    rows: Sequence[Row], cols: Sequence[Sequence[int]], values: Sequence[Sequence[float]], width: int
) -> FewRows:
    """The positives of each row with its new cells; a cell that it has gains the weight of the new ones, one by one."""
    old, new = (np.cumsum([0, *map(len, lists)], dtype=np.int64) for lists in ([row.cols for row in rows], cols))
    indptr = np.zeros(len(rows) + 1, dtype=np.int64)
    indices = np.empty(old[-1] + new[-1], dtype=np.int32)
    data = np.empty(len(indices), dtype=np.float32)
    cells.merge(
        old, np.concatenate([row.cols for row in rows]).astype(np.int32, copy=False),
        np.concatenate([row.values for row in rows]),
        new, np.array([col for one in cols for col in one], dtype=np.int32),
        np.array([value for one in values for value in one], dtype=np.float32),
        indptr, indices, data,
    )  # fmt: skip
    return FewRows(indptr, indices[: indptr[-1]], data[: indptr[-1]], width)


@dataclass(frozen=True)
class RowState:
    """All rows of a model. A part that is not known yet, or that the model has none of, is None.

    factors : P (n, g); g is 0 where a model has rows but no factors of them
    weight : a (n,), or one for each (row, contexts) pair, which then says nothing of a row
    positives : (n, m)
    recent : number → row, for those that have changed or joined since the arrays were made
    alone : numbers of rows in the arrays that shared no column with another when the model learned them
    forgotten : so many rows, the first ones, come from a file that was saved without their histories
    """

    factors: Any = None
    weight: Any = None
    positives: Any = None
    recent: RecentRows = NO_ROWS
    alone: frozenset[int] = frozenset()
    forgotten: int = 0

    @classmethod
    def of_positives(cls, positives: Csr, forgotten: int = 0) -> "RowState":
        """Rows that have nothing but their positives."""
        return cls(np.empty((positives.shape[0], 0), np.float32), None, positives, forgotten=forgotten)

    def row(self, number: int) -> Row:
        """One row as it is, at the cost of its own positives; one that is not there is empty."""
        recent = self.recent.get(number)
        if recent is not None:
            return recent
        if not 0 <= number < len(self.factors):
            nothing = np.zeros(self.factors.shape[1], np.float32)
            return Row(NO_COLS, np.empty(0, np.float32), nothing, np.float32(0))
        span = slice(self.positives.indptr[number], self.positives.indptr[number + 1])
        by_row = self.weight is not None and len(self.weight) == len(self.factors)
        weight = self.weight[number] if by_row else np.float32(0)
        return Row(self.positives.indices[span], self.positives.data[span], self.factors[number], weight)

    def take(self, numbers: NDArray[np.int64]) -> tuple[Array, Lists]:
        """Factors (n, g) of these rows and the lists of their columns; -1 stands for a row that is not known."""
        rows = self._apart(numbers)
        if rows is None:
            return self.factors[numbers], take_rows(self.positives, numbers)[:2]
        factors = np.array([row.factor for row in rows], dtype=np.float32).reshape(len(rows), self.factors.shape[1])
        return factors, lists_of(rows)

    def take_positives(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32], Array]:
        """``indptr``, columns and values of these rows; -1 stands for a row that is not known, and has none."""
        rows = self._apart(numbers)
        if rows is None:
            return take_rows(self.positives, numbers)
        return *lists_of(rows), np.concatenate([np.empty(0, np.float32), *(row.values for row in rows)])

    def with_cells(self, rows: list[int], cols: list[int], values: list[float], width: int) -> "RowState":
        """The same with new cells, at the cost of the rows that get them; a cell that is there gains their weights."""
        if not rows:
            return self
        new: dict[int, tuple[list[int], list[float]]] = {}
        for number, col, value in zip(rows, cols, values):
            own = new.setdefault(number, ([], []))
            own[0].append(col)
            own[1].append(value)
        before = [self.row(number) for number in new]
        found = merged(before, [own[0] for own in new.values()], [own[1] for own in new.values()], width)
        spans = [slice(*ends) for ends in pairwise(found.indptr.tolist())]
        # Copies: a part of an array would keep all of it alive.
        changed = {
            number: Row(found.indices[span].copy(), found.data[span].copy(), row.factor, row.weight)
            for number, row, span in zip(new, before, spans)
        }
        return replace(self, recent=self.recent.with_rows(changed))

    def _apart(self, numbers: NDArray[np.int64]) -> list[Row] | None:
        """These rows one by one; None for many that are all in the arrays."""
        wanted = numbers.tolist()
        if len(wanted) > FEW and not any(number < 0 or self.recent.get(number) for number in wanted):
            return None
        return [self.row(number) for number in wanted]

    def gathered(self, shape: tuple[int, int]) -> "RowState":
        """The same rows in arrays alone, for (n, m) rows and columns."""
        if not len(self.recent) and (self.positives is None or self.positives.shape[1] == shape[1]):
            return self
        return RowState(
            self._gather("factor", self.factors, shape[0]),
            self._gather("weight", self.weight, shape[0]),
            self._gather_positives(shape),
            alone=frozenset(number for number in self.alone if self.recent.get(number) is None),
            forgotten=self.forgotten,
        )

    def is_alone(self, number: int) -> bool:
        """Whether a row shared no column with another, and has done nothing since."""
        return number in self.alone and self.recent.get(number) is None

    def is_forgotten(self, number: int) -> bool:
        """Whether a file has left out what a row had, and it has done nothing since."""
        return 0 <= number < self.forgotten and not len(self.row(number).cols)

    def _gather(self, part: str, array: Array | None, length: int) -> Array | None:
        if array is None:
            return None
        grown = np.zeros((length, *array.shape[1:]), dtype=array.dtype)
        grown[: len(array)] = array
        for number, row in self.recent.items():
            grown[number] = getattr(row, part)
        return grown

    def _gather_positives(self, shape: tuple[int, int]) -> Csr:
        old = len(self.positives.indptr) - 1
        changed = np.zeros(shape[0], dtype=bool)
        changed[[number for number, _ in self.recent.items()]] = True
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


def alone(positives: Csr) -> frozenset[int]:
    """Numbers of rows that share no column with another row: what they have says nothing of other columns.

    >>> sorted(alone(as_csr(np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]), "positives")))
    [2]
    """
    holders = np.minimum(np.bincount(positives.indices, minlength=positives.shape[1]), 2).astype(np.uint8)
    single = np.flatnonzero(holders[positives.indices] == 1)
    rows, counts = np.unique(np.searchsorted(positives.indptr, single, side="right") - 1, return_counts=True)
    return frozenset(rows[counts == np.diff(positives.indptr)[rows]].tolist())


def forgotten_in(positives: Csr, noted: int) -> int:
    """How many rows of a file, the first ones, had histories that it was saved without.

    Every fit has positives: a file without any was saved without them. Where events came later it has ``noted`` how
    many rows there were before.
    """
    return noted if positives.nnz else positives.shape[0]


def lists_of(rows: Sequence[Row]) -> Lists:
    """The columns of rows, one list each."""
    indptr = np.fromiter(accumulate((len(row.cols) for row in rows), initial=0), dtype=np.int64)
    cols = rows[0].cols if len(rows) == 1 else np.concatenate([NO_COLS, *(row.cols for row in rows)])
    return indptr, cols.astype(np.int32, copy=False)
