"""Time and memory of taggers on synthetic rows: KernelTagger as the data grow, and one large fit of NeighbourTagger.

    python -m benchmarks.machine.kernel_growth    results/kernel-growth.json

One size grows while the others stay. Bandwidth and ridge are given, so that the
solve itself is seen: exact, through 1,000 landmarks, and on the columns. Each fit runs in a fresh process: processor
seconds, and the memory that it needs beyond what was held before. ``scale`` is the
large fit, which ``python -m benchmarks.papers.tag scale`` records.
"""

import resource
import time
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import results
from benchmarks.processes import ask, forget_peak, peak_mib
from tacit import KernelTagger, NeighbourTagger
from tacit.metrics.labels import precision_at_k

NAME = "kernel-growth"
WAYS: dict[str, dict[str, Any]] = {
    "exact": {"kernel": "cosine", "landmarks": 0},
    "landmarks": {"kernel": "cosine", "landmarks": 1000},
    "linear": {"kernel": "linear"},
}
MIDDLE = {"rows": 2000, "features": 1000, "labels": 500}
GROWTH = {"rows": (1000, 2000, 4000), "features": (500, 1000, 2000), "labels": (250, 500, 1000)}


_TOPICS = 500
_HELD = 20_000


def synthetic(rows: int, features: int, labels: int) -> tuple[sp.csr_array, sp.csr_array]:
    """Rows of topics: words and labels of the topic, and others whose frequencies fall like 1 / rank."""
    rng = np.random.default_rng(0)
    topic = rng.integers(_TOPICS, size=rows)

    def cells(columns: int, per_row: int, own: float) -> sp.csr_array:
        ranks = np.minimum((np.exp(rng.random((rows, per_row)) * np.log(columns)) - 1).astype(np.int64), columns - 1)
        near = (topic[:, None] * (columns // _TOPICS) + rng.geometric(0.2, (rows, per_row))) % columns
        col = np.where(rng.random((rows, per_row)) < own, near, ranks)
        matrix = sp.csr_array((np.ones(col.size, np.float32), (np.repeat(np.arange(rows), per_row), col.ravel())),
                              shape=(rows, columns))  # fmt: skip
        matrix.data[:] = 1.0
        return matrix

    return cells(features, 40, 0.6), cells(labels, 4, 0.9)


def scale(quick: bool) -> dict[str, Any]:
    """The quick version is a tenth in every direction."""
    rows, features, labels, held = (20_000, 5_000, 2_000, 2_000) if quick else (200_000, 50_000, 20_000, _HELD)
    X, Y = synthetic(rows + held, features, labels)
    began = time.perf_counter()
    model = NeighbourTagger(factors=50, max_partners=200, idf_power=1.0, progress=False).fit(X[held:], Y[held:])
    fitted = time.perf_counter()
    model.predict_topk(X[:1000], 5)
    warm, busy = time.perf_counter(), time.process_time()
    top = model.predict_topk(X[:held], 5)
    done, worked = time.perf_counter(), time.process_time()
    return {
        "rows": rows, "features": features, "labels": labels, "partitions": len(model.learners_[0].partitions),
        "seconds to fit": round(fitted - began, 1), "rows per second to predict": round(held / (done - warm)),
        "rows per processor second to predict": round(held / (worked - busy)),
        "peak memory in GB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        "P@1 on synthetic rows": round(100 * precision_at_k(Y[:held], top, 1), 1),
    }  # fmt: skip


def work(way: str, sizes: dict[str, int]) -> dict[str, float]:
    """One fit, after a small one that loads and compiles what it takes."""
    X, Y = synthetic(*sizes.values())
    model = KernelTagger(**WAYS[way], bandwidth=1.0, regularization=0.5, progress=False)
    model.fit(X[:200], Y[:200])
    forget_peak()
    held, began = peak_mib(), time.process_time()
    model.fit(X, Y)
    seconds = time.process_time() - began
    return {"processor seconds": round(seconds, 2), "MiB": round(peak_mib() - held)}


def main() -> None:
    figures: dict[str, Any] = {}
    for size, counts in GROWTH.items():
        for way in WAYS:
            for count in counts:
                found = ask("machine.kernel_growth:work", way=way, sizes=MIDDLE | {size: count})
                figures.setdefault(size, {}).setdefault(way, {})[str(count)] = found
                print(size, count, way, found, flush=True)
    results.write(NAME, {"other sizes": MIDDLE, "growth": figures})


if __name__ == "__main__":
    main()
