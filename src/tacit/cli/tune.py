"""``tacit tune``: the best recommender that a budget of time or trials finds."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from tacit.cli.options import ModelOutput, json_option, model_output_option
from tacit.cli.output import print_facts, print_json, print_table
from tacit.cli.sides import Sides, side_options
from tacit.cli.source import Source, source_options
from tacit.cli.tables import save_table, table_option
from tacit.errors import InputError

_SHOWN = 5


@click.command("tune")
@source_options
@model_output_option
@side_options
@click.option("--seconds", type=float, help="Stop in time to be done after so many seconds.")
@click.option("--trials", type=int, help="Try so many settings.")
@click.option(
    "--fixed", multiple=True, metavar="NAME", help="A parameter that stays as it is; may be given repeatedly."
)
@click.option("--factors", type=int, help="Factors of the first trial.")
@click.option("--held-out", default=0.1, show_default=True, help="Share of the positives on which trials are compared.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same trials.")
@click.option("--threads", default=0, show_default=True, help="Cores to use; 0 is all.")
@table_option
@json_option
def command(
    source: Source,
    model_output: ModelOutput,
    sides: Sides,
    seconds: float | None,
    trials: int | None,
    fixed: tuple[str, ...],
    factors: int | None,
    held_out: float,
    seed: int,
    threads: int,
    table_path: Path | None,
    as_json: bool,
) -> None:
    """Search for good parameters of a recommender of TABLE, fit it with the best, and save it.

    Trials are compared on positives that are held out; the table of all trials can be written with --save-table.
    """
    from tacit import FactorRecommender, tune

    if seconds is None and trials is None:
        raise InputError("tacit tune needs a budget: --seconds N, --trials N, or both.")
    start: dict[str, Any] = {"threads": threads} | ({} if factors is None else {"factors": factors})
    result = tune(
        sides.beside(source.read()),
        seconds=seconds,
        trials=trials,
        model=FactorRecommender(**start),
        fixed=fixed,
        held_out=held_out,
        seed=seed,
        progress=False if as_json else None,
    )
    model_output.save(result.model)
    save_table(table_path, result.table, result.table[0])
    if as_json:
        learned = {name: asdict(one) for name, one in result.sensitivity.items()}
        answer = {
            "model": str(model_output.path),
            "best": result.best,
            "held_out_ndcg": result.score,
            "trials": result.table,
        }
        print_json(answer | {"sensitivity": learned})
        return
    best = sorted(result.table, key=lambda trial: -trial["score"])[:_SHOWN]
    names = [*result.best, "score"]
    print_table(names, [[_shown(trial[name]) for name in names] for trial in best], texts=0)
    print_facts(
        {
            "tried": f"{len(result.table)} settings, held-out NDCG@10 {result.table[0]['score']:.4f} at first, "
            f"{result.score:.4f} at best",
            **{f"by {name}": str(one) for name, one in result.sensitivity.items()},
            "saved to": model_output.saved_to,
            "now try": model_output.next_command("recommend", "ROW"),
        }
    )


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
