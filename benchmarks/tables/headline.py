"""The README's summary: for each job and size, our most accurate method beside the most accurate peer."""

from typing import Any

from tables import table
from tables.versus import TITLES
from views.versus import COST, measured

FILES = ("versus",)


def render(records: dict[str, Any]) -> str:
    rows = []
    for job, sizes in records["versus"]["figures"].items():
        for size, data in sizes.items():
            ours, peers = measured(data)
            if not ours or not peers:
                continue
            measure, more_is_better = next(iter(data["measures"].items()))
            name, best = leader(ours, measure, more_is_better)
            rival, theirs = leader(peers, measure, more_is_better)
            rows.append(
                [TITLES[job], size, measure if more_is_better else f"{measure} (less is better)",
                 shown(best["measures"][measure]), f"{shown(theirs['measures'][measure])} ({rival})",
                 f"{theirs[COST] / best[COST]:.2g} ×", name.removeprefix("Tacit").strip(" ,")]
            )  # fmt: skip
    headings = ["job", "data", "measure", "Tacit", "best peer", "its processor time over ours", "our method"]
    return table(headings, rows)


def leader(methods: dict[str, Any], measure: str, more_is_better: bool) -> tuple[str, dict[str, Any]]:
    """The method with the best value of the measure."""
    sign = 1 if more_is_better else -1
    return max(methods.items(), key=lambda one: sign * one[1]["measures"][measure])


def shown(value: float) -> str:
    return f"{value:.3f}"
