"""Answers as tables in files, and titles beside ids."""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit import atomic_file
from tacit.cli.options import OutputFile, TableName, packed
from tacit.cli.output import say
from tacit.cli.text_form import text_form_options
from tacit.errors import InputError
from tacit.report.plain import harmless_cell

if TYPE_CHECKING:
    from tacit.data.text_files import TextForm

KINDS = (".csv", ".tsv", ".parquet", ".jsonl")


class TableFile(OutputFile):
    """A table to write, of a kind that its name says."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = super().convert(value, param, ctx)
        if path.suffix.lower() not in KINDS:
            raise InputError(f"--save-table {str(path)!r} must end in one of {', '.join(KINDS)}.")
        return path


table_option = click.option(
    "--save-table", "table_path", type=TableFile(), help=f"Also write the answer as a table: {', '.join(KINDS)}."
)


@dataclass(frozen=True)
class Titles:
    """A table of titles beside ids, as the user named it; None without one."""

    table: str | None
    columns: tuple[str, ...]

    def read(self, form: "TextForm | None" = None, known: Iterable[Any] = ()) -> dict[str, str]:
        """Id, as text, → what is shown beside it; ``known`` are ids that will be looked up, as far as one knows."""
        if self.table is None and self.columns:
            raise InputError(f"--title {self.columns[0]!r} names a column of --titles; give --titles TABLE too.")
        return read_titles(self.table, form, self.columns, [str(one) for one in known])


def titles_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Options ``--titles`` and ``--title``; the verb gets one ``Titles`` as ``titles``."""
    options = (
        click.option("--titles", type=TableName(), metavar="TABLE",
                     help="Table of what is shown: a column of ids, then title and more."),
        click.option("--title", "title_columns", multiple=True, metavar="NAME",
                     help="Column of --titles to show; may be repeated. All but the ids by default."),
    )  # fmt: skip
    return packed(
        function,
        options,
        lambda given: {"titles": Titles(given["titles"], given["title_columns"])},
        ["titles", "title_columns"],
    )


def titled_answer_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """For verbs that answer in ids, which get ``titles``, the ``form`` of their table, and a ``table_path``."""
    return titles_option(text_form_options(table_option(function), decimal=False))


def save_table(path: Path | None, rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> None:
    """Write rows as the table that the path's ending says; nothing without a path.

    In CSV and TSV, text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    if path is None:
        return
    import json

    import polars as pl

    names = list(columns)
    rows = list(rows)
    with atomic_file.replacing(path) as temporary:
        kind = path.suffix.lower()
        if kind == ".parquet":
            data = {name: _column([row[name] for row in rows]) for name in names}
            pl.DataFrame(data, strict=False).write_parquet(temporary)
        elif kind == ".jsonl":
            with temporary.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(dict(row), ensure_ascii=False, default=str) + "\n" for row in rows)
        else:
            with temporary.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, delimiter="\t" if kind == ".tsv" else ",", lineterminator="\n")
                writer.writerow(names)
                writer.writerows([harmless_cell(row[name]) for name in names] for row in rows)


def save_frame(path: Path, frame: Any) -> None:
    """Write somebody's own table, cell by cell as it is, in the form that the path's ending says."""
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise InputError(f"-o {str(path)!r} must end in one of {', '.join(KINDS)}.")
    if kind in (".csv", ".tsv") and any(dtype.is_nested() for dtype in frame.schema.values()):
        raise InputError(f"-o {str(path)!r}: a column holds lists, which {kind} cannot; use .parquet or .jsonl.")
    with atomic_file.replacing(path) as temporary:
        if kind == ".parquet":
            frame.write_parquet(temporary)
        elif kind == ".jsonl":
            frame.write_ndjson(temporary)
        else:
            frame.write_csv(temporary, separator="\t" if kind == ".tsv" else ",")


def save_measures(path: Path | None, outcome: Mapping[str, Any]) -> None:
    """Measures of several methods as a long table: method, metric, value."""
    rows = [
        {"method": method, "metric": metric, "value": value}
        for method, measures in outcome.items()
        if isinstance(measures, Mapping)
        for metric, value in measures.items()
        if isinstance(value, int | float)
    ]
    save_table(path, rows, ("method", "metric", "value"))


def read_titles(
    table: str | None, form: "TextForm | None" = None, columns: Sequence[str] = (), known: Sequence[str] = ()
) -> dict[str, str]:
    """Id, as text, → the named columns of its line, or all others; without a table nothing has a title.

    Ids are in the column that holds most of the ``known`` ones, and in the first where none does.
    """
    if table is None:
        return {}
    from tacit.data.readers import PLAIN, read_frame, scan_table

    names = scan_table(table, form=form or PLAIN).collect_schema().names()
    frame = read_frame(table, {}, None, text=names, name="--titles", form=form or PLAIN)
    if frame.width < 2:
        raise InputError(f"--titles: {table!r} has only one column; the id comes first, then what to show.")
    for name in columns:
        if name not in names:
            raise InputError(f"--title {name!r} is not a column of {table!r}, which has {', '.join(map(repr, names))}.")
    ids = _column_of_ids(frame, table, known)
    shown = frame.select(columns or [name for name in names if name != ids])
    titles = {
        str(ident): ", ".join(str(fact) for fact in facts if fact is not None)
        for ident, facts in zip(frame[ids].to_list(), shown.iter_rows())
    }
    # A model whose ids are numbers knows 0042 as 42.
    numbers = {ident.lstrip("0") or "0": title for ident, title in titles.items() if ident.isdecimal()}
    return numbers | titles


def _column_of_ids(frame: Any, table: str, known: Sequence[str]) -> str:
    """The name of the column that holds the ids."""
    first: str = frame.columns[0]
    if not known:
        return first
    wanted = {one.lstrip("0") for one in known}
    counts = {
        name: len(wanted.intersection(str(one).lstrip("0") for one in frame[name].unique().to_list()))
        for name in frame.columns
    }
    best = str(max(counts, key=lambda name: counts[name]))
    if not counts[best]:
        say(
            f"--titles: {table!r} has no title for any id that is shown, such as {known[0]!r}; its first column "
            f"{first!r} should hold ids and has {', '.join(repr(one) for one in frame[first].head(2).to_list())}."
        )
        return first
    if counts[best] > counts[first]:
        say(f"--titles: the ids are in the column {best!r} of {table!r}.")
        return best
    return first


def titled(result: list[dict[str, Any]], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Entries with the titles of their ids; one without a title gets an empty one."""
    return [{**one, "title": titles.get(str(one["id"]), "")} for one in result] if titles else result


def _column(values: list[Any]) -> list[Any]:
    """Values of one kind as they are, others as text: a column of a file has one type."""
    kinds = {type(value) for value in values if value is not None}
    plain = len(kinds) <= 1 and all(kind in (int, float, str, bool) for kind in kinds)
    return values if plain or kinds <= {int, float} else [None if value is None else str(value) for value in values]
