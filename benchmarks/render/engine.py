"""The claims of fBGD and one-class MF: quality on real data, time, and the tables and figures of the latter."""

from typing import Any

from matplotlib.figure import Figure

from benchmarks.render import Block, Drawing, Figures, Table, beside, number, picked, table, unmeasured

TITLES = {
    "figure3": "Plain batch gradient at every rate, and Adagrad (Figure 3), Last.fm next song with four features",
    "table4": "fBGD beside sampled negatives (Table 4), 20 factors",
    "table5": "Image → label by ids (Table 5), corel16k, a fifth of the pairs held out at random",
    "table6": "More features (Table 6), Last.fm next song",
}


HELD_OUT = {"Last.fm next song": "the ten latest transitions of each user held out"}


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
            shown = f": {set_name}, {HELD_OUT.get(set_name, 'a fifth held out at random')}" if set_name else ""
            heading = f"**{title}{shown}**"
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
        body = [[method, *(f"{found[key]:.2f}" for key in precisions), took(found)] for method, found in rows.items()]
        parts.append(f"**By features: {name}**\n\n{table(['method', *precisions, 'processor seconds'], body)}")
    return "\n\n".join(parts)


def took(found: dict[str, Any]) -> str:
    """Processor seconds; of what was measured before they were, those of the clock."""
    return number(found["processor seconds"], 2) if "processor seconds" in found else f"{found['seconds']:.2f} by clock"


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


PRECISIONS = [f"precision@{k}" for k in range(1, 6)]
NO_SETS = "Mediamill (but for 2,500 of its rows), EURLex and Wiki10 are not here."
NO_GRAPHS = "Douban and the whole of Flixster are not here; a part of Flixster, MovieLens 100K and Last.fm stand in."


def ocmf_table3(paper: dict[str, Any], engine: Figures | None, labels: Figures | None) -> list[Table]:
    """Seconds here are those of the processor where features are given."""
    pair = ("LR-wSQ", "LR-wLR")
    tables = []
    for name in [*paper["sets"], *(other for other in labels or {} if other not in paper["sets"])]:
        rows = picked(labels, name) or {}
        ours = {
            method: [took(rows[method]), *(rows[method][f"P@{k}"] for k in range(1, 6))]
            for method in pair
            if method in rows
        }
        published = paper["sets"].get(name, {})
        missing = dict.fromkeys(pair, "not measured: every cell is stored" if rows else "no data")
        title = f"{paper['caption']}: {name}"
        tables.append(beside(title, paper["measures"], published, ours, digits=2, missing=missing))
    found = picked(engine, "ocmf", "MovieLens 100k") or {}
    chosen = {name: row for name, row in found.items() if name in pair and PRECISIONS[0] in row}
    ours = {name: [row.get("seconds"), *(100 * row[key] for key in PRECISIONS)] for name, row in chosen.items()}
    notes = [
        "LR-wLR walks over every cell, so it is for small sets. By features seconds here are those of the processor.",
        NO_SETS,
    ]
    tables.append(beside("MovieLens 100K by ids, here", paper["measures"], {}, ours, digits=2, notes=notes))
    return tables


def ocmf_figure1(paper: dict[str, Any], engine: Figures | None, labels: Figures | None) -> list[Table]:
    chosen = ("SQ-SQ", "SQ-wSQ", "LR-wSQ", "SQ-wSQ (S)", "LR-wLR (S)")
    return [*_labels(paper, labels, chosen), *_formulations(paper, engine, chosen)]


def ocmf_figure2(paper: dict[str, Any], engine: Figures | None, labels: Figures | None) -> list[Table]:
    chosen = tuple(name + graph for name in ("SQ-SQ", "SQ-wSQ", "LR-wSQ") for graph in ("", " + graph"))
    return [*_labels(paper, labels, ("SQ-SQ", "SQ-wSQ", "LR-wSQ", "LR-wLR")), *_formulations(paper, engine, chosen)]


