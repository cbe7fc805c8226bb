"""Figures of the QS³ORAO paper."""

from typing import Any

from benchmarks.tables import ABSENT, Figures, Table, number, unmeasured
from benchmarks.tables.grade import STEP_HEADS, step_rows

NO_SETS = (
    "3D road, Sgemm, Year, Yolanda and the four Amazon sets are not here: kin40k, protein and elevators, cut into five "
    "classes of equal frequency, stand in."
)
SYNTHETIC = "The rows are synthetic: Gaussian features with a smooth grade; the paper's sets are not here."


def figure1(paper: dict[str, Any], size: Figures | None) -> list[Table]:
    if not size:
        return [unmeasured(paper["caption"], paper["claim"])]
    heads = ["method", "unlabelled rows", "seconds", "processor seconds", "peak MiB", ""]
    rows = []
    for method, points in size.items():
        for point in points:
            numbers = [number(point.get("seconds"), 2), number(point.get("processor_seconds"), 2)]
            memory = number(point.get("peak_mib"), 0)
            rows.append([method, f"{point['unlabelled']:,}", *numbers, memory, point.get("stopped", "")])
    return [Table(paper["caption"], heads, rows, [f"The paper's claim: {paper['claim']}.", SYNTHETIC])]


def figure2(paper: dict[str, Any], quality: Figures | None, steps: Figures | None) -> list[Table]:
    """Areas of all methods, then the paper's own method step by step."""
    tables = _areas(paper, quality)
    if steps:
        notes = [
            "The error is the squared distance to the exact minimiser's scores, over their variance. The method gets "
            "64 fresh frequencies a step, and the same rows, γ and bandwidth as the minimiser."
        ]
        tables.append(Table("QS³ORAO as printed beside the exact minimiser", STEP_HEADS, step_rows(steps), notes))
    return tables


def _areas(paper: dict[str, Any], quality: Figures | None) -> list[Table]:
    if not quality:
        return [unmeasured(paper["caption"], paper["claim"])]
    methods = list(dict.fromkeys(method for found in quality.values() for method in found["auc"]))
    rows = [[method, *(_spread(found["auc"].get(method)) for found in quality.values())] for method in methods]
    notes = [f"The paper's claim: {paper['claim']}.", NO_SETS]
    return [Table(f"{paper['caption']}: mean and range", ["method", *quality], rows, notes)]


def _spread(areas: list[float] | None) -> str:
    if not areas:
        return ABSENT
    return f"{sum(areas) / len(areas):.4f} ({min(areas):.3f}–{max(areas):.3f})"
