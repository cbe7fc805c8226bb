"""Progressive validation: predict, score, then learn, so that every rating tests the model before it teaches it."""

from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.data.rating_columns import rating_columns
from tacit.errors import InputError
from tacit.metrics.ratings import RunningError


class Streaming(Protocol):
    """What progressive validation asks of a model."""

    def predict_then_learn(self, users: Any, items: Any, ratings: Any) -> NDArray[np.float64]: ...

    def recommend(self, user: Any, k: int = 10, exclude: Any = ()) -> Any: ...


@dataclass(frozen=True)
class Progress:
    """Where a stream stands after so many ``ratings``.

    mae, rmse : over all ratings so far
    recent_mae : over the ratings since the last report
    hit_rate, ndcg, reciprocal_rank : means at k over the ``ranked`` relevant ratings; NaN when none was ranked
    """

    ratings: int
    mae: float
    rmse: float
    recent_mae: float
    ranked: int = 0
    hit_rate: float = float("nan")
    ndcg: float = float("nan")
    reciprocal_rank: float = float("nan")


def progressive(
    model: Streaming,
    users: Any,
    items: Any = None,
    ratings: Any = None,
    *,
    every: int = 1000,
    relevant: float | None = None,
    k: int = 10,
    rank_every: int = 10,
) -> Iterator[Progress]:
    """Run ratings through a model and yield a ``Progress`` after every ``every`` of them and at the end.

    With ``relevant`` the model is also asked to rank: before each ``rank_every``-th rating of at least ``relevant``
    it recommends k items that the user has not rated yet in this run, and it is scored by the place at which the
    item that came is found.

    >>> from tacit import RatingStream
    >>> users, items, ratings = [1, 2, 1, 2], [7, 7, 8, 8], [5, 4, 2, 1]
    >>> [at.ratings for at in progressive(RatingStream(2), users, items, ratings, every=3)]
    [3, 4]
    """
    if every < 1 or rank_every < 1 or k < 1:
        raise InputError("every, rank_every and k must be whole numbers of at least 1.")
    users, items, values = rating_columns(users, items, ratings)
    tests = _ranking_tests(values, relevant, rank_every)
    error, places, recent = RunningError(), _Places(k), RunningError()
    seen: dict[Hashable, set[Hashable]] = {}
    done = 0
    while done < len(values):
        stop = min(done + every - done % every, len(values))
        if tests and tests[0] == done:
            tests.popleft()
            result = model.recommend([users[done]], k, exclude=seen.get(users[done], ()))
            places.add(result.ids[0].tolist(), items[done])
        if tests:
            stop = min(stop, tests[0])
        predictions = model.predict_then_learn(users[done:stop], items[done:stop], values[done:stop])
        for total in (error, recent):
            total.update(values[done:stop], predictions)
        if relevant is not None:
            for user, item in zip(users[done:stop], items[done:stop]):
                seen.setdefault(user, set()).add(item)
        done = stop
        if done % every == 0 or done == len(values):
            yield Progress(done, error.mae, error.rmse, recent.mae, **places.means())
            recent = RunningError()


def _ranking_tests(values: NDArray[np.float64], relevant: float | None, rank_every: int) -> deque[int]:
    if relevant is None:
        return deque()
    return deque(np.flatnonzero(values >= relevant)[rank_every - 1 :: rank_every].tolist())


class _Places:
    """Means over the places at which items were found."""

    def __init__(self, k: int) -> None:
        self.k, self.count = k, 0
        self.hits = self.gain = self.reciprocal = 0.0

    def add(self, ranked: list[Any], item: Any) -> None:
        self.count += 1
        if item in ranked:
            place = ranked.index(item) + 1
            self.hits += 1
            self.gain += 1 / float(np.log2(place + 1))
            self.reciprocal += 1 / place

    def means(self) -> dict[str, Any]:
        if not self.count:
            return {}
        return {
            "ranked": self.count,
            "hit_rate": self.hits / self.count,
            "ndcg": self.gain / self.count,
            "reciprocal_rank": self.reciprocal / self.count,
        }
