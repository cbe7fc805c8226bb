"""The claims of fBGD and one-class MF: quality on real data, and time."""

from typing import Any

from benchmarks.tables import Block, table

TITLES = {
    "figure3": "Plain batch gradient at every rate, and Adagrad (Figure 3), Last.fm next song with four features",
    "table4": "fBGD beside sampled negatives (Table 4), 20 factors",
    "table5": "Image → label by ids (Table 5), corel16k",
    "table6": "More features (Table 6), Last.fm next song",
}


def quality(record: dict[str, Any]) -> str:
    """The claims of fBGD on real data."""
    parts = []
    for name, title in TITLES.items():
        if name not in record["figures"]:
            parts.append(f"**{title}**: not measured yet.")
            continue
        found = record["figures"][name]
        nested = found if name == "table4" else {"": found}
        for set_name, rows in nested.items():
            heading = f"**{title}{': ' + set_name if set_name else ''}**"
            parts.append(f"{heading}\n\n{_table(_best_first(rows) if name in RANKED else rows)}")
    return "\n\n".join(parts)


def formulations(records: dict[str, Any]) -> str:
    """The claims of one-class MF on real data: by ids, with and without the users' graph, and by features."""
    parts = [
        f"**By ids, with and without the users' graph: {name}**\n\n{_table(rows)}"
        for name, rows in records["engine-quality"]["figures"]["ocmf"].items()
    ]
    precisions = [f"P@{k}" for k in range(1, 6)]
    for name, rows in records["label-formulations"]["figures"].items():
        body = [
            [method, *(f"{found[key]:.2f}" for key in precisions), f"{found['seconds']:.2f}"]
            for method, found in rows.items()
        ]
        parts.append(f"**By features: {name}**\n\n{table(['method', *precisions, 'seconds'], body)}")
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


def speed(record: dict[str, Any]) -> str:
    """The engine's times: against the naive gradient, against implicit, growth, and solvers."""
    figures = record["figures"]
    parts = []
    if "gradient" in figures:
        found = dict(figures["gradient"])
        difference = found.pop("largest difference at 2,000 × 2,000, relative")
        (size, times), *_ = found.items()
        parts.append(
            f"Gradient of the rows at {size}: {times['naive seconds']:.3g} s cell by cell, "
            f"{times['whole-data seconds']:.3g} s through the caches, {times['ratio']:.0f} times less; the two differ "
            f"by {difference:.1e} of the largest entry at 2,000 × 2,000 in single precision."
        )
    if "iteration" in figures:
        found = figures["iteration"]
        parts.append(
            f"One Adagrad iteration at 100,000 × 20,000 with {found['positives']:,} positives and 64 factors takes "
            f"{found['ratio of best processor seconds']:.2f} of the processor time of one of implicit's (best of the "
            f"run; by medians {found['ratio of median processor seconds']:.2f}), and "
            f"{found['ratio of best seconds']:.2f} of its wall time."
        )
    if "growth" in figures:
        names = {"n": "rows", "count": "positives", "g": "factors"}
        rows = [
            [names[name], " → ".join(f"{value:,}" for value in found["values"]),
             " → ".join(f"{1000 * seconds:.0f}" for seconds in found["seconds"])]
            for name, found in figures["growth"].items()
        ]  # fmt: skip
        parts.append(table(["what grows", "from → to", "processor milliseconds of one gradient"], rows))
    if "solvers" in figures:
        rows = [
            [name, *(_seconds(figures["solvers"][loss][name]) for loss in ("square", "logistic")),
             *(f"{figures['solvers'][loss][name]['objective over the lowest']:.5f}" for loss in ("square", "logistic"))]
            for name in figures["solvers"]["square"]
        ]  # fmt: skip
        head = ["solver", "square: s to 1e-3", "logistic: s to 1e-3", "square: J / lowest", "logistic: J / lowest"]
        parts.append(f"{table(head, rows)}\n\nSeconds of solvers are processor seconds of all threads.")
    return "\n\n".join(parts)


def _seconds(found: dict[str, Any]) -> str:
    seconds = found["processor seconds to 1e-3"]
    return "not reached" if seconds is None else f"{seconds:.2f}"


BLOCKS = {
    "engine-quality": Block(quality),
    "ocmf": Block(formulations, ("engine-quality", "label-formulations")),
    "engine-speed": Block(speed),
}
