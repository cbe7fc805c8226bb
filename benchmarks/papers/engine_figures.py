"""Draw how one whole-data gradient grows, from ``results/engine-speed.json``.

    python -m benchmarks.papers.engine_figures      docs/figures/engine-growth.svg

The stated cost is O(|P| g + (|X| + |Y|) g²): linear in |P| and |X|, between linear and quadratic in g.
"""

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks import results
from benchmarks.processes import ROOT

FIGURES = ROOT / "docs" / "figures"
NAMES = {"n": "|X|, rows", "count": "|P|, positives", "g": "g, factors"}

# The same figures give the same file.
mpl.rcParams["svg.hashsalt"] = "tacit"


def stated(shape: dict[str, int]) -> float:
    return shape["count"] * shape["g"] + (shape["n"] + shape["m"]) * shape["g"] ** 2


def main() -> None:
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    parts = figure.subplots(1, 3, sharey=True)
    growth = results.read("engine-speed")["figures"]["growth"]
    for axes, (name, label) in zip(parts, NAMES.items()):
        found = growth[name]
        values, seconds = found["values"], found["seconds"]
        costs = [stated(found["others"] | {name: value}) for value in values]
        # One scale for each line: what counts is how it rises.
        scale = sum(seconds) / sum(costs)
        axes.loglog(values, [1000 * second for second in seconds], marker="o", label="measured")
        axes.loglog(values, [1000 * scale * cost for cost in costs], linestyle="--", label="|P| g + (|X| + |Y|) g²")
        axes.set_xlabel(label)
        axes.set_xticks(values, [f"{value:,}" for value in values], rotation=30)
        axes.minorticks_off()
    parts[0].set_ylabel("processor milliseconds")
    parts[0].legend()
    FIGURES.mkdir(exist_ok=True)
    figure.savefig(FIGURES / "engine-growth.svg", metadata={"Date": None})
    print(FIGURES / "engine-growth.svg")


if __name__ == "__main__":
    main()
