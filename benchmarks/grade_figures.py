"""Draw the figures of ordinal grades from their results files.

    python benchmarks/grade_figures.py [--quick] [--folder FOLDER]

``grade-quality.svg`` is the box plot of Figure 2 of the QS³ORAO paper, ``grade-size.svg`` its Figure 1 with memory
beside, ``grade-rate.svg`` the O(1/t) of its Theorem 1, all in ``docs/figures`` unless told otherwise. ``--quick`` draws
the figures of the quick runs. A method without figures is named below the picture.
"""

import argparse
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import results

FIGURES = Path(__file__).parent.parent / "docs" / "figures"
SHORT = {
    "squared loss, exact": "squared, exact",
    "squared loss, labelled rows only": "squared, labelled only",
    "squared loss, stochastic": "squared, stochastic",
    "squared loss, Fourier features": "squared, Fourier",
    "labelled rows only": "… labelled only",
}

# The same figures give the same file.
mpl.rcParams["svg.hashsalt"] = "tacit"
mpl.rcParams["svg.fonttype"] = "none"


def quality(figures: dict[str, Any]) -> Figure:
    """A box per method and set: quartiles, range, and the mean as a triangle; ours are coloured."""
    figure = Figure(figsize=(4.4 * len(figures) + 1.2, 4.4), layout="constrained")
    panels = figure.subplots(1, len(figures), squeeze=False)[0]
    for place, (axes, (name, found)) in enumerate(zip(panels, figures.items())):
        areas = {method: values for method, values in found["auc"].items() if values}
        names = [SHORT.get(method, method) for method in areas]
        boxes = axes.boxplot(
            list(areas.values()), tick_labels=names, orientation="horizontal", patch_artist=True, showmeans=True,
            whis=(0, 100), medianprops={"color": "black"},
        )  # fmt: skip
        for box, method in zip(boxes["boxes"], areas):
            ours = method.startswith(("OrdinalRanker", "squared", "labelled"))
            box.set_facecolor("#8fb8de" if ours else "#dddddd")
        axes.invert_yaxis()
        lowest = sorted(min(values) for values in areas.values())
        cut = [method for method, values in areas.items() if max(values) < lowest[-1] - 0.15]
        if cut:
            left = min(min(values) for method, values in areas.items() if method not in cut)
            axes.set_xlim(left=left - 0.01)
            below = ", ".join(f"{method} at {np.mean(areas[method]):.3f}" for method in cut)
            axes.text(0.02, 0.02, f"left of the picture: {below}", transform=axes.transAxes, fontsize=7)
        draws = sorted({len(values) for values in areas.values()})
        axes.set(title=f"{name}, {'–'.join(map(str, draws))} draws", xlabel="ordinal AUC of the unlabelled rows")
        if place:
            axes.tick_params(labelleft=list(areas) != list(figures[next(iter(figures))]["auc"]))
        axes.grid(axis="x", alpha=0.3)
    absent = sorted({method for found in figures.values() for method in found.get("missing", {})})
    if absent:
        figure.supxlabel(f"without figures: {', '.join(absent)}", fontsize=8)
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="draw the figures of the quick runs")
    parser.add_argument("--folder", type=Path, default=FIGURES)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, draw in (("quality", quality), ("size", size), ("rate", rate)):
        file = f"grade-{name}" + ("-quick" if given.quick else "")
        if not (results.FOLDER / f"{file}.json").exists():
            print(f"{file}.json does not exist; run python benchmarks/grade.py {name} first")
            continue
        draw(results.read(file)["figures"]).savefig(given.folder / f"{file}.svg", metadata={"Date": None})
        print(given.folder / f"{file}.svg")


if __name__ == "__main__":
    main()
