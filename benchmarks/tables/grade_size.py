"""Time and memory against the number of unlabelled rows."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    sizes = sorted({point["unlabelled"] for points in figures.values() for point in points})
    rows, reasons = [], []
    for method, points in figures.items():
        by_size = {point["unlabelled"]: point for point in points}
        cells = []
        for count in sizes:
            point = by_size.get(count, {})
            shown = f"{point['processor_seconds']:.1f} s, {point['grown_mib']:.0f} MiB" if "seconds" in point else "–"
            cells.append("stops" if "stopped" in point else shown)
            if "stopped" in point:
                reasons.append(f"{method} says: {point['stopped']}")
        rows.append([method, *cells])
    header = ["processor seconds and memory; unlabelled rows:", *(f"{count:,}" for count in sizes)]
    return "\n\n".join([table(header, rows), *reasons])
