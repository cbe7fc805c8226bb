"""Time and memory at scale: loading a table, a sweep over it, exact search and evaluation.

    python -m benchmarks.machine.sizes csv [--rows 10000000] [--repeats 3]
    python -m benchmarks.machine.sizes sweep [--quick] [--only SHARE FACTORS] [--repeats 3]
    python -m benchmarks.machine.sizes evaluation [--quick]

``csv`` writes a CSV of users, items, ratings and times (zipf-distributed items) to a temporary folder, with ids that
are whole numbers and ids that are text, loads it in a fresh process with ``Interactions.from_table`` and notes the wall
and processor time, the peak of resident memory above what Python with polars and SciPy takes before it loads, and the
size of the four columns in memory by polars' own estimate.

``sweep``: one sweep over rows and columns, 100,000 × 20,000 with 4–5 million zipf-distributed positives. Time per sweep
is the difference of a fit with 3 sweeps and one with 1, halved, so that loading, starting and finishing do not count;
the best of alternating runs. Growth: the same at half and a quarter of the positives.

``evaluation``: exact top-k, blocked evaluation and analogies on made-up factors. The factors are Gaussian, the cells
Zipf-distributed; only shapes matter here. Peak memory is what the process holds at most during the call beyond what it
held before it: factors and matrices are not counted, lists, tiles and batches are.

Writes ``results/load_csv.json``, ``sweep.json`` and ``evaluation.json``, with ``--quick`` ``sweep-quick.json`` and
``evaluation-quick.json``.
"""

import argparse
import ctypes
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from benchmarks import results
from benchmarks.machine.kernel_work import skewed
from benchmarks.peers.workers import Worker
from benchmarks.processes import THREADS, ask, forget_peak, peak_mib
from tacit.metrics import analogies, evaluate_factors
from tacit.neighbours.filters import Filters
from tacit.neighbours.topk import top_k

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


def loaded(rows: int, text: bool, repeats: int) -> dict[str, Any]:
    """One kind of ids."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.csv"
        write_csv(path, rows, text)
        size = path.stat().st_size
        in_memory = pl.read_csv(path).estimated_size()
        runs = [ask("machine.sizes:load", path=str(path)) for _ in range(repeats)]
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


SWEEPS = {"tacit": "iterations", "implicit": "iterations", "irspack": "epochs"}


def per_sweep(workers: dict[str, Worker], factors: int, repeats: int) -> dict[str, Any]:
    """Best seconds of one sweep per method, alternating."""
    short: dict[str, list[float]] = {name: [] for name in workers}
    long: dict[str, list[float]] = {name: [] for name in workers}
    peak = {}
    for name, worker in workers.items():
        # Code is compiled and pages are touched before the clock starts.
        worker.fit(factors=8, **{SWEEPS[name]: 1})
    for _ in range(repeats):
        for name, worker in workers.items():
            short[name].append(worker.fit(factors=factors, **{SWEEPS[name]: 1})["seconds"])
            third = worker.fit(factors=factors, **{SWEEPS[name]: 3})
            long[name].append(third["seconds"])
            peak[name] = third["peak_mib"]
    return {
        name: {
            "sweep_seconds": round((min(long[name]) - min(short[name])) / 2, 4),
            "peak_mib": peak[name],
        }
        for name in workers
    }


def sweeps(quick: bool, only: list[str] | None, repeats: int) -> None:
    """Measure the table of sweeps, or one row of it."""
    name = "sweep-quick" if quick else "sweep"
    rows, cols, draws = (10_000, 5_000, 500_000) if quick else (100_000, 20_000, 5_000_000)
    plan = [(1.0, 64)] if quick else [(1.0, 64), (1.0, 128), (1.0, 256), (0.5, 64), (0.25, 64)]
    table: list[dict[str, Any]] = []
    if only:
        plan = [(float(only[0]), int(only[1]))]
        table = results.read(name)["figures"]["table"]
    for share, factors in plan:
        matrix = skewed(rows, cols, int(draws * share), tail=3)
        workers = {adapter: Worker(adapter, matrix) for adapter in SWEEPS}
        row = {"positives": matrix.nnz, "factors": factors, **per_sweep(workers, factors, repeats)}
        print(row, flush=True)
        for worker in workers.values():
            worker.__exit__()
        table = [old for old in table if (old["positives"], old["factors"]) != (matrix.nnz, factors)] + [row]
        # After every row, so that an interrupted run keeps what it has measured.
        results.write(name, {"rows": rows, "columns": cols, "table": table})


def resident() -> float:
    """MiB of memory now."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def measured(call: Callable[[], Any], repeats: int) -> dict[str, Any]:
    """Best and median seconds, least CPU seconds over all threads (which other work on the machine disturbs less), and
    the largest extra memory; the caller has compiled everything before."""
    seconds, cpu = [], []
    ctypes.CDLL(None).malloc_trim(0)  # memory that is free but not given back would hide what the call takes
    forget_peak()
    before = resident()
    for _ in range(repeats):
        started, worked = time.perf_counter(), time.process_time()
        call()
        seconds.append(time.perf_counter() - started)
        cpu.append(time.process_time() - worked)
    extra = max(peak_mib() - before, 0.0)
    return {
        "best_seconds": round(min(seconds), 4),
        "median_seconds": round(float(np.median(seconds)), 4),
        "cpu_seconds": round(min(cpu), 4),
        "peak_extra_mib": round(extra, 1),
    }


