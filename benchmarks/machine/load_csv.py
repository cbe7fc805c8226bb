"""Time and memory of loading and encoding a large CSV file, with ids that are whole numbers and ids that are text.

    python -m benchmarks.machine.load_csv [--rows 10000000]

Writes a CSV of users, items, ratings and times (zipf-distributed items) to a temporary folder, loads it in a fresh
process with ``Interactions.from_table`` and notes the wall and processor time, the peak of resident memory above what
Python with polars and SciPy takes before it loads, and the size of the four columns in memory by polars' own estimate.
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.processes import output

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


def peak_bytes() -> int:
    """The process's own peak; what getrusage reports would begin with the peak of the process that started this one."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def load(path: Path) -> dict[str, float]:
    """What the fresh process does and reports."""
    from tacit import Interactions

    Interactions.from_table({"user": [1], "item": [1]}, row="user", col="item")
    before = peak_bytes()
    start, cpu = time.perf_counter(), time.process_time()
    made = Interactions.from_table(path, **COLUMNS)
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu,
        "peak_bytes": peak_bytes() - before,
        "positives": made.nnz,
    }


def measure(rows: int, text: bool, repeats: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.csv"
        write_csv(path, rows, text)
        size = path.stat().st_size
        in_memory = pl.read_csv(path).estimated_size()
        runs = [json.loads(output("benchmarks.machine.load_csv", "--load", str(path))) for _ in range(repeats)]
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
    parser.add_argument("--load", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.load:
        print(json.dumps(load(options.load)))
        return
    from benchmarks import results

    busy = os.getloadavg()[0]
    figures = {"table": [measure(options.rows, text, options.repeats) for text in (False, True)]}
    print(results.write("load_csv", figures, load_average_before=round(busy, 2)).read_text())


if __name__ == "__main__":
    main()
