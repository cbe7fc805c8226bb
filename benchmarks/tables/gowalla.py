"""Gowalla on the split of LightGCN: models with nothing given beside what papers publish, best first."""

from typing import Any

from benchmarks import papers
from benchmarks.tables import table

FILES = ("full-rank",)


def render(records: dict[str, Any]) -> str:
    published = papers.read("gowalla")["table"]
    ours = records["full-rank"]["figures"]["gowalla"]["methods"]
    rows = [(f"**{name}**, nothing given", *values) for name, values in ours.items()]
    rows += [(f"{name}, published", *values) for name, values in published["sets"]["Gowalla"].items()]
    rows.sort(key=lambda row: -row[1])
    return table(["Gowalla", *published["measures"]], [[name, *(f"{value:.4f}" for value in v)] for name, *v in rows])
