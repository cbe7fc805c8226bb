"""Vectors of items in sequences."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    rows = [
        [
            row["data"],
            f"{row['items']:,}",
            f"{row['seconds']:.1f}",
            f"{row['common_attributes_of_neighbours']:.3f}",
            f"{row['common_attributes_at_random']:.3f}",
        ]
        for row in record["figures"]["table"]
    ]
    head = ["data", "items", "seconds", "shared attributes, 10 neighbours", "shared attributes, 10 at random"]
    return table(head, rows)
