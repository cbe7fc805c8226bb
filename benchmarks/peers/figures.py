"""Pictures of the jobs beside their peers, and of full rank beside low rank (``python -m benchmarks.figures``)."""

from functools import partial
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from benchmarks.figures import Drawing
from benchmarks.tables.versus import COST, OURS, TITLES

MARKS = "osD^vPX<>*hp"


def versus(figures: dict[str, Any], job: str) -> Figure:
    """One panel per size; a method is a mark, ours are orange."""
    sizes = figures[job]
    names = list(dict.fromkeys(name for data in sizes.values() for name in data["methods"]))
    greys = [f"#{shade}{shade}{shade}" for shade in ("22", "44", "66", "88", "aa", "bb", "cc", "dd")]
    oranges = ["#7c2d12", "#c2410c", "#f97316", "#fdba74"]
    colours = {}
    for name in names:
        ours = name.startswith(OURS)
        colours[name] = (oranges if ours else greys).pop(0)
    figure = Figure(figsize=(4.2 * len(sizes) + 2.4, 3.4), layout="constrained")
    axes = figure.subplots(1, len(sizes), squeeze=False)
    for axis, (size, data) in zip(axes[0], sizes.items()):
        leading, more_is_better = next(iter(data["measures"].items()))
        for name, row in data["methods"].items():
            if "absent" not in row:
                place = (row[COST], row["measures"][leading])
                axis.plot(*place, MARKS[names.index(name)], color=colours[name], markersize=8, linestyle="")
        axis.set(xscale="log", title=size, xlabel="processor seconds to fit", ylabel=leading)
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.margins(x=0.15, y=0.15)
        if not more_is_better:
            axis.invert_yaxis()
        axis.grid(alpha=0.25)
    handles = [Line2D([], [], color=colours[name], marker=MARKS[names.index(name)], linestyle="") for name in names]
    legend = figure.legend(handles, names, loc="outside right upper", fontsize=8, title="better is up and to the left")
    legend.get_title().set_fontsize(8)
    return figure


MODELS = {"its FactorRecommender": "o", "its LinearRecommender": "s", "BlendRecommender()": "*"}
COLOURS = {"its FactorRecommender": "#64748b", "its LinearRecommender": "#0f766e", "BlendRecommender()": "#c2410c"}


def which_model(figures: dict[str, Any]) -> Figure:
    """NDCG@10 over that of the better single model, against the density and the number of columns."""
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for axis, (label, place) in zip(axes, PLACES.items()):
        for name, data in figures["sets"].items():
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
    return figure


PLACES = {
    "density: positives over cells": lambda data: data["train"] / (data["rows"] * data["columns"]),
    "columns in the catalogue": lambda data: data["columns"],
}


FIGURES = {
    **{f"versus-{job}": Drawing("versus", partial(versus, job=job)) for job in TITLES},
    "which-model": Drawing("full-rank", which_model),
}
