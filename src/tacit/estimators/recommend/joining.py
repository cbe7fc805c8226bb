"""Translate interactions into the numbering of a fitted model.

Known ids get their numbers. Unknown ids are left out, or join at the end.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.ids import Ids
from tacit.data.interactions import Interactions
from tacit.data.matrix import Csr, as_csr, transpose
from tacit.errors import InputError


def as_interactions(data: Any) -> Interactions:
    """What users hand to ``fit``: ``Interactions`` as they are, matrices with row and column numbers as ids."""
    if isinstance(data, Interactions):
        as_csr(data.matrix, "interactions", minimum=0.0)
        return data
    checks.no_table("interactions", data)
    return Interactions.from_matrix(as_csr(data, "interactions", minimum=0.0))


def new_positives(row_ids: Ids, col_ids: Ids, given: Any, side: str) -> tuple[Csr, Ids | None]:
    """Positives of new rows (columns) in the model's numbering of the other side, one row each, and their ids.

    row_ids, col_ids : the model's
    given : ``Interactions``, or a matrix in the model's numbering, which has no ids
    """
    rows = side == "rows"
    other = col_ids if rows else row_ids
    if isinstance(given, Interactions):
        ids = given.row_ids if rows else given.col_ids
        known = (given.col_ids if rows else given.row_ids).all()
        if not (other.numbers(known) >= 0).any():
            other.require(known)
        matrix = (given.aligned(ids, other) if rows else given.aligned(other, ids)).matrix
    else:
        ids = None
        checks.no_table("interactions", given)
        matrix = as_csr(given, "interactions", minimum=0.0, allow_empty=True)
        other_size = matrix.shape[1] if rows else matrix.shape[0]
        if other_size != len(other):
            raise InputError(
                f"interactions must have {len(other)} {'columns' if rows else 'rows'}, as many as the model knows, "
                f"but has {other_size}; only one side can be folded in at a time."
            )
    return (matrix if rows else transpose(matrix)), ids


def joined(row_ids: Ids, col_ids: Ids, positives: Csr, more: Interactions) -> Interactions:
    """A model's positives and more of them, under ids that are extended where needed."""
    row_ids, rows = extended(row_ids, more.row_ids)
    col_ids, cols = extended(col_ids, more.col_ids)
    coo = more.matrix.tocoo()
    shape = (len(row_ids), len(col_ids))
    new = sp.csr_array((coo.data, (rows[coo.coords[0]], cols[coo.coords[1]])), shape=shape)
    old = positives.copy()
    old.resize(shape)
    return Interactions(as_csr(old + new, "interactions"), row_ids, col_ids)


def extended(ids: Ids, more: Ids) -> tuple[Ids, NDArray[np.int64]]:
    """These ids with the unknown ones of ``more`` appended, and the numbers of ``more`` among them."""
    if more.is_range and (ids.is_range or len(more) == len(ids)):
        # A bare matrix speaks in the model's own numbering.
        return (ids if len(more) <= len(ids) else Ids.range(len(more), ids.name)), np.arange(len(more))
    if more.is_range or ids.is_numeric != more.is_numeric:
        known, new = (one.all()[:1].tolist()[0] for one in (ids, more))
        raise InputError(
            f"{ids.name}: the model's ids are like {known!r}, new ones like {new!r}; give Interactions with ids of the "
            "same type, or a matrix of the model's own shape."
        )
    numbers = ids.numbers(more.all())
    fresh = more.all()[numbers < 0]
    numbers[numbers < 0] = len(ids) + np.arange(len(fresh))
    return (ids.extended(fresh) if len(fresh) else ids), numbers


def with_each(ids: Ids, values: Sequence[Any]) -> tuple[list[int], Ids]:
    """The numbers of ids, and the ids with all of them among them.

    >>> numbers, ids = with_each(Ids(["anna"]), ["bert", "anna", "bert"])
    >>> numbers, len(ids)
    ([1, 0, 1], 2)
    """
    numbers = ids.numbers(values).tolist()
    for place, number in enumerate(numbers):
        if number < 0:
            numbers[place], ids = _with_one(ids, values[place])
    return numbers, ids


def _with_one(ids: Ids, value: Any) -> tuple[int, Ids]:
    number = int(ids.numbers([value])[0])  # it may have come a moment ago
    if number >= 0:
        return number, ids
    one = Ids([value], ids.name)
    if len(ids) and ids.is_numeric != one.is_numeric:
        extended(ids, one)  # says in a sentence that the kinds differ
    if value is None or value != value:
        raise InputError(f"{ids.name}: {value!r} cannot be an id; leave out events whose id is missing.")
    return len(ids), ids.appended(one.all().tolist()[0])


def weights_of(weights: Any, count: int) -> NDArray[np.float32]:
    """One weight for each of so many cells."""
    try:
        values: NDArray[np.float32] = np.asarray(weights, dtype=np.float32)
        if values.shape != (count,):
            values = np.broadcast_to(values, count)
    except (TypeError, ValueError):
        raise InputError(f"weights must be one number, or one for each of the {count} columns.") from None
    if not (np.isfinite(values) & (values > 0)).all():
        raise InputError("weights must be finite and above 0; a cell without weight is not a positive.")
    return values
