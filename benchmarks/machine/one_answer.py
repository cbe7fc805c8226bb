"""What one user's list costs, however many positives the model has seen.

    python -m benchmarks.machine.one_answer [--quick]

Two ``FactorRecommender`` of 64 factors and 20,000 columns, whose rows have 100 positives each, learn from 1 and from
12 million positives. Batches of single questions, ``recommend([row], k=10)``, are asked of both in turn; the figure is
the processor time of one question, the median over the batches. The ratio is that of two batches side by side, so a
busy machine moves both.

Writes ``results/one-answer.json``, with ``--quick`` (a tenth of the positives) ``one-answer-quick.json``.
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

COLS, FACTORS, PER_ROW = 20_000, 64, 100
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
        model.recommend([row], k=10)
    return (time.process_time() - began) / QUESTIONS


def measure(sizes: tuple[int, int]) -> dict[str, Any]:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the positives, into one-answer-quick.json")
    quick = parser.parse_args().quick
    busy = os.getloadavg()[0]
    figures = measure((100_000, 1_200_000) if quick else (1_000_000, 12_000_000))
    print(figures)
    results.write("one-answer-quick" if quick else "one-answer", figures, load_average_before=round(busy, 1))


if __name__ == "__main__":
    main()
