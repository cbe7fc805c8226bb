"""What a report says, as data: a page draws it as HTML, a terminal prints it as text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Paragraph:
    """A few sentences."""

    text: str


@dataclass(frozen=True)
class Table:
    """Rows of text; the first ``texts`` columns are words, the others numbers."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1
    caption: str = ""


@dataclass(frozen=True)
class Bars:
    """One bar per label; ``marked`` is the one that the section is about."""

    title: str
    values: Mapping[str, float]
    marked: str = ""
    unit: str = ""


@dataclass(frozen=True)
class Lines:
    """Curves over one horizontal axis; ``series`` maps a name to its heights."""

    title: str
    x: Sequence[float]
    series: Mapping[str, Sequence[float]]
    x_label: str
    y_label: str


@dataclass(frozen=True)
class Dots:
    """Named points in the plane; points of one group have one colour. ``groups`` maps a name to (label, x, y)."""

    title: str
    groups: Mapping[str, Sequence[tuple[str, float, float]]]


Block = Paragraph | Table | Bars | Lines | Dots


@dataclass(frozen=True)
class Section:
    """A heading, what stands below it, and the bare figures for programs."""

    title: str
    blocks: Sequence[Block]
    figures: Mapping[str, Any] = field(default_factory=dict)
