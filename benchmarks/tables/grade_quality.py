"""Ordinal AUC from 500 labels."""

from typing import Any

from tables import table


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    methods = list(dict.fromkeys(method for found in figures.values() for method in found["mean"]))
    rows = []
    for method in methods:
        cells = []
        for found in figures.values():
            values = found["auc"].get(method)
            if values is None:
                cells.append("not run")
                continue
            cells.append(f"{found['mean'][method]:.4f} ({min(values):.4f} to {max(values):.4f}, {len(values)} seeds)")
        rows.append([method, *cells])
    gains = ", ".join(f"{name} {found['unlabelled_rows_help_by']:+.4f}" for name, found in figures.items())
    return (
        table(["mean ordinal AUC (range)", *figures], rows)
        + f"\n\nExact with the unlabelled rows, less the same from labelled rows only: {gains}."
    )
