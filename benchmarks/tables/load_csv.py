"""Loading a large CSV file."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    rows = [
        [
            f"{row['rows']:,}",
            row["ids"],
            f"{row['file_bytes'] / 1e6:.0f}",
            f"{min(row['seconds']):.1f}",
            f"{min(row['cpu_seconds']):.1f}",
            f"{row['columns_in_memory_bytes'] / 1e6:.0f}",
            f"{row['peak_bytes_above_base'] / 1e6:.0f}",
        ]
        for row in record["figures"]["table"]
    ]
    head = ["lines", "ids", "file, MB", "seconds", "processor seconds", "columns in memory, MB", "peak, MB"]
    busy = record["load_average_before"]
    return table(head, rows) + f"\n\nBest of several; the machine's load was {busy} when it began."
