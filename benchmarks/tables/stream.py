"""Errors of rating streams beside the paper's Table 2, and in time order beside river."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    parts = []
    for name, rows in figures["table_2"].items():
        lines = [
            [
                row["method"],
                row["k"] or "–",
                _both(row["train_mae"]),
                _both(row["test_mae"]),
                f"{row['test_mae_clipped']['mean']:.4f}",
                "–" if row["paper_test_mae"] is None else f"{row['paper_test_mae']:.4f}",
                f"{row['seconds']['mean']:.2f}",
            ]
            for row in rows
        ]
        head = ["method", "k", "training MAE", "test MAE", "clipped", "paper's test MAE", "seconds"]
        parts.append(f"**{name}**, {figures['permutations']} permutations, one pass\n\n{table(head, lines)}")
    lines = [[name, f"{found['mae']:.4f}"] for name, found in figures["batch_references"].items()]
    parts.append("**MovieLens 100K, many passes**, first permutation\n\n" + table(["method", "test MAE"], lines))
    lines = [
        [name, f"{found['mae']:.4f}", f"{found['ndcg@10']:.4f}" if "ndcg@10" in found else "–"]
        for name, found in figures["time_order"].items()
    ]
    parts.append(
        "**MovieLens 100K in time order**, predict then learn\n\n" + table(["method", "MAE", "NDCG@10"], lines)
    )
    return "\n\n".join(parts)


def _both(figure: dict[str, float]) -> str:
    return f"{figure['mean']:.4f} ± {figure['deviation']:.4f}"
