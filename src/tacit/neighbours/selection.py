"""The best k of some queries, from tiles of scores that are offered one after another.

Selection compares and never adds: the order in which tiles come, and how the items are cut into tiles, cannot change
a bit of the result. Scores and item numbers travel as packed keys (see ``kernels.topk``).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.kernels import topk as kernels
from tacit.neighbours import first_answers
from tacit.neighbours.filters import Filters, Lists

NOTHING = np.empty(0, dtype=np.int32)
_NO_LISTS = np.empty(0, dtype=np.int64), NOTHING
_ALL_ROWS = np.empty(0, dtype=np.bool_), np.empty(0, dtype=np.float32)

Result = tuple[NDArray[np.int32], NDArray[np.float32]]
"""Item numbers (n, k), best first, -1 where there is none, and their scores, NaN where there is none."""


class Selection:
    """Buffers for the k best of the queries ``start`` to ``start + rows - 1``, out of ``candidates`` items.

    filters : checked ones
    candidate_of : item → candidate or -1, empty when items and candidates are the same
    """

    def __init__(
        self, filters: Filters, start: int, rows: int, k: int, candidates: int, candidate_of: Any = NOTHING
    ) -> None:
        self.filters, self.start, self.rows, self.k, self.candidate_of = filters, start, rows, k, candidate_of
        self.keys = np.empty((rows, capacity(k, candidates)), dtype=np.int64)
        self.filled = np.zeros(rows, dtype=np.int64)
        self.floors = np.full(rows, -np.inf, dtype=np.float32)

    def offer(self, tile: NDArray[np.float32], first: int, width: int, refusal: str, barred: Any = None) -> None:
        """A tile (·, C) with the scores of the candidates from ``first`` on in its first ``width`` columns.

        refusal : the sentence where a score is not finite
        barred : (width,) mask of candidates that may not come back for any query

        The tile is written to.
        """
        forbidden = self.filters.forbidden
        kept = self.k, self.keys, self.filled, self.floors
        if barred is None and self.filters.included is None and len(forbidden) <= 1:
            listed = forbidden[0] if forbidden else _NO_LISTS
            place = (tile.view(np.int32), self.rows, first, width, self.start)
            if not kernels.offer(tile, *place, *listed, self.candidate_of, *_ALL_ROWS, *kept):
                raise InputError(refusal)
            return
        if not kernels.all_finite(tile, self.rows, width):
            raise InputError(refusal)
        tile[:, width:] = -np.inf
        if barred is not None:
            tile[:, :width][:, barred] = -np.inf
        where = (tile, self.rows, first, width, self.start)
        for lists in forbidden:
            kernels.filter_cells(*where, *lists, self.candidate_of, *_ALL_ROWS)
        if self.filters.included is not None:
            saved = np.empty(tile.shape[1], dtype=np.float32)
            kernels.filter_cells(*where, *self.filters.included, self.candidate_of, self.filters.limited, saved)
        kernels.select(tile, tile.view(np.int32), self.rows, first, *kept)

    def finish(self) -> NDArray[np.int64]:
        """Keys (rows, k) of the best, in no order."""
        kernels.finish(self.keys, self.filled, self.k)
        return self.keys[:, : self.k]


def selection_of(
    filters: Filters, start: int, rows: int, k: int, candidates: int, candidate_of: Any = NOTHING
) -> Selection | first_answers.NumPySelection:
    """A selection, which the first answers of a process make without kernels."""
    if first_answers.allowance.covers(kernels.offer, rows * candidates):
        return first_answers.NumPySelection(filters, start, rows, k, candidate_of)
    return Selection(filters, start, rows, k, candidates, candidate_of)


def bar_cells(scores: NDArray[np.float32], rows: int, start: int, lists: Lists) -> None:
    """Set the listed items of the queries from ``start`` on to -inf, in scores (·, m) of all items."""
    kernels.filter_cells(scores, rows, 0, scores.shape[1], start, *lists, NOTHING, *_ALL_ROWS)


def empty_result(n: int, k: int) -> Result:
    """(n, k) places, none of them filled."""
    return np.full((n, k), -1, dtype=np.int32), np.full((n, k), np.nan, dtype=np.float32)


def capacity(k: int, candidates: int) -> int:
    """Places in a buffer: room for as many new keys as stay, so that a place costs a few comparisons."""
    return min(2 * k + 64, candidates + 1)


def unpacked(keys: NDArray[np.int64], k: int, candidates: NDArray[np.int32] = NOTHING) -> Result:
    """Numbers and scores of the k largest of packed keys, best first.

    ``candidates`` maps a candidate to its item, empty when they are the same.
    """
    keys = np.sort(first_answers.largest(keys, k), axis=1)
    if first_answers.allowance.covers(kernels.unpack, keys.size):
        numbers, scores = first_answers.unpacked(keys[:, ::-1])
    else:
        numbers, scores = np.empty(keys.shape, dtype=np.int32), np.empty(keys.shape, dtype=np.float32)
        kernels.unpack(keys, keys.shape[1], numbers, scores.view(np.int32))
    return (np.where(numbers >= 0, candidates[numbers], -1) if len(candidates) else numbers), scores
