"""Pictures of ordinal grades; ``python -m benchmarks.figures`` draws them.

``grade-quality`` is the box plot of Figure 2 of the QS³ORAO paper, ``grade-size`` its Figure 1 with memory beside,
``grade-rate`` the O(1/t) of its Theorem 1. A method without figures is marked in its row.
"""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from benchmarks.figures import Drawing

SHORT = {
    "squared loss, exact": "squared, exact",
    "squared loss, labelled rows only": "squared, labelled only",
    "squared loss, stochastic": "squared, stochastic",
    "squared loss, Fourier features": "squared, Fourier",
    "labelled rows only": "… labelled only",
}

OURS = ("OrdinalRanker", "labelled", "squared")
FAR_BELOW = 0.15


def quality(figures: dict[str, Any]) -> Figure:
    """A box per method and set: quartiles, range, and the mean as a triangle; ours are coloured.

    A method far below all others (or without figures) is named in its row, so that the others can be told apart.
    """
    methods = list(dict.fromkeys(method for found in figures.values() for method in found["auc"]))
    figure = Figure(figsize=(3.9 * len(figures) + 1.6, 0.34 * len(methods) + 1.2), layout="constrained")
    panels = figure.subplots(1, len(figures), squeeze=False, sharey=True)[0]
    for axes, (name, found) in zip(panels, figures.items()):
        areas = {method: values for method, values in found["auc"].items() if values}
        middle = float(np.median([np.mean(values) for values in areas.values()]))
        shown = {method: values for method, values in areas.items() if np.mean(values) > middle - FAR_BELOW}
        boxes = axes.boxplot(
            list(shown.values()), positions=[methods.index(method) for method in shown], orientation="horizontal",
            patch_artist=True, showmeans=True, whis=(0, 100), widths=0.6, medianprops={"color": "black"},
        )  # fmt: skip
        for box, method in zip(boxes["boxes"], shown):
            box.set_facecolor("#8fb8de" if method.startswith(OURS) else "#dddddd")
        left = min(min(values) for values in shown.values())
        for place, method in enumerate(methods):
            if method not in shown:
                note = f"← {np.mean(areas[method]):.3f}" if method in areas else "not run"
                axes.text(left, place, note, fontsize=8, verticalalignment="center")
        draws = sorted({len(values) for values in areas.values()})
        count = str(draws[0]) if len(draws) == 1 else f"{draws[0]} to {draws[-1]}"
        axes.set(title=f"{name}, {count} draws", xlabel="ordinal AUC of the unlabelled rows")
        axes.set_yticks(range(len(methods)), [SHORT.get(method, method) for method in methods])
        axes.grid(axis="x", alpha=0.3)
    panels[0].invert_yaxis()
    return figure


def size(figures: dict[str, Any]) -> Figure:
    """Seconds and memory over the number of unlabelled rows; a cross where a method stops."""
    figure = Figure(figsize=(10.4, 4), layout="constrained")
    panels = figure.subplots(1, 2)
    labels = {"seconds": "seconds of training", "grown_mib": "memory that training adds, MiB"}
    for axes, (key, label) in zip(panels, labels.items()):
        for method, points in figures.items():
            shown = [(point["unlabelled"], max(point[key], 1e-2)) for point in points if key in point]
            if not shown:
                continue
            (line,) = axes.loglog(*zip(*shown), "o-", markersize=3, label=method)
            if "stopped" in points[-1]:
                axes.loglog(*shown[-1], "X", markersize=11, color=line.get_color())
        axes.set(xlabel="unlabelled rows", ylabel=label)
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.grid(alpha=0.3)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right center", fontsize=8, title="X: stops here", title_fontsize=8)
    return figure


def rate(figures: dict[str, Any]) -> Figure:
    """Mean and range over the seeds of the squared error, with the slope of the last part and 1/t."""
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    steps = np.array(figures["steps"])
    for rule in ("constant", "decay"):
        found = figures[rule]
        label = f"step {rule}: slope {found['slope_of_the_last_part']:.2f}"
        (line,) = axes.loglog(steps, found["error"], "o-", markersize=3, label=label)
        if "least" in found:
            axes.fill_between(steps, found["least"], found["most"], color=line.get_color(), alpha=0.2, linewidth=0)
    last = figures["constant"]["error"][-1]
    axes.loglog(steps, 3 * last * steps[-1] / steps, "k--", linewidth=1, label="1/t: slope −1")
    axes.set(xlabel="steps t", ylabel="squared error against the exact score, relative")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


FIGURES = {
    f"grade-{name}": Drawing(f"grade-{name}", draw, text=True)
    for name, draw in (("quality", quality), ("size", size), ("rate", rate))
}
