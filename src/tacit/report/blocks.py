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
    """Rows of text; the first ``texts`` columns are words, the others numbers.

    shades : how strongly each cell is coloured, 0 to 1, in the shape of ``rows``; for tables that are read as pictures
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1
    caption: str = ""
    shades: Sequence[Sequence[float]] = ()


@dataclass(frozen=True)
class Tiles:
    """The few figures that matter most: what it is, the figure, a remark."""

    figures: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Terms:
    """Words and what they mean."""

    title: str
    meanings: Mapping[str, str]


@dataclass(frozen=True)
class Bars:
    """One bar per label; ``marked`` is the one that the section is about."""

    title: str
    values: Mapping[str, float]
    marked: str = ""
    unit: str = ""


@dataclass(frozen=True)
class Columns:
    """Upright bars over labels, side by side for several series: distributions."""

    title: str
    labels: Sequence[str]
    series: Mapping[str, Sequence[float]]
    x_label: str
    y_label: str


@dataclass(frozen=True)
class Lines:
    """Curves over one horizontal axis; ``series`` maps a name to its heights."""

    title: str
    x: Sequence[float]
    series: Mapping[str, Sequence[float]]
    x_label: str
    y_label: str
    log_x: bool = False


@dataclass(frozen=True)
class Dots:
    """Named points in the plane; points of one group have one colour. ``groups`` maps a name to (label, x, y)."""

    title: str
    groups: Mapping[str, Sequence[tuple[str, float, float]]]


@dataclass(frozen=True)
class Case:
    """One example: what stood there and what was found. ``lists`` maps a name to words, each marked or not."""

    title: str
    note: str
    lists: Mapping[str, Sequence[tuple[str, bool]]]


@dataclass(frozen=True)
class Picture:
    """A drawing that was made elsewhere: ``svg`` is the content of an SVG file."""

    title: str
    svg: str


Block = Paragraph | Table | Tiles | Terms | Bars | Columns | Lines | Dots | Case | Picture


@dataclass(frozen=True)
class Section:
    """A heading, what stands below it, and the bare figures for programs."""

    title: str
    blocks: Sequence[Block]
    figures: Mapping[str, Any] = field(default_factory=dict)
