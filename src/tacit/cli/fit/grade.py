"""``tacit fit grade``: ordered grades from few graded rows."""

import shlex
import time
from pathlib import Path
from typing import Any

import click

from tacit.cli.grade_table import read_features
from tacit.cli.options import json_option, model_output_option, seed_option, threads_option
from tacit.cli.output import print_facts, print_json, size
from tacit.errors import InputError

RULES = ("absolute", "squared", "kappa", "accuracy")


@click.command("grade")
@click.argument("table")
@model_output_option
@click.option(
    "--grade", default="grade", show_default=True, metavar="NAME", help="Column of the grade; empty or -1 is ungraded."
)
@click.option("--order", metavar="A,B,…", help="The grades, lowest first; without it numbers by size.")
@click.option("--leave", multiple=True, metavar="NAME", help="A column that is no feature, such as an id.")
@click.option("--query", help="What to ask, when TABLE is a database.")
@click.option("--kernel", type=click.Choice(["gaussian", "laplacian", "linear"]), default="gaussian", show_default=True,
              help="Shape of the score.")  # fmt: skip
@click.option("--solver", type=click.Choice(["auto", "exact", "stochastic"]), default="auto", show_default=True,
              help="All pairs at once, or by steps.")  # fmt: skip
@click.option("--frequencies", default=512, show_default=True, help="Random frequencies.")
@click.option("--unlabelled-weight", type=float, help="Weight of pairs with ungraded rows, 0 to 1; chosen by default.")
@click.option("--thresholds", "threshold_rule", type=click.Choice(RULES), default="absolute", show_default=True,
              help="What the cuts between grades make best.")  # fmt: skip
@seed_option
@threads_option
@json_option
def command(
    table: str,
    model_path: Path,
    grade: str,
    order: str | None,
    leave: tuple[str, ...],
    query: str | None,
    kernel: str,
    solver: str,
    frequencies: int,
    unlabelled_weight: float | None,
    threshold_rule: str,
    seed: int,
    threads: int,
    as_json: bool,
) -> None:
    """Learn to grade the rows of TABLE (CSV, TSV, Parquet, JSON lines, a database) from those that have a grade.

    Every column of numbers is a feature. Rows without a grade are learned from too, where that shows a gain.
    """
    from tacit import OrdinalRanker

    features, frame = read_features(table, query, leave=(grade, *leave))
    grades, classes = read_order(frame[grade], order)
    began = time.perf_counter()
    model = OrdinalRanker(
        kernel,  # type: ignore[arg-type]
        solver=solver,  # type: ignore[arg-type]
        frequencies=frequencies,
        unlabelled_weight=unlabelled_weight,
        threshold_rule=threshold_rule,  # type: ignore[arg-type]
        classes=classes,
        random_state=seed,
        threads=threads,
        progress=False if as_json else None,
    ).fit(features, grades)
    seconds = time.perf_counter() - began
    model.save(model_path)
    known = sum(value is not None and value != -1 for value in grades)
    outcome: dict[str, Any] = {
        "model": str(model_path),
        "rows": len(frame),
        "graded": known,
        "features": features.columns,
        "grades": model.classes_.tolist(),
        "thresholds": model.thresholds_.tolist(),
        "auc": model.selection_.get("auc"),
        "auc_graded_rows_only": model.selection_.get("auc_labelled_only"),
        "unlabelled_weight": model.unlabelled_weight_.tolist(),
        "seconds": round(seconds, 3),
        "bytes": model_path.stat().st_size,
    }
    if as_json:
        print_json(outcome)
        return
    facts = {
        "learned": f"{' < '.join(map(str, outcome['grades']))} from {known:,} graded of {len(frame):,} rows",
        "features": ", ".join(features.columns),
    }
    if outcome["auc"] is not None:
        plain = outcome["auc_graded_rows_only"]
        alone = f"; {plain:.4f} from graded rows alone" if plain is not None else ""
        facts["held out"] = f"ordinal AUC {outcome['auc']:.4f}{alone}"
    facts |= {
        "took": f"{seconds:.2f} s",
        "saved to": f"{model_path} ({size(outcome['bytes'])})",
        "go on with": f"tacit grade {shlex.quote(str(model_path))} NEW-ROWS.csv",
    }
    print_facts(facts)


def read_order(column: Any, order: str | None) -> tuple[list[Any], list[Any] | None]:
    """Grades with None where there is none, and the classes when their order was given."""
    values = column.to_list()
    text = any(isinstance(value, str) for value in values)
    if text:
        values = [None if value is None or value.strip() in {"", "-1"} else value for value in values]
    if order is None:
        if text:
            raise InputError(f"the grades in {column.name!r} are text; say their order, as in --order poor,fair,good.")
        return values, None
    names = [name.strip() for name in order.split(",")]
    if text:
        return values, names
    try:
        return values, [int(name) for name in names]
    except ValueError:
        raise InputError(f"--order lists {order!r}, but the grades in {column.name!r} are numbers.") from None
