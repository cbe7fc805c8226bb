"""One table per data set: methods, precision, propensity-scored precision, seconds."""

from typing import Any

COLUMNS = ("P@1", "P@3", "P@5", "nDCG@5", "PSP@1", "PSP@3", "PSP@5", "seconds")


def render(record: dict[str, Any]) -> str:
    blocks = []
    for name, methods in record["figures"].items():
        lines = [f"**{name}**", "", "| method | " + " | ".join(COLUMNS) + " |", "|---|" + "---:|" * len(COLUMNS)]
        for method, figures in methods.items():
            if "failed" in figures:
                lines.append(f"| {method} | {figures['failed']} |" + " |" * (len(COLUMNS) - 1))
            else:
                lines.append(f"| {method} | " + " | ".join(f"{figures[column]:.2f}" for column in COLUMNS) + " |")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
