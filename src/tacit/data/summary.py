"""A summary of interactions: sizes, density, frequency distributions, weights and times."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.report.plain import visible

if TYPE_CHECKING:
    from tacit.data.interactions import Interactions


@dataclass(frozen=True)
class Reading:
    """What became of the lines of a table.

    lines : how many there were; missing : dropped because a value was missing; merged : joined to an earlier line
    lacking : column → in how many lines it had no value
    """

    lines: int
    missing: int
    merged: int
    lacking: Mapping[str, int] = field(default_factory=dict)

    def sentence(self, duplicates: str = "sum") -> str:
        """What was taken away, or nothing.

        >>> Reading(60, 2, 18, {"stars": 2}).sentence()
        "2 of 60 lines lacked a value ('stars' 2) and were dropped; 18 repeated a pair and were merged (sum)"
        """
        parts = []
        if self.missing:
            where = ", ".join(f"{column!r} {count:,}" for column, count in self.lacking.items())
            named = f" ({where})" if where else ""
            parts.append(f"{self.missing:,} of {self.lines:,} lines lacked a value{named} and were dropped")
        if self.merged:
            of = "" if parts else f" of {self.lines:,} lines"
            parts.append(f"{self.merged:,}{of} repeated a pair and were merged ({duplicates})")
        return "; ".join(parts)


@dataclass(frozen=True)
class Summary:
    """Facts by name, in the order in which they are shown."""

    facts: dict[str, str]

    def __str__(self) -> str:
        width = max(map(len, self.facts))
        return "\n".join(f"{name:<{width}}   {fact}" for name, fact in self.facts.items())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{escape(fact)}</td></tr>'
            for name, fact in self.facts.items()
        )
        return f"<table>{rows}</table>"


def summary_of(data: "Interactions") -> Summary:
    """Counted from the matrix alone, in one pass over each axis."""
    n, m = data.shape
    per_row = np.diff(data.matrix.indptr)
    per_col = np.bincount(data.matrix.indices, minlength=m)
    facts = {
        "rows": f"{n:,}",
        "columns": f"{m:,}",
        "positives": f"{data.nnz:,}, {100 * data.nnz / max(1, n * m):.6g} % of all cells",
        "per row": _spread(per_row),
        "per column": f"{_spread(per_col)}; the most frequent tenth of columns holds "
        f"{100 * _head_share(per_col):.0f} % of the positives",
    }
    weights = data.matrix.data
    if len(weights):
        low, high = float(weights.min()), float(weights.max())
        facts["weights"] = f"all {low:g}" if low == high else f"{low:g} to {high:g}, mean {float(weights.mean()):.3g}"
    if data.times is not None and len(data.times):
        facts["times"] = f"{_moment(data.times.min())} to {_moment(data.times.max())}"
    if data.context_ids:
        facts["contexts"] = ", ".join(f"{visible(name)} ({len(ids):,})" for name, ids in data.context_ids.items())
    sides = ("row_features", "col_features", "row_graph", "col_graph")
    beside = [name.replace("_", " ").replace("col ", "column ") for name in sides if getattr(data, name) is not None]
    if beside:
        facts["beside"] = ", ".join(beside)
    if data.reading is not None:
        facts["lines read"] = f"{data.reading.lines:,}"
        if taken := data.reading.sentence():
            facts["lines read"] += f"; {taken.replace(' (sum)', '')}"
    return Summary(facts)


def _spread(counts: NDArray[Any]) -> str:
    if not len(counts):
        return "none"
    ones = int(np.count_nonzero(counts == 1))
    tail = f"; {ones:,} {'has' if ones == 1 else 'have'} only one" if ones and counts.max() > 1 else ""
    return f"{int(counts.min()):,} to {int(counts.max()):,}, median {float(np.median(counts)):g}{tail}"


def _head_share(counts: NDArray[Any]) -> float:
    """Share of the positives in the most frequent tenth of columns (one at least)."""
    head = max(1, len(counts) // 10)
    if not len(counts) or not counts.sum():
        return 0.0
    return float(np.partition(counts, len(counts) - head)[-head:].sum() / counts.sum())


def _moment(time: Any) -> str:
    if isinstance(time, np.datetime64):
        text = str(time.astype("datetime64[s]"))
        return text.removesuffix("T00:00:00").replace("T", " ")
    return f"{time:g}" if isinstance(time, np.floating) else str(time)
