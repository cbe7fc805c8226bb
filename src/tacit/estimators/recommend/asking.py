"""What recommenders are asked with: ids of rows and columns, filters, and what to do with ids that are unknown.

One policy holds for every recommender. An id that is asked for and that the model does not know is an error, or is left
out, or is answered as the average row would be (``unknown``). An id in ``exclude`` that the model does not know cannot
come back anyway, so it changes nothing. A tuple holds several ids, as a list does; where ids are tuples themselves,
one of them goes into a list.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.data.ids import Ids
from tacit.errors import InputError, UnknownIdError
from tacit.neighbours.topk import Lists

Array = NDArray[Any]
Filter = Iterable[Any] | Mapping[Any, Iterable[Any]] | None
Unknown = Literal["error", "skip", "average"]

ScoreRows = Callable[[int, int], NDArray[np.float32]]
"""``(start, stop)`` → scores (stop - start, m) of the rows start..stop-1 among those that are asked about."""

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
    wanted = list(wanted)
    if wanted and all(isinstance(value, int | np.integer) and -(2**63) <= value < 2**63 for value in wanted):
        return np.array(wanted, dtype=np.int64)
    array = np.empty(len(wanted), dtype=object)
    array[:] = wanted
    return array


def one_of(wanted: Any, ids: Ids, name: str) -> int:
    """The number of the one id that is asked for."""
    numbers = ids.require(listed(wanted, ids))
    if len(numbers) != 1:
        raise InputError(f"{name} must be one id, not {len(numbers)}.")
    return int(numbers[0])


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
        return queries, ids.require(queries)
    numbers = ids.numbers(queries)
    if unknown == "skip":
        return queries[numbers >= 0], numbers[numbers >= 0]
    return queries, numbers


def named(queries: Array, wanted: Filter) -> NDArray[np.bool_] | None:
    """Which rows a mapping speaks of."""
    if not isinstance(wanted, Mapping):
        return None
    return np.array([query in wanted for query in queries.tolist()], dtype=np.bool_)


def filtered(ids: Ids, queries: Array, wanted: Filter, name: str) -> tuple[NDArray[np.bool_] | None, Lists | None]:
    """A mask for all rows, or sorted lists per row; that of a row which the mapping does not name is empty.

    ``name`` is "include", in which an unknown id is an error, or "exclude", in which it is simply not there.
    """
    if wanted is None:
        return None, None
    if isinstance(wanted, str | bytes):
        raise InputError(f"{name} must be a collection of ids, or a mapping from row id to ids, not {wanted!r}.")

    def numbers(some: Any) -> NDArray[np.int64]:
        try:
            return numbered(some, ids, "skip" if name == "exclude" else "error")[1]
        except UnknownIdError as error:
            raise UnknownIdError(f"{name}: {error}") from None

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
