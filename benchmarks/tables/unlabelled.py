"""Where unlabelled rows help: the gain over the same method from labelled rows only, set by set."""

from statistics import mean, stdev
from typing import Any

from benchmarks.tables import table

PAIRS = {
    "loss and γ chosen": ("OrdinalRanker", "labelled rows only"),
    "squared loss": ("squared loss, exact", "squared loss, labelled rows only"),
}


def gains(figures: dict[str, Any]) -> str:
    """Mean gain in AUC over the draws, its standard error, how many draws gained, and a word on it."""
    rows = [
        [name, kind, *_judged(found["auc"], better, plain)]
        for name, found in figures.items()
        for kind, (better, plain) in PAIRS.items()
    ]
    return table(["set", "method", "gain in AUC ± standard error", "draws", "unlabelled rows"], rows)


def _judged(areas: dict[str, list[float]], better: str, plain: str) -> list[str]:
    found = [a - b for a, b in zip(areas.get(better, []), areas.get(plain, []))]
    if len(found) < 2:
        return ["not run", "–", "–"]
    error = stdev(found) / len(found) ** 0.5
    word = "no difference seen"
    if not any(found):
        word = "never chosen"
    elif abs(mean(found)) > 2 * error:
        word = "help" if mean(found) > 0 else "harm"
    counts = f"{sum(gain > 0 for gain in found)} up, {sum(gain < 0 for gain in found)} down of {len(found)}"
    return [f"{mean(found):+.4f} ± {error:.4f}", counts, word]


def missing(figures: dict[str, Any]) -> list[str]:
    """One sentence for every method that could not run on a set."""
    return [
        f"{method} has no figure on {name}: {reason}"
        for name, found in figures.items()
        for method, reason in found.get("missing", {}).items()
    ]
