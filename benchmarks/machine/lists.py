"""What lists cost: one user's, however many positives the model has seen, and with an approximate index of columns.

    python -m benchmarks.machine.lists one [--quick]
    python -m benchmarks.machine.lists approximate [--quick] [--columns 1000000 5000000]

``one``: two ``FactorRecommender`` of 64 factors and 20,000 columns, whose rows have 100 positives each, learn from 1
and from 12 million positives. Batches of single questions, ``recommend([row], k=10)``, are asked of both in turn; the
figure is the processor time of one question, the median over the batches. The ratio is that of two batches side by
side, so a busy machine moves both.

``approximate``: recall, rate, time to build and memory beside the exact search. Factors are learned by a few sweeps
from synthetic positives with a realistic tail (groups of taste, a Zipf law within each, a fifth of noise); factors
drawn at random, which have no structure that any index could use, stand beside them. Rates are queries per processor
second. The filter leaves one column in a hundred.

Writes ``results/one-answer.json`` and ``results/approximate.json``, with ``--quick`` (a tenth of the positives, 100,000
columns) ``one-answer-quick.json`` and ``approximate-quick.json``.
"""

import argparse
import os
import statistics
import time
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import results
from tacit import FactorRecommender
from tacit.estimators.derived import Derived
from tacit.estimators.recommend.col_index import ColIndex, find
from tacit.neighbours.filters import Filters
from tacit.neighbours.topk import top_k

FACTORS, K = 64, 10
COLS, PER_ROW = 20_000, 100
BATCHES, QUESTIONS = 31, 100


def model_of(positives: int) -> FactorRecommender:
    """A model of so many positives, after one sweep: what it has learned does not change what a list costs."""
    rng = np.random.default_rng(0)
    rows = positives // PER_ROW
    cells = np.sort(rng.integers(0, COLS, (rows, PER_ROW)), axis=1)
    indptr = np.arange(0, positives + 1, PER_ROW)
    matrix = sp.csr_array((np.ones(positives, np.float32), cells.ravel(), indptr), shape=(rows, COLS))
    matrix.sum_duplicates()
    return FactorRecommender(FACTORS, iterations=1, exact_rows=False, progress=False).fit(matrix)


def seconds_of_one(model: FactorRecommender, rng: np.random.Generator) -> float:
    """Processor seconds of one question, in a batch of them."""
    rows = rng.integers(0, model.seen_.shape[0], QUESTIONS).tolist()
    began = time.process_time()
    for row in rows:
        model.recommend([row], k=K)
    return (time.process_time() - began) / QUESTIONS


def one_answer(sizes: tuple[int, int]) -> dict[str, Any]:
    """One user's list from few and from many positives."""
    models = [model_of(size) for size in sizes]
    rng = np.random.default_rng(1)
    batches = [[seconds_of_one(model, rng) for model in models] for _ in range(1 + BATCHES)][1:]
    return {
        "factors": FACTORS,
        "cols": COLS,
        "lists": [
            {"positives": model.seen_.nnz, "milliseconds": 1e3 * statistics.median(times)}
            for model, times in zip(models, zip(*batches))
        ],
        "ratio": statistics.median(large / small for small, large in batches),
    }


QUERIES = 10_000


def learned(columns: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Factors of rows and columns after four sweeps over about 13 positives per column."""
    rng = np.random.default_rng(seed)
    rows, groups = max(columns // 5, QUERIES), 300
    group = rng.integers(0, groups, columns)
    members, starts = np.argsort(group, kind="stable"), np.concatenate(([0], np.cumsum(np.bincount(group))))
    tastes = rng.integers(0, groups, (rows, 4))
    activity = np.minimum(rng.pareto(1.3, rows) + 1, 50)
    row = np.repeat(np.arange(rows), rng.poisson(activity / activity.sum() * 16 * columns))
    taste = tastes[row, rng.integers(0, 4, len(row))]
    sizes = np.diff(starts)[taste]
    rank = np.minimum(sizes ** rng.random(len(row)), sizes - 1).astype(np.int64)
    col = members[starts[taste] + rank]
    noise = rng.random(len(row)) < 0.2
    col[noise] = (columns ** rng.random(int(noise.sum()))).astype(np.int64) % columns
    cells = sp.csr_array((np.ones(len(row), np.float32), (row, col)), shape=(rows, columns))
    cells.sum_duplicates()
    cells.data[:] = 1
    model = FactorRecommender(factors=FACTORS, iterations=4, progress=False).fit(cells)
    known = np.flatnonzero(np.diff(cells.indptr))
    return model.row_factors_[rng.choice(known, 2 * QUERIES)], model.col_factors_


def unstructured(columns: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return tuple(rng.standard_normal((n, FACTORS), dtype=np.float32) for n in (2 * QUERIES, columns))  # type: ignore[return-value]


def approximate(name: str, rows: np.ndarray, cols: np.ndarray, asked: int) -> dict[str, Any]:
    """The index of columns beside the exact search."""
    began = time.process_time()
    index = ColIndex.build(rows[QUERIES:], cols, recall=0.95, seed=0, threads=0).recommend
    built = time.process_time() - began
    queries, derived = rows[:QUERIES], Derived()
    find(index, derived, queries[:10], cols, K, "approximate", Filters(), 0)
    began = time.process_time()
    found, _ = find(index, derived, queries, cols, K, "approximate", Filters(), 0)
    indexed = QUERIES / (time.process_time() - began)
    began = time.process_time()
    truth, _ = top_k(queries[:asked], cols, K)
    exact = asked / (time.process_time() - began)
    hits = np.mean([len(set(a) & set(b)) / K for a, b in zip(found[:asked].tolist(), truth.tolist())])
    allowed = np.random.default_rng(1).random(len(cols)) < 0.01
    few, _ = find(index, derived, queries[:asked], cols, K, "auto", Filters(allowed=allowed), 0)
    return {
        "factors": name, "columns": len(cols), "lists": len(index.centres), "searched": index.lists_for(K),
        "recall": float(hits), "stored_recall": index.recall(K), "exact_per_second": exact,
        "approximate_per_second": indexed, "ratio": indexed / exact, "build_processor_seconds": built,
        "index_bytes": index.centres.nbytes + index.order.nbytes + index.starts.nbytes,
        "filter_filled": bool((few >= 0).all() and allowed[few].all()),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("one", "approximate"))
    parser.add_argument("--quick", action="store_true", help="small, into results files of its own")
    parser.add_argument("--columns", type=int, nargs="+", default=[1_000_000, 5_000_000])
    given = parser.parse_args()
    ending = "-quick" if given.quick else ""
    if given.part == "one":
        busy = os.getloadavg()[0]
        figures = one_answer((100_000, 1_200_000) if given.quick else (1_000_000, 12_000_000))
        print(figures)
        results.write(f"one-answer{ending}", figures, load_average_before=round(busy, 1))
        return
    table = []
    for columns in [100_000] if given.quick else given.columns:
        for name, make in (("learned", learned), ("random", unstructured)):
            table.append(approximate(name, *make(columns), asked=1000))
            print(table[-1], flush=True)
    print(results.write(f"approximate{ending}", {"table": table}))


if __name__ == "__main__":
    main()
