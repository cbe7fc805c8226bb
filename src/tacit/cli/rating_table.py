"""A table of ratings as the command line names it."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import Function, packed
from tacit.cli.output import say
from tacit.cli.text_form import text_form_options
from tacit.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from tacit.data.text_files import TextForm


@dataclass(frozen=True)
class RatingTable:
    """Where ratings stand, and under which names."""

    table: str
    user: str
    item: str
    rating: str
    moment: str | None
    query: str | None
    skip_bad: bool
    form: "TextForm"

    def read(self) -> "tuple[pl.Series, pl.Series, NDArray[np.float64]]":
        """Users, items and ratings in their order: that of the times where there are some, else that of the lines."""
        from tacit.data.columns import numbers_of, without_missing
        from tacit.data.readers import origin_of, read_table
        from tacit.data.sound_lines import sound_copy

        if self.skip_bad:
            named = self._by_names()
            roles = {"row": named.user, "col": named.item, "rating": named.rating}
            roles |= {"time": self.moment} if self.moment else {}
            with sound_copy(self.table, self.form, roles) as (path, written, left):
                if left.bad:
                    say(f"{left.sentence()}.")
                return replace(named, table=path, form=written, skip_bad=False).read()
        named = self._by_names()
        if named != self:
            return named.read()
        columns = {"--user": self.user, "--item": self.item, "--rating": self.rating}
        columns |= {"--time": self.moment} if self.moment else {}
        data = read_table(self.table, columns, query=self.query, name="TABLE", form=self.form)
        origin = origin_of(self.table, self.form)
        without_missing(data, columns, "error", origin, "leave such lines out with --skip-bad")
        values = numbers_of(data[self.rating], "--rating", origin)
        if not len(data):
            raise InputError(f"{self.table!r} holds no ratings; give a file with at least one line below its header.")
        users, items = data[self.user], data[self.item]
        if self.moment:
            order = data[self.moment].arg_sort()
            users, items, values = users.gather(order), items.gather(order), values[order.to_numpy()]
        return users, items, values

    def _by_names(self) -> "RatingTable":
        """With the columns that a table without the usual names seems to have, where that is clear; it is said."""
        from tacit.data.column_roles import guess_rating_columns, guess_said
        from tacit.data.readers import scan_table

        if "://" in self.table:
            return self  # a query is asked once
        present = scan_table(self.table, self.query, self.form).collect_schema().names()
        asked = {"user": self.user, "item": self.item, "rating": self.rating}
        guessed: dict[str, Any] = guess_rating_columns(present, asked | {"time": self.moment or ""})
        if guessed:
            say(guess_said(guessed))
        return replace(self, **guessed)


_OPTIONS = (
    click.argument("table"),
    click.option("--user", default="user", show_default=True, metavar="NAME", help="Column of the user."),
    click.option("--item", default="item", show_default=True, metavar="NAME", help="Column of the item."),
    click.option("--rating", default="rating", show_default=True, metavar="NAME", help="Column of the rating."),
    click.option("--time", "moment", metavar="NAME", help="Column of the time: ratings are taken in its order."),
    click.option("--query", help="What to ask, when TABLE is a database."),
    click.option("--skip-bad", is_flag=True, help="Leave out lines of a text file that are no rating; count them."),
)


def rating_table_options(function: Function) -> Function:
    """TABLE and its columns; the verb gets one ``ratings``."""
    names = ["table", "user", "item", "rating", "moment", "query", "skip_bad", "form"]
    return text_form_options(packed(function, _OPTIONS, _pack, names))


def _pack(given: dict[str, Any]) -> dict[str, Any]:
    return {"ratings": RatingTable(**given)}
