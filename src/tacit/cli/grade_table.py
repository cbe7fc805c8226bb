"""A table with one row per thing to grade: which columns are features, and which one is the grade."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.cli.output import say
from tacit.errors import InputError

if TYPE_CHECKING:
    import polars as pl


def read_features(
    table: str, query: str | None, *, features: Sequence[str] | None = None, leave: Sequence[str] = ()
) -> tuple["pl.DataFrame", "pl.DataFrame"]:
    """The numeric columns (or those named ``features``) as numbers, and the whole table.

    Columns in ``leave`` are no features; text columns are not either, which is said.
    """
    import polars as pl

    from tacit.data.readers import scan_table

    frame = scan_table(table, query).collect()
    missing = [name for name in (*(features or ()), *leave) if name not in frame.columns]
    if missing:
        raise InputError(f"{table!r} has no column {missing[0]!r}; it has {', '.join(frame.columns)}.")
    if features is None:
        numeric = [name for name, kind in frame.schema.items() if kind.is_numeric() or kind == pl.Boolean]
        features = [name for name in numeric if name not in leave]
        others = [name for name in frame.columns if name not in numeric and name not in leave]
        if others:
            say(f"columns without numbers are left out: {', '.join(others)}.")
    if not features:
        raise InputError(f"{table!r} has no column of numbers to learn from; code text columns as numbers first.")
    try:
        numbers = frame.select(pl.col(list(features)).cast(pl.Float64))
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{table!r} holds text where numbers are needed ({str(error).splitlines()[0]}).") from error
    holes = [name for name in numbers.columns if numbers[name].null_count() or not numbers[name].is_finite().all()]
    if holes:
        raise InputError(
            f"column {holes[0]!r} has empty or infinite cells; fill them or leave the column out (--leave)."
        )
    return numbers, frame
