"""``tacit fit recommend``: learn who may want what from what they have."""

import shlex
import time
from pathlib import Path
from typing import Any

import click

from tacit.cli.cluster_options import Workers, cluster_options
from tacit.cli.options import ModelOutput, OutputFile, json_option, model_output_option, recommender_options, was_given
from tacit.cli.output import print_facts, print_json, was_interrupted
from tacit.cli.recommender_choice import choice_of, chosen_method, method_option, new_recommender, options_of_factors
from tacit.cli.sides import GivenTables, Sides, given_options, side_options
from tacit.cli.source import Source, source_options
from tacit.errors import InputError


@click.command("recommend")
@source_options
@model_output_option
@side_options
@given_options
@click.option("--report-gain", is_flag=True, help="Also measure held out whether features and graphs help.")
@method_option
@click.option("--exponents", type=float, nargs=3, metavar="IN ROW OUT",
              help="Of sparse linear weights; chosen on held-out pairs where not given.")  # fmt: skip
@click.option("--seconds", default=300.0, show_default=True,
              help="Budget of time for a blend's choice; nothing more is tried once it has passed.")  # fmt: skip
@recommender_options
@cluster_options
@click.option("--checkpoint", type=OutputFile("checkpoint"), help="File from which an interrupted fit resumes.")
@json_option
def command(
    source: Source,
    model_output: ModelOutput,
    sides: Sides,
    given: GivenTables,
    report_gain: bool,
    method: str | None,
    exponents: tuple[float, float, float] | None,
    seconds: float,
    parameters: dict[str, Any],
    workers: Workers,
    checkpoint: Path | None,
    as_json: bool,
) -> None:
    """Learn from TABLE, which has one line per pair: who took what.

    TABLE is a path or a pattern of CSV, TSV, Parquet or JSON lines (text also .gz, .zst, .xz), an SVMlight file, or
    the URI of an SQLite or PostgreSQL database with --query.

    Without --method, factors and linear weights both learn, and held-out pairs choose between them or how to add
    them up. The other options, but for --seed, --threads and --col-features, are those of factors.

    Ctrl-C ends training of factors after the current sweep and saves what was learned so far.
    """
    if report_gain and not sides:
        raise InputError("--report-gain compares with and without features and graphs; give some.")
    progress = False if as_json else None
    if exponents is not None and method != "linear":
        raise InputError("--exponents is for --method linear; leave it out, or choose that method.")
    if workers:
        workers.require_plain(source, bool(sides or given))
        method = method or "factors"
        _refuse_seconds(method)
        began = time.perf_counter()
        model: Any = new_recommender(method, parameters, seconds=seconds, exponents=exponents)
        if method == "factors":
            model.set_params(progress=progress, checkpoint=checkpoint)
        model = workers.fit_positives(model, source)
        shape, nnz = model.seen_.shape, model.seen_.nnz
        _tell(model, method, model_output, shape, nnz, time.perf_counter() - began, parameters, as_json)
        return
    data = sides.beside(source.read())
    only = _options_of_factors(parameters, sides, report_gain, checkpoint, data) + given.typed()
    method = chosen_method(method, only)
    _refuse_seconds(method)
    began = time.perf_counter()
    model = new_recommender(method, parameters, seconds=seconds, exponents=exponents)
    if method == "factors":
        model.set_params(progress=progress, checkpoint=checkpoint).fit(
            data, report_gain=report_gain, **given.for_fit(data)
        )
    else:
        model.fit(data)
    elapsed = time.perf_counter() - began
    _tell(model, method, model_output, data.shape, data.nnz, elapsed, parameters, as_json, report_gain)


def _tell(
    model: Any,
    method: str,
    model_output: ModelOutput,
    shape: tuple[int, int],
    positives: int,
    elapsed: float,
    parameters: dict[str, Any],
    as_json: bool,
    report_gain: bool = False,
) -> None:
    """Save the model and say what was learned."""
    model_output.save(model)
    about = {
        "model": str(model_output.path),
        "method": method,
        "rows": shape[0],
        "columns": shape[1],
        "positives": positives,
        "seconds": round(elapsed, 3),
        "bytes": model_output.bytes,
        "interrupted": was_interrupted(),
    }
    outcome = about | (_of_factors(model, parameters, report_gain) if method == "factors" else choice_of(model))
    if as_json:
        print_json(outcome)
        return
    _print_summary(outcome, model, model_output)


def _refuse_seconds(method: str) -> None:
    if method != "blend" and was_given("seconds"):
        raise InputError(f"--seconds is the budget of --method blend, not of {method}; leave it out.")


def _options_of_factors(
    parameters: dict[str, Any], sides: Sides, report_gain: bool, checkpoint: Path | None, data: Any
) -> list[str]:
    """What was typed that factors alone understand, sides included."""
    typed = [option for option in sides.typed() if option != "--col-features"]
    typed += ["--report-gain"] * report_gain + ["--checkpoint"] * (checkpoint is not None)
    return options_of_factors(parameters, data) + typed


def _of_factors(model: Any, parameters: dict[str, Any], report_gain: bool) -> dict[str, Any]:
    last = model.history_[-1] if model.history_ else {}
    return {
        "factors": parameters["factors"],
        "sweeps": len(model.history_),
        "objective": last.get("objective"),
        **({"held_out_ndcg": max(r["held_out_ndcg"] for r in model.history_)} if parameters["held_out"] else {}),
        **({"gain": model.gain_} if report_gain else {}),
    }


def _print_summary(outcome: dict[str, Any], model: Any, model_output: ModelOutput) -> None:
    rows, columns, positives = (f"{outcome[name]:,}" for name in ("rows", "columns", "positives"))
    if outcome["method"] == "factors":
        objective = "" if outcome["objective"] is None else f", objective {outcome['objective']:.6g}"
        held_out = f", held-out NDCG@10 {outcome['held_out_ndcg']:.4f}" if "held_out_ndcg" in outcome else ""
        training = {
            "with": f"{outcome['factors']} factors, {outcome['sweeps']} sweeps in {outcome['seconds']:.1f} s"
            f"{objective}{held_out}"
        }
    else:
        training = {"with": f"{type(model).__name__} in {outcome['seconds']:.1f} s", "why": outcome["sentence"]}
    someone = shlex.quote(str(model.row_ids_.all()[:1].tolist()[0]))
    print_facts(
        {
            "learned": f"{rows} rows × {columns} columns, {positives} positives",
            **training,
            **({"sides": model.gain_["sentence"]} if "gain" in outcome else {}),
            "saved to": model_output.saved_to,
            "now try": model_output.next_command("recommend", someone),
        }
    )
