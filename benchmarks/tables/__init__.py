"""Markdown from results files: one module per file, each with ``render(record) -> str``."""

from typing import Any


def table(header: list[str], rows: list[list[Any]]) -> str:
    """A Markdown table; numbers are right-aligned.

    >>> print(table(["method", "s"], [["a", 1]]))
    | method | s |
    |---|--:|
    | a | 1 |
    """
    first = rows[0] if rows else header
    marks = ["--:" if isinstance(cell, int | float) else "---" for cell in first]
    lines = [header, *rows]
    body = ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]
    return "\n".join([body[0], "|" + "|".join(marks) + "|", *body[1:]])
