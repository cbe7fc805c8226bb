"""Time and memory of loading and encoding a large CSV file, with ids that are whole numbers and ids that are text.

    python -m benchmarks.machine.load_csv [--rows 10000000]

Writes a CSV of users, items, ratings and times (zipf-distributed items) to a temporary folder, loads it in a fresh
process with ``Interactions.from_table`` and notes the wall and processor time, the peak of resident memory above what
Python with polars and SciPy takes before it loads, and the size of the four columns in memory by polars' own estimate.

Writes ``results/load_csv.json``.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import results
from benchmarks.processes import ask, peak_mib

COLUMNS = {"row": "user", "col": "item", "weight": "rating", "time": "time"}


def write_csv(path: Path, rows: int, text: bool) -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "user": rng.integers(1, 200_001, rows),
            "item": 1 + rng.zipf(1.2, rows) % 50_000,
            "rating": rng.integers(1, 11, rows) / 2,
            "time": rng.integers(1_500_000_000, 1_700_000_000, rows),
        }
    )
    if text:
        frame = frame.with_columns(pl.format(f"{side}-{{}}", side).alias(side) for side in ("user", "item"))
    frame.write_csv(path)


def load(path: str) -> dict[str, float]:
    """What the fresh process does and reports."""
    from tacit import Interactions

    Interactions.from_table({"user": [1], "item": [1]}, row="user", col="item")
    before = peak_mib()
    start, cpu = time.perf_counter(), time.process_time()
    made = Interactions.from_table(Path(path), **COLUMNS)
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu,
        "peak_bytes": round((peak_mib() - before) * 2**20),
        "positives": made.nnz,
    }


def measure(rows: int, text: bool, repeats: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.csv"
        write_csv(path, rows, text)
        size = path.stat().st_size
        in_memory = pl.read_csv(path).estimated_size()
        runs = [ask("machine.load_csv:load", path=str(path)) for _ in range(repeats)]
    peak = max(run["peak_bytes"] for run in runs)
    return {
        "rows": rows,
        "ids": "text" if text else "whole numbers",
        "file_bytes": size,
        "columns_in_memory_bytes": in_memory,
        "seconds": [run["seconds"] for run in runs],
        "cpu_seconds": [run["cpu_seconds"] for run in runs],
        "peak_bytes_above_base": peak,
        "peak_over_columns": peak / in_memory,
        "positives": runs[0]["positives"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    busy = os.getloadavg()[0]
    figures = {"table": [measure(options.rows, text, options.repeats) for text in (False, True)]}
    print(results.write("load_csv", figures, load_average_before=round(busy, 2)).read_text())


if __name__ == "__main__":
    main()
