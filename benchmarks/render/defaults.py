"""Every estimator with default parameters beside its best peers, on every development set."""

from typing import Any

from benchmarks.render import Block, table


def gaps(record: dict[str, Any]) -> str:
    """Every estimator with default parameters beside its best peers, on every development set, as gaps."""
    figures = record["figures"]
    rows = [
        [
            one["estimator"], one["set"], one["measure"], _number(one["before"]), _number(one["ours"]),
            f"{_number(one['best'])} ({one['peer']})", _share(one["gap_before"]), _share(one["gap"]),
        ]
        for one in figures["rows"]
    ]  # fmt: skip
    summary = []
    for estimator, told in figures["estimators"].items():
        line = f"- `{estimator}`: mean gap {told['mean_gap']:+.1%} over {told['rows']} rows; "
        line += f"behind by more than the margin: {', '.join(told['behind']) or 'none'}"
        if "keeps_the_rule" in told:
            kept = "keeps the rule" if told["keeps_the_rule"] else f"loses on {', '.join(told['lost'])}"
            line += f"; beside what it was, {told['mean_change']:+.1%} in the mean, {kept}"
        summary.append(line + ".")
    header = ["estimator", "set", "measure", "before", "reached", "best peer", "gap before", "gap"]
    return "\n\n".join(["\n".join(summary), table(header, rows)])


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}" if abs(value) < 10 else f"{value:.2f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:+.1%}"


BLOCKS = {
    "defaults": Block(gaps),
}
