"""Accuracy of word vectors, sweep by sweep."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    rows = [
        [
            row["solver"],
            str(row["sweeps"]),
            f"{row['processor_seconds']:.1f}",
            *(f"{100 * row[part]['of_known']:.1f}" for part in ("semantic", "syntactic", "total")),
        ]
        for row in record["figures"]["table"]
    ]
    head = ["solver", "sweeps", "processor seconds in sweeps", "semantic", "syntactic", "total"]
    return f"The first {record['figures']['megabytes']} MB.\n\n{table(head, rows)}"
