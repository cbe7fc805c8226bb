"""Draw the figures of word vectors from their results files.

    python -m benchmarks.papers.words_figures      docs/figures/words-curve.svg, docs/figures/words-weights.svg

Accuracy against time by solver, and the effect of α₀ and ρ as in Figure 4 of the fBGD paper.
"""

import json
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks import results
from benchmarks.processes import ROOT

FIGURES = ROOT / "docs" / "figures"
PARTS = ("semantic", "syntactic", "total")

# The same figures give the same file.
mpl.rcParams["svg.hashsalt"] = "tacit"


def table(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((results.FOLDER / f"{name}.json").read_text())["figures"]["table"]
    return found


def percent(rows: list[dict[str, Any]], part: str) -> list[float]:
    return [100 * row[part]["of_known"] for row in rows]


def save(figure: Figure, name: str) -> None:
    FIGURES.mkdir(exist_ok=True)
    figure.savefig(FIGURES / f"{name}.svg", metadata={"Date": None})
    print(FIGURES / f"{name}.svg")


def curve() -> None:
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="processor seconds in sweeps", ylabel="analogies, % of known", xscale="log")
    for solver in dict.fromkeys(row["solver"] for row in table("words-curve")):
        rows = [row for row in table("words-curve") if row["solver"] == solver]
        axes.plot([row["processor_seconds"] for row in rows], percent(rows, "total"), marker="o", label=solver)
    axes.legend()
    save(figure, "words-curve")


def weights() -> None:
    rows = table("words-weights")
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    by_total = [row for row in rows if row["frequency_exponent"] == 0.75]
    best = max(by_total, key=lambda row: row["total"]["of_known"])["unlabelled_total"]
    by_exponent = sorted(
        (row for row in rows if row["unlabelled_total"] == best), key=lambda row: row["frequency_exponent"]
    )
    for part in PARTS:
        left.plot([row["unlabelled_total"] for row in by_total], percent(by_total, part), marker="o", label=part)
        right.plot([row["frequency_exponent"] for row in by_exponent], percent(by_exponent, part), marker="o")
    left.set(xlabel="α₀ (ρ = 0.75)", ylabel="analogies, % of known", xscale="log")
    right.set(xlabel=f"ρ (α₀ = {best:g})")
    left.legend()
    save(figure, "words-weights")


if __name__ == "__main__":
    curve()
    weights()
