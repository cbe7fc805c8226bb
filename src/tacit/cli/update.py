"""``tacit update``: take new interactions into a saved recommender without training it anew."""

from pathlib import Path
from typing import Any

import click

from tacit.cli.models import as_known, open_model, say_respelled
from tacit.cli.options import OutputFile, json_option
from tacit.cli.output import print_json, say
from tacit.cli.source import Source, source_options

ENOUGH = 20
"""Events of a table from which it is telling that all of them weigh 1."""


@click.command("update")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@source_options
@click.option(
    "-o", "--output", "output", type=OutputFile("model"), help="File of the updated model; MODEL itself by default."
)
@json_option
def command(model_path: Path, source: Source, output: Path | None, as_json: bool) -> None:
    """Merge TABLE, one line per pair, into the histories that MODEL knows.

    Each row that TABLE names is placed anew by its whole history, as fold_in would; unknown rows and columns join. A
    pair that MODEL knows gains the weight that TABLE gives it, so that a table taken in twice counts twice. All else
    stays as it was trained: once in a while train anew.
    """
    import numpy as np

    from tacit import model_file

    model = open_model(model_path, "update", "add", "tacit fit recommend")
    data = source.read()
    known = len(model.row_ids_), len(model.col_ids_)
    rows = as_known(data.row_ids.all().tolist(), model.row_ids_)
    cols = np.array(as_known(data.col_ids.all().tolist(), model.col_ids_), dtype=object)
    say_respelled(rows, model.row_ids_, "rows")
    say_respelled(cols.tolist(), model.col_ids_, "columns")
    _say_other_weights(model.seen_.data, data.matrix.data)
    given = []
    for number in np.flatnonzero(np.diff(data.matrix.indptr)).tolist():
        span = slice(data.matrix.indptr[number], data.matrix.indptr[number + 1])
        given.append((rows[number], cols[data.matrix.indices[span]].tolist(), data.matrix.data[span]))
    again = sum(len(_had(model, row).intersection(named)) for row, named, _ in given)
    for row, named, weights in given:
        model.add(row, named, weights)
    target = output or model_path
    model.save(target, notes=model_file.about(model_path)["notes"])
    outcome = {
        "model": str(target),
        "events": data.nnz,
        "known_events": again,
        "rows": len(rows),
        "new_rows": len(model.row_ids_) - known[0],
        "new_columns": len(model.col_ids_) - known[1],
    }
    if as_json:
        print_json(outcome)
        return
    click.echo(
        f"{target}: {outcome['events']:,} events of {outcome['rows']:,} rows taken in; "
        f"{_counted(outcome['new_rows'], 'row')} and {_counted(outcome['new_columns'], 'column')} joined"
    )
    if again:
        which = "all of them were" if again == data.nnz else f"{again:,} of them {'was' if again == 1 else 'were'}"
        weigh = "weighs" if again == 1 < data.nnz else "weigh"
        taken = "; if TABLE was taken in before, its events now count twice" if again == data.nnz else ""
        say(f"{which} known before, and {weigh} that much more now{taken}.")


def _counted(number: Any, word: str) -> str:
    return f"{number:,} {word}{'s' * (number != 1)}"


def _say_other_weights(known: Any, given: Any) -> None:
    """Say when TABLE weighs events by another measure than MODEL was trained on."""
    import numpy as np

    if not len(known) or not len(given):
        return
    before, now = float(np.median(known)), float(np.median(given))
    low, high = sorted((before, now))
    one_is_plain = (known.max() == known.min() == 1) != (given.max() == given.min() == 1)
    if high > 10 * low or (one_is_plain and high > 1 and len(given) >= ENOUGH):
        say(
            f"the weights of TABLE (median {now:g}) are of another kind than those of MODEL (median {before:g}); check "
            "that --weight is the column that MODEL was trained on."
        )


def _had(model: Any, row: Any) -> set[Any]:
    """The columns that a row has; none where the row is new."""
    return set(model.positives_of(row)[0]) if model.row_ids_.numbers([row])[0] >= 0 else set()
