"""``tacit info``: what a model file holds, without using it."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from tacit.cli.options import json_option
from tacit.cli.output import print_facts, print_json, size
from tacit.cli.recommender_choice import choice_of

_SIZES = {
    "row_ids_": "rows",
    "col_ids_": "columns",
    "user_ids_": "users",
    "item_ids_": "items",
    "words_": "words",
    "classes_": "labels",
    "n_ratings_": "ratings",
    "n_features_in_": "features",
}
_METRICS = ("objective", "held_out_ndcg", "auc", "auc_labelled_only", "mae")


@click.command("info")
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@json_option
def command(model_path: Path, as_json: bool) -> None:
    """Show what MODEL is: its kind, version, date, sizes, measures, parameters, checksum, choice and notes.

    The file is checked as any verb would check it. Notes are what was said with --notes when it was trained.
    """
    from tacit import load, model_file

    about = model_file.about(model_path)
    model = load(model_path)
    facts: dict[str, Any] = {
        "kind": about["kind"],
        "version": about["version"],
        "written": datetime.fromtimestamp(model_path.stat().st_mtime, UTC).isoformat(timespec="seconds"),
        "bytes": model_path.stat().st_size,
        "sha256": _checksum(model_path),
        "sizes": _sizes(model),
        "measures": _measures(model),
        "chosen": choice_of(model)["sentence"] if hasattr(model, "validation_") and hasattr(model, "col_ids_") else "",
        "parameters": _differing(model),
        "notes": about["notes"],
    }
    if as_json:
        print_json(facts)
        return
    written = facts["written"][:16].replace("T", " ")
    shown = {
        "kind": f"{facts['kind']}, written by Tacit {facts['version']} on {written} UTC",
        "size": size(facts["bytes"]),
        "holds": ", ".join(f"{count:,} {name}" for name, count in facts["sizes"].items()) or "–",
        "measures": ", ".join(f"{name} {value:.6g}" for name, value in facts["measures"].items()) or "–",
        "parameters": ", ".join(f"{name} {value}" for name, value in facts["parameters"].items()) or "all by default",
        "sha256": facts["sha256"],
    }
    print_facts(shown | {name: facts[name] for name in ("chosen", "notes") if facts[name]})


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sizes(model: Any) -> dict[str, int]:
    result: dict[str, int] = {}
    for name, what in _SIZES.items():
        value = getattr(model, name, None)
        if value is not None:
            result[what] = int(value) if isinstance(value, int) else len(value)
    seen = getattr(model, "seen_", None)
    return result | ({} if seen is None else {"positives": int(seen.nnz)})


def _measures(model: Any) -> dict[str, float]:
    """The last of what training reported, and what selection saw, where the file keeps it."""
    history = getattr(model, "history_", None) or []
    reported = dict(history[-1]) if history else {}
    reported |= getattr(model, "selection_", None) or {}
    return {name: float(reported[name]) for name in _METRICS if isinstance(reported.get(name), int | float)}


def _differing(model: Any) -> dict[str, Any]:
    """Parameters that are not the default."""
    from tacit.estimators.values import RUNTIME

    defaults = type(model)().get_params(deep=False)
    given = model.get_params(deep=False)
    return {name: value for name, value in given.items() if name not in RUNTIME and value != defaults.get(name)}
