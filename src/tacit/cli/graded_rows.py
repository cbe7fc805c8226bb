"""Tables of rows with and without a grade, and the model that learns from them, as the command line names them."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.defaults import parameters_of
from tacit.cli.grade_table import features_of, read_features
from tacit.cli.options import Function, packed
from tacit.cli.text_form import text_form_options
from tacit.errors import InputError

MOST_GRADES = 8
"""Grades that a sentence lists."""

if TYPE_CHECKING:
    import polars as pl

    from tacit.data.text_files import TextForm


@dataclass(frozen=True)
class GradedRows:
    """Where grades and features stand."""

    table: str
    grade: str
    order: str | None
    leave: tuple[str, ...]
    query: str | None
    form: "TextForm"

    def read(self, model: Any = None) -> "tuple[pl.DataFrame, list[Any], list[Any] | None]":
        """Features, grades with None where there is none, and the classes when their order was given.

        ``model`` is a saved one, which knows its features and its classes: then text needs no order.
        """
        leave = (self.grade, *self.leave)
        if model is None:
            numbers, frame = read_features(self.table, self.query, self.form, leave=leave)
        else:
            numbers, frame = features_of(model, self.table, self.query, self.form, leave=leave)
        return numbers, *_read_order(frame[self.grade], self.order, needed=model is None)

    def read_grades(self) -> tuple[list[Any], list[Any] | None]:
        """Grades and classes alone, as ``read`` has them, where a cluster's workers read the features."""
        from tacit.data.readers import read_frame
        from tacit.data.text_files import TextForm

        if self.query is not None or self.form != TextForm():
            raise InputError("--query and the form of text files are not for clusters; write Parquet files first.")
        frame = read_frame(self.table, {"grade": self.grade}, [self.grade], name="TABLE")
        return _read_order(frame[self.grade], self.order, needed=True)


_TABLE = (
    click.argument("table"),
    click.option("--grade", default="grade", show_default=True, metavar="NAME",
                 help="Column of the grade; empty or -1 is ungraded."),
    click.option("--order", metavar="A,B,…", help="The grades, lowest first; without it numbers by size."),
    click.option("--leave", multiple=True, metavar="NAME", help="A column that is no feature, such as an id."),
    click.option("--query", help="What to ask, when TABLE is a database."),
)  # fmt: skip

PARAMETERS, _RANKER = parameters_of("OrdinalRanker", leave=("classes",))


def graded_rows_options(function: Function) -> Function:
    """TABLE and its columns; the verb gets one ``rows``."""
    names = [field.name for field in fields(GradedRows)]
    return text_form_options(packed(function, _TABLE, lambda given: {"rows": GradedRows(**given)}, names))


def ranker_options(function: Function) -> Function:
    """Parameters of ``OrdinalRanker``; the verb gets ``make_model``, which takes what is not an option."""
    return packed(function, _RANKER, lambda given: {"make_model": _maker(given)}, PARAMETERS)


def _maker(given: dict[str, Any]) -> Callable[..., Any]:
    def make(**more: Any) -> Any:
        from tacit import OrdinalRanker

        return OrdinalRanker(**given, **more)

    return make


def _read_order(column: Any, order: str | None, *, needed: bool) -> tuple[list[Any], list[Any] | None]:
    values = column.to_list()
    text = any(isinstance(value, str) for value in values)
    if text:
        values = [None if value is None or value.strip() in {"", "-1"} else value for value in values]
    if order is None:
        if text and needed:
            names = list(dict.fromkeys(value for value in values if value is not None))
            shown = ",".join(names) if 1 < len(names) <= MOST_GRADES else "poor,fair,good"
            raise InputError(
                f"the grades in {column.name!r} are text, such as {next(iter(names), '')!r}; say their order, lowest "
                f"first, as in --order {shlex.quote(shown)}."
            )
        return values, None
    names = [name.strip() for name in order.split(",")]
    if text:
        return values, names
    try:
        return values, [int(name) for name in names]
    except ValueError:
        raise InputError(f"--order lists {order!r}, but the grades in {column.name!r} are numbers.") from None
