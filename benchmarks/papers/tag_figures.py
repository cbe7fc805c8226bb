"""Draw the figures of tagging from their results files.

    python -m benchmarks.papers.tag_figures    docs/figures/tag-audit.svg, docs/figures/tag-hidden.svg

How many hidden tags an audit finds, and what is learned when most labels are hidden.
"""

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks import results
from benchmarks.processes import ROOT

FIGURES = ROOT / "docs" / "figures"
OURS = "#2459c4"
PALE = "#8ea9d8"
OTHERS = ("#6b7280", "#a3a9b3", "#c9ccd2", "#3f4651")
PUBLISHED = {"bibtex": 48.51, "rcv1v2": 81.67}
"""P@1 of ExMLDS3 in Table 4 of the paper."""

# The same figures give the same file.
mpl.rcParams["svg.hashsalt"] = "tacit"


def save(figure: Figure, name: str) -> None:
    FIGURES.mkdir(exist_ok=True)
    figure.savefig(FIGURES / f"{name}.svg", metadata={"Date": None})
    print(FIGURES / f"{name}.svg")


def audit() -> None:
    """Recall against the number of suggestions; the grey line is what no method can exceed."""
    figures = results.read("tag-audit")["figures"]
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
    save(figure, "tag-audit")


def hidden() -> None:
    """P@1 with four fifths of the labels hidden, one panel per set."""
    figures = results.read("tag-hidden")["figures"]
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    panels = figure.subplots(1, len(figures), squeeze=False)[0]
    for axes, (name, rows) in zip(panels, figures.items()):
        methods = sorted(rows, key=lambda method: rows[method]["P@1"])
        values = [rows[method]["P@1"] for method in methods]
        spread = [rows[method]["spread of P@1"] for method in methods]
        colours = [OURS if method.startswith("joint") else OTHERS[1] for method in methods]
        axes.barh(methods, values, xerr=spread, color=colours, height=0.65, error_kw={"ecolor": "#3f4651"})
        for place, value in enumerate(values):
            axes.text(1, place, f"{value:.1f}", va="center", color="white", fontsize=9)
        if name in PUBLISHED:
            axes.axvline(PUBLISHED[name], color="#b3403a", linestyle=":")
        axes.set(title=name, xlabel="P@1, %; dotted: joint in the paper", xlim=(0, 100))
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(axis="y", labelsize=8)
    save(figure, "tag-hidden")


if __name__ == "__main__":
    audit()
    hidden()
