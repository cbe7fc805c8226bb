"""Time and memory of loading and encoding a large CSV file.

    python benchmarks/load_csv.py [--rows 10000000] [--text]

Writes a CSV of users, items, ratings and times (zipf-distributed items) to a temporary folder, loads it in a fresh
process with ``Interactions.from_table`` and notes the wall and processor time, the peak of resident memory above what
Python with polars and SciPy takes, and the size of the columns in memory (polars' own estimate). ``--text`` makes the
ids text.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

RESULTS = Path(__file__).parent / "results"
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
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


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
        "base_bytes": before,
        "positives": made.nnz,
    }


def measure(rows: int, text: bool, repeats: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.csv"
        write_csv(path, rows, text)
        size = path.stat().st_size
        in_memory = pl.read_csv(path).estimated_size()
        runs = []
        for _ in range(repeats):
            command = [sys.executable, __file__, "--load", str(path)]
            runs.append(json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout))
    best = min(runs, key=lambda run: run["seconds"])
    return {
        "rows": rows,
        "ids": "text" if text else "whole numbers",
        "file_bytes": size,
        "columns_in_memory_bytes": in_memory,
        "seconds_best": best["seconds"],
        "seconds_all": [run["seconds"] for run in runs],
        "cpu_seconds_of_best": best["cpu_seconds"],
        "peak_bytes_above_base": max(run["peak_bytes"] for run in runs),
        "peak_over_columns": max(run["peak_bytes"] for run in runs) / in_memory,
        "positives": best["positives"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--text", action="store_true", help="ids are text instead of whole numbers")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--load", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.load:
        print(json.dumps(load(options.load)))
        return
    load_before = os.getloadavg()[0]
    figures = measure(options.rows, options.text, options.repeats)
    machine = {
        "python": platform.python_version(),
        "polars": pl.__version__,
        "numpy": np.__version__,
        "processor": platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "load_before": load_before,
    }
    report = {"command": " ".join(["python", *sys.argv]), "machine": machine, "figures": figures}
    RESULTS.mkdir(exist_ok=True)
    target = RESULTS / f"load_csv{'_text' if options.text else ''}.json"
    target.write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
