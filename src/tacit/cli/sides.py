"""Tables beside that of the interactions, as they are named on the command line: features, graphs, weights, targets."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import Function, TableName, packed
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.data.ids import Ids
    from tacit.data.interactions import Interactions


class _Tables:
    """Names of tables, each under the name of its option; what is not given is None."""

    def typed(self) -> list[str]:
        """The options that were given."""
        given = [one.name for one in fields(self) if getattr(self, one.name) is not None]  # type: ignore[arg-type]
        return [f"--{name.replace('_', '-')}" for name in given]

    def __bool__(self) -> bool:
        return bool(self.typed())


@dataclass(frozen=True)
class Sides(_Tables):
    """Tables that say more about rows and columns."""

    row_features: str | None
    col_features: str | None
    row_graph: str | None
    col_graph: str | None

    def beside(self, data: "Interactions") -> "Interactions":
        """The interactions with what the tables say about their rows and columns."""
        return data.with_sides(
            row_features=_features(self.row_features, data.row_ids, "--row-features"),
            col_features=_features(self.col_features, data.col_ids, "--col-features"),
            row_graph=_graph(self.row_graph, data.row_ids, "--row-graph"),
            col_graph=_graph(self.col_graph, data.col_ids, "--col-graph"),
        )


@dataclass(frozen=True)
class GivenTables(_Tables):
    """Tables in place of the weights and targets that a recipe would choose."""

    row_weights: str | None
    col_weights: str | None
    targets: str | None

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


def _table(option: str, about: str) -> Callable[[Function], Function]:
    return click.option(option, type=TableName(), metavar="TABLE", help=about)


_SIDES = (
    _table("--row-features", "Features of the rows: ids first, then a column for each."),
    _table("--col-features", "Features of the columns, alike."),
    _table("--row-graph", "Pairs of like rows, such as friends: two columns of ids."),
    _table("--col-graph", "Pairs of like columns, alike."),
)


def side_options(function: Function) -> Function:
    """Tables of features and graphs; the verb gets one ``sides``."""
    return packed(function, _SIDES, lambda given: {"sides": Sides(**given)}, [field.name for field in fields(Sides)])


_GIVEN = (
    _table("--row-weights", "p of every row: ids, then numbers; an unlabelled cell weighs p times q."),
    _table("--col-weights", "q of every column, alike."),
    _table("--targets", "The number that each positive's score should reach: row, column, number."),
)


def given_options(function: Function) -> Function:
    """Tables of weights and targets; the verb gets one ``given``."""
    names = [field.name for field in fields(GivenTables)]
    return packed(function, _GIVEN, lambda typed: {"given": GivenTables(**typed)}, names)


def _features(table: str | None, ids: "Ids", option: str) -> Any:
    from tacit.data.features import FeatureEncoder

    if table is None:
        return None
    names = _columns_of(table, option, "ids come first, then features")
    return FeatureEncoder(names[0]).fit_transform(table, ids)


def _graph(table: str | None, ids: "Ids", option: str) -> Any:
    from tacit.data.graph import adjacency

    if table is None:
        return None
    names = _columns_of(table, option, "an edge takes two columns of ids")
    matrix = adjacency(table, ids, source=names[0], target=names[1])
    if matrix.nnz == 0:
        raise InputError(f"{option}: no edge of {table!r} has both its ends among the ids.")
    return matrix


def _columns_of(table: str, option: str, remedy: str) -> list[str]:
    """Names of the columns of a table that needs two or more."""
    from tacit.data.readers import scan_table

    names: list[str] = scan_table(table).collect_schema().names()
    if len(names) < 2:
        raise InputError(f"{option}: {table!r} has only the column {names[0]!r}; {remedy}.")
    return names
