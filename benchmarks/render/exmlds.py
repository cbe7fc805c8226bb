"""Tables of the ExMLDS paper."""

from typing import Any

from benchmarks.tables import Figures, Table, beside

NAMES = {"one-vs-rest logistic": "one-vs-all"}
HIDDEN = {
    "joint as in the paper": "ExMLDS3",
    "LEML-IMC with the graph of all labels": "LEML-IMC",
}
NOT_BUILT = dict.fromkeys(("DXML", "PD-Sparse", "PfastreXML", "FastXML", "DiSMEC"), "not among our baselines")
NO_LARGE = "Delicious, EURLex-4K, Mediamill and Delicious-200K are not here; sets that the paper lacks follow."


def table1(paper: dict[str, Any], quality: Figures | None) -> list[Table]:
    tables = []
    for name in _sets(paper, quality):
        found = (quality or {}).get(name, {})
        ours = {NAMES.get(method, method): [row["seconds"]] for method, row in found.items() if "seconds" in row}
        title = f"{paper['caption']} in the paper, 2 here: {name}"
        tables.append(beside(title, paper["measures"], paper["sets"].get(name, {}), ours, digits=2))
    return _noted(tables, [NO_LARGE])


def table2(paper: dict[str, Any], quality: Figures | None) -> list[Table]:
    tables = []
    for name in _sets(paper, quality):
        found = (quality or {}).get(name, {})
        ours = {NAMES.get(method, method): _precision(row) for method, row in found.items()}
        title = f"{paper['caption']}: {name}"
        published = paper["sets"].get(name, {})
        tables.append(beside(title, paper["measures"], published, ours, digits=2, missing=NOT_BUILT))
    return _noted(tables, [NO_LARGE])


def table4(paper: dict[str, Any], hidden: Figures | None) -> list[Table]:
    tables = []
    for name in _sets(paper, hidden, ("bibtex", "rcv1v2")):
        found = (hidden or {}).get(name, {})
        ours = {HIDDEN.get(method, method): _precision(row) for method, row in found.items()}
        title = f"{paper['caption']}: {name}"
        tables.append(beside(title, paper["measures"], paper["sets"].get(name, {}), ours, digits=2))
    return _noted(
        tables, ["EURLex-4K is not here; the paper has ExMLDS3 60.28, SLEEC 51.4, LEML-IMC 39.24 in P@1 on it."]
    )


def _sets(paper: dict[str, Any], found: Figures | None, first: tuple[str, ...] = ("bibtex",)) -> list[str]:
    """The sets of the paper that are here, then those that only we have."""
    return [*first, *(name for name in found or {} if name not in first)]


def _precision(row: dict[str, Any]) -> list[Any]:
    return [row.get(measure, "failed" if "failed" in row else None) for measure in ("P@1", "P@3", "P@5")]


def _noted(tables: list[Table], notes: list[str]) -> list[Table]:
    last = tables[-1]
    return [*tables[:-1], Table(last.title, last.headings, last.rows, notes)]
