"""Ordinal sets with classes of their own."""

from typing import Any

from tables import table


def render(record: dict[str, Any]) -> str:
    rows = [
        [name, method, *(f"{found[measure]:.3f}" for measure in ("auc", "c_index", "mae", "qwk", "mze", "amae"))]
        for name, methods in record["figures"].items()
        for method, found in methods.items()
    ]
    return table(["set", "method", "AUC", "C-index", "MAE", "QWK", "MZE", "AMAE"], rows)
