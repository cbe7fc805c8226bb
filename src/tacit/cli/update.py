"""``tacit update``: take new interactions into a saved recommender without training it anew."""

from pathlib import Path

import click

from tacit.cli.models import as_known, open_model
from tacit.cli.options import OutputFile, json_option
from tacit.cli.output import print_json
from tacit.cli.source import Source, source_options


@click.command("update")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@source_options
@click.option(
    "-o", "--output", "output", type=OutputFile("model"), help="File of the updated model; MODEL itself by default."
)
@json_option
def command(model_path: Path, source: Source, output: Path | None, as_json: bool) -> None:
    """Merge TABLE, one line per pair, into the histories that MODEL knows.

    Each row that TABLE names is placed anew by its whole history, as fold_in would; unknown rows and columns join. All
    else stays as it was trained: once in a while train anew.
    """
    import numpy as np

    from tacit import model_file

    model = open_model(model_path, "update", "add", "tacit fit recommend")
    data = source.read()
    known = len(model.row_ids_), len(model.col_ids_)
    rows = as_known(data.row_ids.all().tolist(), model.row_ids_)
    cols = np.array(as_known(data.col_ids.all().tolist(), model.col_ids_), dtype=object)
    for number in np.flatnonzero(np.diff(data.matrix.indptr)).tolist():
        span = slice(data.matrix.indptr[number], data.matrix.indptr[number + 1])
        model.add(rows[number], cols[data.matrix.indices[span]].tolist(), data.matrix.data[span])
    target = output or model_path
    model.save(target, notes=model_file.about(model_path)["notes"])
    outcome = {
        "model": str(target),
        "events": data.nnz,
        "rows": len(rows),
        "new_rows": len(model.row_ids_) - known[0],
        "new_columns": len(model.col_ids_) - known[1],
    }
    if as_json:
        print_json(outcome)
        return
    click.echo(
        f"{target}: {outcome['events']:,} events of {outcome['rows']:,} rows taken in; "
        f"{outcome['new_rows']:,} rows and {outcome['new_columns']:,} columns joined"
    )
