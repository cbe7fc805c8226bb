"""Events: what was observed, one entry per (row, column, contexts), in ascending order of these.

The interaction matrix is the events summed over contexts; without contexts both are the same thing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.matrix import as_csr

Array = NDArray[Any]
Duplicates = Literal["sum", "last", "first", "max", "error"]
_BLOCK = 1 << 20
DUPLICATES = ("sum", "last", "first", "max", "error")


@dataclass(frozen=True)
class Events:
    """Arrays of one length.

    row, col : int32 numbers of the ids
    weight : float32
    time : int64, float64 or datetime64, or None
    context : name → int32 numbers of that context's ids
    """

    row: NDArray[np.int32]
    col: NDArray[np.int32]
    weight: NDArray[np.float32]
    time: Array | None = None
    context: Mapping[str, NDArray[np.int32]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.row)

    def take(self, chosen: Array) -> "Events":
        """The chosen events: their numbers, or a mask."""
        return Events(
            self.row[chosen],
            self.col[chosen],
            self.weight[chosen],
            None if self.time is None else self.time[chosen],
            {name: numbers[chosen] for name, numbers in self.context.items()},
        )


def merge(events: Events, duplicates: Duplicates, *, over_context: bool = False) -> Events:
    """One event per (row, column, contexts), or per (row, column) when ``over_context``; sorted by these.

    ``sum`` adds the weights and keeps the latest time; ``last`` and ``first`` keep one event, by time where there is
    one, else by place; ``max`` keeps the largest weight and the latest time; ``error`` refuses.

    >>> twice = Events(np.int32([0, 0]), np.int32([1, 1]), np.float32([2, 3]))
    >>> merge(twice, "sum").weight, merge(twice, "last").weight
    (array([5.], dtype=float32), array([3.], dtype=float32))
    """
    row, col, weight, time = events.row, events.col, events.weight, events.time
    context = {} if over_context else dict(events.context)
    # A caller that handed over its only reference has each array freed as soon as its sorted copy exists.
    del events
    keys = [row, col, *context.values()]
    order = _stable_order(keys if time is None or duplicates not in {"first", "last"} else [*keys, time])
    del keys
    if order is not None:
        row = row[order]
        col = col[order]
        weight = weight[order]
        time = None if time is None else time[order]
        for name in context:
            context[name] = context[name][order]
        del order
    new = np.zeros(len(row), dtype=bool)
    new[:1] = True
    for key in (row, col, *context.values()):
        new[1:] |= key[1:] != key[:-1]
    if new.all():
        return Events(row, col, weight, time, context)
    starts = np.flatnonzero(new)
    if duplicates == "error":
        index = int(np.flatnonzero(~new)[0])
        raise Twice(int(row[index]), int(col[index]))
    if duplicates in {"first", "last"}:
        chosen = starts if duplicates == "first" else np.append(starts[1:], len(new)) - 1
        return Events(row, col, weight, time, context).take(chosen)
    if duplicates == "sum":
        weight = np.add.reduceat(weight, starts, dtype=np.float64).astype(np.float32)
    else:
        weight = np.maximum.reduceat(weight, starts)
    time = None if time is None else np.maximum.reduceat(time, starts)
    return Events(row[starts], col[starts], weight, time, {name: c[starts] for name, c in context.items()})


class Twice(Exception):
    """A pair occurs twice under ``duplicates="error"``; the caller knows its ids."""

    def __init__(self, row: int, col: int) -> None:
        super().__init__(row, col)
        self.row, self.col = row, col


def _stable_order(keys: list[Array]) -> Array | None:
    """Places sorted by the keys, equal ones in their given order; None when they are sorted already."""
    import polars as pl

    row, col, *rest = keys
    height, width = int(row.max(initial=0)) + 1, int(col.max(initial=0)) + 1
    joint = row.astype(np.int64)
    joint *= width
    joint += col
    if not rest and bool(np.all(joint[1:] >= joint[:-1])):
        return None
    place_bits = len(joint).bit_length()
    if not rest and (height * width).bit_length() + place_bits < 63:
        # Key and place in one number: sorting plain numbers is far faster than sorting places by key.
        joint <<= place_bits
        for start in range(0, len(joint), _BLOCK):
            block = joint[start : start + _BLOCK]
            block |= np.arange(start, start + len(block))
        joint.sort()
        joint &= (1 << place_bits) - 1
        return joint
    frame = pl.DataFrame({"joint": joint, **{str(index): key for index, key in enumerate(rest)}})
    order: Array = frame.select(pl.arg_sort_by(*frame.columns, maintain_order=True)).to_series().to_numpy()
    return order


def matrix_of(events: Events, shape: tuple[int, int]) -> sp.csr_array:
    """The events, sorted and distinct by (row, column), as canonical CSR."""
    indptr = np.zeros(shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(events.row, minlength=shape[0]), out=indptr[1:])
    raw = sp.csr_array((events.weight, events.col, indptr), shape=shape)
    return as_csr(raw, "interactions", zeros="keep", allow_empty=True)


def check_duplicates(duplicates: str) -> None:
    checks.choice("duplicates", duplicates, DUPLICATES)
