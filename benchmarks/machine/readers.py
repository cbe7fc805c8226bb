"""How much more two threads read of one model than one does.

    python -m benchmarks.machine.readers [--quick]

Every job's questions, in the sizes that a server or a script asks them: a thread asks some of them of a model with
``threads=1``, then two threads ask as many each, in alternating turns. The figure is what the two answered a second
over what the one did, 2 at best. BLAS has one thread. Other work on the machine takes from the two and not from the
one: turns in which others had more than one percent of the processors (``turns.py``) are left out and taken again, and
the median of the rest is told. Where five such turns do not come, the median is that of all, which says little.

Writes ``results/readers.json``, with ``--quick`` (fewer questions) ``readers-quick.json``.
"""

import argparse
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from benchmarks import results
from benchmarks.processes import Turns, seconds_of_others
from tacit import (
    FactorRecommender,
    FactorTagger,
    KernelTagger,
    LinearRecommender,
    NeighbourTagger,
    OrdinalRanker,
    RatingStream,
    WordVectors,
)

Ask = Callable[[int], object]
SECONDS, QUICK_SECONDS = 1.0, 0.1
"""What one thread's share of a turn takes, about."""


def positives(rows: int, cols: int, per_row: int) -> sp.csr_array:
    """Rows with as many columns each, all columns alike: every list has to look at all of them."""
    drawn = np.random.default_rng(0).integers(0, cols, (rows, per_row), dtype=np.int32)
    cells = sp.csr_array(
        (np.ones(drawn.size, np.float32), drawn.ravel(), np.arange(rows + 1) * per_row), shape=(rows, cols)
    )
    cells.sum_duplicates()
    return cells


def recommenders() -> dict[str, Ask]:
    """Lists of ten for one row and for five hundred."""
    factors = FactorRecommender(64, iterations=1, exact_rows=False, progress=False, threads=1)
    factors.fit(positives(20_000, 20_000, 100))
    linear = LinearRecommender(method="sparse", threads=1).fit(positives(5_000, 2_000, 40))
    return {
        "FactorRecommender.recommend, one row": lambda n: factors.recommend([n * 37 % 20_000]),
        "FactorRecommender.recommend, 500 rows": lambda n: factors.recommend(np.arange(500) + n % 19_500),
        "LinearRecommender.recommend, 500 rows": lambda n: linear.recommend(np.arange(500) + n % 4_500),
    }


def taggers() -> dict[str, Ask]:
    """Tags of two thousand texts."""
    texts, labels = positives(4_000, 5_000, 30), positives(4_000, 2_000, 3)
    asked = texts[:2_000]
    made = [
        FactorTagger(64, iterations=2, progress=False, threads=1),
        KernelTagger(bandwidth=1.0, regularization=1.0, progress=False, threads=1),
        NeighbourTagger(factors=50, progress=False, threads=1),
    ]
    fitted = {type(model).__name__: model.fit(texts, labels) for model in made}
    return {
        f"{name}.predict_topk, 2,000 texts": lambda n, model=model: model.predict_topk(asked)
        for name, model in fitted.items()
    }


def words() -> dict[str, Ask]:
    """Neighbours of a word among 100,000, from a file of vectors.

    80 MB of vectors are read for every word, and two threads share the way to memory: NumPy's product of the same
    matrix says how much of it there is.
    """
    vectors = np.random.default_rng(0).standard_normal((100_000, 200)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.bin"
        with path.open("wb") as file:
            file.write(b"%d %d\n" % vectors.shape)
            for number, vector in enumerate(vectors):
                file.write(b"w%d " % number + vector.tobytes() + b"\n")
        model = WordVectors.from_word2vec(path, binary=True)
    model.threads = 1
    return {
        "WordVectors.most_similar, one word": lambda n: model.most_similar(f"w{n * 37 % 100_000}"),
        "NumPy's product of these vectors with one of them": lambda n: vectors @ vectors[n * 37 % 100_000],
    }


def streams() -> dict[str, Ask]:
    """Predictions for one pair and for ten thousand."""
    rng = np.random.default_rng(0)
    users, items = rng.integers(0, 20_000, 200_000), rng.integers(0, 5_000, 200_000)
    model = RatingStream().partial_fit(users, items, rng.integers(1, 6, 200_000).astype(float))
    return {
        "RatingStream.predict, 10,000 pairs": lambda n: model.predict(users[:10_000], items[:10_000]),
        "RatingStream.recommend, one user": lambda n: model.recommend(n % 20_000),
    }


def rankers() -> dict[str, Ask]:
    """Grades of two thousand rows."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4_000, 20))
    y = np.where(np.arange(4_000) < 500, np.digitize(X[:, 0] + X[:, 1] ** 2, [0.0, 1.0, 2.0]), -1)
    model = OrdinalRanker(kernel="gaussian", trees=False, progress=False, threads=1).fit(X, y)
    return {"OrdinalRanker.predict, 2,000 rows": lambda n: model.predict(X[:2_000])}


def seconds_of(ask: Ask, questions: int, threads: int) -> float:
    """Seconds until so many threads have asked so many questions each."""
    ready = threading.Barrier(threads + 1)

    def reader(first: int) -> None:
        ready.wait()
        for number in range(first, first + questions):
            ask(number)

    readers = [threading.Thread(target=reader, args=(place * questions,)) for place in range(threads)]
    for one in readers:
        one.start()
    ready.wait()
    began = time.perf_counter()
    for one in readers:
        one.join()
    return time.perf_counter() - began


def measure(ask: Ask, seconds: float) -> dict[str, Any]:
    """What one reader and two readers answer."""
    ask(0)
    few = seconds_of(ask, 3, 1) / 3
    questions = max(2, round(seconds / few))
    turns = Turns(seconds_of_others)
    spent = turns.of(lambda: (seconds_of(ask, questions, 1), seconds_of(ask, questions, 2)))
    return {
        "milliseconds": 1e3 * statistics.median(one for one, _ in spent) / questions,
        "two_over_one": statistics.median(2 * one / two for one, two in spent),
        "turns": len(spent),
        "disturbed_turns": turns.disturbed,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer questions, into readers-quick.json")
    quick = parser.parse_args().quick
    load = [round(average, 1) for average in os.getloadavg()]
    figures = {}
    with threadpool_limits(1, user_api="blas"):
        for job in (recommenders, taggers, words, streams, rankers):
            for name, ask in job().items():
                figures[name] = measure(ask, QUICK_SECONDS if quick else SECONDS)
                print(f"{name}: {figures[name]}", flush=True)
    results.write("readers-quick" if quick else "readers", figures, load_average_before=load)


if __name__ == "__main__":
    main()
