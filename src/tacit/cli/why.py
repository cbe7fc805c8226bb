"""``tacit why``: what speaks for a recommendation, or for a label of a text."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.models import known_ids, open_model
from tacit.cli.options import json_option
from tacit.cli.output import print_json
from tacit.cli.tables import Titles, save_table, titled_answer_options
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
@click.option(
    "--rows", "rows_table", metavar="TABLE", help="The table that a tagger learned from; --id names its rows."
)
@click.option("--id", "row_id", metavar="NAME", help="Column of --rows that names the rows.")
@titled_answer_options
@json_option
def command(
    model_path: Path,
    row: str,
    col: str,
    rows_table: str | None,
    row_id: str | None,
    titles: Titles,
    form: "TextForm",
    table_path: Path | None,
    as_json: bool,
) -> None:
    """Show what adds up to a score in a saved MODEL.

    The score of COLUMN for ROW is the sum of what each thing that the row has adds. For LABEL of TEXT the words are
    shown, and then the training rows whose votes add up to the score, where the tagger asks rows: by their numbers,
    from 0, or by the names that --rows and --id give them.
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
    if (rows_table is None) != (row_id is None):
        raise InputError(
            "--rows and --id go together: the table that the tagger learned from, and its column of names."
        )
    result = model.why(asked, wanted)
    if rows_table is not None and row_id is not None:
        result = _named(result, _names_of_rows(model, rows_table, row_id, form))
    words = None if hasattr(model, "row_ids_") or model.tagger_.weighs_features else model.words_for(asked, wanted)
    shown = titles.read(form, result.ids.tolist())
    told = result if words is None else words
    listed = zip(told.ids.tolist(), told.contributions.tolist())
    lines = [{"id": one, "contribution": value, "title": shown.get(str(one), "")} for one, value in listed]
    save_table(table_path, lines, ("id", "contribution", *(("title",) if shown else ())))
    if not as_json:
        click.echo(str(_titled(result, shown) if words is None else words))
        if words is not None and len(result):
            click.echo(_votes(result, row_id is not None))
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


def _names_of_rows(model: Any, table: str, column: str, form: "TextForm") -> list[str]:
    """The names of a tagger's training rows, in the order in which it learned them."""
    from tacit.data.readers import read_frame

    learned = model.tagger_.rows_seen_ if hasattr(model, "tagger_") else 0
    names: list[str] = read_frame(
        table, {"--id": column}, [column], text=[column], name=repr(table), form=form
    )[column].to_list()  # fmt: skip
    if len(names) != learned:
        raise InputError(
            f"--rows: {table!r} has {len(names):,} rows, but the model learned from {learned:,}; give the table that "
            "it learned from."
        )
    points = getattr(model.tagger_, "points_", None)
    if points is not None and points.shape[0] != learned:
        raise InputError("--rows: this tagger asks landmarks, which stand for many rows each; leave --rows out.")
    return names


def _named(result: "Evidence", names: list[str]) -> "Evidence":
    """With names in the place of numbers of training rows; members of a blend and words stay."""
    import numpy as np

    if result.ids.dtype.kind != "i":
        return result
    return replace(result, ids=np.array([names[number] for number in result.ids.tolist()], dtype=object))


def _titled(result: "Evidence", titles: Mapping[str, str]) -> "Evidence":
    """With titles beside the ids."""
    if not titles:
        return result
    import numpy as np

    named = [f"{one}  {titles.get(str(one), '')}".rstrip() for one in result.ids.tolist()]
    return replace(result, ids=np.array(named, dtype=object))


def _votes(result: "Evidence", named: bool) -> str:
    """The strongest of what sums to the score: training rows, or the members of a blend."""
    rows = result.ids.dtype.kind == "i" or named
    rest = result.contributions[MOST_SHOWN:]
    if len(rest):
        more = float(rest.sum()) + result.remainder
        others = f"{len(rest)} more; --json shows all"
        first, most = result.ids[:MOST_SHOWN], result.contributions[:MOST_SHOWN]
        result = replace(result, ids=first, contributions=most, remainder=more, remainder_is=others)
    _, *lines = str(result).splitlines()
    by_number = "" if named else ", numbered from 0"
    whose = f"training rows{by_number}" if rows else "members of the blend"
    return "\n".join([f"the same by {whose}", *lines])
