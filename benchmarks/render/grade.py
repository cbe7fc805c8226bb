"""Ordinal grades: quality, real sets, size, the rate of Theorem 1, defaults, and the QS³ORAO paper's figures."""

from statistics import mean, stdev
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from benchmarks.render import ABSENT, Block, Drawing, Figures, Table, number, table, unmeasured

PAIRS = {
    "loss and γ chosen": ("OrdinalRanker", "labelled rows only"),
    "squared loss": ("squared loss, exact", "squared loss, labelled rows only"),
}


def gains(figures: dict[str, Any]) -> str:
    """Mean gain in AUC over the draws, its standard error, how many draws gained, and a word on it."""
    rows = [
        [name, kind, *_verdict(found["auc"], better, plain)]
        for name, found in figures.items()
        for kind, (better, plain) in PAIRS.items()
    ]
    return table(["set", "method", "gain in AUC ± standard error", "draws", "unlabelled rows"], rows)


def _verdict(areas: dict[str, list[float]], better: str, plain: str) -> list[str]:
    found = [a - b for a, b in zip(areas.get(better, []), areas.get(plain, []))]
    if len(found) < 2:
        return ["not run", "–", "–"]
    error = stdev(found) / len(found) ** 0.5
    word = "no difference seen"
    if not any(found):
        word = "never chosen"
    elif abs(mean(found)) > 2 * error:
        word = "help" if mean(found) > 0 else "harm"
    counts = f"{sum(gain > 0 for gain in found)} up, {sum(gain < 0 for gain in found)} down of {len(found)}"
    return [f"{mean(found):+.4f} ± {error:.4f}", counts, word]


def missing(figures: dict[str, Any]) -> list[str]:
    """One sentence for every method that could not run on a set."""
    return [
        f"{method} has no figure on {name}: {reason}"
        for name, found in figures.items()
        for method, reason in found.get("missing", {}).items()
    ]


def quality(record: dict[str, Any]) -> str:
    """Ordinal AUC from 500 labels."""
    figures = record["figures"]
    methods = list(dict.fromkeys(method for found in figures.values() for method in found["auc"]))
    best = {name: max(mean(values) for values in found["auc"].values() if values) for name, found in figures.items()}
    rows = [
        [method, *(_with_range(found["auc"].get(method), best[name]) for name, found in figures.items())]
        for method in methods
    ]
    parts = [table(["mean ordinal AUC (range, draws)", *figures], rows), *missing(figures)]
    apart = [_apart(name, found["auc"]) for name, found in figures.items()]
    parts.append(f"Stochastic less exact, both with the squared loss: {', '.join(apart)}.")
    chosen = [_chosen(name, found["chosen"]) for name, found in figures.items() if found.get("chosen")]
    if chosen:
        parts.append(f"OrdinalRanker chose, {'; '.join(chosen)}.")
    parts.append(gains(figures))
    return "\n\n".join(parts)


def _with_range(values: list[float] | None, best: float) -> str:
    if not values:
        return "not run"
    shown = f"**{mean(values):.4f}**" if mean(values) == best else f"{mean(values):.4f}"
    return f"{shown} ({min(values):.4f}–{max(values):.4f}, {len(values)})"


def _apart(name: str, areas: dict[str, list[float]]) -> str:
    pairs = zip(areas.get("squared loss, stochastic", []), areas.get("squared loss, exact", []))
    apart = [one - other for one, other in pairs]
    return f"{name} {mean(apart):+.4f}" if apart else f"{name} not run"


def _chosen(name: str, choices: list[dict[str, Any]]) -> str:
    logistic = sum(one["loss"] == "logistic" for one in choices)
    unlabelled = sum(one["unlabelled_weight"] > 0 for one in choices)
    return f"on {name}: the logistic loss {logistic} times and unlabelled pairs {unlabelled} times of {len(choices)}"


