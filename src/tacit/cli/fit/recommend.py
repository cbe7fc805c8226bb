"""``tacit fit recommend``: learn who may want what from what they have."""

import shlex
import time
from pathlib import Path
from typing import Any

import click

from tacit.cli.options import OutputFile, json_option, model_output_option, recommender_options
from tacit.cli.output import print_facts, print_json, size, was_interrupted
from tacit.cli.sides import Sides, side_options
from tacit.cli.source import Source, source_options
from tacit.errors import InputError


@click.command("recommend")
@source_options
@model_output_option
@side_options
@click.option("--report-gain", is_flag=True, help="Also measure held out whether features and graphs help.")
@recommender_options
@click.option("--checkpoint", type=OutputFile("checkpoint"), help="File from which an interrupted fit resumes.")
@json_option
def command(
    source: Source,
    model_path: Path,
    notes: str,
    sides: Sides,
    report_gain: bool,
    parameters: dict[str, Any],
    checkpoint: Path | None,
    as_json: bool,
) -> None:
    """Learn from TABLE, which has one line per pair: who took what.

    TABLE is a path or a pattern of CSV, TSV, Parquet or JSON lines (text also .gz, .zst, .xz), an SVMlight file, or
    the URI of an SQLite or PostgreSQL database with --query.

    Ctrl-C ends training after the current sweep and saves what was learned so far.
    """
    from tacit import FactorRecommender

    if report_gain and not sides:
        raise InputError("--report-gain compares with and without features and graphs; give some.")
    data = sides.beside(source.read())
    began = time.perf_counter()
    progress = False if as_json else None
    model = FactorRecommender(**parameters, progress=progress, checkpoint=checkpoint)
    model.fit(data, report_gain=report_gain)
    seconds = time.perf_counter() - began
    model.save(model_path, notes=notes)
    last = model.history_[-1] if model.history_ else {}
    outcome = {
        "model": str(model_path),
        "rows": data.shape[0],
        "columns": data.shape[1],
        "positives": data.nnz,
        "factors": parameters["factors"],
        "sweeps": len(model.history_),
        "objective": last.get("objective"),
        **({"held_out_ndcg": max(r["held_out_ndcg"] for r in model.history_)} if parameters["held_out"] else {}),
        **({"gain": model.gain_} if report_gain else {}),
        "seconds": round(seconds, 3),
        "bytes": model_path.stat().st_size,
        "interrupted": was_interrupted(),
    }
    if as_json:
        print_json(outcome)
        return
    _print_summary(outcome, model)


def _print_summary(outcome: dict[str, Any], model: Any) -> None:
    rows, columns, positives = (f"{outcome[name]:,}" for name in ("rows", "columns", "positives"))
    objective = "" if outcome["objective"] is None else f", objective {outcome['objective']:.6g}"
    held_out = f", held-out NDCG@10 {outcome['held_out_ndcg']:.4f}" if "held_out_ndcg" in outcome else ""
    path = shlex.quote(outcome["model"])
    someone = shlex.quote(str(model.row_ids_.all()[:1].tolist()[0]))
    print_facts(
        {
            "learned": f"{rows} rows × {columns} columns, {positives} positives",
            "with": f"{outcome['factors']} factors, {outcome['sweeps']} sweeps in {outcome['seconds']:.1f} s"
            f"{objective}{held_out}",
            **({"sides": model.gain_["sentence"]} if "gain" in outcome else {}),
            "saved to": f"{outcome['model']} ({size(outcome['bytes'])})",
            "now try": f"tacit recommend {path} {someone}",
        }
    )
