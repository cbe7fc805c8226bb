"""Tables and figures of the fBGD paper."""

from typing import Any

from views import Figures, Table, beside, number, picked, unmeasured

NO_NEWSIR = "NewsIR is not among the data at hand."
NO_YAHOO = "Yahoo music is not among the data at hand; MovieLens 1M and Last.fm HetRec stand in."
NOT_TEXT8 = (
    "Text8 itself is not here: the text is a head of the English Wikipedia of 2014–15 after the same rules. Shares are "
    "of the questions whose words are all known."
)
HALF_OF_LASTFM = "Last.fm next song: only the authors' test part could be had, and is split again."
NO_OPENIMAGES = "OpenImages is not among the data at hand: corel16k, where images are ids as well, stands in."


def table3(paper: dict[str, Any], words: Figures | None) -> list[Table]:
    names = {"gensim skip-gram": "skip-gram", "GloVe": "GloVe", "tacit": "fBGD", "gensim CBOW": "CBOW"}
    ours = {}
    for method, row in (picked(words, "methods") or {}).items():
        shares = [100 * row[part]["of_known"] for part in ("semantic", "syntactic", "total")]
        ours[names.get(method, method)] = shares
    size = "" if words is None else f"; here {words['megabytes']} MB"
    title = f"{paper['caption']}: Text8{size}"
    notes = [NOT_TEXT8, NO_NEWSIR + " The paper has fBGD 59.7, GloVe 58.5, skip-gram 58.1 in all on it."]
    return [beside(title, paper["measures"], paper["sets"]["Text8"], ours, digits=1, notes=notes)]


def table4(paper: dict[str, Any], engine: Figures | None) -> list[Table]:
    found = picked(engine, "table4") or {}
    tables = []
    for name in ["Last.fm next song", *(other for other in found if other != "Last.fm next song")]:
        published = paper["sets"].get(name, {})
        tables.append(_ranked(f"{paper['caption']}: {name}", paper["measures"], published, found.get(name)))
    published = paper["sets"]["Yahoo music"]
    tables.append(
        _ranked("Yahoo music, in the paper only", paper["measures"], published, {}, dict.fromkeys(published, "no data"))
    )
    last = tables[-1]
    tables[-1] = Table(last.title, last.headings, last.rows, [NO_YAHOO, HALF_OF_LASTFM])
    return tables


def table5(paper: dict[str, Any], engine: Figures | None) -> list[Table]:
    found = picked(engine, "table5") or {}
    ours = {name: [row.get("auc")] for name, row in found.items()}
    title = f"{paper['caption']}: OpenImages in the paper, corel16k here"
    return [beside(title, paper["measures"], paper["sets"]["OpenImages"], ours, notes=[NO_OPENIMAGES])]


def table6(paper: dict[str, Any], engine: Figures | None) -> list[Table]:
    published = paper["sets"]["Last.fm next song"]
    table = _ranked(paper["caption"], paper["measures"], published, picked(engine, "table6"))
    return [Table(table.title, table.headings, table.rows, [HALF_OF_LASTFM])]


def table7(paper: dict[str, Any], speed: Figures | None) -> list[Table]:
    """The paper's formula, and how the measured seconds grow when one quantity is doubled thrice."""
    formulas = [[name, values[0]] for name, values in paper["sets"][""].items()]
    tables = [Table(paper["caption"], ["optimizer", "operations"], formulas)]
    growth = picked(speed, "growth")
    if growth is None:
        return [*tables, unmeasured("Seconds of one gradient here")]
    what = {"n": "|X|", "count": "|P|", "g": "g"}
    for name, symbol in what.items():
        if name not in growth:
            continue
        values, seconds = growth[name]["values"], growth[name]["seconds"]
        fixed = ", ".join(f"{what.get(key, '|Y|')} = {value:,}" for key, value in growth[name]["others"].items())
        rows = [[f"{value:,}", number(took), number(took / seconds[0], 2)] for value, took in zip(values, seconds)]
        tables.append(
            Table(f"Seconds of one gradient of the rows over {symbol} ({fixed})", [symbol, "seconds", "ratio"], rows)
        )
    naive = picked(speed, "gradient", "10,000 × 10,000, 32 factors")
    if naive:
        rows = [["BGD, naive", number(naive["naive seconds"])], ["fBGD", number(naive["whole-data seconds"])]]
        note = f"The naive gradient takes {naive['ratio']:.0f} times as long."
        tables.append(Table("One gradient at 10,000 × 10,000, 32 factors", ["optimizer", "seconds"], rows, [note]))
    return tables


def figure3(paper: dict[str, Any], engine: Figures | None) -> list[Table]:
    found = picked(engine, "figure3")
    if not found:
        return [unmeasured(paper["caption"], paper["claim"])]
    rows = [
        [name, "diverged" if "diverged" in row else number(row.get("ndcg@10")), number(row.get("mrr@10"))]
        for name, row in found.items()
    ]
    notes = [f"The paper's claim: {paper['claim']}.", HALF_OF_LASTFM]
    return [Table(paper["caption"], ["solver and rate", "NDCG@10", "MRR@10"], rows, notes)]


def figure4(paper: dict[str, Any], words: Figures | None) -> list[Table]:
    if words is None:
        return [unmeasured(paper["caption"], paper["claim"])]
    rows = [
        [f"{row['unlabelled_total']:g}", f"{row['frequency_exponent']:g}", f"{100 * row['total']['of_known']:.1f}"]
        for row in words["table"]
    ]
    title = f"{paper['caption']}; words from {words['megabytes']} MB of text"
    notes = [f"The paper's claim: {paper['claim']}.", NO_NEWSIR]
    return [Table(title, ["α₀", "ρ", "analogies, total %"], rows, notes)]


def _ranked(
    title: str,
    measures: list[str],
    published: dict[str, Any],
    found: Figures | None,
    missing: dict[str, str] | None = None,
) -> Table:
    ours = {name: [row.get("ndcg@10"), row.get("mrr@10")] for name, row in (found or {}).items()}
    absent = {"SVDFeature ×256": "left out: slower and no better than ×64 in the paper"}
    return beside(title, measures, published, ours, missing=absent | (missing or {}))
