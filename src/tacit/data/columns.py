"""Columns of an event table: the rules for missing values, weights and times."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.data.frames import is_absent
from tacit.data.readers import COMMA_NUMBER
from tacit.data.text_files import Origin
from tacit.errors import InputError

if TYPE_CHECKING:
    import polars as pl

Array = NDArray[Any]
_HERE = Origin()
_FIX = "fix it or name another column"
_DAY_OR_MONTH_FIRST = re.compile(r"^\s*\d{1,2}([/.-])\d{1,2}\1\d{2,4}\b")


def without_missing(
    frame: "pl.DataFrame",
    columns: Mapping[str, str],
    missing: str,
    origin: Origin = _HERE,
    remedy: str = "pass missing='drop'",
) -> tuple["pl.DataFrame", NDArray[np.int64] | None]:
    """The lines in which every column has a value, and their places in the table (None where all stay).

    Lines that lack one are an error, or are dropped.

    >>> import polars as pl
    >>> without_missing(pl.DataFrame({"u": [1, None]}), {"row": "u"}, "drop")[0].height
    1
    """
    checks.choice("missing", missing, ("error", "drop"))
    absent = np.zeros(frame.height, dtype=bool)
    for parameter, column in columns.items():
        here = _is_missing(frame[column])
        if missing == "error" and here.any():
            raise InputError(
                f"{parameter}: the column {column!r} has no value in {int(here.sum())} of {frame.height} lines, first "
                f"in {origin.place(int(np.argmax(here)))}; fill them in or {remedy}."
            )
        absent |= here
    return (frame.filter(~absent), np.flatnonzero(~absent)) if absent.any() else (frame, None)


def lacking(frame: "pl.DataFrame", columns: Mapping[str, str]) -> dict[str, int]:
    """In how many lines each column has no value, for those that have none somewhere.

    >>> import polars as pl
    >>> lacking(pl.DataFrame({"u": [1, None], "i": [1, 2]}), {"row": "u", "col": "i"})
    {'u': 1}
    """
    counts = {column: int(_is_missing(frame[column]).sum()) for column in columns.values()}
    return {column: count for column, count in counts.items() if count}


def _is_missing(column: "pl.Series") -> NDArray[np.bool_]:
    """Where there is no value: none at all, NaN, or a text of nothing but white space."""
    import polars as pl

    if column.dtype == pl.Object:
        absent = (is_absent(one) or (isinstance(one, str) and not one.strip()) for one in column)
        return np.fromiter(absent, dtype=bool, count=len(column))
    missing = column.is_null()
    if isinstance(column.dtype, pl.Categorical | pl.Enum):
        # Each text is looked at once, and all lines only where one of them is blank.
        texts = column.unique().cast(pl.String)
        if (texts.str.strip_chars() == "").any():
            column = column.cast(pl.String)
    if column.dtype == pl.String:
        missing = missing | (column.str.strip_chars() == "").fill_null(False)
    if column.dtype.is_float():
        missing = missing | column.is_nan().fill_null(False)
    return missing.to_numpy()


def weights_of(
    frame: "pl.DataFrame", column: str | None, origin: Origin = _HERE, kept: NDArray[np.int64] | None = None
) -> NDArray[np.float32]:
    """Weights as float32, finite and not negative; 1 each without a column.

    origin, kept : where the table came from and which of its lines are left, for the sentence
    """
    import polars as pl

    if column is None:
        return np.ones(frame.height, dtype=np.float32)
    series = frame[column]
    if not series.dtype.is_numeric() and series.dtype != pl.Boolean:
        raise _no_number(series, "weight", origin, kept)
    weights = series.cast(pl.Float32).to_numpy()
    for wrong, what in ((~np.isfinite(weights), "infinite"), (weights < 0, "negative")):
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InputError(
                f"weight: the column {column!r} is {what} in {_place(row, origin, kept)}, {series[row]!r}; weights say "
                "how much evidence a positive carries: drop or map such lines first."
            )
    return weights


def numbers_of(series: "pl.Series", name: str, origin: Origin = _HERE) -> NDArray[np.float64]:
    """A column as finite float64, or a sentence with the first line that is not."""
    import polars as pl

    if not series.dtype.is_numeric() and series.dtype != pl.Boolean:
        raise _no_number(series, name, origin, None)
    values = np.asarray(series.cast(pl.Float64).fill_null(float("nan")).to_numpy(), dtype=np.float64)
    wrong = ~np.isfinite(values)
    if wrong.any():
        row = int(np.argmax(wrong))
        what = "has no value" if np.isnan(values[row]) else "is infinite"
        raise InputError(
            f"{name}: the column {series.name!r} {what} in {origin.place(row)}; fix or drop that line, or leave the "
            "column out."
        )
    return values


def _no_number(series: "pl.Series", name: str, origin: Origin, kept: NDArray[np.int64] | None) -> InputError:
    """The first value that is no number, and what to do about it."""
    import polars as pl

    if not len(series):
        return InputError(f"{name}: the table has a header and no lines below it; give at least one.")
    if series.dtype != pl.String:
        return InputError(
            f"{name}: the column {series.name!r} must hold numbers, not {series.dtype}; convert it or name another "
            "column."
        )
    texts = series.str.strip_chars()
    commas = origin.form.decimal == ","
    bad = texts.is_not_null() & (
        ~texts.str.contains(COMMA_NUMBER) if commas else texts.cast(pl.Float64, strict=False).is_null()
    )
    row = int(bad.arg_max() or 0)
    value = series[row]
    remedy = _remedy(str(value).strip(), commas)
    where = _place(row, origin, kept)
    return InputError(f"{name}: the column {series.name!r} must hold numbers, but {where} has {value!r}; {remedy}.")


def _remedy(value: str, commas: bool) -> str:
    """What to do about a text that should be a number.

    >>> _remedy("1,234", False)
    "if its comma is a decimal sign, pass decimal=','; if it marks thousands, write 1234"
    >>> _remedy("1'234.50", False)
    'write 1234.50, without marks of thousands'
    """
    if commas:
        return "write it with a decimal comma, as 3,5" if re.fullmatch(r"[-+]?\d+\.\d+", value) else _FIX
    if re.fullmatch(COMMA_NUMBER, value) and "," in value:
        whole = re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+", value)
        thousands = f"; if it marks thousands, write {value.replace(',', '')}" if whole else ""
        return f"if its comma is a decimal sign, pass decimal=','{thousands}"
    if re.fullmatch(r"[-+]?\d{1,3}([ ,'\u00a0\u2019\u202f]\d{3})+(\.\d+)?|[-+]?\d{1,3}(\.\d{3}){2,}", value):
        plain = re.sub(r"[^-+\d.]", "", value)
        return f"write {plain.replace('.', '') if plain.count('.') > 1 else plain}, without marks of thousands"
    return _FIX


def times_of(
    frame: "pl.DataFrame",
    column: str | None,
    time_format: str | None = None,
    origin: Origin = _HERE,
    kept: NDArray[np.int64] | None = None,
) -> Array | None:
    """Times as int64, float64 or datetime64[us]; text is read as ISO dates, or by ``time_format``."""
    import polars as pl

    if column is None:
        if time_format is not None:
            raise InputError("time_format says how times are written, but time names no column; give both or neither.")
        return None
    series = frame[column]
    if series.dtype == pl.String:
        series = _dates(series, time_format, origin, kept)
    elif time_format is not None:
        raise InputError(f"time_format is for times that are text, but the column {column!r} holds {series.dtype}.")
    if series.dtype == pl.Date or (isinstance(series.dtype, pl.Datetime) and series.dtype.time_zone is None):
        return series.cast(pl.Datetime("us")).to_numpy()
    if isinstance(series.dtype, pl.Datetime):
        return series.dt.convert_time_zone("UTC").dt.replace_time_zone(None).cast(pl.Datetime("us")).to_numpy()
    if series.dtype.is_integer():
        for value in (series.min(), series.max()) if len(series) else ():
            if not -(2**63) <= int(value) < 2**63:  # type: ignore[arg-type]
                raise InputError(f"time: the column {column!r} holds {value!r}, which is beyond 2**63; rescale it.")
        return series.cast(pl.Int64).to_numpy()
    if series.dtype.is_float() or series.dtype.is_decimal():
        values = series.cast(pl.Float64).to_numpy()
        if not np.isfinite(values).all():
            row = int(np.argmax(~np.isfinite(values)))
            raise InputError(f"time: the column {column!r} is infinite in {_place(row, origin, kept)}; fix that line.")
        return values
    raise InputError(f"time: the column {column!r} must hold dates or numbers, not {series.dtype}.")


def _dates(series: "pl.Series", time_format: str | None, origin: Origin, kept: NDArray[np.int64] | None) -> "pl.Series":
    """Text as moments. Whether day or month comes first is never guessed: 05/01 would be wrong in silence."""
    import polars as pl

    first = str(series[0])
    wrong = "does not read as a date"
    try:
        if time_format is not None:
            read = series.str.to_datetime(time_format, time_unit="us", strict=False)
        elif _DAY_OR_MONTH_FIRST.match(first):
            read, wrong = pl.Series([None] * len(series)), "may begin with the day or the month"
        else:
            read = series.str.to_datetime(time_unit="us", strict=False)
    except pl.exceptions.PolarsError:
        read = pl.Series([None] * len(series))
    bad = read.is_null()
    if not bad.any():
        return read
    row = int(bad.arg_max() or 0)
    beside = f" where {_place(0, origin, kept)} has {first!r}" if row else ""
    if row:
        wrong = "is of another form"
    sign = next((sign for sign in "/.-" if sign in str(series[row])), "/")
    if row:
        remedy = "write all in one form, best as 2024-12-31"
    elif time_format is None and _DAY_OR_MONTH_FIRST.match(first):
        forms = f"%d{sign}%m{sign}%Y", f"%m{sign}%d{sign}%Y"
        remedy = f"pass time_format='{forms[0]}' if the day does, or pass time_format='{forms[1]}' if the month does"
    else:
        remedy = "pass time_format='%Y-%m-%d %H:%M' or the like, or write it as 2024-12-31"
    raise InputError(
        f"time: the column {series.name!r} has {series[row]!r} in {_place(row, origin, kept)}{beside}, which {wrong}; "
        f"{remedy}."
    )


def _place(row: int, origin: Origin, kept: NDArray[np.int64] | None) -> str:
    return origin.place(row if kept is None else int(kept[row]))
