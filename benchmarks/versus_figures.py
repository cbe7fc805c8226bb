"""Accuracy against time of the five jobs, from ``results/versus.json``: docs/figures/versus-JOB.svg.

python benchmarks/versus_figures.py
"""

from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import results
from views.versus import COST, OURS

FIGURES = results.FOLDER.parents[1] / "docs" / "figures"


def draw(job: str, sizes: dict[str, Any]) -> None:
    """One panel per size; a method is a point, ours are marked."""
    figure, axes = plt.subplots(1, len(sizes), figsize=(4.6 * len(sizes), 3.6), layout="constrained", squeeze=False)
    for axis, (size, data) in zip(axes[0], sizes.items()):
        leading, more_is_better = next(iter(data["measures"].items()))
        for name, row in data["methods"].items():
            if "absent" in row:
                continue
            ours = name.startswith(OURS)
            place = (row[COST], row["measures"][leading])
            axis.plot(*place, "o" if ours else "s", color="#c2410c" if ours else "#64748b", markersize=7)
            axis.annotate(
                name, place, xytext=(5, 4), textcoords="offset points", fontsize=7,
                fontweight="bold" if ours else "normal",
            )  # fmt: skip
        axis.set(xscale="log", title=size, xlabel="processor seconds to fit", ylabel=leading)
        axis.margins(x=0.35, y=0.15)
        if not more_is_better:
            axis.invert_yaxis()
        axis.grid(alpha=0.25)
    FIGURES.mkdir(parents=True, exist_ok=True)
    figure.suptitle("better is up and to the left", fontsize=8, x=0.99, ha="right")
    figure.savefig(FIGURES / f"versus-{job}.svg")
    plt.close(figure)


def main() -> None:
    for job, sizes in results.read("versus")["figures"].items():
        draw(job, sizes)
        print(FIGURES / f"versus-{job}.svg")


if __name__ == "__main__":
    main()