def ocmf_figure3(paper: dict[str, Any], labels: Figures | None) -> list[Table]:
    tables = _labels(paper, labels, ("LR-wSQ", "LR-wSQ-Nys", "SLEEC"))
    if not tables:
        return [unmeasured(paper["caption"], paper["claim"])]
    last = tables[-1]
    notes = [
        *last.notes,
        NO_SETS + " FastXML has no package for Python 3; exmlds-table2 has that paper's figures of it.",
    ]
    return [*tables[:-1], Table(last.title, last.headings, last.rows, notes)]


def _labels(paper: dict[str, Any], labels: Figures | None, chosen: tuple[str, ...]) -> list[Table]:
    """Precision with features, one table per set."""
    tables = []
    for name, rows in (labels or {}).items():
        base = rows.get("SQ-SQ", {}).get("P@5")
        lines = [
            [
                method, number(rows[method]["P@1"], 2), number(rows[method]["P@5"], 2),
                f"{100 * (rows[method]['P@5'] / base - 1):+.1f} %" if base else "–",
                took(rows[method]),
            ]
            for method in chosen
            if method in rows
        ]  # fmt: skip
        heads = ["formulation", "P@1", "P@5", "P@5 over SQ-SQ", "processor seconds"]
        tables.append(
            Table(f"{paper['caption']}: {name}, by features", heads, lines, [f"The paper's claim: {paper['claim']}."])
        )
    return tables


def _formulations(paper: dict[str, Any], engine: Figures | None, chosen: tuple[str, ...]) -> list[Table]:
    found = picked(engine, "ocmf")
    if not found:
        return [unmeasured(paper["caption"], paper["claim"])]
    tables = []
    for name, rows in found.items():
        base = rows.get("SQ-SQ", {}).get("precision@5")
        lines = []
        for method in chosen:
            if method in rows:
                value = rows[method]["precision@5"]
                gain = f"{100 * (value / base - 1):+.1f} %" if base else "–"
                lines.append([method, number(value), gain, number(rows[method]["seconds"], 2)])
        heads = ["formulation", "precision@5", "over SQ-SQ", "seconds"]
        tables.append(Table(f"{paper['caption']}: {name}", heads, lines, [f"The paper's claim: {paper['claim']}."]))
    last = tables[-1]
    return [*tables[:-1], Table(last.title, last.headings, last.rows, [*last.notes, NO_GRAPHS])]


GROWN = {"n": "|X|, rows", "count": "|P|, positives", "g": "g, factors"}


def stated(shape: dict[str, int]) -> float:
    return shape["count"] * shape["g"] + (shape["n"] + shape["m"]) * shape["g"] ** 2


def draw_growth(figures: dict[str, Any]) -> Figure:
    """How one whole-data gradient grows: O(|P| g + (|X| + |Y|) g²), between linear and quadratic in g."""
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    parts = figure.subplots(1, 3, sharey=True)
    growth = figures["growth"]
    for axes, (name, label) in zip(parts, GROWN.items()):
        found = growth[name]
        values, seconds = found["values"], found["seconds"]
        costs = [stated(found["others"] | {name: value}) for value in values]
        # One scale for each line: what counts is how it rises.
        scale = sum(seconds) / sum(costs)
        axes.loglog(values, [1000 * second for second in seconds], marker="o", label="measured")
        axes.loglog(values, [1000 * scale * cost for cost in costs], linestyle="--", label="|P| g + (|X| + |Y|) g²")
        axes.set_xlabel(label)
        axes.set_xticks(values, [f"{value:,}" for value in values], rotation=30)
        axes.minorticks_off()
    parts[0].set_ylabel("processor milliseconds")
    parts[0].legend()
    return figure


BLOCKS = {
    "engine-quality": Block(quality),
    "ocmf": Block(formulations, ("engine-quality", "label-formulations")),
    "engine-speed": Block(speed),
}
FIGURES = {"engine-growth": Drawing("engine-speed", draw_growth)}
