"""The claims of fBGD and one-class MF on real data."""

from typing import Any

from benchmarks.tables import table

TITLES = {
    "figure3": "Plain batch gradient at every rate, and Adagrad (Figure 3), Last.fm next song with four features",
    "table4": "fBGD beside sampled negatives (Table 4), 20 factors",
    "table5": "Image → label by ids (Table 5), corel16k",
    "table6": "More features (Table 6), Last.fm next song",
    "ocmf": "Formulations, with and without the users' graph",
}


def render(record: dict[str, Any]) -> str:
    parts = []
    for name, title in TITLES.items():
        if name not in record["figures"]:
            parts.append(f"**{title}**: not measured yet.")
            continue
        found = record["figures"][name]
        nested = found if name in ("table4", "ocmf") else {"": found}
        for set_name, rows in nested.items():
            heading = f"**{title}{': ' + set_name if set_name else ''}**"
            parts.append(f"{heading}\n\n{_table(_best_first(rows) if name in RANKED else rows)}")
    return "\n\n".join(parts)


RANKED = ("table4", "table5")
"""Tables of rivals; the others have an order of their own."""


def _best_first(rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """By the first measure; what was left out comes last."""

    def score(name: str) -> float:
        first = next(iter(rows[name].values()))
        return first if isinstance(first, float) else -1.0

    return {name: rows[name] for name in sorted(rows, key=score, reverse=True)}


NOT_SHOWN = ("parameters", "validation")


def _table(rows: dict[str, dict[str, Any]]) -> str:
    measures = [key for key in max(rows.values(), key=len) if key not in NOT_SHOWN]
    body = []
    for name, found in rows.items():
        if "left out" in found or "diverged" in found:
            said = f"left out: {found['left out']}" if "left out" in found else "diverged"
            body.append([name, said, *[""] * (len(measures) - 1)])
        else:
            body.append([name, *(_number(found.get(key)) for key in measures)])
    return table(["method", *measures], body)


def _number(value: float | None) -> str:
    if value is None or isinstance(value, int):
        return "" if value is None else str(value)
    return f"{value:.2f}" if value >= 1 else f"{value:.4f}"
