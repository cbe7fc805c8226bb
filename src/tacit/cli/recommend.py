"""``tacit recommend``: the best columns for rows that a model knows, or for somebody new."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.models import known_ids, open_model, read_lines
from tacit.cli.options import json_option
from tacit.cli.output import csv_lines, entries, print_found, print_json
from tacit.errors import InputError

if TYPE_CHECKING:
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
@click.option("-k", default=10, show_default=True, help="How many for each.")
@click.option("--seen", is_flag=True, help="Let what a row has already come back too.")
@click.option("--include", type=LINES, help="File with the only columns that may come back, one a line.")
@click.option("--exclude", type=LINES, help="File with columns that may not come back, one a line.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV: row, rank, column, score.")
@json_option
def command(
    model_path: Path,
    rows: tuple[str, ...],
    rows_from: Path | None,
    everybody: bool,
    having: tuple[str, ...],
    k: int,
    seen: bool,
    include: Path | None,
    exclude: Path | None,
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
    filters: dict[str, Any] = {
        name: None if path is None else known_ids(read_lines(path), model.col_ids_, "column")
        for name, path in (("include", include), ("exclude", exclude))
    }
    if as_csv:
        click.echo(csv_lines([("row", "rank", "column", "score")]), nl=False)
    for batch in _batches(model, rows, rows_from, everybody, having):
        ranked = model.recommend(batch, k=k, exclude_seen=not seen, **filters)
        _print(ranked, [" + ".join(having)] if having else ranked.queries.tolist(), as_csv, as_json)


def _batches(
    model: Any, rows: tuple[str, ...], rows_from: Path | None, everybody: bool, having: tuple[str, ...]
) -> Iterator[Any]:
    if having:
        yield _somebody_new(model, having)
        return
    if everybody:
        wanted = model.row_ids_.all()
    else:
        wanted = known_ids(rows if rows_from is None else read_lines(rows_from), model.row_ids_, "row")
        if len(wanted) == 0:
            raise InputError(f"{str(rows_from)!r} holds no ids.")
    for start in range(0, len(wanted), BATCH):
        yield wanted[start : start + BATCH]


def _somebody_new(model: Any, having: tuple[str, ...]) -> Any:
    from tacit import Interactions

    has = known_ids(dict.fromkeys(having), model.col_ids_, "column")
    return Interactions.from_table({"row": [0] * len(has), "col": has}, row="row", col="col")


def _print(ranked: "Ranked", queries: list[Any], as_csv: bool, as_json: bool) -> None:
    for place, query in enumerate(queries):
        found = entries(ranked, place)
        if as_json:
            print_json({"row": query, "recommended": found})
        elif as_csv:
            lines = [(query, rank, one["id"], one["score"]) for rank, one in enumerate(found, 1)]
            click.echo(csv_lines(lines), nl=False)
        else:
            print_found(str(query), found)
