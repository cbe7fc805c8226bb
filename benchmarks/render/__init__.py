"""Results as tables and pictures: in the docs' pages, on the screen and in one page of HTML.

A results file is shown by one module, which has up to three kinds of functions. A *block* gives Markdown for the docs,
``render(record) -> str``; ``BLOCKS`` lists it under the name by which a page asks for it. A *view* gives ``Table`` for
``tacit bench``: a function of what the paper reports and of the figures in one or more results files, ``None`` for a
file that does not exist yet. A *drawing* gives a picture; ``FIGURES`` lists it under the name of its SVG file. What is
missing, and why, is said in the table or below it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from matplotlib.figure import Figure

Figures = dict[str, Any]
ABSENT = "–"


@dataclass(frozen=True)
class Table:
    """Rows of text below headings; the first column is words. ``notes`` stand below."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Block:
    """A block of a page: what draws it, and the results files that it needs.

    Without ``files`` it draws the results file of its own name, ``render(record)``; with them it gets a mapping from
    name to content.
    """

    render: Callable[[dict[str, Any]], str]
    files: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return (self.render.__doc__ or "").strip().splitlines()[0]

    def drawn(self, name: str, records: Mapping[str, Any]) -> str:
        """Markdown from the results files that there are."""
        return self.render({file: records[file] for file in self.files} if self.files else records[name])


@dataclass(frozen=True)
class Drawing:
    """A picture: the results file that it is drawn from, and how; ``text`` keeps words as words in the SVG."""

    file: str
    draw: Callable[[dict[str, Any]], Figure]
    text: bool = False


View = Callable[..., list[Table]]


def number(value: Any, digits: int = 4) -> str:
    """A figure as text; words stay as they are, and what was not measured is a dash.

    >>> number(0.33812), number(12.3456, 2), number(None), number("NaN")
    ('0.3381', '12.35', '–', 'NaN')
    """
    if value is None:
        return ABSENT
    return f"{value:.{digits}f}" if isinstance(value, int | float) else str(value)


def beside(
    title: str,
    measures: Sequence[str],
    paper: Mapping[str, Sequence[Any]],
    here: Mapping[str, Sequence[Any]],
    *,
    digits: int | Sequence[int] = 4,
    missing: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
) -> Table:
    """The paper's methods in its order, each with its figures and ours, then our own methods.

    ``missing`` says of a method why there is no figure of ours; it stands in the row itself.
    """
    places = [digits] * len(measures) if isinstance(digits, int) else list(digits)
    reasons = missing or {}
    rows = []
    for method in [*paper, *(name for name in here if name not in paper)]:
        theirs, ours = paper.get(method), here.get(method)
        cells = []
        for place, precision in enumerate(places):
            cells.append(ABSENT if theirs is None else number(theirs[place], precision))
            cells.append(ABSENT if ours is None else number(ours[place], precision))
        reason = "" if ours is not None else reasons.get(method, "not measured yet")
        rows.append([method, *cells, reason])
    headings = ["method", *(f"{who} {measure}" for measure in measures for who in ("paper", "here")), ""]
    if not any(row[-1] for row in rows):
        headings, rows = headings[:-1], [row[:-1] for row in rows]
    return Table(title, headings, rows, notes)


def picked(found: Figures | None, *keys: str) -> Figures | None:
    """Follow keys into figures; ``None`` as soon as one is not there."""
    for key in keys:
        if found is None:
            return None
        found = found.get(key)
    return found


def unmeasured(title: str, claim: str = "") -> Table:
    """A table that says there is nothing to show yet."""
    notes = [f"The paper's claim: {claim}."] if claim else []
    return Table(title, ["not measured yet"], [], notes)


def table(header: list[str], rows: list[list[Any]]) -> str:
    """A Markdown table; numbers are right-aligned.

    >>> print(table(["method", "s"], [["a", 1]]))
    | method | s |
    |---|--:|
    | a | 1 |
    """
    first = rows[0] if rows else header
    marks = ["--:" if isinstance(cell, int | float) else "---" for cell in first]
    lines = [header, *rows]
    body = ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]
    return "\n".join([body[0], "|" + "|".join(marks) + "|", *body[1:]])
