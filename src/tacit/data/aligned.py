"""Tables of numbers for ids, or for pairs of ids, in the order of what they belong to."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.data.columns import numbers_of, without_missing
from tacit.data.ids import Ids
from tacit.data.interactions import Interactions
from tacit.data.readers import origin_of, read_frame
from tacit.errors import InputError


def numbers_of_ids(table: Any, ids: Ids, name: str) -> Any:
    """The number of every id, from a table with ids in its first column and numbers in its second.

    name : of the option or parameter, for sentences

    >>> numbers_of_ids({"who": ["b", "a"], "p": [2.0, 1.0]}, Ids(["a", "b"]), "row_weight")
    array([1., 2.])
    """
    (who,), values = _read(table, [ids], name, "ids come first, then numbers")
    numbers = ids.numbers(who)
    result = np.full(len(ids), np.nan)
    known = numbers >= 0
    result[numbers[known]] = values[known]
    _refuse_several(name, numbers[known].tolist(), values[known], result[numbers[known]], lambda one: repr(ids[one]))
    absent = np.isnan(result)
    if absent.any():
        raise InputError(
            f"{name}: there is no number for {ids[int(np.argmax(absent))]!r}, and none for {int(absent.sum()) - 1} "
            f"others of {len(ids)}; give one for each."
        )
    return result


def numbers_of_positives(table: Any, data: Interactions, name: str) -> sp.csr_array:
    """The number of every positive, as a matrix of the same cells, from a table of rows, columns and numbers."""
    (rows, cols), values = _read(table, [data.row_ids, data.col_ids], name, "row and column come first, then numbers")
    r, c = data.row_ids.numbers(rows), data.col_ids.numbers(cols)
    known = (r >= 0) & (c >= 0)
    number_of = dict(zip(zip(r[known].tolist(), c[known].tolist()), values[known].tolist()))
    given = list(zip(r[known].tolist(), c[known].tolist()))
    kept = np.array([number_of[pair] for pair in given])
    _refuse_several(
        name, given, values[known], kept, lambda pair: f"{data.row_ids[pair[0]]!r} with {data.col_ids[pair[1]]!r}"
    )
    pairs = list(zip(*(side.tolist() for side in data.matrix.tocoo().coords)))
    absent = [pair for pair in pairs if pair not in number_of]
    if absent:
        row, col = absent[0]
        raise InputError(
            f"{name}: there is no number for {data.row_ids[row]!r} with {data.col_ids[col]!r}, and none for "
            f"{len(absent) - 1} others of {len(pairs)} positives; give one for each."
        )
    numbers = np.array([number_of[pair] for pair in pairs])
    return sp.csr_array((numbers, data.matrix.indices, data.matrix.indptr), shape=data.shape)


def _refuse_several(name: str, keys: list[Any], values: Any, kept: Any, shown: Callable[[Any], str]) -> None:
    """One number for each: a table that gives two of them does not say which is meant."""
    other = np.flatnonzero(values != kept)
    if len(other):
        first = int(other[0])
        raise InputError(
            f"{name}: there are several numbers for {shown(keys[first])}, such as {values[first]:g} and "
            f"{kept[first]:g}; give one for each."
        )


def _read(table: Any, sides: list[Ids], name: str, remedy: str) -> tuple[list[list[Any]], Any]:
    """The first columns of a table as ids, of the kind that ``sides`` are, and the one behind them as numbers."""
    frame = read_frame(table, {}, None, name=name)
    columns = frame.columns[: len(sides) + 1]
    if len(columns) <= len(sides):
        raise InputError(f"{name}: the table has only {', '.join(map(repr, columns))}; {remedy}.")
    as_text = [column for column, ids in zip(columns, sides) if not ids.is_numeric and frame[column].dtype.is_numeric()]
    if as_text and isinstance(table, str | os.PathLike):
        # 007 is an id, and so is 7 where the interactions were read with text_ids.
        frame = read_frame(table, {}, None, text=as_text, name=name)
    roles = {f"{name}, column {place + 1}": column for place, column in enumerate(columns)}
    frame, _ = without_missing(frame, roles, "error", origin_of(table), "drop those lines")
    values = numbers_of(frame[columns[-1]], name, origin_of(table))
    return [frame[column].to_list() for column in columns[:-1]], values
