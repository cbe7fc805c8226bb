"""Labels in, a sparse 0/1 matrix and the labels' own names out; and the same way back.

Labels come as an indicator matrix (SciPy sparse or NumPy), as a table with one column per label, or as one
collection of labels per row. A stored cell is a positive; a cell that is not stored is unknown, never negative.
"""

from collections.abc import Hashable, Iterable
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from tacit import checks
from tacit.data.ids import Ids
from tacit.data.matrix import as_csr
from tacit.errors import InputError

Form = Literal["matrix", "lists"]


def read_labels(
    Y: Any, *, rows: int, names: Iterable[Hashable] | None = None, known: Ids | None = None, allow_empty: bool = False
) -> tuple[sp.csr_array, Ids, Form]:
    """Indicator matrix of ones, names of its columns, and the form in which the labels came.

    Parameters
    ----------
    rows : the number of rows there must be
    names : the columns' names, for a matrix that has none of its own
    known : names that keep their columns; labels not among them are appended
    allow_empty : whether no positive at all is fine

    >>> matrix, names, form = read_labels([["red", "round"], [], ["round"]], rows=3)
    >>> matrix.toarray().astype(int).tolist(), list(names.all()), form
    ([[1, 1], [0, 0], [0, 1]], ['red', 'round'], 'lists')
    """
    if sp.issparse(Y) or (isinstance(Y, np.ndarray) and Y.dtype != object):
        return (*_from_matrix(Y, rows, names, known, allow_empty), "matrix")
    if hasattr(Y, "columns"):
        names = [column for column in Y.columns] if names is None else names  # noqa: C416
        try:
            cells = Y.to_numpy()
        except Exception:  # of whichever library the table is
            raise InputError("Y must hold numbers or yes and no in every column, one column per label.") from None
        return (*_from_matrix(cells, rows, names, known, allow_empty), "matrix")
    return (*_from_lists(Y, rows, known, allow_empty), "lists")


def _from_matrix(
    Y: Any, rows: int, names: Iterable[Hashable] | None, known: Ids | None, allow_empty: bool
) -> tuple[sp.csr_array, Ids]:
    matrix = as_csr(Y, "Y", rows=rows, minimum=0.0, allow_empty=allow_empty)
    matrix = sp.csr_array((np.ones_like(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape)
    own = None if names is None else Ids(names, "labels")
    if own is not None and len(own) != matrix.shape[1]:
        raise InputError(f"labels has {len(own)} names, but Y has {matrix.shape[1]} columns; give one name per column.")
    if known is None:
        return matrix, own or Ids.range(matrix.shape[1], "labels")
    if own is None:
        if matrix.shape[1] < len(known):
            raise InputError(
                f"Y has {matrix.shape[1]} columns, but the model knows {len(known)} labels; "
                "keep the columns of training and append new labels behind them."
            )
        if matrix.shape[1] > len(known) and not known.is_range:
            raise InputError(
                f"Y has {matrix.shape[1] - len(known)} labels more than the model knows; name all of them in labels."
            )
        return matrix, known if matrix.shape[1] == len(known) else Ids.range(matrix.shape[1], "labels")
    union, columns = _merge(known, own.all().tolist())
    moved = sp.csr_array((matrix.data, columns[matrix.indices], matrix.indptr), shape=(rows, len(union)))
    moved.sort_indices()
    return moved, union


def _from_lists(Y: Iterable[Any], rows: int, known: Ids | None, allow_empty: bool) -> tuple[sp.csr_array, Ids]:
    sets: list[list[Hashable]] = []
    for number, labels in enumerate(checks.listed("Y", Y)):
        if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
            raise InputError(
                f"Y: row {number} is {labels!r}; give each row a list of labels, "
                "or give Y as an indicator matrix with one column per label."
            )
        sets.append(checks.listed(f"Y: row {number}", labels))
    if len(sets) != rows:
        raise InputError(f"Y must have {rows} rows, one per row of the data, but has {len(sets)}.")
    flat = [label for labels in sets for label in labels]
    if not flat and not allow_empty:
        raise InputError("Y is empty: no row has a label; give at least one.")
    try:
        distinct = list(dict.fromkeys(flat))
    except TypeError:
        raise InputError("Y: labels must be numbers, text or other values that can be keys, not lists.") from None
    if known is None:
        # Sorted where the labels can be ordered, so that the order of rows does not decide on columns.
        kinds = {type(label) for label in distinct}
        names = Ids(sorted(distinct) if len(kinds) == 1 else distinct, "labels")  # type: ignore[type-var]
    else:
        names, _ = _merge(known, distinct)
    columns = names.numbers(flat)
    indptr = np.concatenate(([0], np.cumsum([len(labels) for labels in sets])))
    matrix = sp.csr_array((np.ones(len(flat), np.float32), columns, indptr), shape=(rows, len(names)))
    matrix.sum_duplicates()
    matrix.data[:] = 1.0
    return as_csr(matrix, "Y", allow_empty=True), names


def _merge(known: Ids, own: list[Hashable]) -> tuple[Ids, Any]:
    numbers = known.numbers(own)
    new = [label for label, number in zip(own, numbers) if number < 0]
    union = known.extended(new) if new else known
    return union, union.numbers(own)


def write_labels(matrix: sp.csr_array, names: Ids, form: Form) -> Any:
    """Labels in the form in which they came: the matrix itself, or one list of names per row."""
    if form == "matrix":
        return matrix
    taken = names.take(matrix.indices).tolist()
    return [taken[start:end] for start, end in zip(matrix.indptr[:-1], matrix.indptr[1:])]
