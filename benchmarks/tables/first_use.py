"""What compiling the kernels costs a first fit."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    rows = [
        [job, *(f"{runs[run]['cpu_seconds']:.1f}" for run in ("first", "second")),
         f"{runs['first']['cpu_seconds'] - runs['second']['cpu_seconds']:.1f}"]
        for job, runs in record["figures"].items()
    ]  # fmt: skip
    return table(["job", "first fit, processor seconds", "second process", "compiling"], rows)
