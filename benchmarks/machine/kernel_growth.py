"""Time and memory of taggers on synthetic rows: KernelTagger as the data grow, and one large fit of NeighbourTagger.

    python -m benchmarks.machine.kernel_growth [growth] [beyond]    results/kernel-growth.json

``growth``: one size grows while the others stay. Bandwidth, ridge and targets are given, so that the solve itself is
seen: exact, through 1,000 landmarks, and on the columns. Each fit runs in a fresh process: processor seconds, and the
memory that it needs beyond what was held before, beside what ``Way.needs`` says beforehand.
``beyond``: 200,000 rows × 50,000 features × 20,000 labels, what is refused and how soon, and a fit by landmarks.
Without a name, both; what is not measured is kept. ``scale`` is the large fit of NeighbourTagger, which
``python -m benchmarks.papers.tag scale`` records.
"""

import argparse
import resource
import time
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import results
from benchmarks.processes import ask, forget_peak, peak_mib
from tacit import KernelTagger, NeighbourTagger
from tacit.errors import InputError
from tacit.estimators.tag.kernel_fit import Way
from tacit.metrics.labels import precision_at_k

NAME = "kernel-growth"
WAYS: dict[str, dict[str, Any]] = {
    "exact": {"kernel": "cosine", "bandwidth": 1.0, "landmarks": 0},
    "landmarks": {"kernel": "cosine", "bandwidth": 1.0, "landmarks": 1000},
    "linear": {"kernel": "linear"},
}
MIDDLE = {"rows": 2000, "features": 1000, "labels": 500}
GROWTH = {
    "rows": (1000, 2000, 4000, 8000, 15_000),
    "features": (500, 1000, 2000, 4000, 8000),
    "labels": (250, 500, 1000, 2000, 4000),
}
GIVEN = {"regularization": 0.5, "value_power": 1.0, "label_power": 0.0, "progress": False}
LARGE = {"rows": 200_000, "features": 50_000, "labels": 20_000}
REFUSED = {"landmarks=0": {"landmarks": 0}, "landmarks=30000": {"landmarks": 30_000}}
FITTED = {"landmarks": 2000, "bandwidth": 1.0}

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
    model = KernelTagger(**WAYS[way], **GIVEN)
    model.fit(X[:200], Y[:200])
    forget_peak()
    held, began = peak_mib(), time.process_time()
    model.fit(X, Y)
    seconds = time.process_time() - began
    kernel = "linear" if way == "linear" else "gaussian"
    taken = Way.of(kernel, X.shape, X.shape[0], Y.shape[1], model.landmarks, False)
    needs = taken.needs(Y.shape[1], twice=model.label_similarity_ > 0)
    return {"processor seconds": round(seconds, 2), "MiB": round(peak_mib() - held), "foretold MiB": needs >> 20}


def beyond() -> dict[str, Any]:
    """What is refused on the large data, after how many seconds and MiB, in which words; and a fit that is not."""
    X, Y = synthetic(**LARGE)
    KernelTagger(landmarks=50, bandwidth=1.0, **GIVEN).fit(X[:200], Y[:200])
    refused = {}
    for name, own in REFUSED.items():
        forget_peak()
        held, began = peak_mib(), time.process_time()
        try:
            KernelTagger(**own, progress=False).fit(X, Y)
        except InputError as sentence:
            seconds = round(time.process_time() - began, 2)
            refused[name] = {"seconds": seconds, "MiB": round(peak_mib() - held), "sentence": str(sentence)}
    forget_peak()
    held, began = peak_mib(), time.process_time()
    KernelTagger(**FITTED, **GIVEN).fit(X, Y)
    seconds = round(time.process_time() - began, 1)
    fitted = {"landmarks": FITTED["landmarks"], "processor seconds": seconds, "MiB": round(peak_mib() - held)}
    return {"sizes": LARGE, "refused": refused, "fitted": fitted}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="growth, beyond")
    parts = parser.parse_args().parts or ["growth", "beyond"]
    figures = results.figures_so_far(NAME)
    if "growth" in parts:
        figures |= {"other sizes": MIDDLE, "growth": growth()}
    if "beyond" in parts:
        figures["beyond"] = ask("machine.kernel_growth:beyond")
        print(figures["beyond"], flush=True)
    results.write(NAME, figures, command="python -m benchmarks.machine.kernel_growth")


def growth() -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for size, counts in GROWTH.items():
        for way in WAYS:
            for count in counts:
                found = ask("machine.kernel_growth:work", way=way, sizes=MIDDLE | {size: count})
                figures.setdefault(size, {}).setdefault(way, {})[str(count)] = found
                print(size, count, way, found, flush=True)
    return figures


if __name__ == "__main__":
    main()
