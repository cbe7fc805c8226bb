"""Sections of a report on a terminal: the blocks that a page draws, printed."""

from collections.abc import Sequence
from math import isfinite

import click

from tacit.cli.output import console, print_table
from tacit.report.blocks import Bars, Lines, Paragraph, Section, Table
from tacit.report.svg import number

_BAR = 30
_STEPS = "▁▂▃▄▅▆▇█"
_WIDTH = 100


def print_section(section: Section) -> None:
    """A heading and what stands below it; blocks that are pictures by nature are left to the page."""
    from rich.text import Text

    screen = console()
    screen.print(Text(section.title, style="bold underline"))
    for block in section.blocks:
        match block:
            case Paragraph(text):
                screen.print()
                screen.print(Text(text.replace("`", "")), width=min(screen.width, _WIDTH))
            case Table():
                print_table(block.headings, block.rows, texts=block.texts, title=block.caption)
            case Bars():
                _print_bars(block)
            case Lines():
                _print_lines(block)
            case _:
                pass
    click.echo()


def _print_bars(chart: Bars) -> None:
    width = max(map(len, chart.values), default=0)
    most = max(chart.values.values(), default=1.0) or 1.0
    click.echo(f"\n{chart.title}")
    for name, value in chart.values.items():
        bar = "█" * round(_BAR * value / most) if isfinite(value) else ""
        click.echo(f"  {name:<{width}}  {bar} {number(value)}{chart.unit}")


def _print_lines(chart: Lines) -> None:
    heights = [value for curve in chart.series.values() for value in curve if isfinite(value)]
    low, high = min(heights, default=0.0), max(heights, default=1.0)
    width = max(map(len, chart.series), default=0)
    click.echo(f"\n{chart.title} ({chart.y_label}, over {chart.x_label})")
    for name, curve in chart.series.items():
        click.echo(f"  {name:<{width}}  {_spark(curve, low, high)} {number(curve[-1])}")


def _spark(curve: Sequence[float], low: float, high: float) -> str:
    """A curve as one line of blocks.

    >>> _spark([0, 1, 2, 3], 0, 3)
    '▁▃▆█'
    """
    every = max(1, len(curve) // _BAR)
    span = (high - low) or 1.0
    return "".join(_STEPS[round((len(_STEPS) - 1) * (value - low) / span)] for value in curve[::every])
