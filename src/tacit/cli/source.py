"""A table of interactions as the command line names it: a file, a glob or a database, and which column is what."""

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import Function, TableName, packed
from tacit.cli.output import say
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.data.interactions import Interactions


@dataclass(frozen=True)
class Source:
    """A table of interactions as it is named on the command line."""

    table: str
    query: str | None
    row: str | None
    col: str | None
    weight: str | None
    time: str | None
    context: tuple[str, ...]
    min_weight: float | None
    binary: bool
    duplicates: str
    missing: str
    min_row_count: int
    min_col_count: int
    text_ids: bool
    separator: str | None
    encoding: str | None
    decimal: str
    time_format: str | None
    skip_bad: bool

    def read(self, *, needs_time: bool = False) -> "Interactions":
        """``Interactions``; columns that were not named are guessed where only one guess is possible, and said."""
        from tacit.data.column_roles import is_opinion
        from tacit.data.svmlight_positives import is_svmlight, read_svmlight_positives

        keep = {
            "min_weight": self.min_weight,
            "binary": self.binary,
            "min_row_count": self.min_row_count,
            "min_col_count": self.min_col_count,
        }
        if is_svmlight(self.table):
            return read_svmlight_positives(self.table).filtered(**keep)  # type: ignore[arg-type]
        table, columns = self.columns(needs_time)
        if self.skip_bad:
            return self._read_sound_lines(needs_time, columns)
        made = self._made(table, columns, keep)
        taken = made.reading.sentence(self.duplicates) if made.reading is not None else ""
        if taken:
            rated = made.reading is not None and made.reading.merged and is_opinion(columns.get("weight", ""))
            revised = "; of ratings that people revised keep the last with --duplicates last"
            say(f"{taken}{revised if rated and self.duplicates == 'sum' else ''}.")
        _say_spellings(made)
        return made

    def _made(self, table: Any, columns: dict[str, str], keep: dict[str, Any]) -> "Interactions":
        from tacit.data.interactions import Interactions

        try:
            return Interactions.from_table(
                table,
                row=columns["row"],
                col=columns["col"],
                weight=columns.get("weight"),
                time=columns.get("time"),
                context=self.context or None,
                duplicates=self.duplicates,  # type: ignore[arg-type]
                missing=self.missing,  # type: ignore[arg-type]
                query=self.query if isinstance(table, str) else None,
                text_ids=self.text_ids,
                separator=self.separator,
                encoding=self.encoding,
                decimal=self.decimal,
                time_format=self.time_format,
                **keep,
            )
        except InputError as error:
            said = str(error)
            # A few lines that are to be dropped are what --skip-bad is for.
            if said.startswith("weight:") and said.endswith(("such lines first.", "name another column.")):
                raise InputError(f"{said[:-1]}, or leave out what cannot be read with --skip-bad.") from None
            raise

    def _read_sound_lines(self, needs_time: bool, columns: dict[str, str]) -> "Interactions":
        """The table without the lines that cannot be read, whose number is said."""
        from tacit.data.sound_lines import sound_copy
        from tacit.data.text_files import TextForm

        asked = columns | {f"context {name}": name for name in self.context}
        form = TextForm(self.separator, self.encoding, self.decimal)
        with sound_copy(self.table, form, asked, self.time_format) as (path, written, left):
            if left.bad:
                say(f"{left.sentence()}.")
            named: dict[str, Any] = dict(columns)
            sound = replace(self, table=path, separator=written.separator, encoding=None, skip_bad=False, **named)
            return sound.read(needs_time=needs_time)

    def columns(self, needs_time: bool = False) -> tuple[Any, dict[str, str]]:
        """The table and its columns by role."""
        from tacit.data.column_roles import guess_roles, is_opinion
        from tacit.data.readers import scan_table
        from tacit.data.text_files import TextForm

        roles = ("row", "col", "weight", "time")
        named = {role: getattr(self, role) for role in roles if getattr(self, role) is not None}
        time_is_open = needs_time and "time" not in named
        if "row" in named and "col" in named and not time_is_open:
            return self.table, named
        scan = scan_table(self.table, self.query, TextForm(self.separator, self.encoding, self.decimal))
        present = scan.collect_schema().names()
        unnamed = [column for column in present if column not in (*named.values(), *self.context)]
        wanted = [role for role in roles if role not in named and (role != "time" or needs_time)]
        # Whoever names rows and columns but no weight wants every event to count alike.
        if "row" in named and "col" in named:
            wanted = ["time"]
        guessed = {role: column for role, column in guess_roles(unnamed).items() if role in wanted}
        required = {"row", "col"} | ({"time"} if needs_time else set())
        sign = next((sign for sign in ";|,\t" if len(present) == 1 and sign in present[0]), None)
        if sign is not None:
            raise InputError(f"{self.table!r} seems to have {sign!r} between its columns; pass separator={sign!r}.")
        for role in roles:
            if role in required and role not in named | guessed:
                raise InputError(
                    f"--{role} is missing and cannot be guessed from the columns {', '.join(map(repr, present))}; "
                    f"say --{role} NAME."
                )
        said = " ".join(f"--{role} {column}" for role, column in guessed.items())
        more = ""
        if is_opinion(guessed.get("weight", "")) and self.min_weight is None:
            more = "; every line counts as a positive, say --min-weight 4 or the like to keep only the high ones"
        say(f"columns guessed by their names: {said}{more}.")
        # A query has been answered already and is not asked again.
        return (scan if "://" in self.table else self.table), named | guessed


