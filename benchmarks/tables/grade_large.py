"""400,000 rows of 90 columns."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    rows = [
        [key, f"{found['seconds']:.1f}", f"{found['processor_seconds']:.1f}", f"{found['peak_mib_of_the_process']:.0f}"]
        for key, found in record["figures"].items()
    ]
    return table(["400,000 × 90, 500 frequencies, exact", "seconds", "processor seconds", "peak MiB"], rows)
