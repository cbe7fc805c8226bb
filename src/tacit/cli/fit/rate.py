"""``tacit fit rate``: learn from a table of ratings."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.options import ModelOutput, json_option, model_output_option
from tacit.cli.output import print_facts, print_json
from tacit.cli.rating_models import rating_options
from tacit.cli.rating_table import RatingTable, rating_table_options
from tacit.cli.tables import Titles, titles_option
from tacit.errors import InputError
from tacit.report.plain import visible

if TYPE_CHECKING:
    from tacit.estimators.ranked import Ranked


@click.command("rate")
@rating_table_options
@model_output_option
@click.option("--passes", default=1, show_default=True, type=click.IntRange(1),
              help="Times over the table; the error that is shown is the first one's.")  # fmt: skip
@click.option("--topics", default=0, show_default=True, help="Print so many items of each factor.")
@titles_option
@rating_options
@json_option
def command(
    ratings: RatingTable,
    model_output: ModelOutput,
    passes: int,
    topics: int,
    titles: Titles,
    make_model: Callable[[], Any],
    as_json: bool,
) -> None:
    """Learn to rate from TABLE (CSV, TSV, Parquet, JSON lines, a database), in its order, once or several times.

    The error that is shown is that of predictions made before each rating was seen.
    """
    from tacit.metrics.ratings import mae, rmse

    if titles.table is not None and not topics:
        raise InputError("--titles names the items of --topics, and none are asked for; add --topics, or leave it out.")
    columns = ratings.read()
    model = make_model()
    began = time.perf_counter()
    predictions = model.predict_then_learn(*columns)
    for _ in range(passes - 1):
        model.partial_fit(*columns)
    seconds = time.perf_counter() - began
    model_output.save(model)
    actual = columns[2]
    outcome: dict[str, Any] = {
        "model": str(model_output.path),
        "ratings": len(actual),
        "passes": passes,
        "users": len(model.user_ids_),
        "items": len(model.item_ids_),
        "mae": mae(actual, predictions),
        "rmse": rmse(actual, predictions),
        "seconds": round(seconds, 3),
        "bytes": model_output.bytes,
    }
    if topics:
        outcome["topics"] = _named(model.topics(topics), titles)
    if as_json:
        print_json(outcome)
        return
    print_facts(
        {
            "learned": f"{outcome['ratings']:,} ratings of {outcome['items']:,} items by {outcome['users']:,} users"
            + (f", {passes} times" if passes > 1 else ""),
            "error": f"MAE {outcome['mae']:.4f}, RMSE {outcome['rmse']:.4f}, each predicted before it was seen",
            "took": f"{outcome['seconds']:.2f} s",
            "saved to": model_output.saved_to,
            "go on with": model_output.next_command("stream -o", "NEW-RATINGS.csv"),
        }
    )
    for number, names in enumerate(outcome.get("topics", ()), start=1):
        click.echo(f"\ntopic {number}")
        for name in names:
            click.echo(f"  {visible(name)}")


def _named(result: "Ranked", titles: Titles) -> list[list[str]]:
    """The items of each topic by their titles, or by their ids."""
    names = titles.read(known=result.ids[result.filled].tolist())
    rows = zip(result.ids.tolist(), result.filled.tolist())
    return [[names.get(str(ident), str(ident)) for ident, filled in zip(ids, fill) if filled] for ids, fill in rows]
