"""The first answers of a process, by NumPy: a newcomer has one question, and kernels of a search compile for seconds.

Both ways give the same bits. Selection compares packed keys (see ``kernels.topk``) and never adds; the scores of a few
queries are summed factor by factor as ``kernels.few`` does, rounded after every operation. So it does not matter which
way answers: NumPy does until the kernels are there or until it has worked through ``LIMIT`` cells, a tenth of a second
of work.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.kernels._jit import is_ready
from tacit.neighbours.filters import Filters, Lists

LIMIT = 1 << 22
"""Cells of which NumPy finds the best in one process; a factor of a cell counts as a sixteenth of one."""

_FACTORS_PER_CELL = 16
_LOW_HALF = np.int64(0xFFFFFFFF)
_FLIP = np.int32(0x7FFFFFFF)
_NAN = np.int32(0x7FC00000)
_EMPTY = np.int64(-0x8000000000000000)


class Allowance:
    """How many cells are left to NumPy."""

    def __init__(self, cells: int = LIMIT) -> None:
        self.left = cells

    def covers(self, kernel: Any, cells: int, factors: int = 0) -> bool:
        """Whether NumPy should take this work in the place of the kernel; what it takes is counted."""
        cells += cells * factors // _FACTORS_PER_CELL
        if cells > self.left or is_ready(kernel):
            return False
        self.left -= cells
        return True

    def end(self) -> None:
        """Leave everything to the kernels: for whoever will be asked again and again."""
        self.left = 0


allowance = Allowance()


def packed(scores: NDArray[np.float32], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keys of scores (R, C) of items (C,); the lowest key where a score is -inf."""
    bits = (scores + np.float32(0)).view(np.int32)  # one zero for both
    ordered = np.where(bits >= 0, bits, bits ^ _FLIP).astype(np.int64)
    return np.where(scores == -np.inf, _EMPTY, (ordered << 32) | (_LOW_HALF - numbers))


def unpacked(keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Numbers and scores of keys, -1 and NaN for the lowest one."""
    ordered = (keys >> 32).astype(np.int32)
    bits = np.where(keys == _EMPTY, _NAN, np.where(ordered >= 0, ordered, ordered ^ _FLIP))
    numbers = np.where(keys == _EMPTY, -1, _LOW_HALF - (keys & _LOW_HALF))
    return numbers.astype(np.int32), bits.view(np.float32)


def largest(keys: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """The k largest keys of every row, in no order."""
    surplus = keys.shape[1] - k
    return keys if surplus <= 0 else np.partition(keys, surplus, axis=1)[:, surplus:]


class NumPySelection:
    """What ``selection.Selection`` does, without its kernels."""

    def __init__(self, filters: Filters, start: int, rows: int, k: int, candidate_of: NDArray[np.int32]) -> None:
        self.filters, self.start, self.rows, self.k, self.candidate_of = filters, start, rows, k, candidate_of
        self.keys = np.full((rows, k), _EMPTY)

    def offer(self, tile: NDArray[np.float32], first: int, width: int, refusal: str, barred: Any = None) -> None:
        scores = tile[: self.rows, :width]
        if not np.isfinite(scores).all():
            raise InputError(refusal)
        free = np.ones(scores.shape, dtype=np.bool_)
        if barred is not None:
            free[:, barred] = False
        for lists in self.filters.forbidden:
            free &= ~self._listed(lists, first, width)
        if self.filters.included is not None:
            assert self.filters.limited is not None
            limited = self.filters.limited[self.start : self.start + self.rows]
            free &= self._listed(self.filters.included, first, width) | ~limited[:, None]
        keys = packed(np.where(free, scores, np.float32(-np.inf)), np.arange(first, first + width))
        self.keys = largest(np.concatenate((self.keys, keys), axis=1), self.k)

    def finish(self) -> NDArray[np.int64]:
        return self.keys

    def _listed(self, lists: Lists, first: int, width: int) -> NDArray[np.bool_]:
        """Which cells of a tile its rows list."""
        indptr, indices = lists
        begin, end = indptr[self.start], indptr[self.start + self.rows]
        rows = np.repeat(np.arange(self.rows), np.diff(indptr[self.start : self.start + self.rows + 1]))
        columns = indices[begin:end]
        columns = (self.candidate_of[columns] if len(self.candidate_of) else columns) - first
        here = (columns >= 0) & (columns < width)
        listed = np.zeros((self.rows, width), dtype=np.bool_)
        listed[rows[here], columns[here]] = True
        return listed


class Few(NamedTuple):
    """A few queries (n, ≤ G) over items in tiles (T, G, WIDTH), of which ``order`` (m,) says which lies where."""

    queries: NDArray[np.float32]
    tiles: NDArray[np.float32]
    order: NDArray[np.int32]

    def best(self, k: int, lists: Lists) -> tuple[NDArray[np.int32], NDArray[np.float32]] | None:
        """The k best items of every query, without those on its list; None where a score is not finite."""
        n, m = len(self.queries), len(self.order)
        indptr, indices = lists
        if len(indices) and (indices.min() < 0 or indices.max() >= m):
            return None
        scores = np.zeros((n, len(self.tiles), self.tiles.shape[2]), dtype=np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            for j in range(self.queries.shape[1]):
                scores += self.queries[:, j, None, None] * self.tiles[:, j]
        found = scores.reshape(n, -1)[:, :m]
        if not np.isfinite(found).all():
            return None
        by_number = np.empty((n, m), dtype=np.float32)
        by_number[:, self.order] = found
        by_number[np.repeat(np.arange(n), np.diff(indptr)), indices[indptr[0] : indptr[-1]]] = -np.inf
        keys = np.sort(largest(packed(by_number, np.arange(m)), k), axis=1)
        return unpacked(keys[:, ::-1])
