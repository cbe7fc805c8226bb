"""Rating streams with default parameters beside river, Surprise and running means: the defaults table of streams.

    python -m benchmarks.peers.defaults_stream [--sets A,B] [--parts ours,peers,choice] [--before SRC] [--quick]

Ratings come in the order of time where it is published, else shuffled once. Progressive MAE is that of predictions made
before each rating was seen, over at most the first 300,000. For the test MAE a fifth of all ratings is set aside at
random and the rest is gone over once (Surprise's SVD: twenty times, its default, and once). All predictions are cut to
the range of the ratings; a peer whose factors overflow has no figure. ``--before`` names another commit's ``src``
folder, whose streams stand beside. Ratings a second are of processor time on one core, best of five.

``choice`` asks whether the constants of ``RatingStream()`` would have been chosen without each set: of a grid around
them, the setting with the least mean progressive MAE (relative to the default's) on all other sets, and what the set
that was left out gets by it. ``results/stream-defaults.json`` is written as figures come; what is not asked for stays.
"""

import argparse
import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.papers.grade_methods import records_of_reviews
from benchmarks.papers.stream import Ratings, cut, peers
from benchmarks.processes import ROOT, ask
from tacit import RatingStream, data
from tacit.data.loaders.ratings import RatingData

NAME = "stream-defaults"
PROGRESSIVE, TRIED = 300_000, 100_000
"""Ratings of the progressive error, and of one trial of the grid."""
OURS = ("RatingStream", "ExpertRatingStream")
KAPPA = 5.0
"""Ratings by which the running means of the comparison are shrunk."""
GRID = {
    "shrinkage": (1.0, 2.0, 4.0),
    "factors": (10, 20, 40),
    "aggressiveness": (0.05, 0.1, 0.2),
    "delta": (0.1, 0.2, 0.4),
}


def in_order(source: RatingData) -> Ratings:
    """All ratings, in the order of time or shuffled once."""
    import polars as pl

    table = source.ratings if source.test is None else pl.concat([source.ratings, source.test])
    if "time" in table.columns:
        table = table.sort("time", maintain_order=True)
    else:
        table = table.sample(fraction=1.0, shuffle=True, seed=0)
    return numbered(*(table[name].to_numpy() for name in ("user", "item", "rating")))


def numbered(users: np.ndarray, items: np.ndarray, ratings: np.ndarray) -> Ratings:
    """Ids as whole numbers, so that every library is handed the same."""
    numbers = (np.unique(ids, return_inverse=True)[1].astype(np.int64) for ids in (users, items))
    return (*numbers, ratings.astype(float))  # type: ignore[return-value]


def beauty() -> Ratings:
    """Stars of the All Beauty reviews in the order of time."""
    records = sorted(records_of_reviews(), key=lambda one: one["unixReviewTime"])
    names = ("reviewerID", "asin", "overall")
    return numbered(*(np.array([one[name] for one in records]) for name in names))


SETS: dict[str, Callable[[], Ratings]] = {
    "All Beauty": beauty,
    "Yahoo! Music": lambda: in_order(data.load_yahoo_music()),
    "Flixster": lambda: in_order(data.load_flixster()),
    "FilmTrust": lambda: in_order(data.load_filmtrust()),
    "CiaoDVD": lambda: in_order(data.load_ciaodvd()),
    "MovieLens 100K": lambda: in_order(data.load_movielens_100k()),
    "MovieLens 1M": lambda: in_order(data.load_movielens_1m()),
    "Jester": lambda: in_order(data.load_jester()),
}


def split_of(ratings: Ratings) -> tuple[np.ndarray, int]:
    """Positions of the training part in their order, then of the test part, and where it begins."""
    held = np.random.default_rng(1).random(len(ratings[2])) < 0.2
    return np.concatenate([np.flatnonzero(~held), np.flatnonzero(held)]), int((~held).sum())


def ours(stream: Ratings, source: Path, repeats: int) -> dict[str, Any]:
    """Both streams of a source tree, in a process of their own."""
    order, border = split_of(stream)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/job.npz"
        named = dict(zip(("users", "items", "ratings"), stream))
        np.savez(path, **named, order=order, border=border, most=PROGRESSIVE)
        for name in OURS:
            times = repeats if name == "RatingStream" else 1
            asked = {"path": path, "estimator": name, "repeats": times}
            found[f"{name}()"] = ask("peers.adapters:our_stream", source=source, **asked)
    return found


