"""``tacit why``: what speaks for a recommendation."""

from pathlib import Path

import click

from tacit.cli.models import known_ids, open_model
from tacit.cli.options import json_option
from tacit.cli.output import print_json


@click.command("why")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.argument("row")
@click.argument("col", metavar="COLUMN")
@json_option
def command(model_path: Path, row: str, col: str, as_json: bool) -> None:
    """Show what each thing that ROW has adds to the score of COLUMN in a saved MODEL; together they are the score."""
    model = open_model(model_path, "why", "why", "tacit fit recommend --method factors or linear")
    (asked,), (wanted,) = known_ids([row], model.row_ids_, "row"), known_ids([col], model.col_ids_, "column")
    found = model.why(asked, wanted)
    if not as_json:
        click.echo(str(found))
        return
    parts = [{"id": one, "contribution": value} for one, value in zip(found.ids.tolist(), found.contributions.tolist())]
    print_json({"row": asked, "column": wanted, "score": found.total, "remainder": found.remainder, "because": parts})
