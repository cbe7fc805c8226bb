"""What verbs print: answers on standard output, remarks on standard error, JSON where it was asked for.

Ids, labels and titles are strangers' text: whatever is printed here goes through ``tacit.report.plain``.
"""

import csv
import io
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from tacit.report.plain import harmless_cell, visible

if TYPE_CHECKING:
    from rich.console import Console

    from tacit.estimators.ranked import Ranked

_WIDE = 1000
"""Columns of a pipe or a file, where nothing should be cut to fit a screen."""
_INTERRUPTED = "tacit.interrupted"
_UNSEEN = re.compile("[\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
"""What JSON leaves as it is though a terminal obeys it or cannot show it."""


def say(sentence: str) -> None:
    """A remark beside the answer."""
    click.echo(f"tacit: {visible(sentence)}", err=True)


def print_json(value: Any) -> None:
    """One line of JSON; dates and other ids without a JSON form become text."""
    click.echo(_UNSEEN.sub(_escaped, json.dumps(value, ensure_ascii=False, default=str)))


def _escaped(match: "re.Match[str]") -> str:
    return json.dumps(match[0])[1:-1]


def console() -> "Console":
    """Where tables and colours go; whatever width a pipe has, nothing is cut."""
    from rich.console import Console

    screen = Console(highlight=False)
    return screen if screen.is_terminal else Console(highlight=False, width=_WIDE)


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, texts: int = 1, title: str = "") -> None:
    """A table; the first ``texts`` columns are text, the others are numbers and end on one line."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title=title or None, title_justify="left", title_style="bold", pad_edge=False)
    for index, heading in enumerate(headings):
        table.add_column(Text(visible(heading)), justify="left" if index < texts else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    console().print(table)


def print_facts(facts: Mapping[str, str]) -> None:
    """Names and what they are, one a line."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, fact in facts.items():
        table.add_row(name, Text(visible(fact)))
    console().print(table)


def entries(ranked: "Ranked", index: int) -> list[dict[str, Any]]:
    """What was found for one query, best first, without the places that could not be filled."""
    result = zip(ranked.ids[index].tolist(), ranked.scores[index].tolist(), ranked.filled[index])
    return [{"id": ident, "score": score} for ident, score, filled in result if filled]


def print_found(
    query: str, result: Sequence[Mapping[str, Any]], empty: str = "nothing that is allowed is left"
) -> None:
    """One query and the list below it, or why it is empty; a title, where there is one, stands behind the score."""
    click.echo(visible(query))
    names = [visible(one["id"]) for one in result]
    width = max(map(len, names), default=0)
    for name, one in zip(names, result):
        title = f"  {visible(one['title'])}" if one.get("title") else ""
        # Rounded first, so that nothing is shown as -0.000.
        click.echo(f"  {name:<{width}}  {round(one['score'], 3) + 0.0:.3f}{title}")
    if not result:
        click.echo(f"  ({empty})")


def csv_lines(rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV text without formulas; on a terminal control characters are spelled out too.

    >>> csv_lines([("a,b", 1, "=2")])
    '"a,b",1,\\'=2\\n'
    """
    shown = visible if sys.stdout.isatty() else lambda cell: cell
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([harmless_cell(shown(cell) if isinstance(cell, str) else cell) for cell in row] for row in rows)
    return text.getvalue()


def size(count: float) -> str:
    """Bytes for people.

    >>> size(2_345_678)
    '2.3 MB'
    """
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def mark_interrupted() -> None:
    """Remember that Ctrl-C ended a fit early."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[_INTERRUPTED] = True


def was_interrupted() -> bool:
    """Whether Ctrl-C ended a fit of this command early."""
    return bool(click.get_current_context().meta.get(_INTERRUPTED, False))
