"""Tables and figures of the NN-APA paper."""

from typing import Any

from benchmarks.tables import ABSENT, Figures, Table, number, picked, unmeasured

NO_HETREC = "HetRec 2011 MovieLens is not among the data at hand."
NO_MEDIUM = (
    "MovieLens 10M and the whole of Flixster are not among the data at hand; a published part of Flixster stands in."
)
NO_LARGE = "Netflix and Yahoo music are not among the data at hand."
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


def table3(paper: dict[str, Any], found: Figures | None) -> list[Table]:
    measured = picked(found, "table3")
    if not measured:
        return [unmeasured(paper["caption"])]
    title = f"{paper['caption']}: Flixster, {measured['ratings']:,} ratings here, 8,196,077 in the paper"
    table = _one_pass(title, measured["rows"], paper["sets"]["Flixster"], (10, 20))
    lines = [
        [method, str(k), *(number(value) for value in row[:2]), number(row[2], 0)]
        for method, rows in paper["sets"]["MovieLens 10M"].items()
        for k, row in zip((10, 20) if len(rows) == 2 else (ABSENT,), rows)
    ]
    heads = ["method", "k", "training MAE", "test MAE", "seconds"]
    absent = Table("MovieLens 10M, in the paper only: no data", heads, lines, [NO_MEDIUM])
    return [table, absent]


def table4(paper: dict[str, Any], found: Figures | None) -> list[Table]:
    measured = picked(found, "table4")
    if not measured:
        return [unmeasured(paper["caption"], paper["claim"])]
    tables = []
    for by, title in (("coefficient", "largest coefficients, as in the paper"), ("share", "largest shares, ours")):
        topics = measured[by]["topics"]
        rows = [
            [f"topic {place}", "; ".join(topic["films"]), topic["genre"], f"{100 * topic['share']:.0f} %"]
            for place, topic in enumerate(topics, 1)
        ]
        tables.append(Table(f"{measured['data']}: {title}", ["", "films", "commonest genre", "have it"], rows))
    everywhere = f"{100 * measured['commonest_genre_of_all']:.0f} % of all films have the commonest genre of all."
    notes = [f"The paper's claim: {paper['claim']}.", everywhere, NO_MEDIUM]
    last = tables[-1]
    return [*tables[:-1], Table(last.title, last.headings, last.rows, notes)]


def figure2(paper: dict[str, Any], found: Figures | None) -> list[Table]:
    measured = picked(found, "figure2")
    if not measured:
        return [unmeasured(paper["caption"], paper["claim"])]
    tables = []
    for k, lines in measured["curves"].items():
        least = min(points[-1][0] for points in lines.values())
        rows = []
        for method, points in lines.items():
            within = [error for spent, error in points if spent <= least] or [points[0][1]]
            rows.append([method, number(within[-1]), number(points[-1][1]), number(points[-1][0], 3)])
        heads = ["method", f"MAE after {least:.3f} s", "MAE at the end", "seconds in all"]
        notes = [f"The paper's claim: {paper['claim']}.", NO_LARGE + " MovieLens stands in."]
        tables.append(Table(f"{paper['caption'].split(' on ')[0]}, one core, {k}", heads, rows, notes))
    return tables


def _one_pass(
    title: str, rows: list[dict[str, Any]], published: dict[str, Any], ranks: tuple[int, ...] = RANKS
) -> Table:
    lines = []
    for row in rows:
        theirs = published.get(row["method"])
        place = 0 if row["k"] is None or row["k"] not in ranks else ranks.index(row["k"])
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
    found = {name: kinds for name, kinds in (picked(stream, "sensitivity") or {}).items() if key in kinds}
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
