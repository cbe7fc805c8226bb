"""Word vectors, context vectors or their sum: the same fits by several tests."""

from statistics import mean
from typing import Any

from benchmarks.tables import table

WAYS = ("sum", "word", "context")


def render(record: dict[str, Any]) -> str:
    tests = record["figures"]["tests"]
    rows = [[name, *(f"{found[way]:.4f}" for way in WAYS)] for name, found in tests.items()]
    ratios = [f"{mean(found[way] / found['sum'] for found in tests.values()):.3f}" for way in WAYS]
    return table(["test", *WAYS], [*rows, ["mean ratio to the sum", *ratios]])
