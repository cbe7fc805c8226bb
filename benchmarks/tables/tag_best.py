"""Blends on validation rows, and the models that met the test rows, with their seconds of training."""

from typing import Any


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    lines = ["| validation rows | P@1 | P@3 | P@5 |", "|---|---:|---:|---:|"]
    for name, row in figures["validation"].items():
        lines.append(f"| {name} | {row['P@1']:.2f} | {row['P@3']:.2f} | {row['P@5']:.2f} |")
    columns = ("P@1", "P@3", "P@5", "seconds", "processor seconds")
    lines += ["", "| test rows | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
    for name, row in figures["test"].items():
        shown = f"{name}: {row['blend']}" if "blend" in row else name
        cells = " | ".join(f"{row[column]:.2f}" for column in columns)
        lines.append(f"| {shown} | {cells} |")
    return "\n".join(lines)
