"""Ordinal sets with classes of their own."""

from statistics import mean
from typing import Any

from benchmarks.tables import table
from benchmarks.tables.unlabelled import PAIRS, gains, missing

MEASURES = {"auc": "AUC", "c_index": "C-index", "mae": "MAE", "qwk": "QWK", "mze": "MZE", "amae": "AMAE"}
WITHOUT_UNLABELLED = [plain for _, plain in PAIRS.values()]
LESS_IS_BETTER = ("mae", "mze", "amae")


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    rows = [row for name, found in figures.items() for row in _rows(name, found)]
    parts = [table(["set", "method", *MEASURES.values(), "draws"], rows), *missing(figures)]
    compared = {name: found for name, found in figures.items() if any(map(found["auc"].get, WITHOUT_UNLABELLED))}
    return "\n\n".join([*parts, gains(compared)] if compared else parts)


def _rows(name: str, found: dict[str, Any]) -> list[list[Any]]:
    means = {key: {method: mean(values) for method, values in found[key].items() if values} for key in MEASURES}
    draws = max(map(len, found["auc"].values()))
    full = [method for method, values in found["auc"].items() if len(values) == draws]
    best = {
        key: (min if key in LESS_IS_BETTER else max)(values[method] for method in full) for key, values in means.items()
    }
    rows: list[list[Any]] = []
    for method, values in found["auc"].items():
        # Figures of fewer draws are shown and not compared.
        cells = [_cell(means[key].get(method), best[key] if method in full else None) for key in MEASURES]
        rows.append([name, method, *cells, len(values)])
    return rows


def _cell(value: float | None, best: float | None) -> str:
    if value is None:
        return "not run"
    return f"**{value:.3f}**" if best is not None and abs(value - best) < 5e-4 else f"{value:.3f}"
