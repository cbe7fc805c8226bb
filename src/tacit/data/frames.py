"""Tables in memory become polars frames: pandas, polars, Arrow, and mappings of columns."""

import contextlib
import decimal
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def as_frame(table: Any, name: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
    """A table in memory as a polars frame of these columns (all by default), copied only where layouts differ."""
    import polars as pl

    chosen = list(dict.fromkeys(column_names(table, name) if columns is None else columns))
    if isinstance(table, pl.DataFrame):
        return table.select(chosen)
    if _is_pandas(table):
        return pl.DataFrame([_from_pandas(label, table[label]) for label in chosen])
    if isinstance(table, Mapping):
        series = [_from_values(label, table[label]) for label in chosen]
        lengths = {one.name: len(one) for one in series}
        if len(set(lengths.values())) > 1:
            raise InputError(f"{name}: the columns have different lengths, {lengths}; they must be equal.")
        return pl.DataFrame(series)
    return pl.DataFrame(table).select(chosen)


def column_names(table: Any, name: str) -> list[str]:
    """The names of a table's columns; what is no table is refused in the name of the parameter."""
    import polars as pl

    if isinstance(table, pl.DataFrame) or _is_pandas(table):
        return [label for label in table.columns if isinstance(label, str)]
    if isinstance(table, Mapping):
        return [label for label in table if isinstance(label, str)]
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        # One column alone, such as a pandas series, has such a stream too, and no names.
        with contextlib.suppress(pl.exceptions.PolarsError, TypeError, ValueError):
            return pl.DataFrame(table).columns
    raise InputError(
        f"{name} must be a pandas, polars or Arrow table, a path or a database URI, not {type(table).__name__}; "
        "for a matrix use Interactions.from_matrix."
    )


def _is_pandas(table: Any) -> bool:
    return type(table).__module__.partition(".")[0] == "pandas" and hasattr(table, "columns")


def _from_pandas(label: str, column: Any) -> "pl.Series":
    """One pandas column; pyarrow is used where it is installed but not needed."""
    import polars as pl

    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return pl.Series(label, column.to_numpy())
    if isinstance(column.dtype, np.dtype) and column.dtype.kind == "M":
        return _from_values(label, column.to_numpy())
    if str(column.dtype) == "str" and find_spec("pyarrow"):
        return pl.Series(label, column.array.__arrow_array__())
    return _from_values(label, list(column))


def _from_values(label: str, values: Any) -> "pl.Series":
    """Values of any kind; what polars has no type for is kept as Python objects."""
    import polars as pl

    if isinstance(values, pl.Series):
        return values.rename(label)
    if isinstance(values, np.ndarray) and values.dtype.kind == "M" and values.dtype != "datetime64[D]":
        # polars has no dates of whole seconds.
        values = values.astype("datetime64[us]")
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise InputError(f"table: the column {label!r} must be one-dimensional, not of shape {values.shape}.")
    if isinstance(values, np.ndarray) and values.dtype.kind in "biufMU":
        return pl.Series(label, values)
    try:
        values = [None if is_absent(value) else value for value in values]
    except TypeError:
        raise InputError(f"table: the column {label!r} must be a list of values, not {values!r}.") from None
    kinds = {type(value) for value in values if value is not None}
    plain = len(kinds) <= 1 or all(issubclass(kind, int | float | np.number) for kind in kinds)
    # polars would turn tuples and sets into lists, which cannot be ids, and would refuse or coerce mixtures.
    odd = not plain or any(issubclass(kind, tuple | set | frozenset) for kind in kinds)
    if odd or (kinds == {decimal.Decimal} and not all(_fits(value) for value in values)):
        return pl.Series(label, values, dtype=pl.Object)
    try:
        return pl.Series(label, values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return pl.Series(label, values, dtype=pl.Object)


def _fits(value: decimal.Decimal | None) -> bool:
    """Whether polars has room for a decimal; it panics at others instead of raising."""
    return value is None or (value.is_finite() and abs(value.adjusted()) < 16 and len(value.as_tuple().digits) < 16)


def is_absent(value: Any) -> bool:
    """Whether a value stands for nothing: None, NaN, pandas' NA and NaT, a Decimal that is no number."""
    if value is None:
        return True
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    if isinstance(value, decimal.Decimal):
        return value.is_nan()
    return type(value).__name__ in {"NAType", "NaTType"} or (isinstance(value, np.datetime64) and bool(np.isnat(value)))
