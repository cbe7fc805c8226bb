"""Events above thresholds of weight and frequency, and the ids that are left with them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.data.events import Events
from tacit.data.ids import Ids
from tacit.errors import InputError

Array = NDArray[Any]


def above(
    events: Events, shape: tuple[int, int], min_weight: float | None, min_row_count: int, min_col_count: int
) -> Events:
    """Events of at least this weight (0 is no evidence and always goes), of rows and columns that have enough of them.

    >>> events = Events(np.int32([0, 0, 1]), np.int32([0, 1, 1]), np.float32([5, 0, 3]))
    >>> above(events, (2, 2), None, 1, 1).weight.tolist(), above(events, (2, 2), 4, 1, 1).row.tolist()
    ([5.0, 3.0], [0])
    """
    for name, count in (("min_row_count", min_row_count), ("min_col_count", min_col_count)):
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise InputError(f"{name}={checks.shown(count)} must be a whole number from 1 on.")
    if min_weight is not None:
        checks.number("min_weight", min_weight)
    strong = events.weight > 0 if min_weight is None else (events.weight >= min_weight) & (events.weight > 0)
    left = events if strong.all() else events.take(strong)
    often = _frequent(left, shape, min_row_count, min_col_count)
    left = left if often.all() else left.take(often)
    if len(left) == 0:
        raise InputError(_nothing_left(events.weight, min_weight, min_row_count, min_col_count))
    return left


def used(ids: Ids, numbers: NDArray[np.int32]) -> tuple[Ids, NDArray[np.int32], NDArray[np.int64]]:
    """The ids that occur, the events' numbers among them, and the old numbers that stay."""
    used = np.flatnonzero(np.bincount(numbers, minlength=len(ids)))
    if len(used) == len(ids):
        return ids, numbers, used
    renumbered = np.full(len(ids), -1, dtype=np.int32)
    renumbered[used] = np.arange(len(used), dtype=np.int32)
    return Ids.of_distinct(ids.take(used), ids.name), renumbered[numbers], used


def _frequent(events: Events, shape: tuple[int, int], min_row_count: int, min_col_count: int) -> NDArray[np.bool_]:
    """Mask of the events that stay when rows and columns with too few cells are dropped until none is left.

    Dropping a row can make a column rare and the other way round, hence the repetition (the bipartite k-core).
    """
    keep = np.ones(len(events), dtype=bool)
    if min_row_count <= 1 and min_col_count <= 1:
        return keep
    while True:
        rows = np.bincount(events.row[keep], minlength=shape[0])
        cols = np.bincount(events.col[keep], minlength=shape[1])
        new = keep & (rows[events.row] >= min_row_count) & (cols[events.col] >= min_col_count)
        if new.sum() == keep.sum():
            return keep
        keep = new


def _nothing_left(weight: Array, min_weight: float | None, min_row_count: int, min_col_count: int) -> str:
    """Why a filter leaves no event."""
    events = "1 event" if len(weight) == 1 else f"{len(weight):,} events"
    largest = float(weight.max(initial=0.0))
    if not largest:
        return f"nothing is left of {events}: every weight is 0, which is no evidence; give weights above 0."
    if min_weight is not None and min_weight > largest:
        return (
            f"nothing is left of {events}: min_weight={min_weight:g} is above all weights, the largest of "
            f"which is {largest:g}; lower it."
        )
    counts = {"min_row_count": min_row_count, "min_col_count": min_col_count}
    asked = " and ".join(f"{name}={count}" for name, count in counts.items() if count > 1)
    above = "" if min_weight is None else f" that weigh {min_weight:g} or more"
    return f"nothing is left of {events}: none{above} are of rows and columns with {asked}; lower it."
