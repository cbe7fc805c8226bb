"""How scores and counts are spread: what the pages of several jobs draw and show."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.report.blocks import Columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

THIRDS = ("best known", "in between", "little known")
SHOWN = 10
"""Names of an example that are shown before the rest is counted."""
_LONGEST = 60
_BINS = 10


def distribution(title: str, scores: "dict[str, NDArray[Any]]", x_label: str, of: str) -> Columns:
    """How scores between 0 and 1 are spread: those at exactly 0, and ten bins above."""
    edges = np.linspace(0, 1, _BINS + 1)
    series = {}
    for name, values in scores.items():
        above, _ = np.histogram(values[values > 0], bins=edges)
        series[name] = (100 * np.concatenate(([np.count_nonzero(values <= 0)], above)) / max(1, len(values))).tolist()
    labels = ["0", *(f"≤{edge:.1f}" for edge in edges[1:])]
    return Columns(title, labels, series, x_label, f"% of {of}")


def sizes(title: str, counts: "NDArray[Any]", x_label: str, of: str) -> Columns:
    """Counts in bins that double: 0, 1, from 2, from 4, from 8, …"""
    powers = np.where(counts > 0, np.floor(np.log2(np.maximum(counts, 1))) + 1, 0).astype(int)
    filled = np.bincount(powers, minlength=1)
    labels = ["0", "1", *(f"{2**power:,}+" for power in range(1, len(filled) - 1))][: len(filled)]
    return Columns(title, labels, {of: filled.tolist()}, x_label, of)


def thirds(counts: "NDArray[Any]") -> "NDArray[Any]":
    """0, 1 or 2 for everything: in descending order of count, each group holding a third of the sum.

    >>> thirds(np.array([1, 6, 2, 3])).tolist()
    [2, 0, 2, 1]
    """
    order = np.argsort(-counts, kind="stable")
    before = np.concatenate(([0], np.cumsum(counts[order])[:-1]))
    third = np.empty(len(counts), dtype=np.int64)
    third[order] = np.minimum(3 * before // max(1, counts.sum()), 2)
    return third


def by_third(values: "NDArray[Any]", third: "NDArray[Any]", total: "NDArray[Any] | None" = None) -> list[float]:
    """Of each third: its part of the sum of ``values``, or the sum over that of ``total`` in the same third."""
    sums = np.bincount(third, weights=values, minlength=3)
    whole = np.full(3, values.sum()) if total is None else np.bincount(third, weights=total, minlength=3)
    shares: list[float] = (sums / np.maximum(whole, 1)).tolist()
    return shares


def typical(scores: "NDArray[Any]") -> list[int]:
    """Places that are better than 90, 75, 50 and 25 of a hundred: fixed ones, so that nothing is chosen to please.

    >>> typical(np.array([0.3, 0.1, 0.5, 0.2, 0.4]))
    [4, 0, 3]
    """
    order = np.argsort(scores, kind="stable")
    return list(
        dict.fromkeys(int(order[int(share * (len(order) - 1))]) for share in (0.9, 0.75, 0.5, 0.25)[: len(order)])
    )


def chips(names: Sequence[Any], marked: Sequence[Any] = ()) -> list[tuple[str, bool]]:
    """The marked ones first, then others until there are enough; the rest is counted."""
    first = [*marked, *(name for name in names if name not in marked)]
    more = [(f"and {len(first) - SHOWN:,} more", False)] if len(first) > SHOWN else []
    return [(short(name), name in marked) for name in first[:SHOWN]] + more


def short(name: Any) -> str:
    """A name that fits on a chip.

    >>> short("a" * 100)[-3:]
    'aa…'
    """
    text = str(name)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
