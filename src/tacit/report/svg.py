"""Charts as inline SVG: colours come from the page's style sheet, so they follow light and dark."""

from collections.abc import Sequence
from html import escape
from itertools import pairwise
from math import ceil, floor, isfinite, log10

from tacit.report.blocks import Bars, Dots, Lines

WIDTH = 520
_LETTER = 8.6
"""About the width of a letter, for space that words need."""
_LINE = 14


def bars(chart: Bars) -> str:
    """Horizontal bars with their values at the end."""
    names = list(chart.values)
    left = 12 + _LETTER * max((len(name) for name in names), default=0)
    room = WIDTH - left - 70
    most = max([value for value in chart.values.values() if isfinite(value)], default=0.0) or 1.0
    parts = []
    for place, (name, value) in enumerate(chart.values.items()):
        y = 34 * place
        width = max(0.0, value / most * room) if isfinite(value) else 0.0
        kind = "a" if name == chart.marked or not chart.marked else "other"
        parts.append(
            f'<text x="{left - 8:.0f}" y="{y + 18}" text-anchor="end">{escape(name)}</text>'
            f'<rect class="fill-{kind}" x="{left:.0f}" y="{y + 3}" width="{width:.1f}" height="22" rx="3"/>'
            f'<text class="value" x="{left + width + 7:.1f}" y="{y + 18}">{number(value)}{escape(chart.unit)}</text>'
        )
    return _figure("".join(parts), 34 * len(names) + 2, chart.title)


def lines(chart: Lines) -> str:
    """Curves with a grid, a legend that stands at their ends, and a labelled axis."""
    heights = [value for curve in chart.series.values() for value in curve if isfinite(value)]
    low, high = min(heights, default=0.0), max(heights, default=1.0)
    ticks = nice_ticks(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])
    names = max((len(name) for name in chart.series), default=0)
    left, top, right, bottom, height = 46, 22, WIDTH - 14 - _LETTER * names, 230, 270
    first, last = chart.x[0], chart.x[-1]

    def across(x: float) -> float:
        return left + (right - left) * (x - first) / ((last - first) or 1.0)

    def up(y: float) -> float:
        return bottom - (bottom - top) * (y - low) / ((high - low) or 1.0)

    parts = [f'<text class="axis" x="0" y="12">{escape(chart.y_label)}</text>']
    parts += [
        f'<line class="grid" x1="{left}" x2="{right:.0f}" y1="{up(tick):.1f}" y2="{up(tick):.1f}"/>'
        f'<text class="axis" x="{left - 7}" y="{up(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
        for tick in ticks
    ]
    across_ticks = [tick for tick in nice_ticks(first, last) if first <= tick <= last]
    parts += [
        f'<text class="axis" x="{across(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{number(tick)}</text>'
        for tick in across_ticks
    ]
    parts.append(
        f'<text class="axis" x="{(left + right) / 2:.0f}" y="{height - 6}" text-anchor="middle">'
        f"{escape(chart.x_label)}</text>"
    )
    ends = _apart([up(curve[-1]) for curve in chart.series.values()], 15)
    for letter, end, (name, curve) in zip("abcdef", ends, chart.series.items()):
        points = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in zip(chart.x, curve) if isfinite(y))
        parts.append(
            f'<polyline class="line-{letter}" points="{points}"/>'
            f'<text class="name-{letter}" x="{right + 6:.0f}" y="{end + 4:.1f}">{escape(name)}</text>'
        )
    return _figure("".join(parts), height, chart.title)


def dots(chart: Dots) -> str:
    """Points with their names."""
    points = [(x, y) for group in chart.groups.values() for _, x, y in group]
    if not points:
        return _figure("", 10, chart.title)
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*points))
    height = 360
    labels: list[tuple[float, float, str, str]] = []
    for letter, group in zip("abcdef", chart.groups.values()):
        for label, x, y in group:
            across = 40 + (WIDTH - 130) * (x - left) / ((right - left) or 1.0)
            up = height - 30 - (height - 50) * (y - low) / ((high - low) or 1.0)
            labels.append((across, up, label, letter))
    parts = [f'<circle class="fill-{letter}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y, _, letter in labels]
    parts += [
        f'<text class="name-{letter}" x="{x + 6:.1f}" y="{y + 4:.1f}">{escape(label)}</text>'
        for x, y, label, letter in _readable(labels)
    ]
    return _figure("".join(parts), height, chart.title)


def _readable(labels: list[tuple[float, float, str, str]]) -> list[tuple[float, float, str, str]]:
    """The labels, from the top down, each moved below those that it would cover."""
    placed: list[tuple[float, float, str, str]] = []
    for x, y, label, letter in sorted(labels, key=lambda one: one[1]):
        for other, above, text, _ in placed:
            beside = x + _LETTER * len(label) < other or other + _LETTER * len(text) < x
            if not beside and abs(y - above) < _LINE:
                y = above + _LINE
        placed.append((x, y, label, letter))
    return placed


def nice_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers from about ``low`` to about ``high``, at most ``most`` steps apart.

    >>> nice_ticks(0.13, 0.94)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    >>> nice_ticks(0, 20000)
    [0, 5000, 10000, 15000, 20000]
    """
    span = (high - low) or abs(high) or 1.0
    rough = span / most
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    digits = max(0, 1 - floor(log10(step)))
    return [round(step * place, digits) if step < 1 else int(step * place) for place in range(first, last + 1)]


def number(value: float) -> str:
    """A number for people.

    >>> number(0.32), number(20000), number(7.25)
    ('0.320', '20,000', '7.25')
    """
    if not isfinite(value):
        return "–"
    if float(value).is_integer():
        return f"{value:,.0f}"
    if abs(value) < 1:
        return f"{value:.3f}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def _apart(places: Sequence[float], distance: float) -> list[float]:
    """The same places, moved down where they are nearer to the one above than ``distance``."""
    order = sorted(range(len(places)), key=lambda place: places[place])
    moved = list(places)
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + distance)
    return moved


def _figure(content: str, height: float, title: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title, quote=True)}">'
        f"<title>{escape(title)}</title>{content}</svg>"
    )
