"""The claims of fBGD and one-class MF: quality on real data, time, and the tables and figures of both papers."""

from typing import Any

from matplotlib.figure import Figure

from benchmarks.render import Block, Drawing, Figures, Table, beside, number, picked, table, unmeasured
from benchmarks.render.words import NO_NEWSIR

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


NO_YAHOO = "Yahoo music is not among the data at hand; MovieLens 1M and Last.fm HetRec stand in."
BY_CHANCE = "a fifth of each set held out at random"
LEAVE_ONE_OUT = "leave-one-out"
HALF_OF_LASTFM = "Last.fm next song: only the authors' test part could be had, and is split again."
NO_OPENIMAGES = "OpenImages is not among the data at hand: corel16k, where images are ids as well, stands in."


def fbgd_table4(paper: dict[str, Any], engine: Figures | None) -> list[Table]:
    found = picked(engine, "table4") or {}
    tables = []
    for name in ["Last.fm next song", *(other for other in found if other != "Last.fm next song")]:
        published = paper["sets"].get(name, {})
        protocol = LEAVE_ONE_OUT if name == "Last.fm next song" else BY_CHANCE
        caption = paper["caption"].replace(LEAVE_ONE_OUT, protocol)
        tables.append(_ranked(f"{caption}: {name}", paper["measures"], published, found.get(name)))
    published = paper["sets"]["Yahoo music"]
    tables.append(
        _ranked("Yahoo music, in the paper only", paper["measures"], published, {}, dict.fromkeys(published, "no data"))
    )
    last = tables[-1]
    tables[-1] = Table(last.title, last.headings, last.rows, [NO_YAHOO, HALF_OF_LASTFM])
    return tables


def fbgd_table5(paper: dict[str, Any], engine: Figures | None) -> list[Table]:
    found = picked(engine, "table5") or {}
    ours = {name: [row.get("auc")] for name, row in found.items()}
    title = f"{paper['caption']}: OpenImages in the paper, corel16k here"
    return [beside(title, paper["measures"], paper["sets"]["OpenImages"], ours, notes=[NO_OPENIMAGES])]


def fbgd_table6(paper: dict[str, Any], engine: Figures | None) -> list[Table]:
    published = paper["sets"]["Last.fm next song"]
    table = _ranked(paper["caption"], paper["measures"], published, picked(engine, "table6"))
    return [Table(table.title, table.headings, table.rows, [HALF_OF_LASTFM])]


def fbgd_table7(paper: dict[str, Any], runtime: Figures | None) -> list[Table]:
    """The paper's formula, and measured seconds beside the operations that it counts."""
    formulas = [[name, values[0]] for name, values in paper["sets"][""].items()]
    tables = [Table(paper["caption"], ["optimizer", "operations"], formulas)]
    growth = picked(runtime, "table7")
    if growth is None:
        return [*tables, unmeasured("Seconds of one iteration here")]
    symbols = {"n": "|X|", "m": "|Y|", "count": "|P|", "g": "g"}
    for name in ("n", "count", "g"):
        fixed = ", ".join(f"{symbols[key]} = {value:,}" for key, value in growth["base"].items() if key != name)
        row = growth[name]
        lines = [
            [f"{value:,}", number(took), number(took / row["seconds"][0], 2), number(work / row["operations"][0], 2)]
            for value, took, work in zip(row["values"], row["seconds"], row["operations"])
        ]
        heads = [symbols[name], "seconds", "times the first", "by the formula"]
        tables.append(Table(f"One fBGD iteration on one thread over {symbols[name]} ({fixed})", heads, lines))
    return tables


def fbgd_table8(paper: dict[str, Any], runtime: Figures | None) -> list[Table]:
    found = {name: row for name, row in (picked(runtime, "table8") or {}).items() if isinstance(row, dict)}
    ours = {
        {"SVDFeature ×4": "SGD ×n"}.get(name, name): [row["seconds"], row["iterations"], row["minutes"]]
        for name, row in found.items()
    }
    notes = [
        "Another machine and a part of the data only: compare the rows, not the columns. " + HALF_OF_LASTFM,
        "Iterations are the paper's; ours by als has its own default.",
        f"{NO_NEWSIR} {NO_OPENIMAGES}",
    ]
    title = f"{paper['caption']}: Last.fm next song"
    published = paper["sets"]["Last.fm next song"]
    tables = [beside(title, paper["measures"], published, ours, digits=(4, 0, 3), notes=notes)]
    for name in ("NewsIR", "OpenImages"):
        rows = paper["sets"][name]
        missing = dict.fromkeys(rows, "no data")
        tables.append(beside(f"{name}, in the paper only", paper["measures"], rows, {}, digits=0, missing=missing))
    return tables


