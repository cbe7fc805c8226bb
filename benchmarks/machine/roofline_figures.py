"""The roofline and how kernels scale, from ``results/roofline.json``: docs/figures/roofline.svg, scaling.svg.

python -m benchmarks.machine.roofline_figures
"""

from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from benchmarks import results

FIGURES = results.FOLDER.parents[1] / "docs" / "figures"

# The same figures give the same file.
matplotlib.rcParams["svg.hashsalt"] = "tacit"


def roofs(figures: dict[str, Any]) -> None:
    """One panel per number of threads: the roofs of each level of memory, and the kernels below them."""
    able = figures["machine"]
    figure, axes = plt.subplots(1, len(able), figsize=(6.4 * len(able), 4.6), layout="constrained", sharey=True)
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
    FIGURES.mkdir(parents=True, exist_ok=True)
    figure.savefig(FIGURES / "roofline.svg", metadata={"Date": None})
    plt.close(figure)


def scaling(found: dict[str, Any]) -> None:
    names = [name for name in found if name != "base"]
    figure, axes = plt.subplots(1, len(names), figsize=(4.6 * len(names), 3.6), layout="constrained")
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
    figure.savefig(FIGURES / "scaling.svg", metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    figures = results.read("roofline")["figures"]
    if "kernels" in figures:
        roofs(figures)
    if "scaling" in figures:
        scaling(figures["scaling"])
    print(FIGURES)


if __name__ == "__main__":
    main()
