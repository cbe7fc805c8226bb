"""``tacit grade``: grades of new rows by a saved model."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.grade_table import features_of
from tacit.cli.models import open_model
from tacit.cli.options import json_option
from tacit.cli.output import csv_lines, print_json
from tacit.cli.tables import save_table, table_option
from tacit.cli.text_form import text_form_options
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.data.text_files import TextForm


@click.command("grade")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.argument("table")
@click.option("--id", "ident", metavar="NAME", help="Column that names the rows; by default they are numbered from 0.")
@click.option("--query", help="What to ask, when TABLE is a database.")
@click.option("--best", type=int, metavar="N", help="Only the N rows of the highest score, best first.")
@click.option("--chances", is_flag=True, help="Print the probability of every grade, too.")
@table_option
@text_form_options
@json_option
def command(
    model_path: Path,
    table: str,
    ident: str | None,
    query: str | None,
    form: "TextForm",
    best: int | None,
    chances: bool,
    table_path: Path | None,
    as_json: bool,
) -> None:
    """Grade the rows of TABLE by a saved MODEL: CSV with id, grade and score; with --json a line of JSON each."""
    import numpy as np

    if best is not None and best < 1:
        raise InputError(f"--best must be at least 1, not {best}.")
    model = open_model(model_path, "grade", "rank_score", "tacit fit grade")
    features, frame = features_of(model, table, query, form, leave=() if ident is None else (ident,))
    names = frame[ident].to_list() if ident else list(range(len(frame)))
    scores, grades = model.rank_score(features), model.predict(features)
    order = np.argsort(-scores, kind="stable")[:best] if best is not None else np.arange(len(scores))
    columns = [f"p({grade})" for grade in model.classes_.tolist()] if chances else []
    probabilities = model.predict_proba(features) if chances else None
    headings = ("id", "grade", "score", *columns)
    if not as_json:
        click.echo(csv_lines([headings]), nl=False)
    lines: list[dict[str, Any]] = []
    for row in order.tolist():
        shares = [] if probabilities is None else [round(float(p), 6) for p in probabilities[row]]
        grade, score = grades[row].item() if hasattr(grades[row], "item") else grades[row], float(scores[row])
        line = dict(zip(headings, (names[row], grade, score, *shares)))
        lines.append(line)
        if as_json:
            print_json(line)
        else:
            click.echo(csv_lines([(names[row], grade, f"{score:.6g}", *shares)]), nl=False)
    save_table(table_path, lines, headings)
