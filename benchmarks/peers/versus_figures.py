"""Accuracy against time of the five jobs, from ``results/versus.json``: docs/figures/versus-JOB.svg.

python -m benchmarks.peers.versus_figures
"""

from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from benchmarks import results
from benchmarks.tables.versus import COST, OURS

FIGURES = results.FOLDER.parents[1] / "docs" / "figures"

# The same figures give the same file.
matplotlib.rcParams["svg.hashsalt"] = "tacit"


MARKS = "osD^vPX<>*hp"


def draw(job: str, sizes: dict[str, Any]) -> None:
    """One panel per size; a method is a mark, ours are orange."""
    names = list(dict.fromkeys(name for data in sizes.values() for name in data["methods"]))
    greys = [f"#{shade}{shade}{shade}" for shade in ("22", "44", "66", "88", "aa", "bb", "cc", "dd")]
    oranges = ["#7c2d12", "#c2410c", "#f97316", "#fdba74"]
    colours = {}
    for name in names:
        ours = name.startswith(OURS)
        colours[name] = (oranges if ours else greys).pop(0)
    figure, axes = plt.subplots(
        1, len(sizes), figsize=(4.2 * len(sizes) + 2.4, 3.4), layout="constrained", squeeze=False
    )
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
    FIGURES.mkdir(parents=True, exist_ok=True)
    figure.savefig(FIGURES / f"versus-{job}.svg", metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    for job, sizes in results.read("versus")["figures"].items():
        draw(job, sizes)
        print(FIGURES / f"versus-{job}.svg")


if __name__ == "__main__":
    main()
