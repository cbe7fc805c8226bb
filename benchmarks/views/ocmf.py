"""Tables and figures of the one-class MF paper."""

from typing import Any

from views import Figures, Table, beside, number, picked, unmeasured

PRECISIONS = [f"precision@{k}" for k in range(1, 6)]
NO_SETS = "Mediamill, Delicious, EURLex and Wiki10 are not here."
NO_GRAPHS = "Douban and the whole of Flixster are not here; a part of Flixster, MovieLens 100K and Last.fm stand in."


def table3(paper: dict[str, Any], engine: Figures | None) -> list[Table]:
    found = picked(engine, "ocmf", "MovieLens 100k") or {}
    chosen = {name: row for name, row in found.items() if name in ("LR-wSQ", "LR-wLR")}
    ours = {name: [row["seconds"], *(100 * row[key] for key in PRECISIONS)] for name, row in chosen.items()}
    tables = [
        beside(
            f"{paper['caption']}: {name}, in the paper",
            paper["measures"],
            rows,
            {},
            digits=2,
            missing=dict.fromkeys(rows, "no data"),
        )
        for name, rows in paper["sets"].items()
        if name != "bibtex"
    ]
    notes = [NO_SETS + " MovieLens 100K, users and items by ids, stands in."]
    return [beside("MovieLens 100K, here", paper["measures"], {}, ours, digits=2, notes=notes), *tables]


def figure1(paper: dict[str, Any], engine: Figures | None) -> list[Table]:
    return _formulations(paper, engine, ("SQ-SQ", "SQ-wSQ", "LR-wSQ", "SQ-wSQ (S)"))


def figure2(paper: dict[str, Any], engine: Figures | None) -> list[Table]:
    chosen = tuple(name + graph for name in ("SQ-SQ", "SQ-wSQ", "LR-wSQ") for graph in ("", " + graph"))
    return _formulations(paper, engine, chosen)


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