MEASURES = {"auc": "AUC", "c_index": "C-index", "mae": "MAE", "qwk": "QWK", "mze": "MZE", "amae": "AMAE"}
WITHOUT_UNLABELLED = [plain for _, plain in PAIRS.values()]
LESS_IS_BETTER = ("mae", "mze", "amae")


def real(record: dict[str, Any]) -> str:
    """Ordinal sets with classes of their own."""
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


def size(record: dict[str, Any]) -> str:
    """Time and memory against the number of unlabelled rows."""
    figures = record["figures"]
    sizes = sorted({point["unlabelled"] for points in figures.values() for point in points})
    rows, reasons = [], []
    for method, points in figures.items():
        by_size = {point["unlabelled"]: point for point in points}
        cells = []
        for count in sizes:
            point = by_size.get(count, {})
            shown = f"{point['processor_seconds']:.1f} s, {point['grown_mib']:.0f} MiB" if "seconds" in point else "–"
            cells.append("stops" if "stopped" in point else shown)
            if "stopped" in point:
                reasons.append(f"{method} says: {point['stopped']}")
        rows.append([method, *cells])
    header = ["processor seconds and memory; unlabelled rows:", *(f"{count:,}" for count in sizes)]
    return "\n\n".join([table(header, rows), *reasons])


def large(record: dict[str, Any]) -> str:
    """400,000 rows of 90 columns."""
    rows = [
        [key, f"{found['seconds']:.1f}", f"{found['processor_seconds']:.1f}", f"{found['peak_mib_of_the_process']:.0f}"]
        for key, found in record["figures"].items()
    ]
    return table(["400,000 × 90, 500 frequencies, exact", "seconds", "processor seconds", "peak MiB"], rows)


def rate(record: dict[str, Any]) -> str:
    """How fast the stochastic solution approaches the exact one."""
    figures = record["figures"]
    picked = [place for place in range(len(figures["steps"])) if place % 5 == 0]
    rows = []
    for rule in ("constant", "decay"):
        found = figures[rule]
        errors = (f"{found['error'][place]:.2e}" for place in picked)
        rows.append([rule, *errors, f"{found['slope_of_the_last_part']:.2f}"])
    steps = [f"{figures['steps'][place]:,} steps" for place in picked]
    parts = [table(["squared error, relative", *steps, "slope"], rows)]
    if "as printed" in figures:
        found = figures["as printed"]
        kept = ["numbers kept", *(f"{count:,}" for count in found["numbers_kept"]), ""]
        errors = ["QS³ORAO, Algorithm 1", *(f"{error:.2e}" for error in found["error"]), f"{found['slope']:.2f}"]
        header = [
            "against the minimiser in the kernel's space",
            *(f"{count:,} steps" for count in found["steps"]),
            "slope",
        ]
        parts.append(table(header, [errors, kept]))
    return "\n\n".join(parts)


STEP_HEADS = ["set", "λ", "method", "steps", "AUC", "error", "processor seconds", "numbers kept"]


def steps(record: dict[str, Any]) -> str:
    """QS³ORAO as printed beside the exact minimiser, means over the draws."""
    return table(STEP_HEADS, step_rows(record["figures"]))


def step_rows(figures: dict[str, Any]) -> list[list[str]]:
    """A row for each number of steps, below that of the minimiser; of divergent runs one that says so."""
    rows = []
    for name, draws in figures.items():
        for kind in draws[0]:
            found = [draw[kind] for draw in draws]
            strengths = sorted(one["regularization"] for one in found)
            label = f"{kind}, " + " to ".join(dict.fromkeys(f"{strengths[end]:.3g}" for end in (0, -1)))
            area, seconds = (mean(one["exact"][key] for one in found) for key in ("auc", "seconds"))
            rows.append([name, label, "exact minimiser", "–", f"{area:.4f}", "0", f"{seconds:.2f}", "–"])
            lost = sum("diverged" in one["points"][-1] for one in found)
            if lost:
                counted = f"diverges in {lost} of {len(found)} draws"
                rows.append([name, label, "QS³ORAO, Algorithm 1", "–", counted, "–", "–", "–"])
                continue
            for points in zip(*(one["points"] for one in found), strict=True):
                area, error, seconds = (mean(point[key] for point in points) for key in ("auc", "error", "seconds"))
                cells = [f"{area:.4f}", f"{error:.3f}", f"{seconds:.2f}", f"{points[0]['numbers_kept']:,}"]
                rows.append([name, label, "QS³ORAO, Algorithm 1", str(points[0]["steps"]), *cells])
    return rows


