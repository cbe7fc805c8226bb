"""The papers' tables of data sets: the paper's sizes beside those of what stands for each set here."""

from benchmarks.render import ABSENT, Figures, Table, View


def view(paper: str) -> View:
    """The view of one paper's table."""

    def sizes(printed: Figures, found: Figures | None) -> list[Table]:
        here = (found or {}).get(paper, {})
        rows = []
        for name, theirs in printed["sets"]["data"].items():
            own = here.get(name, {})
            counted = own.get("sizes", [None] * len(theirs))
            cells = [_count(value) for pair in zip(theirs, counted) for value in pair]
            rows.append([name, own.get("here", "not here" if here else "not counted yet"), *cells])
        measures = [f"{who} {measure}" for measure in printed["measures"] for who in ("paper", "here")]
        return [Table(printed["caption"], ["in the paper", "here", *measures], rows)]

    return sizes


def _count(value: int | None) -> str:
    return ABSENT if value is None else f"{value:,}"
