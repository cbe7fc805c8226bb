"""Weights of unlabelled cells and targets of positives, in tables of their own beside the interactions."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import Function, TableName, packed

if TYPE_CHECKING:
    from tacit.data.interactions import Interactions


@dataclass(frozen=True)
class GivenTables:
    """Tables in place of the weights and targets that a recipe would choose; what is not given is None."""

    row_weights: str | None
    col_weights: str | None
    targets: str | None

    def typed(self) -> list[str]:
        """The options that were given."""
        return [f"--{one.name.replace('_', '-')}" for one in fields(self) if getattr(self, one.name) is not None]

    def for_fit(self, data: "Interactions") -> dict[str, Any]:
        """What ``FactorRecommender.fit`` takes, in the order of the interactions."""
        from tacit.data.aligned import numbers_of_ids, numbers_of_positives

        given: dict[str, Any] = {}
        if self.row_weights is not None:
            given["row_weight"] = numbers_of_ids(self.row_weights, data.row_ids, "--row-weights")
        if self.col_weights is not None:
            given["col_weight"] = numbers_of_ids(self.col_weights, data.col_ids, "--col-weights")
        if self.targets is not None:
            given["targets"] = numbers_of_positives(self.targets, data, "--targets")
        return given


_GIVEN = (
    click.option("--row-weights", type=TableName(), metavar="TABLE",
                 help="p of every row: ids, then numbers; an unlabelled cell weighs p times q."),
    click.option("--col-weights", type=TableName(), metavar="TABLE", help="q of every column, alike."),
    click.option("--targets", type=TableName(), metavar="TABLE",
                 help="The number that each positive's score should reach: row, column, number."),
)  # fmt: skip


def given_options(function: Function) -> Function:
    """Tables of weights and targets; the verb gets one ``given``."""
    names = [field.name for field in fields(GivenTables)]
    return packed(function, _GIVEN, lambda typed: {"given": GivenTables(**typed)}, names)
