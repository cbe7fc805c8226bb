"""``tacit why``: what speaks for a recommendation, or for a label of a text."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tacit.cli.models import known_ids, open_model
from tacit.cli.options import json_option
from tacit.cli.output import print_json
from tacit.cli.tables import read_titles, titles_option
from tacit.cli.text_form import text_form_options
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.data.text_files import TextForm

_MADE_BY = "tacit fit recommend --method factors or linear, or tacit fit tag"


@click.command("why")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.argument("row", metavar="ROW|TEXT")
@click.argument("col", metavar="COLUMN|LABEL")
@titles_option
@partial(text_form_options, decimal=False)
@json_option
def command(model_path: Path, row: str, col: str, titles: str | None, form: "TextForm", as_json: bool) -> None:
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
    shown = read_titles(titles, form)
    if not as_json:
        import numpy as np

        named = [f"{one}  {shown.get(str(one), '')}".rstrip() for one in result.ids.tolist()]
        click.echo(str(replace(result, ids=np.array(named, dtype=object)) if shown else result))
        return
    parts = [
        {"id": one, **({"title": shown.get(str(one), "")} if shown else {}), "contribution": value}
        for one, value in zip(result.ids.tolist(), result.contributions.tolist())
    ]
    told = dict(zip(names, (asked, wanted)))
    print_json(told | {"score": result.total, "remainder": result.remainder, "because": parts})
