"""Recommenders beside their peers: accuracy, time and memory; the search for parameters; full rank beside low rank."""

from typing import Any

from matplotlib.figure import Figure

from benchmarks import papers
from benchmarks.render import Block, Drawing, Figures, Table, beside, number, table, unmeasured


def quality(record: dict[str, Any]) -> str:
    """Recommenders: accuracy, time and memory beside the peers."""
    parts = []
    for name, data in record["figures"].items():
        ours = data["methods"]["Tacit, no parameters"]["fit_seconds_best"]
        rows = [
            [
                method,
                f"{row['ndcg@10']:.4f}",
                f"{row['fit_seconds_best']:.3f}",
                f"{row['fit_seconds_best'] / ours:.2f}",
                f"{row['peak_mib']:.0f}",
            ]
            for method, row in data["methods"].items()
        ]
        head = ["method", "NDCG@10", "fit, best of runs (s)", "time / Tacit", "peak memory (MiB)"]
        size = f"{data['rows']:,} × {data['columns']:,}, {data['train']:,} training positives"
        parts.append(f"**{name}** ({size})\n\n{table(head, rows)}")
    return "\n\n".join(parts)


def tuned(record: dict[str, Any]) -> str:
    """What ``tacit.tune`` finds from no knowledge."""
    rows = [
        [data, name, f"{found['ndcg@10']:.4f}", *(_plain(found.get(key)) for key in ("trials", "seconds"))]
        for data, searches in record["figures"].items()
        for name, found in searches.items()
    ]
    return table(["data", "how", "NDCG@10 on the test part", "trials", "seconds"], rows)


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


OURS = ("BlendRecommender()", "its FactorRecommender", "its LinearRecommender")
PEERS = ("EASE, tuned", "Irspack, tuned", "Implicit, tuned")


def view_gowalla(published: dict[str, Any], figures: Figures | None) -> list[Table]:
    found = (figures or {}).get("gowalla")
    if not found:
        return [unmeasured(published["caption"])]
    notes = [found["sentence"]] if found.get("sentence") else []
    notes.append(f"Fitted in {found['seconds']:.0f} s, {found['processor_seconds']:.0f} s of processor time.")
    if "bytes" in found:
        notes.append(f"The model file takes {found['bytes'] / 1e6:.0f} MB.")
    theirs = published["sets"]["Gowalla"]
    return [beside(published["caption"], published["measures"], theirs, found["methods"], notes=notes)]


def view_sets(figures: Figures | None) -> list[Table]:
    found = (figures or {}).get("sets")
    title = "Recommenders with default parameters beside tuned EASE, irspack and implicit, NDCG@10"
    if not found:
        return [unmeasured(title)]
    rows = [
        [name, *(number(data["methods"].get(method, {}).get("ndcg@10")) for method in (*OURS, *PEERS))]
        for name, data in found.items()
    ]
    return [Table(title, ["", *OURS, *PEERS], rows)]


def full_rank(record: dict[str, Any]) -> str:
    """Recommenders with default parameters beside tuned peers, over all sets of ``full_rank.py``."""
    rows = []
    for name, data in record["figures"].get("sets", {}).items():
        reached = [data["methods"].get(method, {}).get("ndcg@10") for method in (*OURS, *PEERS)]
        density = data["train"] / (data["rows"] * data["columns"])
        size = f"{data['rows']:,} × {data['columns']:,}"
        shown = ["–" if value is None else f"{value:.4f}" for value in reached]
        rows.append([name, size, f"{density:.2%}", *shown])
    return table(["NDCG@10", "size", "density", *OURS, *PEERS], rows)


def gowalla(records: dict[str, Any]) -> str:
    """Gowalla on the split of LightGCN: models with default parameters beside what papers publish, best first."""
    published = papers.read("gowalla")["table"]
    ours = records["full-rank"]["figures"]["gowalla"]["methods"]
    rows = [(f"**{name}**, defaults", *values) for name, values in ours.items()]
    rows += [(f"{name}, published", *values) for name, values in published["sets"]["Gowalla"].items()]
    rows.sort(key=lambda row: -row[1])
    return table(["Gowalla", *published["measures"]], [[name, *(f"{value:.4f}" for value in v)] for name, *v in rows])


MODELS = {"its FactorRecommender": "o", "its LinearRecommender": "s", "BlendRecommender()": "*"}
COLOURS = {"its FactorRecommender": "#64748b", "its LinearRecommender": "#0f766e", "BlendRecommender()": "#c2410c"}


def draw_which_model(figures: dict[str, Any]) -> Figure:
    """NDCG@10 over that of the better single model, against the density and the number of columns."""
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for axis, (label, place) in zip(axes, PLACES.items()):
        for name, data in figures["sets"].items():
            reached = {model: data["methods"][model]["ndcg@10"] for model in MODELS}
            best = max(reached["its FactorRecommender"], reached["its LinearRecommender"])
            x = place(data)
            for model, mark in MODELS.items():
                axis.plot(x, reached[model] / best, mark, color=COLOURS[model], markersize=8, linestyle="")
            low = min(reached.values()) / best
            axis.annotate(name, (x, low), (0, -12), textcoords="offset points", fontsize=7, ha="center")
        axis.axhline(1.0, color="#cccccc", linewidth=1, zorder=0)
        axis.set(xscale="log", xlabel=label)
        axis.margins(x=0.15, y=0.12)
    axes[0].set_ylabel("NDCG@10 over the better of factors and linear")
    for model, mark in MODELS.items():
        axes[1].plot([], [], mark, color=COLOURS[model], label=model.removeprefix("its "), linestyle="")
    axes[1].legend(fontsize=8, loc="lower left")
    return figure


PLACES = {
    "density: positives over cells": lambda data: data["train"] / (data["rows"] * data["columns"]),
    "columns in the catalogue": lambda data: data["columns"],
}


BLOCKS = {
    "recommend": Block(quality),
    "recommend-quick": Block(quality),
    "tune": Block(tuned),
    "full-rank": Block(full_rank),
    "gowalla": Block(gowalla, ("full-rank",)),
}
FIGURES = {"which-model": Drawing("full-rank", draw_which_model)}
