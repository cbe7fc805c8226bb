"""The approximate index of columns beside the exact search: recall, rate, time to build, memory.

    python -m benchmarks.machine.approximate [--quick] [--columns 1000000 5000000]

Factors are learned by a few sweeps from synthetic positives with a realistic tail (groups of taste, a Zipf law within
each, a fifth of noise); factors drawn at random, which have no structure that any index could use, stand beside them.
Rates are queries per processor second. The filter leaves one column in a hundred.

Writes ``results/approximate.json``, with ``--quick`` ``approximate-quick.json``.
"""

import argparse
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

FACTORS, QUERIES, K = 64, 10_000, 10


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


def random(columns: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return tuple(rng.standard_normal((n, FACTORS), dtype=np.float32) for n in (2 * QUERIES, columns))  # type: ignore[return-value]


def measured(name: str, rows: np.ndarray, cols: np.ndarray, asked: int) -> dict[str, Any]:
    began = time.process_time()
    index = ColIndex.build(rows[QUERIES:], cols, recall=0.95, seed=0, threads=0).recommend
    built = time.process_time() - began
    queries, derived = rows[:QUERIES], Derived()
    find(index, derived, queries[:10], cols, K, "approximate", Filters(), 0)
    began = time.process_time()
    found, _ = find(index, derived, queries, cols, K, "approximate", Filters(), 0)
    approximate = QUERIES / (time.process_time() - began)
    began = time.process_time()
    truth, _ = top_k(queries[:asked], cols, K)
    exact = asked / (time.process_time() - began)
    hits = np.mean([len(set(a) & set(b)) / K for a, b in zip(found[:asked].tolist(), truth.tolist())])
    allowed = np.random.default_rng(1).random(len(cols)) < 0.01
    few, _ = find(index, derived, queries[:asked], cols, K, "auto", Filters(allowed=allowed), 0)
    return {
        "factors": name, "columns": len(cols), "lists": len(index.centres), "searched": index.lists_for(K),
        "recall": float(hits), "stored_recall": index.recall(K), "exact_per_second": exact,
        "approximate_per_second": approximate, "ratio": approximate / exact, "build_processor_seconds": built,
        "index_bytes": index.centres.nbytes + index.order.nbytes + index.starts.nbytes,
        "filter_filled": bool((few >= 0).all() and allowed[few].all()),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="100,000 columns, into results/approximate-quick.json")
    parser.add_argument("--columns", type=int, nargs="+", default=[1_000_000, 5_000_000])
    given = parser.parse_args()
    table = []
    for columns in [100_000] if given.quick else given.columns:
        for name, make in (("learned", learned), ("random", random)):
            table.append(measured(name, *make(columns), asked=1000))
            print(table[-1], flush=True)
    print(results.write("approximate-quick" if given.quick else "approximate", {"table": table}))


if __name__ == "__main__":
    main()
