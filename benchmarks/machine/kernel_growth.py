"""Time and memory of KernelTagger against rows, features and labels: results/kernel-growth.json and its figure.

    python -m benchmarks.machine.kernel_growth

Synthetic rows as in ``tag.py scale``; one size grows while the others stay. Bandwidth and ridge are given, so that the
solve itself is seen: exact, through 1,000 landmarks, and on the columns. Each fit runs in a fresh process: processor
seconds, and the memory that it needs beyond what was held before. ``docs/figures/kernel-tagger-growth.svg``.
"""

import time
from typing import Any

from benchmarks import results
from benchmarks.processes import ask

NAME = "kernel-growth"
WAYS: dict[str, dict[str, Any]] = {
    "exact": {"kernel": "cosine", "landmarks": 0},
    "landmarks": {"kernel": "cosine", "landmarks": 1000},
    "linear": {"kernel": "linear"},
}
MIDDLE = {"rows": 2000, "features": 1000, "labels": 500}
GROWTH = {"rows": (1000, 2000, 4000), "features": (500, 1000, 2000), "labels": (250, 500, 1000)}
COLOURS = {"exact": "#c2410c", "landmarks": "#64748b", "linear": "#0f766e"}


def work(way: str, sizes: dict[str, int]) -> dict[str, float]:
    """One fit, after a small one that loads and compiles what it takes."""
    from benchmarks.machine import memory
    from benchmarks.papers.tagging.scale import made
    from tacit import KernelTagger

    X, Y = made(*sizes.values())
    model = KernelTagger(**WAYS[way], bandwidth=1.0, regularization=0.5, progress=False)
    model.fit(X[:200], Y[:200])
    memory.reset()
    held, began = memory.peak_mib(), time.process_time()
    model.fit(X, Y)
    seconds = time.process_time() - began
    return {"processor seconds": round(seconds, 2), "MiB": round(memory.peak_mib() - held)}


def draw(figures: dict[str, Any]) -> None:
    """Seconds above, memory below; one column per size that grows."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    # The same figures give the same file.
    matplotlib.rcParams["svg.hashsalt"] = "tacit"
    figure, axes = plt.subplots(2, len(figures), figsize=(11, 6), layout="constrained", sharex="col")
    for column, (size, ways) in enumerate(figures.items()):
        for way, points in ways.items():
            for axis, measure in zip(axes[:, column], ("processor seconds", "MiB")):
                counts = [int(count) for count in points]
                axis.plot(counts, [point[measure] for point in points.values()], "o-", color=COLOURS[way], label=way)
                axis.set(xscale="log", yscale="log", xlabel=size)
                axis.set_xticks(counts, [f"{count:,}" for count in counts])
                axis.minorticks_off()
    axes[0, 0].set_ylabel("processor seconds")
    axes[1, 0].set_ylabel("MiB")
    axes[0, 0].legend(fontsize=8)
    figure.savefig(results.FOLDER.parents[1] / "docs" / "figures" / "kernel-tagger-growth.svg", metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    figures: dict[str, Any] = {}
    for size, counts in GROWTH.items():
        for way in WAYS:
            for count in counts:
                found = ask("machine.kernel_growth:work", way=way, sizes=MIDDLE | {size: count})
                figures.setdefault(size, {}).setdefault(way, {})[str(count)] = found
                print(size, count, way, found, flush=True)
    results.write(NAME, {"other sizes": MIDDLE, "growth": figures})
    draw(figures)


if __name__ == "__main__":
    main()
