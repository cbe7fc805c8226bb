"""One table per data set: methods, precision, propensity-scored precision, seconds."""

from typing import Any

COLUMNS = ("P@1", "P@3", "P@5", "nDCG@5", "PSP@1", "PSP@3", "PSP@5", "seconds")
OURS = ("NeighbourTagger", "FactorTagger", "BlendTagger")


def render(record: dict[str, Any]) -> str:
    """Our methods first, then the others; the best figure of each column but the seconds is bold."""
    blocks = []
    for name, methods in record["figures"].items():
        lines = [f"**{name}**", "", "| method | " + " | ".join(COLUMNS) + " |", "|---|" + "---:|" * len(COLUMNS)]
        measured = [figures for figures in methods.values() if "failed" not in figures]
        best = {column: max(figures[column] for figures in measured) for column in COLUMNS[:-1]}
        for method in sorted(methods, key=lambda method: (not method.startswith(OURS), method.casefold())):
            figures = methods[method]
            if "failed" in figures:
                lines.append(f"| {method} | {figures['failed']} |" + " |" * (len(COLUMNS) - 1))
            else:
                lines.append(f"| {method} | " + " | ".join(_cell(figures, best, column) for column in COLUMNS) + " |")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _cell(figures: dict[str, float], best: dict[str, float], column: str) -> str:
    shown = f"{figures[column]:.2f}"
    return f"**{shown}**" if figures[column] == best.get(column) else shown