def fbgd_figure3(paper: dict[str, Any], engine: Figures | None) -> list[Table]:
    found = picked(engine, "figure3")
    if not found:
        return [unmeasured(paper["caption"], paper["claim"])]
    rows = [
        [name, "diverged" if "diverged" in row else number(row.get("ndcg@10")), number(row.get("mrr@10"))]
        for name, row in found.items()
    ]
    notes = [f"The paper's claim: {paper['claim']}.", HALF_OF_LASTFM]
    return [Table(paper["caption"], ["solver and rate", "NDCG@10", "MRR@10"], rows, notes)]


def fbgd_figure5(paper: dict[str, Any], runtime: Figures | None) -> list[Table]:
    found = picked(runtime, "figure5")
    if not found:
        return [unmeasured(paper["caption"], paper["claim"])]
    claim = [f"The paper's claim: {paper['claim']}."]
    naive = [
        [f"{row['side']:,}", number(row["naive"]), number(row["fBGD"]), number(row["naive"] / row["fBGD"], 0)]
        for row in found["naive"]
    ]
    heads = ["rows and columns", "naive, s", "fBGD, s", "ratio"]
    tables = [Table("One gradient of the rows on one thread, 32 factors", heads, naive, claim)]
    sizes = [[str(g), number(took)] for g, took in zip(found["factors"]["values"], found["factors"]["seconds"])]
    tables.append(Table("One iteration over the embedding size, on one thread", ["factors", "seconds"], sizes))
    rows = []
    for solver, points in found["convergence"].items():
        chosen = sorted({0, len(points) // 8, len(points) // 4, len(points) // 2, len(points) - 1})
        rows += [
            [solver, str(points[at]["iteration"]), number(points[at]["seconds"], 3), number(points[at]["objective"], 1)]
            for at in chosen
        ]
    heads = ["solver", "iterations", "seconds", "objective"]
    return [*tables, Table("Convergence, 2,000 × 1,000, 16 factors", heads, rows)]


def _ranked(
    title: str,
    measures: list[str],
    published: dict[str, Any],
    found: Figures | None,
    missing: dict[str, str] | None = None,
) -> Table:
    ours = {name: [row.get("ndcg@10"), row.get("mrr@10")] for name, row in (found or {}).items()}
    return beside(title, measures, published, ours, missing=missing)


PRECISIONS = [f"precision@{k}" for k in range(1, 6)]
NO_SETS = "Mediamill, Delicious, EURLex and Wiki10 are not here."
NO_GRAPHS = "Douban and the whole of Flixster are not here; a part of Flixster, MovieLens 100K and Last.fm stand in."


def ocmf_table3(paper: dict[str, Any], engine: Figures | None, labels: Figures | None) -> list[Table]:
    bibtex = picked(labels, "bibtex") or {}
    ours = {
        name: [bibtex[name]["seconds"], *(bibtex[name][f"P@{k}"] for k in range(1, 6))]
        for name in ("LR-wSQ", "LR-wLR")
        if name in bibtex
    }
    tables = [beside(f"{paper['caption']}: bibtex", paper["measures"], paper["sets"]["bibtex"], ours, digits=2)]
    found = picked(engine, "ocmf", "MovieLens 100k") or {}
    chosen = {name: row for name, row in found.items() if name in ("LR-wSQ", "LR-wLR") and PRECISIONS[0] in row}
    ours = {name: [row.get("seconds"), *(100 * row[key] for key in PRECISIONS)] for name, row in chosen.items()}
    notes = ["LR-wLR walks over every cell, so it is for small sets: Bibtex by features above, MovieLens by ids here."]
    tables.append(beside("MovieLens 100K by ids, here", paper["measures"], {}, ours, digits=2, notes=notes))
    for name, rows in paper["sets"].items():
        if name != "bibtex":
            missing = dict.fromkeys(rows, "no data")
            tables.append(beside(f"{name}, in the paper only", paper["measures"], rows, {}, digits=2, missing=missing))
    return tables


def ocmf_figure1(paper: dict[str, Any], engine: Figures | None) -> list[Table]:
    return _formulations(paper, engine, ("SQ-SQ", "SQ-wSQ", "LR-wSQ", "SQ-wSQ (S)"))


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
        NO_SETS + " FastXML is not among our baselines; exmlds-table2 has the paper's own figures of it.",
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
                f"{100 * (rows[method]['P@5'] / base - 1):+.1f} %" if base else "–", number(rows[method]["seconds"], 2),
            ]
            for method in chosen
            if method in rows
        ]  # fmt: skip
        heads = ["formulation", "P@1", "P@5", "P@5 over SQ-SQ", "seconds"]
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
