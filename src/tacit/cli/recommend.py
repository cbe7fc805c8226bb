"""``tacit recommend``: the best columns for rows that a model knows, or for somebody new."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.models import known_ids, open_model, read_lines
from tacit.cli.options import json_option
from tacit.cli.output import csv_lines, entries, print_found, print_json, say
from tacit.cli.tables import Titles, save_table, titled, titled_answer_options
from tacit.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.data.text_files import TextForm
    from tacit.estimators.ranked import Ranked

BATCH = 1000
"""Rows per call, so that ``--all`` prints while it works and holds little."""
LINES = click.Path(path_type=Path, allow_dash=True)


@click.command("recommend")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.argument("rows", nargs=-1)
@click.option("--rows-from", type=LINES, help="File with one row id a line; - is standard input.")
@click.option("--all", "everybody", is_flag=True, help="Every row the model knows.")
@click.option("--having", multiple=True, metavar="COLUMN", help="Somebody new who has this; may be given repeatedly.")
@click.option("--context", multiple=True, metavar="NAME=ID", help="Where the rows are, for a model with contexts.")
@click.option("-k", default=10, show_default=True, help="How many for each.")
@click.option("--seen", is_flag=True, help="Let what a row has already come back too.")
@click.option("--include", type=LINES, help="File with the only columns that may come back, one a line.")
@click.option("--exclude", type=LINES, help="File with columns that may not come back, one a line.")
@titled_answer_options
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV: row, rank, column, score.")
@json_option
def command(
    model_path: Path,
    rows: tuple[str, ...],
    rows_from: Path | None,
    everybody: bool,
    having: tuple[str, ...],
    context: tuple[str, ...],
    k: int,
    seen: bool,
    include: Path | None,
    exclude: Path | None,
    titles: Titles,
    form: "TextForm",
    table_path: Path | None,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Recommend to ROWS of a saved MODEL.

    With --json each row is one line of JSON.
    """
    if sum(map(bool, (rows, rows_from, everybody, having))) != 1:
        raise InputError("say for whom, in one way: ids after MODEL, --rows-from FILE, --all, or --having COLUMN.")
    if as_csv and as_json:
        raise InputError("--csv and --json are two forms of one answer; choose one.")
    model = open_model(model_path, "recommend", "recommend", "tacit fit recommend")
    of_stream = hasattr(model, "item_ids_")
    if of_stream and (having or include or seen):
        raise InputError(
            f"{str(model_path)!r} holds a {type(model).__name__}, which keeps no record of what was rated: "
            "--having, --include and --seen do not apply to it."
        )
    if not (of_stream or seen or having) and hasattr(model, "row_factors_") and model.forgotten_rows_:
        say(f"{str(model_path)!r} was saved without histories: lists may hold what a row has already.")
    row_ids, col_ids = (model.user_ids_, model.item_ids_) if of_stream else (model.row_ids_, model.col_ids_)
    options: dict[str, Any] = {} if of_stream else {"exclude_seen": not seen}
    if context:
        options["context"] = _contexts(model, context)
    for name, path in (("include", include), ("exclude", exclude)):
        if path is not None:
            options[name] = known_ids(read_lines(path), col_ids, "column", f"--{name} {str(path)!r}")
    names = titles.read(form, col_ids.all().tolist())
    headings = ("row", "rank", "column", "score", *(("title",) if names else ()))
    if as_csv:
        click.echo(csv_lines([headings]), nl=False)
    kept: list[dict[str, Any]] = []
    if having:
        answers = iter([([" + ".join(having)], model.recommend(_somebody_new(model, having), k=k, **options))])
    else:
        wanted = row_ids.all().tolist() if everybody else known_ids(_asked(rows, rows_from), row_ids, "row")
        answers = _in_batches(model, wanted, k, options)
    for queries, ranked in answers:
        for index, query in enumerate(queries):
            result = titled(entries(ranked, index), names)
            lines = [
                {"row": query, "rank": rank, "column": one["id"], "score": one["score"], "title": one.get("title", "")}
                for rank, one in enumerate(result, 1)
            ]
            kept += lines if table_path is not None else []
            if as_json:
                print_json({"row": query, "recommended": result})
            elif as_csv:
                click.echo(csv_lines([[line[name] for name in headings] for line in lines]), nl=False)
            else:
                print_found(str(query), result)
    save_table(table_path, kept, headings)


def _in_batches(model: Any, wanted: list[Any], k: int, options: dict[str, Any]) -> "Iterator[tuple[list[Any], Ranked]]":
    """Ids of rows and their lists, some at a time."""
    for start in range(0, len(wanted), BATCH):
        batch = wanted[start : start + BATCH]
        yield batch, model.recommend(batch, k=k, **options)


def _contexts(model: Any, given: tuple[str, ...]) -> dict[str, Any]:
    """NAME=ID pairs as the model's own ids."""
    known = getattr(model, "context_ids_", {})
    result: dict[str, Any] = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals or name not in known:
            names = ", ".join(map(repr, known)) or "none"
            raise InputError(f"--context {pair!r} must be NAME=ID with a context of the model, which has {names}.")
        result[name] = known_ids([value], known[name], f"context {name}")[0]
    return result


def _asked(rows: tuple[str, ...], rows_from: Path | None) -> list[str]:
    if rows_from is None:
        return list(rows)
    ids = read_lines(rows_from)
    if not ids:
        raise InputError(f"{str(rows_from)!r} holds no ids.")
    return ids


def _somebody_new(model: Any, having: tuple[str, ...]) -> Any:
    from tacit import Interactions

    has = known_ids(dict.fromkeys(having), model.col_ids_, "column")
    return Interactions.from_table({"row": [0] * len(has), "col": has}, row="row", col="col")
