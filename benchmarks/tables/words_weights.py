"""What the weight of unlabelled pairs does to word vectors."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    rows = [
        [
            f"{row['unlabelled_total']:g}",
            f"{row['frequency_exponent']:g}",
            *(f"{100 * row[part]['of_known']:.1f}" for part in ("semantic", "syntactic", "total")),
            f"{row['wordsim353']['correlation']:.3f}",
        ]
        for row in record["figures"]["table"]
    ]
    head = ["α₀", "ρ", "semantic", "syntactic", "total", "WordSim-353"]
    return f"The first {record['figures']['megabytes']} MB.\n\n{table(head, rows)}"
