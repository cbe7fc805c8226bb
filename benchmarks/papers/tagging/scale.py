"""200,000 rows × 50,000 features × 20,000 labels, made: time, memory, and rows that are tagged in a second."""

import resource
import time
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit import NeighbourTagger
from tacit.metrics.labels import precision_at_k

_TOPICS = 500
_HELD = 20_000


def made(rows: int, features: int, labels: int) -> tuple[sp.csr_array, sp.csr_array]:
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


def measure(quick: bool) -> dict[str, Any]:
    """The quick version is a tenth in every direction."""
    rows, features, labels, held = (20_000, 5_000, 2_000, 2_000) if quick else (200_000, 50_000, 20_000, _HELD)
    X, Y = made(rows + held, features, labels)
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
