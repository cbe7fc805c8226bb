"""Precision with most labels hidden."""

from typing import Any


def render(record: dict[str, Any]) -> str:
    columns = ("P@1", "P@3", "P@5", "spread of P@1")
    lines = ["| data | method | " + " | ".join(columns) + " |", "|---|---|" + "---:|" * len(columns)]
    for name, methods in record["figures"].items():
        for method, figures in methods.items():
            cells = " | ".join(f"{figures[column]:.2f}" for column in columns)
            lines.append(f"| {name} | {method} | {cells} |")
    return "\n".join(lines)
