"""What the machine can do, and the share of it that each kernel takes."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    able = figures["machine"]
    levels = list(next(iter(able.values()))["bandwidth"])
    rows = [
        [
            threads,
            *(f"{row['bandwidth'][level]:.1f}" for level in levels),
            *(f"{top:.0f}" for top in row["peak"].values()),
        ]
        for threads, row in able.items()
    ]
    heads = ["threads", *(f"triad, {level} (GB/s)" for level in levels), "peak, single (GFLOP/s)", "double"]
    parts = [table(heads, rows)]
    if "kernels" in figures:
        rows = []
        for name, kernel in figures["kernels"].items():
            for threads, row in kernel["threads"].items():
                rows.append(
                    [
                        name, threads, f"{kernel['operations_per_byte']:.2f}", f"{1e3 * row['seconds']:.1f}",
                        f"{row['gigaflops']:.2f}", f"{row['attainable_gigaflops']:.1f}", row["bound"],
                        f"{100 * row['share']:.1f} %",
                    ]
                )  # fmt: skip
        heads = ["kernel", "threads", "operations per byte", "ms", "GFLOP/s", "attainable", "bound by", "share"]
        loss = figures["largest_loss"]
        named = (
            f"Furthest below its roof: {loss['kernel']}, at {100 * loss['share']:.1f} % of what {loss['bound']} allows."
        )
        parts += ["![Kernels below their roofs](figures/roofline.svg)", table(heads, rows), named]
    if "scaling" in figures:
        parts += ["![Time of kernels as data grow](figures/scaling.svg)", _scaling(figures["scaling"])]
    return "\n\n".join(parts)


def _scaling(found: dict[str, Any]) -> str:
    base = ", ".join(f"{name} = {value:,}" for name, value in found["base"].items())
    blocks = [f"Milliseconds on two threads as one quantity grows; the others are {base}."]
    for what, row in found.items():
        if what == "base":
            continue
        heads = [what, *(f"{value:,}" for value in row["values"])]
        rows = [[kernel, *(f"{1e3 * s:.1f}" for s in seconds)] for kernel, seconds in row["seconds"].items()]
        blocks.append(table(heads, rows))
    return "\n\n".join(blocks)
