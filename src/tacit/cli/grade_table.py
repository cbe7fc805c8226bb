"""A table with one row per thing to grade: which columns are features, and which one is the grade."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.cli.output import say
from tacit.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from tacit.data.text_files import TextForm


def read_features(
    table: str,
    query: str | None,
    form: "TextForm",
    *,
    features: Sequence[str] | None = None,
    leave: Sequence[str] = (),
) -> tuple["pl.DataFrame", "pl.DataFrame"]:
    """The numeric columns (or those named ``features``) as numbers, and the whole table.

    Columns in ``leave`` are no features; text columns are not either, which is said.
    """
    import polars as pl

    from tacit.data.columns import numbers_of
    from tacit.data.readers import origin_of, read_frame

    frame = read_frame(table, {}, None, query=query, name="TABLE", form=form)
    origin = origin_of(table, form)
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
    columns = {name: numbers_of(frame[name], f"feature {name}", origin) for name in features}
    return pl.DataFrame(columns), frame
