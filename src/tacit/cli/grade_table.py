"""A table with one row per thing to grade: which columns are features, and which one is the grade."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tacit.cli.output import say
from tacit.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from tacit.data.text_files import TextForm


def features_of(
    model: Any, table: str, query: str | None, form: "TextForm", *, leave: Sequence[str] = ()
) -> tuple["pl.DataFrame", "pl.DataFrame"]:
    """The columns that a saved model was fitted on, by name; by number where it was fitted on arrays."""
    named = getattr(model, "feature_names_in_", None)
    features = None if named is None else named.tolist()
    numbers, frame = read_features(table, query, form, features=features, leave=leave)
    if numbers.width != model.n_features_in_:
        raise InputError(
            f"the model was fitted on {model.n_features_in_} columns without names, but {table!r} has {numbers.width} "
            f"columns of numbers, {', '.join(numbers.columns)}; give a table of just those columns."
        )
    return numbers, frame


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
        texts = [name for name in frame.columns if name not in leave]
        beside = "" if not texts or not frame.height else f": {texts[0]!r} holds text, such as {frame[texts[0]][0]!r}"
        raise InputError(f"{table!r} has no column of numbers to learn from{beside}; code text as numbers first.")
    columns = {name: numbers_of(frame[name], f"feature {name}", origin) for name in features}
    return pl.DataFrame(columns), frame