def running_means(stream: Ratings) -> dict[str, float]:
    """Mean, and biases of items and users as running means of what is left, shrunk by ``KAPPA``."""

    def walk(part: Ratings, asked: Ratings | None = None) -> float:
        users, items, ratings = (column.tolist() for column in part)
        low, high = min(ratings), max(ratings)
        sums = {0: [0.0] * (max(stream[0]) + 1), 1: [0.0] * (max(stream[1]) + 1)}
        counts = {0: [KAPPA] * len(sums[0]), 1: [KAPPA] * len(sums[1])}
        mean, error = 0.0, 0.0
        for seen, (i, j, r) in enumerate(zip(users, items, ratings)):
            item = sums[1][j] / counts[1][j]
            error += abs(min(max(mean + item + sums[0][i] / counts[0][i], low), high) - r)
            mean += (r - mean) / (seen + 1)
            sums[0][i] += r - mean - item
            sums[1][j] += r - mean
            counts[0][i] += 1
            counts[1][j] += 1
        if asked is None:
            return error / len(ratings)
        bias = [np.array(sums[side])[asked[side]] / np.array(counts[side])[asked[side]] for side in (0, 1)]
        return float(np.abs(np.clip(mean + bias[0] + bias[1], low, high) - asked[2]).mean())

    order, border = split_of(stream)
    first = tuple(column[:PROGRESSIVE] for column in stream)
    return {"progressive": walk(first), "test": walk(cut(stream, order[:border]), cut(stream, order[border:]))}  # type: ignore[arg-type]


def of_peers(stream: Ratings) -> dict[str, Any]:
    order, border = split_of(stream)
    first = tuple(column[:PROGRESSIVE] for column in stream)
    found: dict[str, Any] = {"shrunk running means": running_means(stream)}
    for name, one in peers(first, "progressive")["figures"].items():  # type: ignore[arg-type]
        if np.isfinite(one["mae"]):
            found[name] = {"progressive": one["mae"]}
    for name, one in peers(cut(stream, order), "svd", border)["figures"].items():
        found[name] = {"test": one["mae"]}
    return found


def grid_errors(stream: Ratings) -> list[float]:
    """Progressive MAE of every setting of the grid, in its order."""
    part = tuple(column[:TRIED] for column in stream)
    found = []
    for values in itertools.product(*GRID.values()):
        predicted = RatingStream(**dict(zip(GRID, values))).predict_then_learn(*part)
        found.append(round(float(np.abs(predicted - part[2]).mean()), 5))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", help="some sets, separated by commas")
    parser.add_argument("--parts", default="ours,peers,choice", help="some of ours, peers, choice")
    parser.add_argument("--before", type=Path, help="src folder of the commit to compare with")
    parser.add_argument("--quick", action="store_true", help="the two smallest sets, ours and peers")
    given = parser.parse_args()
    name = f"{NAME}-quick" if given.quick else NAME
    parts = ["ours", "peers"] if given.quick else given.parts.split(",")
    known = results.read(name)["figures"] if (results.FOLDER / f"{name}.json").exists() else {}
    figures: dict[str, Any] = {
        "grid": {key: list(values) for key, values in GRID.items()},
        "default": [getattr(RatingStream(), key) for key in GRID],
        "sets": known.get("sets", {}),
    }
    for one in given.sets.split(",") if given.sets else list(SETS)[: 2 if given.quick else None]:
        stream = SETS[one]()
        record = figures["sets"].setdefault(one, {"ratings": len(stream[2]), "methods": {}})
        if "ours" in parts:
            record["methods"] |= ours(stream, ROOT / "src", 5)
        if given.before:
            record["methods"] |= {f"{key} before": value for key, value in ours(stream, given.before, 1).items()}
        if "peers" in parts:
            record["methods"] |= of_peers(stream)
        if "choice" in parts:
            record["grid_errors"] = grid_errors(stream)
        print(one, record["methods"], flush=True)
        results.write(name, figures, command="python -m benchmarks.peers.defaults_stream")


if __name__ == "__main__":
    main()
