"""Tables and figures of the NN-APA paper."""

from typing import Any

from views import ABSENT, Figures, Table, number, picked, unmeasured

NO_HETREC = "HetRec 2011 MovieLens is not among the data at hand."
RANKS = (5, 10, 15)


def table2(paper: dict[str, Any], stream: Figures | None) -> list[Table]:
    found = picked(stream, "table_2") or {}
    tables = [
        _one_pass(f"{paper['caption']}: {name}", rows, paper["sets"].get(name, {})) for name, rows in found.items()
    ]
    absent = [name for name in paper["sets"] if name not in found]
    if not tables:
        return [unmeasured(paper["caption"])]
    notes = ["Rows marked * use what Tacit adds; seconds are one core's.", NO_HETREC]
    notes += [f"{name}: measured by the long run only." for name in absent if name != "HetRec 2011"]
    last = tables[-1]
    return [*tables[:-1], Table(last.title, last.headings, last.rows, notes)]


def _one_pass(title: str, rows: list[dict[str, Any]], published: dict[str, Any]) -> Table:
    lines = []
    for row in rows:
        theirs = published.get(row["method"])
        place = 0 if row["k"] is None or row["k"] not in RANKS else RANKS.index(row["k"])
        train, test, seconds = theirs[place] if theirs else (None, None, None)
        lines.append(
            [
                row["method"], str(row["k"] or ABSENT), number(train), number(row["train_mae"]["mean"]), number(test),
                number(row["test_mae"]["mean"]), number(seconds, 2), number(row["seconds"]["mean"], 3),
            ]
        )  # fmt: skip
    heads = ["method", "k"]
    heads += [f"{who} {what}" for what in ("training MAE", "test MAE", "seconds") for who in ("paper", "here")]
    return Table(title, heads, lines)


def figure1(paper: dict[str, Any], stream: Figures | None) -> list[Table]:
    curves = picked(stream, "curves")
    if not curves:
        return [unmeasured(paper["caption"], paper["claim"])]
    tables = []
    for name, lines in curves.items():
        length = min(map(len, lines.values()))
        places = sorted({0, length // 8, length // 4, length // 2, length - 1})
        heads = ["method", *(f"{next(iter(lines.values()))[place][0]:,}" for place in places)]
        rows = [[method, *(number(points[place][1]) for place in places)] for method, points in lines.items()]
        notes = [f"The paper's claim: {paper['claim']}."]
        tables.append(Table(f"{paper['caption']}: {name}, after so many ratings", heads, rows, notes))
    return tables


def figure3(paper: dict[str, Any], stream: Figures | None) -> list[Table]:
    return _sensitivity(paper, stream, "aggressiveness", "C")


def figure4(paper: dict[str, Any], stream: Figures | None) -> list[Table]:
    return _sensitivity(paper, stream, "factors", "k")


def _sensitivity(paper: dict[str, Any], stream: Figures | None, key: str, letter: str) -> list[Table]:
    found = picked(stream, "sensitivity")
    if not found:
        return [unmeasured(paper["caption"], paper["claim"])]
    tables = []
    for name, kinds in found.items():
        lines = kinds[key]
        heads = ["method", *(f"{letter} = {value:g}" for value, _ in next(iter(lines.values())))]
        rows = [[method, *(number(error) for _, error in points)] for method, points in lines.items()]
        notes = [f"The paper's claim: {paper['claim']}."]
        tables.append(Table(f"{paper['caption']}: test MAE on {name}", heads, rows, notes))
    return tables
