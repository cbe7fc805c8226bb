"""Time and memory of one large fit."""

from typing import Any


def render(record: dict[str, Any]) -> str:
    return "\n".join(["| | |", "|---|---:|", *(f"| {name} | {value:,} |" for name, value in record["figures"].items())])
