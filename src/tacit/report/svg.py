"""Charts as inline SVG: colours come from the page's style sheet, so they follow light and dark.

A chart is 400 units wide: on a phone a letter of 13 units is still readable, on a desk it is as large as the text.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import ceil, floor, isfinite, log10

from tacit.report.blocks import Bars, Columns, Dots, Lines
from tacit.report.plain import page_text as escape

WIDTH = 400
_LETTER = 8.0
"""About the width of a letter, for space that words need."""
_LINE = 14
_COLOURS = "abcdef"


def bars(chart: Bars) -> str:
    """Horizontal bars with their values at the end; long names stand above their bars."""
    names = list(chart.values)
    longest = 12 + _LETTER * max((len(name) for name in names), default=0)
    above = longest > WIDTH * 0.42
    left = 0 if above else longest
    step = 46 if above else 32
    room = WIDTH - left - 62
    most = max([value for value in chart.values.values() if isfinite(value)], default=0.0) or 1.0
    parts = []
    for index, (name, value) in enumerate(chart.values.items()):
        y = step * index + (16 if above else 0)
        width = max(0.0, value / most * room) if isfinite(value) else 0.0
        kind = "a" if name == chart.marked or not chart.marked else "other"
        label = (0, y, "start") if above else (left - 8, y + 18, "end")
        parts.append(
            f'<text x="{label[0]:.0f}" y="{label[1]}" text-anchor="{label[2]}">{escape(name)}</text>'
            f'<rect class="fill-{kind}" x="{left:.0f}" y="{y + 4}" width="{width:.1f}" height="20" rx="3"/>'
            f'<text class="value" x="{left + width + 6:.1f}" y="{y + 19}">{number(value)}{escape(chart.unit)}</text>'
        )
    description = "; ".join(f"{name} {number(value)}{chart.unit}" for name, value in chart.values.items())
    return _figure("".join(parts), step * len(names) + 2, chart.title, description)


def columns(chart: Columns) -> str:
    """Upright bars from zero, side by side for several series; a legend where there are several."""
    heights = [value for curve in chart.series.values() for value in curve if isfinite(value)]
    high = max(heights, default=0.0) or 1.0
    ticks = nice_ticks(0.0, high, 4)
    high = max(high, ticks[-1])
    several = len(chart.series) > 1
    left, top, bottom = _LETTER * max(len(number(tick)) for tick in ticks) + 12, 24 if not several else 44, 190
    across = (WIDTH - left - 4) / max(1, len(chart.labels))
    width = across * 0.82 / len(chart.series)

    def up(y: float) -> float:
        return bottom - (bottom - top) * y / high

    parts = [f'<text class="axis" x="0" y="12">{escape(chart.y_label)}</text>']
    parts += _legend(chart.series, 30) if several else []
    parts += [_rule(left, WIDTH - 4, up(tick), number(tick)) for tick in ticks]
    for index, (letter, (name, values)) in enumerate(zip(_COLOURS, chart.series.items())):
        for bar, (label, value) in enumerate(zip(chart.labels, values)):
            if isfinite(value) and value > 0:
                x = left + across * (bar + 0.09) + width * index
                parts.append(
                    f'<rect class="fill-{letter}" x="{x:.1f}" y="{up(value):.1f}" width="{max(width - 1, 1):.1f}" '
                    f'height="{bottom - up(value):.1f}"><title>{escape(name)}, {escape(label)}: {number(value)}'
                    "</title></rect>"
                )
    # Where labels would touch, every second or third is shown.
    longest = _LETTER * max((len(label) for label in chart.labels), default=0) + 6
    every = max(1, ceil(longest / across))
    parts += [
        f'<text class="axis" x="{left + across * (bar + 0.5):.1f}" y="{bottom + 18}" text-anchor="middle">'
        f"{escape(label)}</text>"
        for bar, label in enumerate(chart.labels)
        if bar % every == 0
    ]
    parts.append(_below(left, WIDTH - 4, bottom + 38, chart.x_label))
    description = "; ".join(
        f"{name}: " + ", ".join(f"{label} {number(value)}" for label, value in zip(chart.labels, values))
        for name, values in chart.series.items()
    )
    return _figure("".join(parts), bottom + 46, chart.title, description)


def lines(chart: Lines) -> str:
    """Curves with a grid, a legend that stands at their ends, and a labelled axis."""
    heights = [value for curve in chart.series.values() for value in curve if isfinite(value)]
    low, high = min(heights, default=0.0), max(heights, default=1.0)
    ticks = nice_ticks(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])
    names = max((len(name) for name in chart.series), default=0)
    beside = names <= 14
    left = _LETTER * max(len(number(tick)) for tick in ticks) + 12
    right = WIDTH - 10 - _LETTER * names if beside else WIDTH - 12
    top = 24 if beside else 28 + 20 * len(chart.series)
    bottom = top + 200
    scale: Callable[[float], float] = log10 if chart.log_x else float
    first, last = scale(chart.x[0]), scale(chart.x[-1])

    def across(x: float) -> float:
        return left + (right - left) * (scale(x) - first) / ((last - first) or 1.0)

    def up(y: float) -> float:
        return bottom - (bottom - top) * (y - low) / ((high - low) or 1.0)

    parts = [f'<text class="axis" x="0" y="12">{escape(chart.y_label)}</text>']
    parts += [_rule(left, right, up(tick), number(tick)) for tick in ticks]
    parts += [
        f'<text class="axis" x="{across(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{number(tick)}</text>'
        for tick in _ticks_across(chart)
    ]
    parts.append(_below(left, right, bottom + 38, chart.x_label))
    ends = _apart([up(next((y for y in reversed(curve) if isfinite(y)), low)) for curve in chart.series.values()], 15)
    for letter, end, (name, curve) in zip(_COLOURS, ends, chart.series.items()):
        seen = [(x, y) for x, y in zip(chart.x, curve) if isfinite(y)]
        points = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in seen)
        parts.append(f'<polyline class="line-{letter}" points="{points}"/>')
        if beside:
            parts.append(f'<text class="name-{letter}" x="{right + 6:.0f}" y="{end + 4:.1f}">{escape(name)}</text>')
        if len(seen) <= 20:
            parts += [
                f'<circle class="fill-{letter}" cx="{across(x):.1f}" cy="{up(y):.1f}" r="3"><title>{escape(name)}, '
                f"{number(x)}: {number(y)}</title></circle>"
                for x, y in seen
            ]
    parts += [] if beside else _legend(chart.series, 32, stacked=True)
    description = "; ".join(
        f"{name} goes from {number(curve[0])} to {number(curve[-1])}" for name, curve in chart.series.items() if curve
    )
    return _figure("".join(parts), bottom + 46, chart.title, description)


def dots(chart: Dots) -> str:
    """Points with their names."""
    points = [(x, y) for group in chart.groups.values() for _, x, y in group]
    if not points:
        return _figure("", 10, chart.title)
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*points))
    height = 360
    labels: list[tuple[float, float, str, str]] = []
    for letter, group in zip(_COLOURS, chart.groups.values()):
        for label, x, y in group:
            across = 8 + (WIDTH - 100) * (x - left) / ((right - left) or 1.0)
            up = height - 30 - (height - 50) * (y - low) / ((high - low) or 1.0)
            labels.append((across, up, label, letter))
    parts = [f'<circle class="fill-{letter}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y, _, letter in labels]
    parts += [
        f'<text class="name-{letter}" x="{x + 6:.1f}" y="{y + 4:.1f}">{escape(label)}</text>'
        for x, y, label, letter in _readable(labels)
    ]
    description = "; ".join(
        f"{name}: {', '.join(label for label, _, _ in group)}" for name, group in chart.groups.items()
    )
    return _figure("".join(parts), height, chart.title, description)


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
    whole = float(step).is_integer()
    return [int(step * index) if whole else round(step * index, digits) for index in range(first, last + 1)]


def number(value: float) -> str:
    """A number for people.

    >>> number(0.32), number(20000), number(7.25), number(0.0004)
    ('0.32', '20,000', '7.25', '0.0004')
    """
    if not isfinite(value):
        return "–"
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def _ticks_across(chart: Lines) -> list[float]:
    """Where the horizontal axis is labelled: at the points where they are few, else at round numbers."""
    first, last = chart.x[0], chart.x[-1]
    if chart.log_x:
        if len(chart.x) <= 9:
            return list(chart.x)
        return [10.0**power for power in range(ceil(log10(first)), floor(log10(last)) + 1)]
    most = 4 if last >= 10_000 else 5
    return [tick for tick in nice_ticks(first, last, most) if first <= tick <= last]


def _rule(left: float, right: float, y: float, label: str) -> str:
    return (
        f'<line class="grid" x1="{left:.0f}" x2="{right:.0f}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text class="axis" x="{left - 7:.0f}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'
    )


def _below(left: float, right: float, y: float, label: str) -> str:
    return f'<text class="axis" x="{(left + right) / 2:.0f}" y="{y:.0f}" text-anchor="middle">{escape(label)}</text>'


def _legend(series: Mapping[str, object], y: float, *, stacked: bool = False) -> Iterable[str]:
    """Squares with names: in a row, or one below the other."""
    parts, x = [], 0.0
    for letter, name in zip(_COLOURS, series):
        parts.append(
            f'<rect class="fill-{letter}" x="{x:.0f}" y="{y - 9:.0f}" width="11" height="11" rx="2"/>'
            f'<text class="name-{letter}" x="{x + 16:.0f}" y="{y:.0f}">{escape(name)}</text>'
        )
        x, y = (0.0, y + 20) if stacked else (x + 30 + _LETTER * len(name), y)
    return parts


def _apart(places: Sequence[float], distance: float) -> list[float]:
    """The same places, moved down where they are nearer to the one above than ``distance``."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = list(places)
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + distance)
    return moved


def _figure(content: str, height: float, title: str, description: str = "") -> str:
    """The drawing with its name, and in words what it shows, for those who do not see it."""
    words = f"<desc>{escape(description)}</desc>" if description else ""
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{words}{content}</svg>"
    )
