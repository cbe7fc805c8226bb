"""Pictures of the engine, word vectors, rating streams and taggers; ``python -m benchmarks.figures`` draws them."""

from functools import partial
from typing import Any

from matplotlib.figure import Figure

from benchmarks.figures import Drawing

GROWN = {"n": "|X|, rows", "count": "|P|, positives", "g": "g, factors"}


def stated(shape: dict[str, int]) -> float:
    return shape["count"] * shape["g"] + (shape["n"] + shape["m"]) * shape["g"] ** 2


def engine_growth(figures: dict[str, Any]) -> Figure:
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


PARTS = ("semantic", "syntactic", "total")


def percent(rows: list[dict[str, Any]], part: str) -> list[float]:
    return [100 * row[part]["of_known"] for row in rows]


def words_curve(figures: dict[str, Any]) -> Figure:
    """Accuracy of word vectors against time, by solver."""
    measured = figures["table"]
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="processor seconds in sweeps", ylabel="analogies, % of known", xscale="log")
    for solver in dict.fromkeys(row["solver"] for row in measured):
        rows = [row for row in measured if row["solver"] == solver]
        axes.plot([row["processor_seconds"] for row in rows], percent(rows, "total"), marker="o", label=solver)
    axes.legend()
    return figure


def words_weights(figures: dict[str, Any]) -> Figure:
    """The effect of α₀ and ρ, as in Figure 4 of the fBGD paper."""
    rows = figures["table"]
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    by_total = [row for row in rows if row["frequency_exponent"] == 0.75]
    best = max(by_total, key=lambda row: row["total"]["of_known"])["unlabelled_total"]
    by_exponent = sorted(
        (row for row in rows if row["unlabelled_total"] == best), key=lambda row: row["frequency_exponent"]
    )
    for part in PARTS:
        left.plot([row["unlabelled_total"] for row in by_total], percent(by_total, part), marker="o", label=part)
        right.plot([row["frequency_exponent"] for row in by_exponent], percent(by_exponent, part), marker="o")
    left.set(xlabel="α₀ (ρ = 0.75)", ylabel="analogies, % of known", xscale="log")
    right.set(xlabel=f"ρ (α₀ = {best:g})")
    left.legend()
    return figure


def stream_curves(figures: dict[str, Any], name: str) -> Figure:
    """Cumulative MAE as a stream goes on."""
    curves = figures["curves"][name]
    figure = Figure(figsize=(7, 4.2), layout="tight")
    axes = figure.subplots()
    for method, points in curves.items():
        axes.plot(*zip(*points), label=method)
    last = min(points[-1][1] for points in curves.values())
    axes.set(xlabel="ratings seen", ylabel="cumulative MAE", title=name, ylim=(last - 0.02, last + 0.25))
    axes.legend(fontsize=8)
    return figure


def stream_sensitivity(figures: dict[str, Any], over: str, label: str, logarithmic: bool, reach: float) -> Figure:
    """Test MAE over C or k."""
    sets = figures["sensitivity"]
    figure = Figure(figsize=(4.6 * len(sets), 3.8), layout="tight")
    panels = figure.subplots(1, len(sets), squeeze=False)
    for axes, (name, found) in zip(panels[0], sets.items()):
        for method, points in found[over].items():
            axes.plot(*zip(*points), marker="o", markersize=3, label=method)
        low = min(error for points in found[over].values() for _, error in points)
        axes.set(xlabel=label, ylabel="test MAE", title=name, ylim=(low - 0.01, low + reach))
        if logarithmic:
            axes.set_xscale("log")
        axes.legend(fontsize=7)
    return figure


OURS = "#2459c4"
PALE = "#8ea9d8"
OTHERS = ("#6b7280", "#a3a9b3", "#c9ccd2", "#3f4651")
PUBLISHED = {"bibtex": 48.51, "rcv1v2": 81.67}
"""P@1 of ExMLDS3 in Table 4 of the paper."""


def tag_audit(figures: dict[str, Any]) -> Figure:
    """Recall against the number of suggestions; the grey line is what no method can exceed."""
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.add_subplot(xlabel="suggestions looked at", ylabel="hidden tags found, %", ylim=(0, 100))
    others = iter(OTHERS)
    recall = figures["recall among the n best"]
    for name in sorted(recall, key=lambda name: -max(recall[name].values())):
        found = recall[name]
        ours = "Tagger" in name
        alone = "alone" in name
        colour = (PALE if alone else OURS) if ours else next(others)
        line = "--" if alone and ours else "-"
        marker = "s" if "Neighbour" in name else "o"
        sizes = [0, *(int(n) for n in found)]
        axes.plot(sizes, [0, *(100 * share for share in found.values())], line, marker=marker, color=colour, label=name)
    most = max(sizes)
    axes.plot([0, figures["hidden"], most], [0, 100, 100], ":", color="#9aa1ab", label="all that can be found")
    axes.spines[["top", "right"]].set_visible(False)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    axes.legend(frameon=False, fontsize=9, loc="upper left")
    return figure


def tag_hidden(figures: dict[str, Any]) -> Figure:
    """P@1 with four fifths of the labels hidden, one panel per set."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    panels = figure.subplots(1, len(figures), squeeze=False)[0]
    for axes, (name, rows) in zip(panels, figures.items()):
        methods = sorted(rows, key=lambda method: rows[method]["P@1"])
        values = [rows[method]["P@1"] for method in methods]
        spread = [rows[method]["spread of P@1"] for method in methods]
        colours = [OURS if "joint" in method else OTHERS[1] for method in methods]
        axes.barh(methods, values, xerr=spread, color=colours, height=0.65, error_kw={"ecolor": "#3f4651"})
        for place, value in enumerate(values):
            axes.text(1, place, f"{value:.1f}", va="center", color="white", fontsize=9)
        if name in PUBLISHED:
            axes.axvline(PUBLISHED[name], color="#b3403a", linestyle=":")
        axes.set(title=name, xlabel="P@1, %; dotted: joint in the paper", xlim=(0, 100))
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(axis="y", labelsize=8)
    return figure


FIGURES = {
    "engine-growth": Drawing("engine-speed", engine_growth),
    "words-curve": Drawing("words-curve", words_curve),
    "words-weights": Drawing("words-weights", words_weights),
    "stream-curves-100k": Drawing("stream", partial(stream_curves, name="MovieLens 100K")),
    "stream-curves-1m": Drawing("stream", partial(stream_curves, name="MovieLens 1M")),
    "stream-aggressiveness": Drawing(
        "stream", partial(stream_sensitivity, over="aggressiveness", label="C", logarithmic=True, reach=0.35)
    ),
    "stream-factors": Drawing(
        "stream", partial(stream_sensitivity, over="factors", label="k", logarithmic=False, reach=0.12)
    ),
    "tag-audit": Drawing("tag-audit", tag_audit),
    "tag-hidden": Drawing("tag-hidden", tag_hidden),
}
