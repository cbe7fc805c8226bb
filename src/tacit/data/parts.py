"""A table that lies in parts: each is read by itself, and together they give the numbers that one table would.

Two passes: the distinct ids of every part, merged in ascending order; then the events of every part in these numbers.
Both are functions of one file, so that they may run anywhere and be repeated.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.data.columns import weights_of, without_missing
from tacit.data.encode import ids_of_distinct
from tacit.data.events import Events
from tacit.data.ids import Ids
from tacit.data.readers import files_of, origin_of, read_table
from tacit.errors import InputError
from tacit.kernels import cells as kernels

if TYPE_CHECKING:
    import polars as pl

Array = NDArray[Any]


@dataclass(frozen=True)
class Columns:
    """Which column of every part is what, and what happens to lines that lack a value."""

    row: str
    col: str
    weight: str | None = None
    missing: Literal["error", "drop"] = "error"

    @property
    def names(self) -> dict[str, str]:
        return {"row": self.row, "col": self.col} | ({} if self.weight is None else {"weight": self.weight})


def part_paths(parts: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    """The files of a path, a glob or a list of them, in the order in which one table would read them."""
    given = [parts] if isinstance(parts, str | os.PathLike) else list(parts)
    if not given:
        raise InputError("paths is empty; give at least one file, or a glob such as 'events/*.parquet'.")
    return [path for one in given for path in files_of(os.fspath(one))]


def distinct_ids(path: str, columns: Columns) -> tuple["pl.Series", "pl.Series"]:
    """The distinct row ids and column ids of one part."""
    frame, _ = _lines(path, columns)
    return _plain(frame[columns.row]).unique(), _plain(frame[columns.col]).unique()


def merged_ids(parts: Sequence["pl.Series"]) -> "pl.Series":
    """The ids of all parts, each once, in ascending order."""
    import polars as pl

    kinds = {str(part.dtype) for part in parts if not part.dtype.is_integer()}
    if len(kinds) > 1 or (kinds and any(part.dtype.is_integer() for part in parts)):
        kinds |= {str(part.dtype) for part in parts}
        raise InputError(
            f"the column {parts[0].name!r} has ids of the types {' and '.join(sorted(kinds))} in different parts; "
            "bring them to one type first."
        )
    return pl.concat([part.to_frame() for part in parts], how="vertical_relaxed").to_series().unique().sort()


def ids_of_parts(distinct: "pl.Series", name: str) -> Ids:
    """The merged ids as those of rows or columns."""
    if len(distinct) == 0:
        raise InputError("paths: the parts are empty, they hold no complete line; give at least one event.")
    return ids_of_distinct(distinct, name)


def events_of(path: str, columns: Columns, row_ids: "pl.Series", col_ids: "pl.Series") -> Events:
    """The events of one part, line by line, in the numbers of the merged ids."""
    frame, kept = _lines(path, columns)
    weights = weights_of(frame, columns.weight, origin_of(path), kept)
    if len(weights) and weights.min() <= 0:
        raise InputError(
            f"weight: the column {columns.weight!r} of {path!r} holds {weights.min():g}; parts take weights above "
            "zero only, leave such lines out."
        )
    try:
        rows, cols = (
            _numbers(_plain(frame[name]), ids) for name, ids in ((columns.row, row_ids), (columns.col, col_ids))
        )
    except KeyError:
        raise InputError(
            f"{path!r} holds ids that it did not hold when it was read first; wait until it is complete, then begin "
            "anew."
        ) from None
    return Events(rows, cols, weights)


def joined(pieces: Sequence[Events]) -> Events:
    """Pieces one after the other."""
    row, col, weight = (np.concatenate([getattr(p, name) for p in pieces]) for name in ("row", "col", "weight"))
    return Events(row, col, weight)


def cut(events: Events, borders: Array, by: Literal["row", "col"]) -> list[Events]:
    """Events by the ranges of rows or columns that they belong to, in their order; ``borders`` begin with 0."""
    ranges = len(borders) - 1
    index = np.repeat(np.arange(ranges, dtype=np.int32), np.diff(borders))[getattr(events, by)]
    order = stable_order(index)
    ends = np.cumsum(np.bincount(index, minlength=ranges))
    return [events.take(order[a:b]) for a, b in pairwise([0, *ends.tolist()])]


def stable_order(numbers: Array) -> Array:
    """Places sorted by whole numbers from 0 on, equal ones in their given order.

    Numbers that are not far more than their places are counted, which takes one pass instead of a sort.

    >>> stable_order(np.array([2, 0, 2, 1]))
    array([1, 3, 0, 2])
    """
    highest = int(numbers.max(initial=0))
    if not _is_dense(highest, len(numbers)):
        return np.argsort(numbers, kind="stable")
    small = np.ascontiguousarray(numbers, dtype=np.int32)
    cursor = np.zeros(highest + 1, dtype=np.int64)
    np.cumsum(np.bincount(small, minlength=highest + 1)[:-1], out=cursor[1:])
    order = np.empty(len(numbers), dtype=np.intp)
    kernels.counting_argsort(small, cursor, order)
    return order


def _is_dense(highest: int, count: int) -> bool:
    """Whether a table of all numbers up to the highest is worth its memory."""
    return highest < max(4 * count, 2**16) and highest <= np.iinfo(np.int32).max


def _lines(path: str, columns: Columns) -> tuple["pl.DataFrame", NDArray[np.int64] | None]:
    frame = read_table(path, columns.names, name=repr(path))
    return without_missing(frame, columns.names, columns.missing, origin_of(path))


def _plain(column: "pl.Series") -> "pl.Series":
    """Categories as the texts that they stand for: each part numbers them its own way."""
    import polars as pl

    if isinstance(column.dtype, pl.Categorical | pl.Enum):
        return column.cast(pl.String)
    if column.dtype == pl.Object or column.dtype.is_nested():
        raise InputError(f"the column {column.name!r} of a part must hold numbers, texts or dates as ids.")
    return column


def _numbers(column: "pl.Series", distinct: "pl.Series") -> NDArray[np.int32]:
    """Places among the distinct ids, which ascend; KeyError where one is not there. Kernels rely on the range."""
    import polars as pl

    if distinct.dtype.is_integer() and column.dtype.is_integer():
        numbers = _integer_numbers(column.to_numpy(), distinct.to_numpy())
    else:
        places = pl.Series(np.arange(len(distinct), dtype=np.int32))
        numbers = column.replace_strict(distinct, places, default=-1, return_dtype=pl.Int32).to_numpy()
    if len(numbers) and numbers.min() < 0:
        raise KeyError(column.name)
    return np.array(numbers)


def _integer_numbers(given: Array, known: Array) -> NDArray[np.int32]:
    """The same for whole numbers, −1 where one is not there: by table where they are dense, else by search."""
    if len(given) and not known[0] <= given.min() <= given.max() <= known[-1]:
        return np.full(1, -1, dtype=np.int32)
    if not (np.can_cast(known.dtype, np.int64) and _is_dense(int(known[-1]) - int(known[0]), len(known))):
        places = np.searchsorted(known, given).astype(np.int32)
        return np.where(known[places] == given, places, np.int32(-1))
    # In 64 bits: between the smallest and the largest of a shorter type lies more than that type holds.
    lowest = np.int64(known[0])
    table = np.full(int(known[-1] - lowest) + 1, -1, dtype=np.int32)
    table[known - lowest] = np.arange(len(known), dtype=np.int32)
    return table[given - lowest]
