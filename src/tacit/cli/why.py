"""``tacit why``: what speaks for a recommendation, or for a label of a text."""

from pathlib import Path

import click

from tacit.cli.models import known_ids, open_model
from tacit.cli.options import json_option
from tacit.cli.output import print_json
from tacit.errors import InputError

_MADE_BY = "tacit fit recommend --method factors or linear, or tacit fit tag"


@click.command("why")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.argument("row", metavar="ROW|TEXT")
@click.argument("col", metavar="COLUMN|LABEL")
@json_option
def command(model_path: Path, row: str, col: str, as_json: bool) -> None:
    """Show what adds up to a score in a saved MODEL.

    The score of COLUMN for ROW is the sum of what each thing that the row has adds; the score of LABEL for TEXT the sum
    of what words, training rows (by their number) or taggers add, as the tagger works.
    """
    model = open_model(model_path, "why", "why", _MADE_BY)
    if hasattr(model, "row_ids_"):
        (asked,), (wanted,) = known_ids([row], model.row_ids_, "row"), known_ids([col], model.col_ids_, "column")
        names = ("row", "column")
    elif hasattr(model, "tagger_"):
        asked, (wanted,) = row, known_ids([col], model.label_ids_, "label")
        names = ("text", "label")
    else:
        raise InputError(
            f"{str(model_path)!r} holds a {type(model).__name__}, which reads features, not text; "
            "ask its why in Python, or give a model made by tacit fit tag."
        )
    result = model.why(asked, wanted)
    if not as_json:
        click.echo(str(result))
        return
    parts = [
        {"id": one, "contribution": value} for one, value in zip(result.ids.tolist(), result.contributions.tolist())
    ]
    told = dict(zip(names, (asked, wanted)))
    print_json(told | {"score": result.total, "remainder": result.remainder, "because": parts})
