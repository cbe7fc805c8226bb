"""Columns of an event table: missing values, weights and times, each refused or taken by a stated rule."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError

if TYPE_CHECKING:
    import polars as pl

Array = NDArray[Any]


def without_missing(frame: "pl.DataFrame", columns: Mapping[str, str], missing: str) -> "pl.DataFrame":
    """The lines in which every column has a value: all of them, or an error, or the rest is dropped.

    >>> import polars as pl
    >>> without_missing(pl.DataFrame({"u": [1, None]}), {"row": "u"}, "drop").height
    1
    """
    if missing not in {"error", "drop"}:
        raise InputError(f"missing={missing!r} is not one of error, drop.")
    absent = np.zeros(frame.height, dtype=bool)
    for parameter, column in columns.items():
        here = _is_missing(frame[column])
        if missing == "error" and here.any():
            raise InputError(
                f"{parameter}: the column {column!r} has no value in {int(here.sum())} of {frame.height} lines, first "
                f"in line {int(np.argmax(here))} (from 0); fill them in or pass missing='drop'."
            )
        absent |= here
    return frame.filter(~absent) if absent.any() else frame


def _is_missing(column: "pl.Series") -> NDArray[np.bool_]:
    import polars as pl

    if column.dtype == pl.Object:
        # Only NaN differs from itself.
        return np.fromiter((v is None or bool(v != v) for v in column), dtype=bool, count=len(column))
    missing = column.is_null()
    if column.dtype.is_float():
        missing = missing | column.is_nan().fill_null(False)
    return missing.to_numpy()


def weights_of(frame: "pl.DataFrame", column: str | None) -> NDArray[np.float32]:
    """Weights as float32, finite and not negative; 1 each without a column."""
    import polars as pl

    if column is None:
        return np.ones(frame.height, dtype=np.float32)
    series = frame[column]
    if not series.dtype.is_numeric() and series.dtype != pl.Boolean:
        raise InputError(
            f"weight: the column {column!r} must hold numbers, not {series.dtype}; convert it or name another column."
        )
    weights = series.cast(pl.Float32).to_numpy()
    for wrong, what in ((~np.isfinite(weights), "infinite"), (weights < 0, "negative")):
        if wrong.any():
            line = int(np.argmax(wrong))
            raise InputError(
                f"weight: the column {column!r} is {what} in line {line} (from 0), {series[line]!r}; weights say how "
                "much evidence a positive carries: drop or map such lines first."
            )
    return weights


def times_of(frame: "pl.DataFrame", column: str | None) -> Array | None:
    """Times as int64, float64 or datetime64[us]; text is read as ISO dates."""
    import polars as pl

    if column is None:
        return None
    series = frame[column]
    if series.dtype == pl.String:
        try:
            series = series.str.to_datetime(time_unit="us")
        except pl.exceptions.PolarsError:
            raise InputError(
                f"time: the column {column!r} holds text such as {series[0]!r} that does not read as dates; "
                "convert it to dates or numbers first."
            ) from None
    if series.dtype == pl.Date or (isinstance(series.dtype, pl.Datetime) and series.dtype.time_zone is None):
        return series.cast(pl.Datetime("us")).to_numpy()
    if isinstance(series.dtype, pl.Datetime):
        return series.dt.convert_time_zone("UTC").dt.replace_time_zone(None).cast(pl.Datetime("us")).to_numpy()
    if series.dtype.is_integer():
        return series.cast(pl.Int64).to_numpy()
    if series.dtype.is_float():
        return series.cast(pl.Float64).to_numpy()
    raise InputError(f"time: the column {column!r} must hold dates or numbers, not {series.dtype}.")
