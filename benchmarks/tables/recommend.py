"""Recommenders: accuracy, time and memory beside the peers."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    parts = []
    for name, data in record["figures"].items():
        ours = data["methods"]["Tacit, no parameters"]["fit_seconds_best"]
        rows = [
            [
                method,
                f"{row['ndcg@10']:.4f}",
                f"{row['fit_seconds_best']:.3f}",
                f"{row['fit_seconds_best'] / ours:.2f}",
                f"{row['peak_mib']:.0f}",
            ]
            for method, row in data["methods"].items()
        ]
        head = ["method", "NDCG@10", "fit, best of runs (s)", "time / Tacit", "peak memory (MiB)"]
        size = f"{data['rows']:,} × {data['columns']:,}, {data['train']:,} training positives"
        parts.append(f"**{name}** ({size})\n\n{table(head, rows)}")
    return "\n\n".join(parts)
