"""``tacit tag``: labels for texts, by a saved model."""

from pathlib import Path

import click

from tacit.cli.models import open_model, read_lines
from tacit.cli.options import json_option
from tacit.cli.output import csv_lines, entries, print_found, print_json
from tacit.errors import InputError

BATCH = 1000


@click.command("tag")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.argument("texts", nargs=-1)
@click.option("--texts-from", type=click.Path(path_type=Path, allow_dash=True),
              help="File with one text a line; - is standard input.")  # fmt: skip
@click.option("-k", default=5, show_default=True, help="How many labels for each.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV: text, rank, label, score.")
@json_option
def command(
    model_path: Path, texts: tuple[str, ...], texts_from: Path | None, k: int, as_csv: bool, as_json: bool
) -> None:
    """Suggest labels for TEXTS by a saved MODEL, best first."""
    if bool(texts) == (texts_from is not None):
        raise InputError("say what to tag, in one way: texts after MODEL, or --texts-from FILE.")
    if as_csv and as_json:
        raise InputError("--csv and --json are two forms of one answer; choose one.")
    model = open_model(model_path, "tag", ("words_", "predict_topk"), "tacit fit tag")
    listed = list(texts) if texts_from is None else read_lines(texts_from)
    if as_csv:
        click.echo(csv_lines([("text", "rank", "label", "score")]), nl=False)
    for start in range(0, len(listed), BATCH):
        batch = listed[start : start + BATCH]
        ranked = model.predict_topk(batch, k, return_scores=True)
        for place, text in enumerate(batch):
            found = entries(ranked, place)
            if as_json:
                print_json({"text": text, "labels": found})
            elif as_csv:
                lines = [(text, rank + 1, one["id"], one["score"]) for rank, one in enumerate(found)]
                click.echo(csv_lines(lines), nl=False)
            else:
                print_found(text, found)
