"""OrdinalRanker() beside tuned peers on every development set, as gaps."""

from statistics import mean
from typing import Any

from benchmarks.tables import table

OURS, BEFORE = "OrdinalRanker()", "OrdinalRanker() before"
MARGIN = 0.003


def render(record: dict[str, Any]) -> str:
    rows, gaps, old = [], [], []
    for name, methods in record["figures"].items():
        reached = areas(methods)
        if OURS not in reached:
            continue
        draws = _common(methods)
        seconds = [mean(methods[method][draw]["seconds"] for draw in draws) for method in (OURS, BEFORE)]
        peers = {method: area for method, area in reached.items() if method not in (OURS, BEFORE)}
        best = max(peers, key=lambda method: peers[method])
        gaps.append(reached[OURS] - peers[best])
        old.append(reached[BEFORE] - peers[best])
        rows.append([
            name, f"{reached[BEFORE]:.4f}", f"{reached[OURS]:.4f}", f"{peers[best]:.4f} ({best})", f"{old[-1]:+.4f}",
            f"{gaps[-1]:+.4f}", f"{seconds[0] / seconds[1]:.1f} ×", len(draws),
        ])  # fmt: skip
    header = ["set", "before", "OrdinalRanker()", "best peer", "gap before", "gap", "processor time", "draws"]
    behind = [f"{row[0]} ({gap:+.4f})" for row, gap in zip(rows, gaps) if gap < -MARGIN]
    summary = f"Mean gap before {mean(old):+.4f}, after {mean(gaps):+.4f}; "
    summary += f"behind by more than {MARGIN}: {', '.join(behind) or 'none'}."
    return "\n\n".join([table(header, rows), summary])


def areas(methods: dict[str, Any]) -> dict[str, float]:
    """Method → its mean area over the draws that all methods have."""
    draws = _common(methods)
    return {method: mean(found[draw]["auc"] for draw in draws) for method, found in methods.items() if _measured(found)}


def _common(methods: dict[str, Any]) -> list[str]:
    measured = [draws for found in methods.values() if (draws := _measured(found))]
    return sorted(set.intersection(*measured)) if measured else []


def _measured(found: dict[str, Any]) -> set[str]:
    return {draw for draw, one in found.items() if "auc" in one}
