"""The cost model of alternating least squares: fitted constants, how well they fit, and what they predict."""

from typing import Any

from benchmarks.machine.cost_model import Sweep
from benchmarks.tables import table

FILES = ("sweep",)
SIZES = [(10_000, 5_000, 1e6), (100_000, 20_000, 5e6), (1_000_000, 100_000, 5e7), (10_000_000, 1_000_000, 5e8)]
SWEEPS = 10


def render(records: dict[str, Any]) -> str:
    figures = records["sweep"]["figures"]
    cost = Sweep.fitted(figures)
    rows, columns = figures["rows"], figures["columns"]
    fit = []
    for row in figures["table"]:
        p, g, ours = row["positives"], row["factors"], row["tacit"]
        guess, size = cost.seconds(rows, columns, p, g), cost.bytes(rows, columns, p, g) / 2**20
        fit.append(
            [f"{p:,}", str(g), f"{ours['sweep_seconds']:.2f}", f"{guess:.2f}", f"{ours['peak_mib']:.0f}", f"{size:.0f}"]
        )
    ahead = [
        [f"{n:,}", f"{m:,}", f"{p:,.0f}", str(g), duration(cost.seconds(n, m, p, g)),
         duration(SWEEPS * cost.seconds(n, m, p, g)), size_of(cost.bytes(n, m, p, g))]
        for n, m, p in SIZES
        for g in (64, 128)
    ]  # fmt: skip
    constants = (
        f"a = {1e9 * cost.per_positive:.2f} ns, b = {1e9 * cost.per_row:.2f} ns, base = "
        f"{cost.base_bytes / 2**20:.0f} MiB, c = {cost.positive_bytes:.0f} bytes, d = {cost.row_bytes:.1f} bytes."
    )
    head = ["positives", "factors", "measured (s)", "model (s)", "measured (MiB)", "model (MiB)"]
    heads = ["rows", "columns", "positives", "factors", "a sweep", f"{SWEEPS} sweeps", "memory"]
    return "\n\n".join([
        constants, "**Measured, and what the model says**", table(head, fit),
        "**What it predicts**", table(heads, ahead),
    ])  # fmt: skip


def duration(seconds: float) -> str:
    """Seconds for people, with two digits that count.

    >>> duration(0.0123), duration(4.56), duration(400), duration(9000)
    ('0.01 s', '4.6 s', '6.7 min', '2.5 h')
    """
    for limit, unit, name in ((120, 1, "s"), (7200, 60, "min"), (float("inf"), 3600, "h")):
        if seconds < limit:
            value = seconds / unit
            return (
                f"{value:.2f} {name}" if value < 0.1 else f"{value:.2g} {name}" if value < 10 else f"{value:.0f} {name}"
            )
    raise AssertionError


def size_of(count: float) -> str:
    """Bytes for people.

    >>> size_of(3.2e8), size_of(4.56e9), size_of(6.3e10)
    ('320 MB', '4.6 GB', '63 GB')
    """
    if count < 1e9:
        return f"{count / 1e6:.0f} MB"
    return f"{count / 1e9:.1f} GB" if count < 1e10 else f"{count / 1e9:.0f} GB"
