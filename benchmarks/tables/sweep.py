"""One alternating sweep at scale, and how it grows."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    rows = [
        [f"{row['positives']:,}", row["factors"]]
        + [f"{row[name]['sweep_seconds']:.3f}" for name in ("tacit", "implicit", "irspack")]
        + [f"{row[name]['peak_mib']:.0f}" for name in ("tacit", "implicit", "irspack")]
        for row in figures["table"]
    ]
    head = ["positives", "factors", "Tacit (s)", "implicit (s)", "irspack (s)"]
    head += ["Tacit (MiB)", "implicit (MiB)", "irspack (MiB)"]
    size = f"{figures['rows']:,} rows × {figures['columns']:,} columns."
    return f"{size}\n\n{table(head, rows)}"
