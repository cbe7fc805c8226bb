"""``tacit why``: what speaks for a recommendation, or for a label of a text."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tacit.cli.models import known_ids, open_model
from tacit.cli.options import json_option
from tacit.cli.output import print_json
from tacit.cli.tables import Titles, save_table, table_option, titles_option
from tacit.cli.text_form import text_form_options
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.data.text_files import TextForm
    from tacit.estimators.evidence import Evidence

MOST_SHOWN = 5
"""Training rows that are printed."""
_MADE_BY = "tacit fit recommend --method factors or linear, or tacit fit tag"


@click.command("why")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.argument("row", metavar="ROW|TEXT")
@click.argument("col", metavar="COLUMN|LABEL")
@titles_option
@partial(text_form_options, decimal=False)
@table_option
@json_option
def command(
    model_path: Path, row: str, col: str, titles: Titles, form: "TextForm", table_path: Path | None, as_json: bool
) -> None:
    """Show what adds up to a score in a saved MODEL.

    The score of COLUMN for ROW is the sum of what each thing that the row has adds. For LABEL of TEXT the words are
    shown, and then the training rows (by their number, from 0) whose votes add up to the score, where the tagger asks
    rows.
    """
    model = open_model(model_path, "why", "why", _MADE_BY)
    if hasattr(model, "row_ids_"):
        (asked,), (wanted,) = known_ids([row], model.row_ids_, "row"), known_ids([col], model.col_ids_, "column")
        names = ("row", "column")
    elif hasattr(model, "words_for"):
        asked, (wanted,) = row, known_ids([col], model.label_ids_, "label")
        names = ("text", "label")
    else:
        raise InputError(
            f"{str(model_path)!r} holds a {type(model).__name__}, which reads features, not text; "
            "ask its why in Python, or give a model made by tacit fit tag."
        )
    result = model.why(asked, wanted)
    words = None if hasattr(model, "row_ids_") or model.tagger_.weighs_features else model.words_for(asked, wanted)
    shown = titles.read(form, result.ids.tolist())
    told = result if words is None else words
    listed = zip(told.ids.tolist(), told.contributions.tolist())
    lines = [{"id": one, "contribution": value, "title": shown.get(str(one), "")} for one, value in listed]
    save_table(table_path, lines, ("id", "contribution", *(("title",) if shown else ())))
    if not as_json:
        click.echo(str(_titled(result, shown) if words is None else words))
        if words is not None and len(result):
            click.echo(_votes(result))
        return
    parts = [
        {"id": one, **({"title": shown.get(str(one), "")} if shown else {}), "contribution": value}
        for one, value in zip(result.ids.tolist(), result.contributions.tolist())
    ]
    answer = dict(zip(names, (asked, wanted))) | {"score": result.total}
    if words is not None:
        answer["words"] = [
            {"word": word, "contribution": value}
            for word, value in zip(words.ids.tolist(), words.contributions.tolist())
        ]
    print_json(answer | {"remainder": result.remainder, "because": parts})


def _titled(result: "Evidence", titles: Mapping[str, str]) -> "Evidence":
    """With titles beside the ids."""
    if not titles:
        return result
    import numpy as np

    named = [f"{one}  {titles.get(str(one), '')}".rstrip() for one in result.ids.tolist()]
    return replace(result, ids=np.array(named, dtype=object))


def _votes(result: "Evidence") -> str:
    """The strongest of what sums to the score: training rows, or the members of a blend."""
    rows = result.ids.dtype.kind == "i"
    rest = result.contributions[MOST_SHOWN:]
    if len(rest):
        more = float(rest.sum()) + result.remainder
        named = f"{len(rest)} more; --json shows all"
        first, most = result.ids[:MOST_SHOWN], result.contributions[:MOST_SHOWN]
        result = replace(result, ids=first, contributions=most, remainder=more, remainder_is=named)
    _, *lines = str(result).splitlines()
    whose = "training rows, numbered from 0" if rows else "members of the blend"
    return "\n".join([f"the same by {whose}", *lines])
