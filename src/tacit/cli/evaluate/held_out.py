"""What the commands that hold rows out share: their options, and the table of methods side by side."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from tacit.cli.output import console, print_json, print_table
from tacit.cli.tables import save_measures

Function = Callable[..., Any]


def held_out_options(share: float, *, rows: str, held_out: str) -> Callable[[Function], Function]:
    """``--model``, ``--test`` and ``--split-seed``, in the words of the command."""

    def decorate(function: Function) -> Function:
        function = click.option("--split-seed", default=0, show_default=True, help="Seed of the split.")(function)
        function = click.option(
            "--test", default=share, show_default=True, type=click.FloatRange(0, 1, min_open=True, max_open=True),
            help=f"Share of the {held_out} to hold out.",
        )(function)  # fmt: skip
        return click.option(
            "--model", "model_path", type=click.Path(path_type=Path),
            help=f"A saved model; TABLE then holds {rows}. Without it, one is fitted here.",
        )(function)  # fmt: skip

    return decorate


def tell(
    outcome: Mapping[str, Any],
    sentence: str,
    methods: Mapping[str, Mapping[str, float]],
    measures: Iterable[str],
    *,
    table_path: Path | None,
    as_json: bool,
) -> None:
    """The outcome as JSON, or a sentence and a table with one column per method; saved as a table where asked for."""
    save_measures(table_path, outcome)
    if as_json:
        print_json(outcome)
        return
    console().print(sentence)
    print_table(("", *methods), [(name, *(f"{one[name]:.4f}" for one in methods.values())) for name in measures])
