"""Recall of hidden tags among the best suggestions."""

from typing import Any


def render(record: dict[str, Any]) -> str:
    methods = record["figures"]["recall among the n best"]
    sizes = list(next(iter(methods.values())))
    lines = ["| method | " + " | ".join(f"best {int(n):,}" for n in sizes) + " |", "|---|" + "---:|" * len(sizes)]
    lines += [f"| {name} | " + " | ".join(f"{found[n]:.1%}" for n in sizes) + " |" for name, found in methods.items()]
    return "\n".join(lines) + f"\n\n{record['figures']['hidden']:,} tags were hidden."
