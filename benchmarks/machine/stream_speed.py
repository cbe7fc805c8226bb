"""Speed and memory of rating streams on one core, beside river in the same run, and 100 million simulated ratings.

    python -m benchmarks.machine.stream_speed [--quick]

Seconds are processor time of one thread, best of several alternating runs, with everything compiled before. The
simulated stream is drawn in chunks as it is consumed; drawing is not counted.

Writes ``results/stream-speed.json``, with ``--quick`` ``stream-speed-quick.json``.
"""

import argparse
import os
import resource
import time
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.papers.stream import Ratings, columns, peers
from tacit import ExpertRatingStream, RatingStream
from tacit.data.loaders.movielens import load_movielens_1m

BATCHES = {
    "partial_fit, defaults": RatingStream,
    "partial_fit diagonal k=10": lambda: RatingStream.paper(10, cold_start="average"),
    "partial_fit diagonal k=10, the paper's start": lambda: RatingStream.paper(10),
    "partial_fit NN-PA k=10": lambda: RatingStream.paper(10, adaptation=None),
    "partial_fit full k=5": lambda: RatingStream.paper(5, adaptation="full"),
    "partial_fit full k=10": lambda: RatingStream.paper(10, adaptation="full"),
    "partial_fit full k=10, plain projection": lambda: RatingStream.paper(10, adaptation="full", projection="plain"),
    "partial_fit 15 experts": lambda: ExpertRatingStream("paper"),
    "partial_fit 15 experts, all updated": lambda: ExpertRatingStream("paper", combine="uniform"),
    "partial_fit 6 experts (default)": ExpertRatingStream,
}
SINGLES = {
    "learn_one, defaults": RatingStream,
    "learn_one diagonal k=10": lambda: RatingStream.paper(10, cold_start="average"),
    "learn_one full k=10": lambda: RatingStream.paper(10, adaptation="full"),
    "learn_one 15 experts": lambda: ExpertRatingStream("paper"),
}


def batch_rate(make: Any, data: Ratings) -> float:
    model = make()
    began = time.process_time()
    model.partial_fit(*data)
    return len(data[2]) / (time.process_time() - began)


def single_rates(make: Any, rows: list[Any]) -> tuple[float, float]:
    model = make()
    learn, predict = model.learn_one, model.predict_one
    began = time.process_time()
    for user, item, rating in rows:
        learn(user, item, rating)
    middle = time.process_time()
    for user, item, _ in rows:
        predict(user, item)
    return len(rows) / (middle - began), len(rows) / (time.process_time() - middle)


def speeds(data: Ratings, repeats: int) -> dict[str, Any]:
    rates: dict[str, list[float]] = {}
    rows = list(zip(*(part[:60_000].tolist() for part in data)))
    warm = tuple(part[:100] for part in data)
    for make in (*BATCHES.values(), *SINGLES.values()):
        make().partial_fit(*warm)
    river: dict[str, float] = {}
    for _ in range(repeats):
        for name, make in BATCHES.items():
            slow = "full" in name or "experts" in name
            part = tuple(column[:200_000] for column in data) if slow else data
            rates.setdefault(name, []).append(batch_rate(make, part))  # type: ignore[arg-type]
        for name, make in SINGLES.items():
            learned, predicted = single_rates(make, rows)
            rates.setdefault(name, []).append(learned)
            rates.setdefault(name.replace("learn_one", "predict_one"), []).append(predicted)
        for name, rate in peers(tuple(part[:40_000] for part in data), "speed")["figures"].items():  # type: ignore[arg-type]
            river[name] = max(rate, river.get(name, 0.0))
    best = {name: round(max(found)) for name, found in rates.items()}
    ratios = {name: round(rate / river["river BiasedMF"], 1) for name, rate in best.items()}
    return {
        "ratings_per_second": best | {f"{n}.learn_one": round(r) for n, r in river.items()},
        "times_biased_mf": ratios,
    }


def memory_per_row() -> dict[str, Any]:
    """Bytes that one user or item takes: its row, and its id as a whole number."""
    users = 300_000
    found = {}
    for name, make in BATCHES.items():
        model = make().partial_fit([0], [0], [3.0])
        found[name.removeprefix("partial_fit ")] = model.stream_.users.itemsize * model.stream_.width
    model = RatingStream(10).partial_fit(np.arange(users) * 7919, np.zeros(users, dtype=int), np.full(users, 3.0))
    ids = model.user_ids_
    table = ids._keys.nbytes + ids._numbers.nbytes + ids._order.nbytes
    return {"row_bytes": found, "id_bytes_whole_number": round(table / users, 1)}


def simulated(ratings: int, users: int, items: int) -> dict[str, Any]:
    """A stream with six kinds of taste and popular items, in chunks of a million."""
    rng = np.random.default_rng(0)
    tastes, kinds = rng.random((users, 3), dtype=np.float32), rng.random((items, 3), dtype=np.float32)
    model = RatingStream(10, clip=(1, 5))
    chunk, seconds, errors = min(1_000_000, ratings // 10), [], []
    drawn_by = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(ratings // chunk):
        i = rng.integers(0, users, chunk)
        j = (rng.random(chunk) ** 2 * items).astype(np.int64)
        exact = 1 + 2 * np.einsum("nk,nk->n", tastes[i], kinds[j]) + 0.5 * rng.standard_normal(chunk)
        r = np.clip(np.rint(exact), 1, 5)
        began = time.process_time()
        predicted = model.predict_then_learn(i, j, r)
        seconds.append(time.process_time() - began)
        errors.append(float(np.abs(predicted - r).mean()))
    tenth = len(seconds) // 10
    state = model.stream_.users.nbytes + model.stream_.items.nbytes
    return {
        "ratings": ratings,
        "users": len(model.user_ids_),
        "items": len(model.item_ids_),
        "seconds": round(sum(seconds), 1),
        "ratings_per_second": round(ratings / sum(seconds)),
        "per_second_by_tenths": [
            round(chunk * tenth / sum(seconds[n * tenth : (n + 1) * tenth])) for n in range(10)
        ],
        "mae_first_and_last_tenth": [round(float(np.mean(part)), 4) for part in (errors[:tenth], errors[-tenth:])],
        "state_megabytes": round(state / 1e6, 1),
        "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "peak_before_megabytes": round(drawn_by / 1024, 1),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one repeat and a tenth of the simulated stream")
    options = parser.parse_args()
    load = [round(average, 1) for average in os.getloadavg()]
    data = columns(load_movielens_1m().ratings.sample(fraction=1.0, shuffle=True, seed=0))
    size = (10_000_000, 100_000, 10_000) if options.quick else (100_000_000, 1_000_000, 100_000)
    figures = {
        "memory": memory_per_row(),
        "simulated": simulated(*size),
        **speeds(data, 1 if options.quick else 3),
    }
    print(results.write("stream-speed-quick" if options.quick else "stream-speed", figures, load_average_before=load))


if __name__ == "__main__":
    main()
