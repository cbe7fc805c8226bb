"""What the pages of all jobs share: the option, the section about the model, and writing the file."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from tacit import atomic_file
from tacit._version import __version__
from tacit.cli.options import OutputFile
from tacit.cli.output import say
from tacit.errors import InputError
from tacit.report.blocks import Block, Lines, Paragraph, Section, Table

html_option = click.option(
    "--html", "page", type=OutputFile("page"), help="Also write a page with pictures to this file."
)

show_ids_option = click.option(
    "--show-ids", is_flag=True, help="Name the users of the page's examples by their ids; they are numbered otherwise."
)


def require_page(show_ids: bool, page: Path | None) -> None:
    if show_ids and page is None:
        raise InputError("--show-ids is for the page of --html; give both.")


def write_page(path: Path, title: str, lead: str, sections: Sequence[Section], *, silent: bool) -> None:
    """The page as one file; says where it is."""
    from tacit.report.page import render

    atomic_file.write_text(path, render(title, lead, sections, f"Made by `tacit evaluate`, Tacit {__version__}."))
    if not silent:
        say(f"wrote the page {path}.")


def times(ours: float, theirs: float) -> str:
    """How much better, in words that go before the name of the other.

    >>> times(0.4, 0.1), times(0.1, 0.0), times(0.0, 0.0)
    ('4.0 times as well as', 'better than', 'no better than')
    """
    if theirs > 0:
        return f"{ours / theirs:.1f} times as well as"
    return "better than" if ours > 0 else "no better than"


def share(value: float) -> str:
    """A share for people.

    >>> share(0.0312), share(0.5), share(float("nan"))
    ('3.1 %', '50 %', '–')
    """
    if value != value:
        return "–"
    return f"{100 * value:.1f} %" if value < 0.0995 else f"{100 * value:.0f} %"


def about_the_model(model: Any, *, seconds: float | None = None) -> Section:
    """Parameters beside their defaults, and how training went."""
    given = {name: value for name, value in model.get_params(deep=False).items() if name not in _RUNNING}
    defaults = type(model)().get_params(deep=False)
    rows = [(name, _shown(value), "" if value == defaults[name] else _shown(defaults[name]))
            for name, value in given.items()]  # fmt: skip
    took = "" if seconds is None else f", fitted here in {seconds:.1f} s"
    blocks: list[Block] = [Paragraph(f"A `{type(model).__name__}`{took}.")]
    blocks += training_curve(getattr(model, "history_", None) or [])
    blocks.append(Table(("parameter", "here", "default, where it differs"), rows, texts=3, caption="Parameters"))
    return Section("The model", blocks)


def sections_of(
    result: Any, parts: Sequence[Callable[[Any], Section]], about_data: Callable[[Any], Section]
) -> list[Section]:
    """A whole page: the parts of its job, then the model and the data that every page ends with."""
    about = about_the_model(result.model, seconds=result.seconds)
    return [*(part(result) for part in parts), about, about_data(result)]


def about_the_data(facts: Sequence[tuple[str, str]], *charts: Block) -> Section:
    """Sizes in a table, and how they are spread in pictures."""
    return Section("The data", [Table(("", ""), facts), *charts])


_RUNNING = {"threads", "progress", "callback", "checkpoint"}
"""Parameters that say how to run and not what to learn."""


def training_curve(history: Sequence[dict[str, Any]]) -> list[Block]:
    """The objective by sweep, and what was held out where that was watched."""
    blocks: list[Block] = []
    for name, title, label in (
        ("objective", "What training makes small, sweep by sweep", "objective"),
        ("held_out_ndcg", "NDCG@10 on positives held out during training", "NDCG@10"),
    ):
        curve = [float(record[name]) for record in history if record.get(name) is not None]
        if len(curve) > 1:
            sweeps = list(range(1, len(curve) + 1))
            blocks.append(Lines(title, sweeps, {label: curve}, "sweep", label))
    return blocks


def _shown(value: Any) -> str:
    return "–" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