def gaussian(rng: np.random.Generator, rows: int, factors: int) -> np.ndarray:
    return rng.standard_normal((rows, factors), dtype=np.float32)


def cells(rng: np.random.Generator, rows: int, cols: int, per_row: int) -> sp.csr_array:
    """About so many cells per row, columns by a Zipf law."""
    weights = 1 / np.arange(1, cols + 1)
    col = rng.choice(cols, size=rows * per_row, p=weights / weights.sum())
    row = np.repeat(np.arange(rows), per_row)
    return sp.csr_array((np.ones(len(row), dtype=np.float32), (row, col)), shape=(rows, cols))


def search(rng: np.random.Generator, n: int, m: int, k: int, repeats: int) -> dict[str, Any]:
    queries, items = gaussian(rng, n, 64), gaussian(rng, m, 64)
    train = cells(rng, n, m, min(100, m // 4)) if n < 50_000 else cells(rng, n, m, 20)
    train.sum_duplicates()
    seen = train.indptr, train.indices
    figures = measured(lambda: top_k(queries, items, k, Filters(seen=seen), threads=THREADS), repeats)
    return {"queries": n, "items": m, "factors": 64, "k": k, **figures}


def evaluated(rng: np.random.Generator, n: int, m: int, metrics: tuple[str, ...]) -> dict[str, Any]:
    rows, cols = gaussian(rng, n, 64), gaussian(rng, m, 64)
    train, test = cells(rng, n, m, 40), cells(rng, n, m, 10)
    figures = measured(lambda: evaluate_factors(rows, cols, train, test, metrics=metrics, threads=THREADS), 1)
    whole = n * m * 4 / 2**20
    return {"users": n, "items": m, "metrics": list(metrics), **figures, "whole_matrix_mib": round(whole)}


def analogy(rng: np.random.Generator, questions: int, words: int, size: int) -> dict[str, Any]:
    names = [f"w{number}" for number in range(words)]
    vectors = gaussian(rng, words, size)
    picked = rng.integers(0, words, size=(questions, 4))
    lines = [": made up", *(" ".join(names[number] for number in row) for row in picked)]
    figures = measured(lambda: analogies(vectors, names, lines, threads=THREADS), 1)
    return {"questions": questions, "words": words, "dimensions": size, **figures}


def evaluations(quick: bool) -> dict[str, Any]:
    """Search, evaluation and analogies at several sizes."""
    rng = np.random.default_rng(0)
    scale = 10 if quick else 1
    search(rng, 50, 2000, 10, 1)
    evaluated(rng, 100, 100, ("ndcg", "auc"))
    return {
        "search": [
            search(rng, 6040, 3706, 10, 7),
            search(rng, 6040, 3706, 100, 7),
            search(rng, 1, 3706, 10, 50),
            search(rng, 1, 10_000_000 // scale, 10, 3),
        ],
        "evaluation": [
            evaluated(rng, 100_000 // scale, 50_000 // scale, ("ndcg", "recall", "map", "coverage")),
            evaluated(rng, 100_000 // scale, 50_000 // scale, ("auc",)),
        ],
        "analogies": [analogy(rng, 19_544 // scale, 70_000 // scale, 200)],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("csv", "sweep", "evaluation"))
    parser.add_argument("--quick", action="store_true", help="a tenth of the size, into results files of its own")
    parser.add_argument("--rows", type=int, default=10_000_000, help="of csv")
    parser.add_argument("--only", nargs=2, metavar=("SHARE", "FACTORS"), help="of sweep: one row, keep the others")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    load = [round(one, 2) for one in os.getloadavg()]
    if given.part == "csv":
        figures = {"table": [loaded(given.rows, text, given.repeats) for text in (False, True)]}
        print(results.write("load_csv", figures, load_average_before=load[0]).read_text())
    elif given.part == "sweep":
        sweeps(given.quick, given.only, given.repeats)
    else:
        name = "evaluation-quick" if given.quick else "evaluation"
        print(results.write(name, evaluations(given.quick), threads=THREADS, load_average=load))


if __name__ == "__main__":
    main()
