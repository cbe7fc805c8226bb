"""Options that several verbs share, so that they are spelled and explained alike."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from tacit.cli.defaults import parameter_of
from tacit.errors import InputError

Function = Callable[..., Any]

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
threads_option = click.option("--threads", default=0, show_default=True, help="Cores to use; 0 is all.")
seed_option = click.option("--seed", default=0, show_default=True, help="Same seed, same bits.")


class OutputFile(click.ParamType):  # type: ignore[type-arg]
    """A file that can be written: found out before an hour of training, not after it."""

    name = "file"

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


class Exponents(click.ParamType):  # type: ignore[type-arg]
    """One number for the columns, or two for rows and columns with a comma between them."""

    name = "number[,number]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            numbers = tuple(float(part) for part in value.split(","))
        except ValueError:
            numbers = ()
        if len(numbers) not in (1, 2):
            self.fail(f"{value!r} is neither a number nor two with a comma between them, such as 0.5,0.15.", param, ctx)
        return numbers[0] if len(numbers) == 1 else numbers


model_output_option = click.option(
    "-o", "--output", "model_path", required=True, type=OutputFile(), help="File of the model."
)


SOLVERS = ("auto", "als", "newton", "newton_linesearch", "linesearch", "adagrad", "gradient")
_parameter = parameter_of("FactorRecommender")

_RECOMMENDER = (
    _parameter("--factors", type=int, help="Length of the factors."),
    _parameter("--loss", type=click.Choice(["square", "logistic", "squared_hinge"]), help="Loss on the positives."),
    _parameter("--solver", type=click.Choice(SOLVERS), help="How to train; auto picks one for the loss and the data."),
    _parameter("--iterations", type=int, help="Sweeps at most; by default what the solver needs."),
    _parameter("--regularization", type=float, help="Strength of the ridge; by default from the density."),
    _parameter("--unlabelled-weight", type=float, help="Weight of an unlabelled cell; by default from the density."),
    _parameter(
        "--frequency-exponent",
        type=Exponents(),
        help="Above 0, unlabelled cells of frequent columns weigh more; two numbers are for rows and columns.",
    ),
    _parameter("--positive-weight", type=click.Choice(["log", "value", "one"]), help="How stored weights count."),
    _parameter("--held-out", type=float, help="Share of positives to hold out; the best sweep on them is kept."),
    _parameter("--patience", type=int, help="Sweeps without a better one before stopping."),
    _parameter("--seed", "random_state", type=int, help="Same seed, same bits."),
    _parameter("--threads", type=int, help="Cores to use; 0 is all."),
)


def was_given(name: str) -> bool:
    """Whether the option of this name was typed, rather than left to its default."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def recommender_options(function: Function) -> Function:
    """Parameters of ``FactorRecommender``; the verb gets one dictionary ``parameters``."""
    names = [
        "factors", "loss", "solver", "iterations", "regularization", "unlabelled_weight", "frequency_exponent",
        "positive_weight", "held_out", "patience", "random_state", "threads",
    ]  # fmt: skip
    return packed(function, _RECOMMENDER, lambda given: {"parameters": given}, names)


def packed(
    function: Function,
    options: tuple[Callable[[Function], Function], ...],
    pack: Callable[[dict[str, Any]], dict[str, Any]],
    names: list[str],
) -> Function:
    """Options under their own names on the command line, and one thing for the function."""

    @functools.wraps(function)
    def wrapped(**given: Any) -> Any:
        mine = {name: given.pop(name) for name in names}
        return function(**pack(mine), **given)

    made: Function = wrapped
    for option in reversed(options):
        made = option(made)
    return made