OURS, BEFORE = "OrdinalRanker()", "OrdinalRanker() before"
MARGIN = 0.003


def defaults(record: dict[str, Any]) -> str:
    """OrdinalRanker() beside tuned peers on every development set, as gaps."""
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


NO_SETS = (
    "3D road, Sgemm, Year, Yolanda and the four Amazon sets are not here: kin40k, protein and elevators, cut into five "
    "classes of equal frequency, stand in."
)
SYNTHETIC = "The rows are synthetic: Gaussian features with a smooth grade; the paper's sets are not here."


def qs3orao_figure1(paper: dict[str, Any], size: Figures | None) -> list[Table]:
    if not size:
        return [unmeasured(paper["caption"], paper["claim"])]
    heads = ["method", "unlabelled rows", "seconds", "processor seconds", "peak MiB", ""]
    rows = []
    for method, points in size.items():
        for point in points:
            numbers = [number(point.get("seconds"), 2), number(point.get("processor_seconds"), 2)]
            memory = number(point.get("peak_mib"), 0)
            rows.append([method, f"{point['unlabelled']:,}", *numbers, memory, point.get("stopped", "")])
    protocol = f"{paper['caption']}, synthetic rows of 8 columns, parameters given"
    return [Table(protocol, heads, rows, [f"The paper's claim: {paper['claim']}.", SYNTHETIC])]


COSTS = [
    ["ALOR, SVOREX, TOR, SSORERM, ManifoldOR", "no", "n³", "n²"],
    ["SSGPOR", "no", "more than n³", "n²"],
    ["VUS, MultiRank", "yes", "n³", "n²"],
    ["QS³ORAO", "yes", "D·t²", "D·n"],
]
"""Methods of the paper's Table 1, whether they optimise AUC, their operations and their numbers."""


def qs3orao_table1(paper: dict[str, Any], steps: Figures | None) -> list[Table]:
    """What the paper says of costs, and what Algorithm 1 took: processor seconds and numbers kept over its steps."""
    notes = [f"The paper's claim: {paper['claim']}. D frequencies a step, t steps, n rows."]
    stated = Table("Costs as the paper has them", ["method", "AUC", "operations", "numbers"], COSTS, notes)
    if not steps:
        return [stated, unmeasured(paper["caption"])]
    rows = []
    for name, draws in steps.items():
        points = [draw["the paper's least λ"]["points"] for draw in draws]
        for same in zip(*points):
            seconds = mean(point["seconds"] for point in same)
            rows.append([name, f"{same[0]['steps']:,}", f"{seconds:.2f}", f"{same[0]['numbers_kept']:,}"])
    heads = ["set", "steps", "processor seconds", "numbers kept"]
    return [stated, Table("Algorithm 1, 64 frequencies a step, λ = 2⁻³, means over the draws", heads, rows)]


def qs3orao_figure2(paper: dict[str, Any], quality: Figures | None, steps: Figures | None) -> list[Table]:
    """Areas of all methods, then the paper's own method step by step."""
    tables = _areas(paper, quality)
    if steps:
        notes = [
            "The error is the squared distance to the exact minimiser's scores, over their variance. The method gets "
            "64 fresh frequencies a step, and the same rows, γ and bandwidth as the minimiser."
        ]
        tables.append(Table("QS³ORAO as printed beside the exact minimiser", STEP_HEADS, step_rows(steps), notes))
    return tables


