"""The engine's times: against the naive gradient, against implicit, growth, and solvers."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    parts = []
    if "gradient" in figures:
        found = dict(figures["gradient"])
        difference = found.pop("largest difference at 2,000 × 2,000, relative")
        (size, times), *_ = found.items()
        parts.append(
            f"Gradient of the rows at {size}: {times['naive seconds']:.3g} s cell by cell, "
            f"{times['whole-data seconds']:.3g} s through the caches, {times['ratio']:.0f} times less; the two differ "
            f"by {difference:.1e} of the largest entry at 2,000 × 2,000 in single precision."
        )
    if "iteration" in figures:
        found = figures["iteration"]
        parts.append(
            f"One Adagrad iteration at 100,000 × 20,000 with {found['positives']:,} positives and 64 factors takes "
            f"{found['ratio of best processor seconds']:.2f} of the processor time of one of implicit's (best of the "
            f"run; by medians {found['ratio of median processor seconds']:.2f}), and "
            f"{found['ratio of best seconds']:.2f} of its wall time."
        )
    if "growth" in figures:
        names = {"n": "rows", "count": "positives", "g": "factors"}
        rows = [
            [names[name], " → ".join(f"{value:,}" for value in found["values"]),
             " → ".join(f"{1000 * seconds:.0f}" for seconds in found["seconds"])]
            for name, found in figures["growth"].items()
        ]  # fmt: skip
        parts.append(table(["what grows", "from → to", "processor milliseconds of one gradient"], rows))
    if "solvers" in figures:
        rows = [
            [name, *(_seconds(figures["solvers"][loss][name]) for loss in ("square", "logistic")),
             *(f"{figures['solvers'][loss][name]['objective over the lowest']:.5f}" for loss in ("square", "logistic"))]
            for name in figures["solvers"]["square"]
        ]  # fmt: skip
        head = ["solver", "square: s to 1e-3", "logistic: s to 1e-3", "square: J / lowest", "logistic: J / lowest"]
        parts.append(f"{table(head, rows)}\n\nSeconds of solvers are processor seconds of all threads.")
    return "\n\n".join(parts)


def _seconds(found: dict[str, Any]) -> str:
    seconds = found["processor seconds to 1e-3"]
    return "not reached" if seconds is None else f"{seconds:.2f}"
