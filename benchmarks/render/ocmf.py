"""Tables and figures of the one-class MF paper."""

from typing import Any

from benchmarks.tables import Figures, Table, beside, number, picked, unmeasured

PRECISIONS = [f"precision@{k}" for k in range(1, 6)]
NO_SETS = "Mediamill, Delicious, EURLex and Wiki10 are not here."
NO_GRAPHS = "Douban and the whole of Flixster are not here; a part of Flixster, MovieLens 100K and Last.fm stand in."


def table3(paper: dict[str, Any], engine: Figures | None, labels: Figures | None) -> list[Table]:
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


def figure1(paper: dict[str, Any], engine: Figures | None) -> list[Table]:
    return _formulations(paper, engine, ("SQ-SQ", "SQ-wSQ", "LR-wSQ", "SQ-wSQ (S)"))


def figure2(paper: dict[str, Any], engine: Figures | None, labels: Figures | None) -> list[Table]:
    chosen = tuple(name + graph for name in ("SQ-SQ", "SQ-wSQ", "LR-wSQ") for graph in ("", " + graph"))
    return [*_labels(paper, labels, ("SQ-SQ", "SQ-wSQ", "LR-wSQ", "LR-wLR")), *_formulations(paper, engine, chosen)]


def figure3(paper: dict[str, Any], labels: Figures | None) -> list[Table]:
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
