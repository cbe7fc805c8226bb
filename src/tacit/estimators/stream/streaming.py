"""What both rating streams share: ids on the fly, one rating or many, ranking, topics, and saving mid-stream."""

import math
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.data.growing_ids import GrowingIds
from tacit.data.rating_columns import rating_columns
from tacit.errors import InputError
from tacit.estimators.model import Model
from tacit.estimators.ranked import Ranked
from tacit.neighbours.best import best_columns
from tacit.solvers.passive_aggressive import Rules, Setting, Stream

Array = NDArray[Any]

RATINGS_TO_BELIEVE = 50
"""Ratings after which an item's place in the topics counts half."""


class StreamingModel(Model):
    """Learns from ratings in the order in which they come, each seen once unless ``fit`` is asked for more passes.

    Subclasses say which settings run side by side and under which rules. ``learn_one`` and ``partial_fit`` take the
    same path and give the same bits. State grows with users and items only, never with ratings.

    One thread at a time may use a model: even a prediction goes through its buffers.

    ``journal_`` is saved with the model, for whoever feeds it to note how far each source has been read.
    """

    clip: tuple[float, float] | None
    random_state: Any

    def _settings(self) -> list[Setting]:
        raise NotImplementedError

    def _rules(self, seed: int) -> Rules:
        raise NotImplementedError

    @property
    def lowest_rating(self) -> float | None:
        """The smallest rating that can be learned: 0 where all factors are non-negative without biases, else none."""
        # Non-negative factors without biases can only predict from zero upwards.
        needs_positive = all(setting.nonnegative and not setting.biases for setting in self._settings())
        return 0.0 if needs_positive else None

    # -- learning ----------------------------------------------------------------------------------------------

    def learn_one(self, user: Hashable, item: Hashable, y: float, x: object = None) -> None:
        """Take in one rating. ``x`` is river's place for context, which this model does not use."""
        try:
            lowest = self._lowest
        except AttributeError:
            self._begin()
            lowest = self._lowest
        rating = float(y)
        if not lowest <= rating < math.inf:
            self._refuse(np.array([rating]))
        try:
            i = self._seen_users[user]
            j = self._seen_items[item]
        except (KeyError, TypeError):
            i, j = self._admit(user, item)
        self.stream_.run_one(i, j, rating, True)

    def predict_one(self, user: Hashable, item: Hashable, x: object = None) -> float:
        """The rating to expect. Somebody unknown is predicted as the newcomer that they would be."""
        self._begin()
        i, j = self.user_ids_.number(user), self.item_ids_.number(item)
        i = len(self.user_ids_) if i < 0 else i
        j = len(self.item_ids_) if j < 0 else j
        return self._clipped_one(self.stream_.run_one(i, j, 0.0, False))

    def partial_fit(self, users: Any, items: Any = None, ratings: Any = None) -> Self:
        """Take in many ratings in order: three columns, or one table (or path) with columns user, item, rating."""
        self.predict_then_learn(users, items, ratings)
        return self

    def fit(self, users: Any, items: Any = None, ratings: Any = None, *, passes: int = 1) -> Self:
        """Forget everything, then take in these ratings in their order, ``passes`` times over.

        More than one pass is for ratings that lie in a file: a second look at them still lowers the error on others.
        """
        checks.integer("passes", passes, 1)
        for name in set(vars(self)) - set(self.get_params(deep=False)):
            delattr(self, name)
        users, items, ratings = rating_columns(users, items, ratings)
        if len(ratings) == 0:
            raise InputError("ratings is empty; fit needs at least one rating (partial_fit accepts none).")
        for _ in range(passes):
            self.partial_fit(users, items, ratings)
        return self

    def predict_then_learn(self, users: Any, items: Any = None, ratings: Any = None) -> NDArray[np.float64]:
        """Take in many ratings and return what was predicted for each just before it was taken in."""
        users, items, values = rating_columns(users, items, ratings)
        self._begin()
        if len(values) and not (values.min() >= self._lowest and values.max() < math.inf):
            self._refuse(values)
        with self._room_for_all():
            i = self.user_ids_.numbers(users, add=True)
            j = self.item_ids_.numbers(items, add=True)
        return self._clipped(self._advance(i, j, values))

    # -- asking ------------------------------------------------------------------------------------------------

    def predict(self, users: Any, items: Any) -> NDArray[np.float64]:
        """Predictions for pairs of users and items."""
        self._require_fitted("predict")
        i, j = self.user_ids_.numbers(users), self.item_ids_.numbers(items)
        if len(i) != len(j):
            raise InputError(f"users and items must be equally long, not {len(i)} and {len(j)}.")
        i[i < 0] = len(self.user_ids_)
        j[j < 0] = len(self.item_ids_)
        return self._clipped(self.stream_.run(i, j, None))

    def recommend(self, user: Any, k: int = 10, exclude: Iterable[Hashable] = ()) -> Ranked:
        """The k items with the highest predictions for a user, or for each of a list of users.

        What a user has rated is not kept, because a stream has no end; name what to leave out in ``exclude``.
        """
        self._require_fitted("recommend")
        k = checks.integer("k", k, 1)
        users = list(user) if isinstance(user, list | np.ndarray) else [user]
        numbers = self.user_ids_.numbers(users)
        numbers[numbers < 0] = len(self.user_ids_)
        every = np.arange(len(self.item_ids_))
        left_out = self.item_ids_.numbers(list(exclude))
        left_out = left_out[left_out >= 0]

        def scores(number: int) -> NDArray[np.float64]:
            row = self.stream_.run(np.full(len(every), number), every, None)
            row[left_out] = -np.inf
            return row

        queries = np.empty(len(users), dtype=object)
        queries[:] = users
        return self._best(map(scores, numbers.tolist()), k, queries)

    def rank(self, user: Hashable, items: Iterable[Hashable], x: object = None) -> list[Hashable]:
        """These items, best first (river's call)."""
        self._begin()
        listed = list(items)
        preferences = {item: self.predict_one(user, item) for item in listed}
        return sorted(listed, key=preferences.__getitem__, reverse=True)

    def topics(self, k: int = 10, by: Literal["share", "coefficient"] = "share") -> Ranked:
        """The k items that stand for each factor: one row per factor.

        by : "share" asks how much of an item's coefficients lies in the factor, and believes an item with n ratings
            by n/(n + 50); "coefficient" takes the largest coefficients as the paper does (Table 4), where good and
            rare items come first in every factor
        """
        self._require_fitted("topics")
        k = checks.integer("k", k, 1)
        scores = self._item_factors().astype(np.float64)
        if checks.choice("by", by, ("share", "coefficient")) == "share":
            counts = self.stream_.items[: len(scores), :1].astype(np.float64)
            total = np.abs(scores).sum(axis=1, keepdims=True)
            shares = np.divide(scores, total, out=np.zeros_like(scores), where=total > 0)
            scores = shares * counts / (counts + RATINGS_TO_BELIEVE)
        return self._best(scores.T, k, np.arange(scores.shape[1]), clip=False)

    @property
    def n_ratings_(self) -> int:
        """Ratings taken in so far."""
        return self.stream_.n_seen

    def _advance(self, users: Array, items: Array, ratings: Array) -> NDArray[np.float64]:
        """Run ratings of known numbers through the stream."""
        return self.stream_.run(users, items, ratings)

    # -- state -------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Make the empty state when the first rating or question comes."""
        if hasattr(self, "stream_"):
            return
        self._check_clip()
        self._attach(
            Stream(self._settings(), self._rules(checks.seed(self.random_state))),
            GrowingIds("users"),
            GrowingIds("items"),
        )

    def _attach(self, stream: Stream, users: GrowingIds, items: GrowingIds) -> None:
        self.stream_ = stream
        self.user_ids_, self.item_ids_ = users, items
        self.journal_: dict[str, dict[str, float]] = {}
        self._seen_users, self._seen_items = users.seen, items.seen
        lowest = self.lowest_rating
        self._lowest = -np.finfo(np.float64).max if lowest is None else lowest

    def _admit(self, user: Hashable, item: Hashable) -> tuple[int, int]:
        with self._room_for_all():
            return self.user_ids_.add(user), self.item_ids_.add(item)

    @contextmanager
    def _room_for_all(self) -> Iterator[None]:
        """Whoever becomes known inside has a row afterwards, even if the call fails halfway."""
        try:
            yield
        finally:
            self.stream_.reserve(len(self.user_ids_), len(self.item_ids_))

    def _refuse(self, values: Array) -> None:
        if not np.isfinite(values).all():
            place = int(np.flatnonzero(~np.isfinite(values))[0])
            raise InputError(f"ratings must be finite, but number {place} is {values[place]}; leave such rows out.")
        raise InputError(
            f"ratings has the negative value {values.min():g}, which non-negative factors cannot predict; "
            "set nonnegative=False or biases=True, or shift the ratings."
        )

    def _item_factors(self) -> Array:
        """Factors of the items under the setting that weighs most among those that have factors."""
        stream = self.stream_
        able = [s for s, setting in enumerate(stream.settings) if setting.factors]
        if not able:
            raise InputError("topics needs factors, and this model has none; set factors to 1 or more.")
        best = max(able, key=lambda s: stream.weights[s])
        at = 1 + sum(setting.width for setting in stream.settings[:best])
        return stream.items[: len(self.item_ids_), at : at + stream.settings[best].factors]

    def _best(self, scores: Iterable[Array], k: int, queries: Array, *, clip: bool = True) -> Ranked:
        """The best items under each row of scores; one row at a time is held."""
        order = np.full((len(queries), k), -1, dtype=np.int64)
        values = np.full((len(queries), k), np.nan)
        for place, row in enumerate(scores):
            (order[place],), _ = best_columns(row[None], k)
            found = order[place] >= 0
            values[place, found] = row[order[place, found]]
        values = self._clipped(values) if clip else values
        return Ranked(queries, self.item_ids_.take(order), values, order >= 0)

    def _check_clip(self) -> None:
        if self.clip is None:
            return
        if len(self.clip) != 2 or not self.clip[0] < self.clip[1]:
            raise InputError(f"clip must be None or (lowest, highest) in this order, not {self.clip!r}.")

    def _clipped(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values if self.clip is None else np.clip(values, *self.clip)

    def _clipped_one(self, value: float) -> float:
        return value if self.clip is None else min(max(value, self.clip[0]), self.clip[1])

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        parts = {
            "user_ids": self.user_ids_,
            "item_ids": self.item_ids_,
            "users": self.stream_.users[: len(self.user_ids_)],
            "items": self.stream_.items[: len(self.item_ids_)],
            "memory": self.stream_.memory,
        }
        return {"seed": self.stream_.rules.seed, "journal": self.journal_}, parts

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        stream = Stream(self._settings(), self._rules(facts["seed"]))
        users, items = GrowingIds.of(parts["user_ids"]), GrowingIds.of(parts["item_ids"])
        stream.reserve(len(users), len(items))
        stream.users[: len(users)] = parts["users"]
        stream.items[: len(items)] = parts["items"]
        stream.memory[:] = parts["memory"]
        self._attach(stream, users, items)
        self.journal_ = facts["journal"]