def _areas(paper: dict[str, Any], quality: Figures | None) -> list[Table]:
    if not quality:
        return [unmeasured(paper["caption"], paper["claim"])]
    methods = list(dict.fromkeys(method for found in quality.values() for method in found["auc"]))
    shared = {name: min(len(areas) for areas in found["auc"].values() if areas) for name, found in quality.items()}
    rows = [
        [method, *(_spread((found["auc"].get(method) or [])[: shared[name]]) for name, found in quality.items())]
        for method in methods
    ]
    notes = [f"The paper's claim: {paper['claim']}.", NO_SETS]
    heads = [f"{name}, {count} draw{'' if count == 1 else 's'}" for name, count in shared.items()]
    protocol = "Ordinal AUC of at most 10,000 unlabelled rows, 500 labels, the same draws for all: mean and range"
    return [Table(protocol, ["method", *heads], rows, notes)]


def _spread(areas: list[float] | None) -> str:
    if not areas:
        return ABSENT
    return f"{sum(areas) / len(areas):.4f} ({min(areas):.3f}–{max(areas):.3f})"


SHORT = {
    "squared loss, exact": "squared, exact",
    "squared loss, labelled rows only": "squared, labelled only",
    "squared loss, stochastic": "squared, stochastic",
    "squared loss, Fourier features": "squared, Fourier",
    "labelled rows only": "… labelled only",
}
COLOURED = ("OrdinalRanker", "labelled", "squared")
FAR_BELOW = 0.15


def draw_quality(figures: dict[str, Any]) -> Figure:
    """A box per method and set: quartiles, range, and the mean as a triangle; ours are coloured.

    A method far below all others (or without figures) is named in its row, so that the others can be told apart.
    """
    methods = list(dict.fromkeys(method for found in figures.values() for method in found["auc"]))
    figure = Figure(figsize=(3.9 * len(figures) + 1.6, 0.34 * len(methods) + 1.2), layout="constrained")
    panels = figure.subplots(1, len(figures), squeeze=False, sharey=True)[0]
    for axes, (name, found) in zip(panels, figures.items()):
        areas = {method: values for method, values in found["auc"].items() if values}
        middle = float(np.median([np.mean(values) for values in areas.values()]))
        shown = {method: values for method, values in areas.items() if np.mean(values) > middle - FAR_BELOW}
        boxes = axes.boxplot(
            list(shown.values()), positions=[methods.index(method) for method in shown], orientation="horizontal",
            patch_artist=True, showmeans=True, whis=(0, 100), widths=0.6, medianprops={"color": "black"},
        )  # fmt: skip
        for box, method in zip(boxes["boxes"], shown):
            box.set_facecolor("#8fb8de" if method.startswith(COLOURED) else "#dddddd")
        left = min(min(values) for values in shown.values())
        for place, method in enumerate(methods):
            if method not in shown:
                note = f"← {np.mean(areas[method]):.3f}" if method in areas else "not run"
                axes.text(left, place, note, fontsize=8, verticalalignment="center")
        draws = sorted({len(values) for values in areas.values()})
        count = str(draws[0]) if len(draws) == 1 else f"{draws[0]} to {draws[-1]}"
        axes.set(title=f"{name}, {count} draws", xlabel="ordinal AUC of the unlabelled rows")
        axes.set_yticks(range(len(methods)), [SHORT.get(method, method) for method in methods])
        axes.grid(axis="x", alpha=0.3)
    panels[0].invert_yaxis()
    return figure


