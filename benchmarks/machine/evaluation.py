"""Exact top-k, blocked evaluation and analogies: time and peak memory on made-up factors.

    python -m benchmarks.machine.evaluation [--quick]

The factors are Gaussian, the cells Zipf-distributed; only shapes matter here. Peak memory is what the process holds at
most during the call beyond what it held before it: factors and matrices are not counted, lists, tiles and batches are.

Writes ``results/evaluation.json``, with ``--quick`` ``evaluation-quick.json``.
"""

import argparse
import ctypes
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import results
from tacit.metrics import analogies, evaluate_factors
from tacit.neighbours.filters import Filters
from tacit.neighbours.topk import top_k

THREADS = 2


def resident(which: str) -> int:
    """Bytes of memory now (``VmRSS``) or at most (``VmHWM``)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(which))


def measured(call: Callable[[], Any], repeats: int) -> dict[str, Any]:
    """Best and median seconds, least CPU seconds over all threads (which other work on the machine disturbs less), and
    the largest extra memory; the caller has compiled everything before."""
    seconds, cpu = [], []
    ctypes.CDLL(None).malloc_trim(0)  # memory that is free but not given back would hide what the call takes
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = resident("VmRSS")
    for _ in range(repeats):
        started, worked = time.perf_counter(), time.process_time()
        call()
        seconds.append(time.perf_counter() - started)
        cpu.append(time.process_time() - worked)
    extra = max(resident("VmHWM") - before, 0)
    return {
        "best_seconds": round(min(seconds), 4),
        "median_seconds": round(float(np.median(seconds)), 4),
        "cpu_seconds": round(min(cpu), 4),
        "peak_extra_mib": round(extra / 2**20, 1),
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


def evaluation(rng: np.random.Generator, n: int, m: int, metrics: tuple[str, ...]) -> dict[str, Any]:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the size, into results/evaluation-quick.json")
    quick = parser.parse_args().quick
    rng = np.random.default_rng(0)
    scale = 10 if quick else 1
    search(rng, 50, 2000, 10, 1)
    evaluation(rng, 100, 100, ("ndcg", "auc"))
    figures = {
        "search": [
            search(rng, 6040, 3706, 10, 7),
            search(rng, 6040, 3706, 100, 7),
            search(rng, 1, 3706, 10, 50),
            search(rng, 1, 10_000_000 // scale, 10, 3),
        ],
        "evaluation": [
            evaluation(rng, 100_000 // scale, 50_000 // scale, ("ndcg", "recall", "map", "coverage")),
            evaluation(rng, 100_000 // scale, 50_000 // scale, ("auc",)),
        ],
        "analogies": [analogy(rng, 19_544 // scale, 70_000 // scale, 200)],
    }
    name = "evaluation-quick" if quick else "evaluation"
    print(results.write(name, figures, threads=THREADS, load_average=[round(load, 1) for load in os.getloadavg()]))


if __name__ == "__main__":
    main()
