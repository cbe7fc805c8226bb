"""Features and graphs beside a table of interactions, as they are named on the command line."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import Function, TableName, packed
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.data.ids import Ids
    from tacit.data.interactions import Interactions


@dataclass(frozen=True)
class Sides:
    """Tables that say more about rows and columns; what is not given is None."""

    row_features: str | None
    col_features: str | None
    row_graph: str | None
    col_graph: str | None

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) is not None for field in fields(self))

    def beside(self, data: "Interactions") -> "Interactions":
        """The interactions with what the tables say about their rows and columns."""
        return data.with_sides(
            row_features=_features(self.row_features, data.row_ids, "--row-features"),
            col_features=_features(self.col_features, data.col_ids, "--col-features"),
            row_graph=_graph(self.row_graph, data.row_ids, "--row-graph"),
            col_graph=_graph(self.col_graph, data.col_ids, "--col-graph"),
        )


_SIDES = (
    click.option("--row-features", type=TableName(), metavar="TABLE",
                 help="Features of the rows: ids first, then a column for each."),
    click.option("--col-features", type=TableName(), metavar="TABLE", help="Features of the columns, alike."),
    click.option("--row-graph", type=TableName(), metavar="TABLE",
                 help="Pairs of like rows, such as friends: two columns of ids."),
    click.option("--col-graph", type=TableName(), metavar="TABLE", help="Pairs of like columns, alike."),
)  # fmt: skip


def side_options(function: Function) -> Function:
    """Tables of features and graphs; the verb gets one ``sides``."""
    return packed(function, _SIDES, lambda given: {"sides": Sides(**given)}, [field.name for field in fields(Sides)])


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
