"""Options that several verbs share, so that they are spelled and explained alike."""

import functools
import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from tacit.cli.defaults import parameters_of
from tacit.cli.output import size
from tacit.errors import InputError

Function = Callable[..., Any]

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class OutputFile(click.ParamType):  # type: ignore[type-arg]
    """A file that can be written: found out before an hour of training, not after it.

    kind : what is written: ``"model"`` and ``"page"`` replace a file of that kind that Tacit wrote, and only
        ``--force`` lets them or anything else replace another file (``tacit.cli.outputs``). ``"checkpoint"`` is read
        before it is written, which finds out more.
    """

    name = "file"

    def __init__(self, kind: str = "other") -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(value)
        if path.is_dir():
            raise InputError(f"{str(path)!r} is a folder; give the name of a file in it.")
        if not path.parent.is_dir():
            raise InputError(f"the folder {str(path.parent)!r} does not exist; create it first.")
        if not os.access(path.parent, os.W_OK):
            raise InputError(f"nothing can be written to the folder {str(path.parent)!r}; choose another place.")
        return path

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        return [click.shell_completion.CompletionItem(incomplete, type="file")]


class TableName(click.ParamType):  # type: ignore[type-arg]
    """A path, a pattern or a database; shells complete it as a path."""

    name = "table"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        return [click.shell_completion.CompletionItem(incomplete, type="file")]


@dataclass(frozen=True)
class ModelOutput:
    """Where a verb saves its model, and what the file should say about it."""

    path: Path
    notes: str

    def save(self, model: Any) -> None:
        model.save(self.path, notes=self.notes)

    @property
    def bytes(self) -> int:
        return self.path.stat().st_size

    @property
    def saved_to(self) -> str:
        """For people: the path and the size."""
        return f"{self.path} ({size(self.bytes)})"

    def next_command(self, verb: str, rest: str) -> str:
        """A command to try with the saved model: ``tacit VERB PATH REST``."""
        return f"tacit {verb} {shlex.quote(str(self.path))} {rest}"


def model_output_option(function: Function) -> Function:
    """Where the model goes and what to remember about it; the verb gets one ``ModelOutput``, as ``model_output``."""
    options = [
        click.option("-o", "--output", "model_path", required=True, type=OutputFile("model"),
                     help="File of the model."),
        click.option("--notes", default="", metavar="TEXT", help="Kept in the file; tacit info shows it."),
    ]  # fmt: skip
    return packed(
        function,
        options,
        lambda given: {"model_output": ModelOutput(given["model_path"], given["notes"])},
        ["model_path", "notes"],
    )


def was_given(name: str) -> bool:
    """Whether the option of this name was typed, rather than left to its default."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def recommender_options(function: Function) -> Function:
    """Parameters of ``FactorRecommender``; the verb gets one dictionary ``parameters``."""
    names, options = parameters_of("FactorRecommender")
    return packed(function, options, lambda given: {"parameters": given}, names)


def packed(
    function: Function,
    options: Sequence[Callable[[Function], Function]],
    pack: Callable[[dict[str, Any]], dict[str, Any]],
    names: list[str],
) -> Function:
    """Options under their own names on the command line, and one thing for the function."""

    @functools.wraps(function)
    def wrapped(**given: Any) -> Any:
        values = {name: given.pop(name) for name in names}
        return function(**pack(values), **given)

    decorated: Function = wrapped
    for option in reversed(options):
        decorated = option(decorated)
    return decorated
