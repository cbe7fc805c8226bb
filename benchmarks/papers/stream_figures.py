"""Pictures of rating streams from ``results/stream.json``: cumulative MAE, and sensitivity to C and k.

python -m benchmarks.papers.stream_figures
"""

from typing import Any

import matplotlib.pyplot as plt

from benchmarks import results
from benchmarks.processes import ROOT

# Same data, same bytes: no date in the file and no random ids.
plt.rcParams["svg.hashsalt"] = "tacit"
FIGURES = ROOT / "docs" / "figures"
SHORT = {"MovieLens 100K": "100k", "MovieLens 1M": "1m"}


def save(figure: Any, name: str) -> None:
    FIGURES.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(FIGURES / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)
    print(FIGURES / f"{name}.svg")


def draw_curves(name: str, curves: dict[str, Any]) -> None:
    figure, axes = plt.subplots(figsize=(7, 4.2))
    for method, points in curves.items():
        axes.plot(*zip(*points), label=method)
    last = min(points[-1][1] for points in curves.values())
    axes.set(xlabel="ratings seen", ylabel="cumulative MAE", title=name, ylim=(last - 0.02, last + 0.25))
    axes.legend(fontsize=8)
    save(figure, f"stream-curves-{SHORT[name]}")


def draw_sensitivity(sets: dict[str, Any], over: str, label: str, logarithmic: bool, reach: float) -> None:
    figure, panels = plt.subplots(1, len(sets), figsize=(4.6 * len(sets), 3.8), squeeze=False)
    for axes, (name, found) in zip(panels[0], sets.items()):
        for method, points in found[over].items():
            axes.plot(*zip(*points), marker="o", markersize=3, label=method)
        low = min(error for points in found[over].values() for _, error in points)
        axes.set(xlabel=label, ylabel="test MAE", title=name, ylim=(low - 0.01, low + reach))
        if logarithmic:
            axes.set_xscale("log")
        axes.legend(fontsize=7)
    save(figure, f"stream-{over}")


def main() -> None:
    figures = results.read("stream")["figures"]
    for name, curves in figures["curves"].items():
        draw_curves(name, curves)
    draw_sensitivity(figures["sensitivity"], "aggressiveness", "C", logarithmic=True, reach=0.35)
    draw_sensitivity(figures["sensitivity"], "factors", "k", logarithmic=False, reach=0.12)


if __name__ == "__main__":
    main()
