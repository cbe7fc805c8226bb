"""``tacit fit grade``: ordered grades from few graded rows."""

import time
from collections.abc import Callable
from typing import Any

import click

from tacit.cli.cluster_options import Workers, cluster_options
from tacit.cli.graded_rows import GradedRows, graded_rows_options, ranker_options
from tacit.cli.options import ModelOutput, json_option, model_output_option
from tacit.cli.output import print_facts, print_json


@click.command("grade")
@graded_rows_options
@model_output_option
@ranker_options
@cluster_options
@json_option
def command(
    rows: GradedRows,
    model_output: ModelOutput,
    make_model: Callable[..., Any],
    workers: Workers,
    as_json: bool,
) -> None:
    """Learn to grade the rows of TABLE (CSV, TSV, Parquet, JSON lines, a database) from those that have a grade.

    Every column of numbers is a feature. Rows without a grade are learned from too, where that shows a gain.
    """
    progress = False if as_json else None
    if workers:
        grades, classes = rows.read_grades()
        began = time.perf_counter()
        model = make_model(classes=classes, progress=progress)
        model = workers.fit(model, rows.table, grade=rows.grade, leave=rows.leave)
        names = model.feature_names_in_.tolist()
    else:
        features, grades, classes = rows.read()
        began = time.perf_counter()
        model, names = make_model(classes=classes, progress=progress).fit(features, grades), features.columns
    seconds = time.perf_counter() - began
    model_output.save(model)
    known = sum(value is not None and value != -1 for value in grades)
    outcome: dict[str, Any] = {
        "model": str(model_output.path),
        "rows": len(grades),
        "graded": known,
        "features": names,
        "grades": model.classes_.tolist(),
        "thresholds": model.thresholds_.tolist(),
        "auc": model.selection_.get("auc"),
        "auc_graded_rows_only": model.selection_.get("auc_labelled_only"),
        "unlabelled_weight": model.unlabelled_weight_.tolist(),
        "seconds": round(seconds, 3),
        "bytes": model_output.bytes,
    }
    if as_json:
        print_json(outcome)
        return
    facts = {
        "learned": f"{' < '.join(map(str, outcome['grades']))} from {known:,} graded of {len(grades):,} rows",
        "features": ", ".join(names),
    }
    if outcome["auc"] is not None:
        plain = outcome["auc_graded_rows_only"]
        alone = f"; {plain:.4f} from graded rows alone" if plain is not None else ""
        facts["held out"] = f"ordinal AUC {outcome['auc']:.4f}{alone}"
    facts |= {
        "took": f"{seconds:.2f} s",
        "saved to": model_output.saved_to,
        "go on with": model_output.next_command("grade", "NEW-ROWS.csv"),
    }
    print_facts(facts)
