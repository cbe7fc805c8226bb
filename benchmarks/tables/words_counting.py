"""Counting: speed and memory by size of the text and by budget."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    head = ["text (MB)", "tokens", "words", "pairs", "budget (GB)", "reading (s)", "counting (s)", "tokens / s",
            "peak memory (MiB)"]  # fmt: skip
    rows = [
        [
            str(row["megabytes"]),
            f"{row['tokens']:,}",
            f"{row['words']:,}",
            f"{row['pairs']:,}",
            f"{row['memory_budget_gb']:g}",
            f"{row['reading_seconds']:.2f}",
            f"{row['counting_seconds']:.2f}",
            f"{row['tokens_per_second']:,}",
            f"{row['peak_mib']:.0f}",
        ]
        for row in record["figures"]["table"]
    ]
    return table(head, rows)
