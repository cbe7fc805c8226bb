"""What rating data sets share: reading lines of user, item and rating, and turning them into interactions."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.data.compressed import read_bytes
from tacit.data.graph import adjacency
from tacit.data.interactions import Interactions
from tacit.errors import InputError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class RatingData:
    """Ratings and what is known about both sides.

    ratings : columns user, item, rating and, where published, time (seconds since 1970)
    test : ratings that the publisher held out, same columns, or None
    users, items : tables with an ``id`` column, or None
    user_graph, item_graph : edges with the columns ``from`` and ``to``, or None
    """

    name: str
    ratings: "pl.DataFrame"
    test: "pl.DataFrame | None" = None
    users: "pl.DataFrame | None" = None
    items: "pl.DataFrame | None" = None
    user_graph: "pl.DataFrame | None" = None
    item_graph: "pl.DataFrame | None" = None

    def __repr__(self) -> str:
        users, items = self.ratings["user"].n_unique(), self.ratings["item"].n_unique()
        return f"RatingData({self.name!r}: {self.ratings.height} ratings, {users} users, {items} items)"

    def interactions(self) -> Interactions:
        """All ratings, their values as weights; a rating given again replaces the old one. Graphs come along."""
        return self._with_graphs(self._make(self.ratings, None, binary=False))

    def positives(self, minimum: float = 4.0, binary: bool = True) -> Interactions:
        """Ratings of at least ``minimum`` as positives, everything else unlabelled. Graphs come along."""
        return self._with_graphs(self._make(self.ratings, minimum, binary=binary))

    def published_split(self, minimum: float | None = None, binary: bool = False) -> tuple[Interactions, Interactions]:
        """Training and test part as published, under the ids of both together."""
        import polars as pl

        if self.test is None:
            raise InputError(f"{self.name} was loaded without a published test part; use interactions().split(...).")
        whole = self._make(pl.concat([self.ratings, self.test]), minimum, binary)
        parts = [
            self._with_graphs(self._make(table, minimum, binary).aligned(whole.row_ids, whole.col_ids))
            for table in (self.ratings, self.test)
        ]
        return parts[0], parts[1]

    def _make(self, table: "pl.DataFrame", minimum: float | None, binary: bool) -> Interactions:
        import polars as pl

        if minimum is not None and minimum > 0:
            # What lies below the minimum is left out either way; weights may not be negative, and ratings may.
            table = table.with_columns(pl.col("rating").clip(lower_bound=0))
        return Interactions.from_table(
            table,
            row="user",
            col="item",
            weight="rating",
            time="time" if "time" in table.columns else None,
            duplicates="last",
            min_weight=minimum,
            binary=binary,
        )

    def _with_graphs(self, interactions: Interactions) -> Interactions:
        return interactions.with_sides(
            row_graph=None if self.user_graph is None else adjacency(self.user_graph, interactions.row_ids),
            col_graph=None if self.item_graph is None else adjacency(self.item_graph, interactions.col_ids),
        )


def read_lines(path: Path, separator: str, columns: Sequence[str], header: bool = False) -> "pl.DataFrame":
    """Lines of numbers between separators, the columns named in order."""
    import polars as pl

    data = read_bytes(path)
    if len(separator) > 1:
        # polars splits at one byte; no field of these sets holds a tab.
        data, separator = data.replace(separator.encode(), b"\t"), "\t"
    return pl.read_csv(
        io.BytesIO(data),
        separator=separator,
        has_header=header,
        new_columns=list(columns),
        quote_char=None,
        infer_schema_length=None,
    )


def read_texts(path: Path, separator: str, columns: Sequence[str], encoding: str = "latin-1") -> "pl.DataFrame":
    """The same for files with names and titles: every column is text."""
    import polars as pl

    lines = read_bytes(path).decode(encoding).splitlines()
    rows = [line.split(separator, len(columns) - 1) for line in lines if line]
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")