def draw_size(figures: dict[str, Any]) -> Figure:
    """Seconds and memory over the number of unlabelled rows; a cross where a method stops."""
    figure = Figure(figsize=(10.4, 4), layout="constrained")
    panels = figure.subplots(1, 2)
    labels = {"seconds": "seconds of training", "grown_mib": "memory that training adds, MiB"}
    for axes, (key, label) in zip(panels, labels.items()):
        for method, points in figures.items():
            shown = [(point["unlabelled"], max(point[key], 1e-2)) for point in points if key in point]
            if not shown:
                continue
            (line,) = axes.loglog(*zip(*shown), "o-", markersize=3, label=method)
            if "stopped" in points[-1]:
                axes.loglog(*shown[-1], "X", markersize=11, color=line.get_color())
        axes.set(xlabel="unlabelled rows", ylabel=label)
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.grid(alpha=0.3)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right center", fontsize=8, title="X: stops here", title_fontsize=8)
    return figure


def draw_rate(figures: dict[str, Any]) -> Figure:
    """Mean and range over the seeds of the squared error, with the slope of the last part and 1/t."""
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    steps = np.array(figures["steps"])
    for rule in ("constant", "decay"):
        found = figures[rule]
        label = f"step {rule}: slope {found['slope_of_the_last_part']:.2f}"
        (line,) = axes.loglog(steps, found["error"], "o-", markersize=3, label=label)
        if "least" in found:
            axes.fill_between(steps, found["least"], found["most"], color=line.get_color(), alpha=0.2, linewidth=0)
    last = figures["constant"]["error"][-1]
    axes.loglog(steps, 3 * last * steps[-1] / steps, "k--", linewidth=1, label="1/t: slope −1")
    axes.set(xlabel="steps t", ylabel="squared error against the exact score, relative")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


def draw_steps(figures: dict[str, Any]) -> Figure:
    """QS³ORAO as printed at the paper's least λ: AUC over steps and over time, error and numbers kept over steps."""
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    panels = figure.subplots(1, 4)
    for place, (name, draws) in enumerate(figures.items()):
        found = [next(iter(draw.values())) for draw in draws]
        points = list(zip(*(one["points"] for one in found), strict=True))
        steps, colour = [point[0]["steps"] for point in points], f"C{place}"
        mean_of = {key: [mean(one[key] for one in point) for point in points] for key in ("auc", "error", "seconds")}
        for axes, across in zip(panels, (steps, mean_of["seconds"])):
            axes.semilogx(across, mean_of["auc"], "o-", color=colour, markersize=3, label=f"{name}, Algorithm 1")
            exact = mean(one["exact"]["auc"] for one in found)
            axes.axhline(exact, color=colour, linestyle="--", linewidth=1, label=f"{name}, exact")
        panels[1].plot(mean(one["exact"]["seconds"] for one in found), exact, "*", color=colour, markersize=9)
        panels[2].loglog(steps, mean_of["error"], "o-", color=colour, markersize=3, label=name)
        panels[3].loglog(steps, [point[0]["numbers_kept"] for point in points], "o-", color=colour, markersize=3)
    last = mean_of["error"][-1]
    panels[2].loglog(steps, [last * steps[-1] / step for step in steps], "k--", linewidth=1, label="1/t")
    for axes, across, up in zip(
        panels,
        ("steps t", "processor seconds", "steps t", "steps t"),
        ("ordinal AUC", "ordinal AUC", "error against the minimiser", "numbers kept"),
        strict=True,
    ):
        axes.set(xlabel=across, ylabel=up)
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.grid(alpha=0.3)
    panels[0].legend(fontsize=7)
    panels[2].legend(fontsize=7)
    return figure


BLOCKS = {
    "grade-quality": Block(quality),
    "grade-real": Block(real),
    "grade-size": Block(size),
    "grade-large": Block(large),
    "grade-rate": Block(rate),
    "grade-steps": Block(steps),
    "grade-defaults": Block(defaults),
}
FIGURES = {
    f"grade-{name}": Drawing(f"grade-{name}", draw, text=True)
    for name, draw in (("quality", draw_quality), ("size", draw_size), ("rate", draw_rate), ("steps", draw_steps))
}
