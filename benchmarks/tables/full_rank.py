"""Recommenders with nothing given beside tuned peers, over all sets of ``full_rank.py``."""

from typing import Any

from benchmarks.tables import table
from benchmarks.views.full_rank import OURS, PEERS


def render(record: dict[str, Any]) -> str:
    rows = []
    for name, data in record["figures"].get("sets", {}).items():
        reached = [data["methods"].get(method, {}).get("ndcg@10") for method in (*OURS, *PEERS)]
        density = data["train"] / (data["rows"] * data["columns"])
        size = f"{data['rows']:,} × {data['columns']:,}"
        shown = ["–" if value is None else f"{value:.4f}" for value in reached]
        rows.append([name, size, f"{density:.2%}", *shown])
    return table(["NDCG@10", "size", "density", *OURS, *PEERS], rows)
