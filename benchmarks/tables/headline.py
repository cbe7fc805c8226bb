"""The README's summary: for each job and size the most accurate peer, beside ``champions``' choice of ours."""

from typing import Any

from benchmarks.tables import table
from benchmarks.tables.versus import TITLES
from benchmarks.views.versus import COST, champions, measured

FILES = ("versus",)


def render(records: dict[str, Any]) -> str:
    rows = []
    for job, sizes in records["versus"]["figures"].items():
        for size, data in sizes.items():
            ours, peers = measured(data)
            if not ours or not peers:
                continue
            measure, more_is_better = next(iter(data["measures"].items()))
            rival, name = champions(data)
            best, theirs = ours[name], peers[rival]
            rows.append(
                [TITLES[job], size, measure if more_is_better else f"{measure} (less is better)",
                 shown(best["measures"][measure]), f"{shown(theirs['measures'][measure])} ({rival})",
                 compared(theirs[COST] / best[COST]), name.removeprefix("Tacit").strip(" ,")]
            )  # fmt: skip
    headings = ["job", "data", "measure", "Tacit", "best peer", "time to fit", "our method"]
    return table(headings, rows)


def compared(ratio: float) -> str:
    """The peer's time over ours, in words.

    >>> compared(4.46), compared(0.25), compared(1.02)
    ('**4.5 × faster**', '4 × slower', 'the same')
    """
    if 0.95 < ratio < 1.05:
        return "the same"
    return f"**{ratio:.2g} × faster**" if ratio > 1 else f"{1 / ratio:.2g} × slower"


def shown(value: float) -> str:
    return f"{value:.3f}"
