"""``tacit index``: build the approximate index of a saved recommender's columns."""

import time
from pathlib import Path

import click

from tacit.cli.models import open_model
from tacit.cli.options import OutputFile, json_option
from tacit.cli.output import print_json


@click.command("index")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.option("--recall", default=0.95, show_default=True, help="Share of the true best that lists must hold.")
@click.option(
    "-o", "--output", "output", type=OutputFile("model"), help="File of the indexed model; MODEL itself by default."
)
@json_option
def command(model_path: Path, recall: float, output: Path | None, as_json: bool) -> None:
    """Let MODEL find lists and neighbours among millions of columns without looking at all of them.

    The recall that is really reached is measured, printed and stored. Below some hundred thousand columns the exact
    search is quick enough without.
    """
    from tacit import model_file

    model = open_model(model_path, "index", "index_cols", "tacit fit recommend --method factors")
    began = time.perf_counter()
    model.index_cols(recall=recall)
    target = output or model_path
    model.save(target, notes=model_file.about(model_path)["notes"])
    index = model.col_index_
    outcome = {
        "model": str(target),
        "columns": len(model.col_ids_),
        "recall": {"recommend": index.recommend.recall(1), "similar": index.similar.recall(1)},
        "lists": {"recommend": len(index.recommend.centres), "similar": len(index.similar.centres)},
        "seconds": round(time.perf_counter() - began, 3),
    }
    if as_json:
        print_json(outcome)
        return
    click.echo(f"{target}: {index}")
