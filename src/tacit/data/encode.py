"""Encoding: a column of ids becomes the distinct ids in ascending order and an int32 number per cell.

Ascending, because then the same events give the same matrix however the table is ordered. Ids that cannot be
compared with each other (tuples of mixed kinds, say) stay in the order of their first appearance.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.ids import Ids
from tacit.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def encode(column: "pl.Series", name: str) -> tuple[Ids, NDArray[np.int32]]:
    """Distinct ids of a column without missing values, and the number of the id in each place.

    >>> import polars as pl
    >>> ids, numbers = encode(pl.Series("user", ["eve", "bob", "eve"]), "row")
    >>> ids.all().tolist(), numbers
    (['bob', 'eve'], array([1, 0, 1], dtype=int32))
    """
    import polars as pl

    dtype = column.dtype
    if dtype == pl.Object:
        return _encode_objects(column, name)
    if isinstance(dtype, pl.List | pl.Array | pl.Struct):
        raise InputError(
            f"{name}: the column {column.name!r} holds {type(dtype).__name__.lower()}s, which cannot be ids; "
            "join their parts into one text or number first."
        )
    if isinstance(dtype, pl.Categorical | pl.Enum):
        return _encode_categories(column, name)
    if dtype in (pl.Int128, pl.UInt128):
        # NumPy has no such numbers; as Python's they are ids like any others.
        return _encode_objects(pl.Series(column.name, column.to_list(), dtype=pl.Object), name)
    if dtype.is_integer() and dtype != pl.UInt64 and len(column):
        low, high = int(column.min()), int(column.max())  # type: ignore[arg-type]
        if high - low < 4 * len(column):
            return _encode_dense(column.to_numpy(), low, high, name)
    distinct = column.unique().sort()
    if len(distinct) > np.iinfo(np.int32).max:
        raise InputError(f"{name}: {len(distinct)} distinct ids are more than the {np.iinfo(np.int32).max} supported.")
    places = pl.Series(np.arange(len(distinct), dtype=np.int32))
    numbers = column.replace_strict(distinct, places, return_dtype=pl.Int32).to_numpy()
    return ids_of_distinct(distinct, name), np.ascontiguousarray(numbers)


def _encode_dense(values: NDArray[Any], low: int, high: int, name: str) -> tuple[Ids, NDArray[np.int32]]:
    """Whole numbers with few gaps are looked up in a table, which is several times faster than hashing them."""
    if 0 <= low <= len(values):
        low = 0
    places = values.astype(np.int64) - low if low else values
    seen = np.zeros(high - low + 1, dtype=bool)
    seen[places] = True
    table = np.cumsum(seen, dtype=np.int32)
    table -= 1
    return Ids.of_distinct(np.flatnonzero(seen) + low, name), table[places]


def _encode_categories(column: "pl.Series", name: str) -> tuple[Ids, NDArray[np.int32]]:
    """Categories are numbered already, in the order in which they came up; what is left is to sort them."""
    import polars as pl

    used = column.unique()
    texts = used.cast(pl.String)
    order = texts.arg_sort()
    codes = used.to_physical().to_numpy()
    table = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.int32)
    table[codes[order.to_numpy()]] = np.arange(len(codes), dtype=np.int32)
    return Ids.of_distinct(texts.gather(order).to_list(), name), table[column.to_physical().to_numpy()]


def ids_of_distinct(distinct: "pl.Series", name: str) -> Ids:
    """A column of distinct values as ids."""
    import polars as pl

    if distinct.dtype.is_integer() and (len(distinct) == 0 or distinct[-1] < 2**63):
        return Ids.of_distinct(distinct.to_numpy(), name)
    if distinct.dtype == pl.String:
        return Ids.of_distinct(distinct.to_list(), name)
    # Python's dates end at microseconds: ids that differ only below would become one, and the check says so.
    return Ids(distinct.to_list(), name)


def _encode_objects(column: "pl.Series", name: str) -> tuple[Ids, NDArray[np.int32]]:
    values = column.to_list()
    kinds = sorted({type(value).__name__ for value in values})
    if len(kinds) > 1:
        examples = " and ".join(repr(next(v for v in values if type(v).__name__ == kind)) for kind in kinds[:2])
        raise InputError(
            f"{name}: the column {column.name!r} mixes ids of the types {' and '.join(kinds)} (such as {examples}); "
            "bring them to one type first."
        )
    numbers: dict[Any, int] = {}
    try:
        for value in values:
            numbers.setdefault(value, len(numbers))
    except TypeError:
        raise InputError(
            f"{name}: the column {column.name!r} holds values of the type {kinds[0]}, which are not hashable and "
            "cannot be ids."
        ) from None
    try:
        ordered = sorted(numbers)
    except TypeError:
        ordered = list(numbers)
    numbers = {value: number for number, value in enumerate(ordered)}
    codes = np.fromiter((numbers[value] for value in values), dtype=np.int32, count=len(values))
    return Ids.of_distinct(ordered, name), codes
