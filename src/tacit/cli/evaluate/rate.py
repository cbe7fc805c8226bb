"""``tacit evaluate rate``: each rating is predicted before it is learned from, beside means so far."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tacit.cli.evaluate.held_out import tell
from tacit.cli.evaluate.page import html_option, require_page, show_ids_option, write_page
from tacit.cli.evaluate.saved import refuse_beside_model
from tacit.cli.models import open_model
from tacit.cli.options import json_option
from tacit.cli.rating_models import PARAMETERS, rating_options
from tacit.cli.rating_table import RatingTable, rating_table_options
from tacit.cli.tables import table_option


@click.command("rate")
@rating_table_options
@click.option("--model", "model_path", type=click.Path(path_type=Path),
              help="A saved stream that goes on, in memory only. Without it, one begins here.")  # fmt: skip
@html_option
@show_ids_option
@table_option
@rating_options
@json_option
def command(
    ratings: RatingTable,
    model_path: Path | None,
    page: Path | None,
    show_ids: bool,
    table_path: Path | None,
    make_model: Callable[[], Any],
    as_json: bool,
) -> None:
    """Predict each rating of TABLE just before learning from it, beside the mean so far and the item's mean so far."""
    from tacit.baselines.means_so_far import means_so_far
    from tacit.metrics import mae, rmse

    require_page(show_ids, page)
    if model_path is None:
        model = make_model()
    else:
        refuse_beside_model(PARAMETERS)
        model = open_model(model_path, "evaluate rate", "predict_then_learn", "tacit fit rate or tacit stream")
    users, items, actual = ratings.read()
    began = time.perf_counter()
    predictions = {"model": model.predict_then_learn(users, items, actual)}
    seconds = time.perf_counter() - began
    predictions |= {"item's mean": means_so_far(actual, items), "mean so far": means_so_far(actual)}
    errors = {name: {"mae": mae(actual, guess), "rmse": rmse(actual, guess)} for name, guess in predictions.items()}
    outcome = {
        "ratings": len(actual),
        "users": users.n_unique(),
        "items": items.n_unique(),
        **errors,
        "seconds": round(seconds, 3),
    }
    sentence = (f"{len(actual):,} ratings of {outcome['items']:,} items by {outcome['users']:,} users, each predicted "
                f"before it was learned from, in {seconds:.1f} s")  # fmt: skip
    tell(outcome, sentence, errors, ("mae", "rmse"), table_path=table_path, as_json=as_json)
    if page is not None:
        from tacit.cli.evaluate.rate_page import LEAD, Stream, sections

        result = Stream(model, users.to_list(), items.to_list(), actual, predictions, errors, seconds, show_ids)
        write_page(page, f"Ratings from {Path(ratings.table).name}", LEAD, sections(result), silent=as_json)
