"""A table of ratings as the command line names it."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import click

from tacit.cli.options import Function, packed

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class RatingTable:
    """Where ratings stand, and under which names."""

    table: str
    user: str
    item: str
    rating: str
    moment: str | None
    query: str | None

    def read(self) -> "pl.DataFrame":
        """The ratings in their order: that of the times where there are some, else that of the lines."""
        from tacit.data.readers import read_table

        columns = {"--user": self.user, "--item": self.item, "--rating": self.rating}
        columns |= {"--time": self.moment} if self.moment else {}
        data = read_table(self.table, columns, query=self.query, name="TABLE")
        return data.sort(self.moment, maintain_order=True) if self.moment else data


_OPTIONS = (
    click.argument("table"),
    click.option("--user", default="user", show_default=True, metavar="NAME", help="Column of the user."),
    click.option("--item", default="item", show_default=True, metavar="NAME", help="Column of the item."),
    click.option("--rating", default="rating", show_default=True, metavar="NAME", help="Column of the rating."),
    click.option("--time", "moment", metavar="NAME", help="Column of the time: ratings are taken in its order."),
    click.option("--query", help="What to ask, when TABLE is a database."),
)


def rating_table_options(function: Function) -> Function:
    """TABLE and its columns; the verb gets one ``ratings``."""
    names = [field.name for field in fields(RatingTable)]
    return packed(function, _OPTIONS, lambda given: {"ratings": RatingTable(**given)}, names)
