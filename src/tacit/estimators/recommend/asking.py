"""The arguments of a question: ids of rows and columns, filters, and what happens to unknown ids.

All recommenders follow one policy. An unknown id that is asked for is an error, is skipped, or gets what is
popular (``unknown``). An unknown id in ``exclude`` changes nothing. A tuple is several ids, like a list; where ids
are tuples themselves, put one into a list.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.ids import Ids
from tacit.data.matrix import Csr, as_csr
from tacit.errors import InputError, UnknownIdError
from tacit.estimators.recommend.joining import new_positives
from tacit.estimators.recommend.recent_rows import RowState
from tacit.neighbours.filters import Filters, Lists

Array = NDArray[Any]
Filter = Iterable[Any] | Mapping[Any, Iterable[Any]] | None
Unknown = Literal["error", "skip", "average"]

ScoreRows = Callable[[int, int], NDArray[np.float32]]
"""``(start, stop)`` → scores (stop - start, m) of the rows start..stop-1 among those that are asked about."""


@dataclass(frozen=True)
class AskedRows:
    """Rows that are asked about.

    queries : (n,) their ids
    positives : (n, m) what they have
    numbers : (n,) their numbers in the model, -1 for one that it does not know; None for rows that are new to it
    """

    queries: Array
    positives: Csr
    numbers: NDArray[np.int64] | None

    @classmethod
    def known(cls, rows: RowState, width: int, queries: Array, numbers: NDArray[np.int64]) -> "AskedRows":
        """Rows of a model with ``width`` columns."""
        indptr, indices, data = rows.take_positives(numbers)
        cells = sp.csr_array((data, indices, indptr), shape=(len(numbers), width))
        return cls(queries, as_csr(cells, "positives", allow_empty=True), numbers)

    @classmethod
    def new(cls, row_ids: Ids, col_ids: Ids, given: Any) -> "AskedRows":
        """Rows that a model with these ids has not seen."""
        positives, ids = new_positives(row_ids, col_ids, given, "rows")
        queries = np.arange(positives.shape[0]) if ids is None else ids.all()
        return cls(queries, as_csr(positives, "positives", allow_empty=True), None)


class RowScorer(Protocol):
    """What a blend asks of its members: scores of any rows, known or new, without a list of all of them."""

    def scorer(self, rows: AskedRows) -> ScoreRows:
        """A function that gives the scores of these rows block by block."""


UNKNOWN = ("error", "skip", "average")


def listed(wanted: Any, ids: Ids) -> Array:
    """Ids as a one-dimensional array: one id, any iterable of ids, or a column of a table.

    >>> listed("anna", Ids(["anna", "bert"])), listed(("anna", "bert"), Ids(["anna", "bert"]))
    (array(['anna'], dtype=object), array(['anna', 'bert'], dtype=object))
    """
    if isinstance(wanted, tuple) and _is_known(wanted, ids):
        raise InputError(f"{ids.name}: {wanted!r} is one id here, and a tuple stands for several; give it in a list.")
    if isinstance(wanted, str | bytes | int | np.generic) or wanted is None or not isinstance(wanted, Iterable):
        wanted = [wanted]
    if isinstance(wanted, np.ndarray) and wanted.ndim != 1:
        raise InputError(f"ids must be one-dimensional, not of shape {wanted.shape}.")
    if isinstance(wanted, np.ndarray) and wanted.dtype.kind in "iuO":
        return wanted
    wanted = checks.listed(ids.name, wanted)
    if wanted and all(isinstance(value, int | np.integer) and -(2**63) <= value < 2**63 for value in wanted):
        return np.array(wanted, dtype=np.int64)
    return np.fromiter(wanted, dtype=object, count=len(wanted))


def paired(rows: Any, cols: Any, row_ids: Ids, col_ids: Ids) -> tuple[list[Any], list[Any]]:
    """Ids of rows and of columns, one of each for every cell."""
    who, what = _values(rows, row_ids), _values(cols, col_ids)
    if len(who) != len(what):
        raise InputError(f"rows and cols must be equally long, not {len(who)} and {len(what)}.")
    return who, what


def _values(wanted: Any, ids: Ids) -> list[Any]:
    """Ids as Python's own objects; lists of plain ones, which events bring, are that already."""
    if type(wanted) is list and set(map(type, wanted)) in ({int}, {str}):
        return wanted
    values: list[Any] = listed(wanted, ids).tolist()
    return values


