"""When which recommender wins, from ``results/full-rank.json``: docs/figures/which-model.svg.

python -m benchmarks.peers.full_rank_figures
"""

from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from benchmarks import results

FIGURES = results.FOLDER.parents[1] / "docs" / "figures"
MODELS = {"its FactorRecommender": "o", "its LinearRecommender": "s", "BlendRecommender()": "*"}
COLOURS = {"its FactorRecommender": "#64748b", "its LinearRecommender": "#0f766e", "BlendRecommender()": "#c2410c"}

# The same figures give the same file.
matplotlib.rcParams["svg.hashsalt"] = "tacit"


def draw(sets: dict[str, dict[str, Any]]) -> None:
    """NDCG@10 over that of the better single model, against the density and the number of columns."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained", sharey=True)
    for axis, (label, place) in zip(axes, PLACES.items()):
        for name, data in sets.items():
            reached = {model: data["methods"][model]["ndcg@10"] for model in MODELS}
            best = max(reached["its FactorRecommender"], reached["its LinearRecommender"])
            x = place(data)
            for model, mark in MODELS.items():
                axis.plot(x, reached[model] / best, mark, color=COLOURS[model], markersize=8, linestyle="")
            low = min(reached.values()) / best
            axis.annotate(name, (x, low), (0, -12), textcoords="offset points", fontsize=7, ha="center")
        axis.axhline(1.0, color="#cccccc", linewidth=1, zorder=0)
        axis.set(xscale="log", xlabel=label)
        axis.margins(x=0.15, y=0.12)
    axes[0].set_ylabel("NDCG@10 over the better of factors and linear")
    for model, mark in MODELS.items():
        axes[1].plot([], [], mark, color=COLOURS[model], label=model.removeprefix("its "), linestyle="")
    axes[1].legend(fontsize=8, loc="lower left")
    FIGURES.mkdir(parents=True, exist_ok=True)
    figure.savefig(FIGURES / "which-model.svg", metadata={"Date": None})
    plt.close(figure)


PLACES = {
    "density: positives over cells": lambda data: data["train"] / (data["rows"] * data["columns"]),
    "columns in the catalogue": lambda data: data["columns"],
}


def main() -> None:
    draw(results.read("full-rank")["figures"]["sets"])


if __name__ == "__main__":
    main()
