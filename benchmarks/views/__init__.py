"""Results as tables to look at: the paper's figure beside ours, or ours beside the peers'.

A view is a function of what the paper reports and of the figures in one or more results files, ``None`` for a file that
does not exist yet; it gives back tables of text. What is missing, and why, is said in the table or below it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

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