MOST_COMPARED = 200_000
"""Ids of a side whose spellings are compared."""


def _say_spellings(made: "Interactions") -> None:
    """Say when ids of a table differ by capitals or blanks alone: each of them is a row or a column of its own."""
    from tacit.data.spellings import respelled

    for what, ids in (("rows", made.row_ids), ("columns", made.col_ids)):
        if ids.is_numeric or len(ids) > MOST_COMPARED:
            continue
        found = respelled(one for one in ids if isinstance(one, str))
        if found:
            one, other = found[0]
            example = "" if what == "rows" else f", such as {one!r} beside {other!r}"
            say(
                f"{len(found):,} of {len(ids):,} {what} have the id of another but for capitals or blanks{example}; "
                "each is taken for a different one: write them alike in TABLE if they are the same."
            )


_SOURCE = (
    click.argument("table", type=TableName()),
    click.option("--query", help="What to ask, when TABLE is a database such as sqlite:///shop.db."),
    click.option("--row", metavar="NAME", help="Column with the rows' ids (users). Guessed when its name tells."),
    click.option("--col", metavar="NAME", help="Column with the columns' ids (items). Guessed when its name tells."),
    click.option("--weight", metavar="NAME", help="Column with weights, such as counts or ratings."),
    click.option("--time", metavar="NAME", help="Column with times."),
    click.option("--context", metavar="NAME", multiple=True,
                 help="Column with what each line depends on beside the row, such as the last song; repeatable."),
    click.option("--min-weight", type=float, help="Keep what weighs at least this: 4 for ratings from 4 on."),
    click.option("--binary", is_flag=True, help="Then let everything that is kept weigh 1."),
    click.option("--duplicates", type=click.Choice(["sum", "last", "first", "max", "error"]), default="sum",
                 show_default=True, help="When a pair occurs again."),
    click.option("--missing", type=click.Choice(["error", "drop"]), default="error", show_default=True,
                 help="Lines with missing values."),
    click.option("--min-row-count", default=1, show_default=True, help="Drop rows with fewer columns."),
    click.option("--min-col-count", default=1, show_default=True, help="Drop columns with fewer rows."),
    click.option("--separator", metavar="SIGN",
                 help="Between columns of a text file; found by default. tab is a tabulator."),
    click.option("--encoding", metavar="NAME", help="Of a text file, such as latin-1; UTF-8 by default."),
    click.option("--decimal", type=click.Choice([".", ","]), default=".", show_default=True,
                 help="Decimal sign in text files."),
    click.option("--time-format", metavar="FORMAT", help="How times are written, such as %d/%m/%Y; ISO by default."),
    click.option("--skip-bad", is_flag=True, help="Leave out lines of a text file that cannot be read; count them."),
    click.option("--text-ids", is_flag=True, help="Read ids as text even where all are numbers; 007 is text anyway."),
)  # fmt: skip


def source_options(function: Function) -> Function:
    """TABLE and how to read it; the verb gets one ``source``."""
    return packed(function, _SOURCE, lambda given: {"source": Source(**given)}, [f.name for f in fields(Source)])
