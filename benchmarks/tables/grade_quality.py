"""Ordinal AUC from 500 labels."""

from statistics import mean
from typing import Any

from benchmarks.tables import table
from benchmarks.tables.unlabelled import gains, missing


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    methods = list(dict.fromkeys(method for found in figures.values() for method in found["auc"]))
    best = {name: max(mean(values) for values in found["auc"].values() if values) for name, found in figures.items()}
    rows = [
        [method, *(_cell(found["auc"].get(method), best[name]) for name, found in figures.items())]
        for method in methods
    ]
    parts = [table(["mean ordinal AUC (range, draws)", *figures], rows), *missing(figures)]
    apart = [_apart(name, found["auc"]) for name, found in figures.items()]
    parts.append(f"Stochastic less exact, both with the squared loss: {', '.join(apart)}.")
    chosen = [_chosen(name, found["chosen"]) for name, found in figures.items() if found.get("chosen")]
    if chosen:
        parts.append(f"OrdinalRanker chose, {'; '.join(chosen)}.")
    parts.append(gains(figures))
    return "\n\n".join(parts)


def _cell(values: list[float] | None, best: float) -> str:
    if not values:
        return "not run"
    shown = f"**{mean(values):.4f}**" if mean(values) == best else f"{mean(values):.4f}"
    return f"{shown} ({min(values):.4f}–{max(values):.4f}, {len(values)})"


def _apart(name: str, areas: dict[str, list[float]]) -> str:
    pairs = zip(areas.get("squared loss, stochastic", []), areas.get("squared loss, exact", []))
    apart = [one - other for one, other in pairs]
    return f"{name} {mean(apart):+.4f}" if apart else f"{name} not run"


def _chosen(name: str, choices: list[dict[str, Any]]) -> str:
    logistic = sum(one["loss"] == "logistic" for one in choices)
    unlabelled = sum(one["unlabelled_weight"] > 0 for one in choices)
    return f"on {name}: the logistic loss {logistic} times and unlabelled pairs {unlabelled} times of {len(choices)}"