def one_of(wanted: Any, ids: Ids, name: str) -> int:
    """The number of the one id that is asked for."""
    numbers = ids.require(listed(wanted, ids))
    if len(numbers) != 1:
        raise InputError(f"{name} must be one id, not {len(numbers)}.")
    return int(numbers[0])


_REMEDY = "check the spelling and type, or ask with unknown='skip' or unknown='average'."


def numbered(wanted: Any, ids: Ids, unknown: Unknown = "error") -> tuple[Array, NDArray[np.int64]]:
    """The ids that are answered, and their numbers; -1 where the average answers for an unknown one.

    >>> numbered(["bert", "carl"], Ids(["anna", "bert"]), "skip")
    (array(['bert'], dtype=object), array([1]))
    >>> numbered(["bert", "carl"], Ids(["anna", "bert"]), "average")[1]
    array([ 1, -1])
    """
    checks.choice("unknown", unknown, UNKNOWN)
    queries = listed(wanted, ids)
    if unknown == "error":
        try:
            return queries, ids.require(queries)
        except UnknownIdError as error:
            raise UnknownIdError(error.fact, _REMEDY) from None
    numbers = ids.numbers(queries)
    if unknown == "skip":
        return queries[numbers >= 0], numbers[numbers >= 0]
    return queries, numbers


def filters(
    ids: Ids, queries: Array, include: Filter = None, exclude: Filter = None, *, seen: Lists | None = None
) -> Filters:
    """What a search may return: ``include`` and ``exclude`` as ids of columns, ``seen`` as their numbers.

    ids : of the columns
    queries : ids of the rows, by which a mapping names its lists
    """
    allowed, included = _filtered(ids, queries, include, "include")
    refused, excluded = _filtered(ids, queries, exclude, "exclude")
    if refused is not None:
        allowed = ~refused if allowed is None else allowed & ~refused
    limited = None
    if isinstance(include, Mapping):
        limited = np.array([query in include for query in queries.tolist()], dtype=np.bool_)
    return Filters(seen, excluded, included, limited, allowed)


def _filtered(ids: Ids, queries: Array, wanted: Filter, name: str) -> tuple[NDArray[np.bool_] | None, Lists | None]:
    """A mask for all rows, or sorted lists per row; that of a row which the mapping does not name is empty.

    ``name`` is "include", in which an unknown id is an error, or "exclude", in which it is simply not there.
    """
    if wanted is None:
        return None, None
    if isinstance(wanted, str | bytes):
        raise InputError(f"{name} must be a collection of ids, or a mapping from row id to ids, not {wanted!r}.")

    def numbers(some: Any) -> NDArray[np.int64]:
        try:
            return numbered(some, ids, "skip")[1] if name == "exclude" else ids.require(listed(some, ids))
        except UnknownIdError as error:
            raise UnknownIdError(f"{name}: {error.fact}", error.remedy) from None

    if not isinstance(wanted, Mapping):
        mask = np.zeros(len(ids), dtype=bool)
        mask[numbers(wanted)] = True
        return mask, None
    nothing = np.empty(0, dtype=np.int64)
    rows = [np.unique(numbers(wanted[query])) if query in wanted else nothing for query in queries.tolist()]
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    indices = np.concatenate(rows) if rows else np.empty(0)
    return None, (indptr, indices.astype(np.int32))


def _is_known(wanted: Any, ids: Ids) -> bool:
    try:
        return wanted in ids
    except (InputError, TypeError):
        return False
