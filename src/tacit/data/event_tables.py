"""A table with one event per line becomes numbered events, with the ids that the numbers stand for."""

import os
from dataclasses import dataclass, field
from typing import Any

from tacit.data import events as _events
from tacit.data.columns import lacking, times_of, weights_of, without_missing
from tacit.data.encode import encode
from tacit.data.events import Duplicates, Events
from tacit.data.ids import Ids
from tacit.data.readers import origin_of, read_table
from tacit.data.summary import Reading
from tacit.data.text_files import TextForm
from tacit.errors import InputError


@dataclass(frozen=True)
class EventColumns:
    """Names of the columns of an event table."""

    row: str
    col: str
    weight: str | None = None
    time: str | None = None
    contexts: list[str] = field(default_factory=list)

    def by_parameter(self) -> dict[str, str]:
        """Parameter → column, as errors name them."""
        columns = {"row": self.row, "col": self.col}
        columns |= {name: one for name, one in (("weight", self.weight), ("time", self.time)) if one is not None}
        several = len(self.contexts) > 1
        return columns | {f"context[{k}]" if several else "context": one for k, one in enumerate(self.contexts)}


@dataclass(frozen=True)
class EventTable:
    """Events by number, the ids behind the numbers, and how many lines were read."""

    events: Events
    row_ids: Ids
    col_ids: Ids
    context_ids: dict[str, Ids]
    reading: Reading


def read_events(
    table: Any,
    columns: EventColumns,
    form: TextForm,
    *,
    duplicates: Duplicates,
    missing: str,
    query: str | None,
    text_ids: bool,
    time_format: str | None,
) -> EventTable:
    """The events of whatever holds a table, those of one pair (and equal contexts) merged.

    The parameters are those of ``Interactions.from_table``.
    """
    _events.check_duplicates(duplicates)
    by_parameter, contexts = columns.by_parameter(), columns.contexts
    name = repr(os.fspath(table)) if isinstance(table, str | os.PathLike) else "table"
    text = (columns.row, columns.col, *contexts) if text_ids else ()
    frame = read_table(table, by_parameter, query=query, text=text, form=form, name=name)
    lines, origin = frame.height, origin_of(table, form)
    lacked = lacking(frame, by_parameter) if isinstance(missing, str) and missing == "drop" else {}
    frame, kept = without_missing(frame, by_parameter, missing, origin)
    if frame.height == 0:
        what = "holds no lines of data" if not lines else f"lacks a value in each of its {lines:,} lines"
        raise InputError(f"{name} {what}; give at least one event.")
    row_ids, rows = encode(frame[columns.row], "row")
    col_ids, cols = encode(frame[columns.col], "col")
    coded = {name: encode(frame[name], f"context {name!r}") for name in contexts}
    context_ids = {name: ids for name, (ids, _) in coded.items()}
    numbers = {name: numbers for name, (_, numbers) in coded.items()}
    weights = weights_of(frame, columns.weight, origin, kept)
    box = [Events(rows, cols, weights, times_of(frame, columns.time, time_format, origin, kept), numbers)]
    complete = frame.height
    # Whatever is not needed any more is let go before the sort, which is where memory peaks.
    del frame, rows, cols, weights, coded, numbers
    try:
        events = _events.merge(box.pop(), duplicates)
    except _events.Twice as twice:
        pair = f"({row_ids.all().tolist()[twice.row]!r}, {col_ids.all().tolist()[twice.col]!r})"
        raise InputError(
            f"duplicates='error': the pair {pair} occurs more than once; choose sum, last, first or max."
        ) from None
    return EventTable(
        events, row_ids, col_ids, context_ids, Reading(lines, lines - complete, complete - len(events), lacked)
    )
