"""Pictures of roofs, of kernels as data grow, and of KernelTagger; ``python -m benchmarks.figures`` draws them."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.figures import Drawing

COLOURS = {"exact": "#c2410c", "landmarks": "#64748b", "linear": "#0f766e"}


def roofs(figures: dict[str, Any]) -> Figure:
    """One panel per number of threads: the roofs of each level of memory, and the kernels below them."""
    able = figures["machine"]
    figure = Figure(figsize=(6.4 * len(able), 4.6), layout="constrained")
    axes = figure.subplots(1, len(able), sharey=True)
    for axis, (threads, row) in zip(np.atleast_1d(axes), able.items()):
        intensity = np.geomspace(0.05, 4000, 200)
        for shade, (level, bandwidth) in zip((0.75, 0.6, 0.45, 0.2), row["bandwidth"].items()):
            axis.plot(intensity, np.minimum(row["peak"]["single"], bandwidth * intensity), color=str(shade), lw=1)
            axis.annotate(f"{level} {bandwidth:.0f} GB/s", (0.055, bandwidth * 0.06), fontsize=7, color=str(shade))
        for place, (name, kernel) in enumerate(figures["kernels"].items()):
            if threads not in kernel["threads"]:
                continue
            found = kernel["threads"][threads]
            at = kernel["operations_per_byte"]
            axis.plot([at, at], [found["gigaflops"], found["attainable_gigaflops"]], color="#fdba74", lw=1)
            axis.plot(at, found["gigaflops"], "o", color="#c2410c", markersize=5)
            axis.annotate(
                f"{name} {100 * found['share']:.3g} %", (at, found["gigaflops"]), fontsize=7,
                xytext=(6, (-10, 3, -3, 8)[place % 4]), textcoords="offset points",
            )  # fmt: skip
        plural = "s" if threads != "1" else ""
        axis.set(xscale="log", yscale="log", xlabel="operations per byte", title=f"{threads} thread{plural}")
        axis.grid(alpha=0.2)
    np.atleast_1d(axes)[0].set_ylabel("GFLOP/s")
    return figure


def scaling(figures: dict[str, Any]) -> Figure:
    """Time of kernels as one quantity grows."""
    found = figures["scaling"]
    names = [name for name in found if name != "base"]
    figure = Figure(figsize=(4.6 * len(names), 3.6), layout="constrained")
    axes = figure.subplots(1, len(names))
    for axis, what in zip(np.atleast_1d(axes), names):
        values = found[what]["values"]
        for kernel, seconds in found[what]["seconds"].items():
            axis.plot(values, [1000 * second for second in seconds], "o-", label=kernel, markersize=4)
        axis.set(xscale="log", yscale="log", xlabel=what, ylabel="milliseconds, 2 threads")
        axis.set_xticks(values, [f"{value:,}" for value in values], rotation=20)
        axis.set_yticks([10, 30, 100, 300], ["10", "30", "100", "300"])
        axis.minorticks_off()
        axis.grid(alpha=0.25)
    np.atleast_1d(axes)[0].legend(fontsize=7)
    return figure


def kernel_growth(figures: dict[str, Any]) -> Figure:
    """Seconds of KernelTagger above, memory below; one column per size that grows."""
    growth = figures["growth"]
    figure = Figure(figsize=(11, 6), layout="constrained")
    axes = figure.subplots(2, len(growth), sharex="col")
    for column, (size, ways) in enumerate(growth.items()):
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
    return figure


FIGURES = {
    "roofline": Drawing("roofline", roofs),
    "scaling": Drawing("roofline", scaling),
    "kernel-tagger-growth": Drawing("kernel-growth", kernel_growth),
}
