"""The base class of both rating streams: new ids as they come, one rating or many, ranking, topics, saving."""

from collections.abc import Hashable, Iterable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.data.growing_ids import GrowingIds
from tacit.data.rating_columns import rating_columns
from tacit.errors import InputError
from tacit.estimators.concurrency import writer
from tacit.estimators.model import Model
from tacit.estimators.ranked import Ranked
from tacit.estimators.stream.state import StreamState
from tacit.neighbours.best import best_columns
from tacit.solvers.passive_aggressive import Rules, Setting, Stream

Array = NDArray[Any]
Clip = tuple[float, float] | Literal["seen"] | None

RATINGS_TO_BELIEVE = 50
"""Ratings after which an item's place in the topics counts half."""

LARGEST_RATING = 1e9
"""Beyond it, sums of squares leave little of the digits that other ratings need."""


class StreamingModel(Model):
    """Learns from ratings in the order in which they come, each seen once unless ``fit`` is asked for more passes.

    Subclasses say which settings run side by side and under which rules. ``learn_one`` and ``partial_fit`` take the
    same path and give the same bits. State grows with users and items only, never with ratings.

    Any number of threads may learn, ask and save at once. Calls that learn take turns, each as a whole; questions run
    side by side between them. A call that fails has changed nothing.

    ``journal_`` is saved with the model, for whoever feeds it to note how far each source has been read.
    """

    _learns_in_place = True
    clip: Clip
    random_state: Any
    state_: StreamState
    _lowest: float

    def settings(self) -> list[Setting]:
        """The checked settings of each of the streams that learn side by side."""
        raise NotImplementedError

    def rules(self, seed: int) -> Rules:
        """What holds for all of them: how they are combined, and how users and items begin."""
        raise NotImplementedError

    def require_used(self, settings: list[Setting]) -> None:
        """Refuse parameters that do nothing beside the others."""
        raise NotImplementedError

    @property
    def lowest_rating(self) -> float | None:
        """The smallest rating that can be learned: 0 where all factors are non-negative without biases, else none."""
        # Non-negative factors without biases can only predict from zero upwards.
        needs_positive = all(setting.nonnegative and setting.biases is None for setting in self.settings())
        return 0.0 if needs_positive else None

    # -- learning ----------------------------------------------------------------------------------------------

    def learn_one(self, user: Hashable, item: Hashable, y: float, x: object = None) -> None:
        """Take in one rating ``y``. The names are river's; ``x``, its place for context, is not used."""
        state = self._begin()
        try:
            rating = float(y)
        except (TypeError, ValueError):
            raise InputError(f"y must be a number, not {checks.shown(y)}.") from None
        if not self._lowest <= rating <= LARGEST_RATING:
            self._refuse(np.array([rating]))
        state.learn_one(user, item, rating)

    def predict_one(self, user: Hashable, item: Hashable, x: object = None) -> float:
        """The rating to expect. Somebody unknown is predicted as the newcomer that they would be."""
        told = self._begin().answer_one(user, item)
        return told if self.clip is None or isinstance(self.clip, str) else min(max(told, self.clip[0]), self.clip[1])

    def partial_fit(self, users: Any, items: Any = None, ratings: Any = None) -> Self:
        """Take in many ratings in order: three columns, or one table (or path) with columns user, item, rating."""
        self.predict_then_learn(users, items, ratings)
        return self

    def fit(self, users: Any, items: Any = None, ratings: Any = None, *, passes: int = 1) -> Self:
        """Forget everything, then take in these ratings in their order, ``passes`` times over.

        More than one pass is for ratings that lie in a file: a second look at them still lowers the error on others.
        """
        checks.integer("passes", passes, 1)
        users, items, values = rating_columns(users, items, ratings)
        if len(values) == 0:
            raise InputError("ratings is empty; fit needs at least one rating (partial_fit accepts none).")
        fresh = self._new_state()
        self._check(values)
        for _ in range(passes):
            fresh.learn(users, items, values)
        self.state_ = fresh
        return self

    def predict_then_learn(self, users: Any, items: Any = None, ratings: Any = None) -> NDArray[np.float64]:
        """Take in many ratings and return what was predicted for each just before it was taken in.

        All of them are taken in, or none: when one cannot be, an error names it.
        """
        users, items, values = rating_columns(users, items, ratings)
        state = self._begin()
        self._check(values)
        return self._clipped(state.learn(users, items, values))

    # -- asking ------------------------------------------------------------------------------------------------

    def predict(self, users: Any, items: Any) -> NDArray[np.float64]:
        """Predictions for pairs of users and items, given as two equally long lists; newcomers' for who is unknown."""
        self._require_fitted("predict")
        state = self.state_
        with state.lock.reading:
            told = state.stream.answer_cells(state.cells(users, items))
        return self._clipped(told)

    def recommend(self, user: Any, k: int = 10, exclude: Iterable[Hashable] = ()) -> Ranked:
        """The k items with the highest predictions for a user, or for each of several.

        Parameters
        ----------
        user : one id, or a list, tuple or column of them; a user who is unknown gets what a newcomer would
        exclude : items to leave out. What a user has rated is not kept, because a stream has no end: name it here
        """
        self._require_fitted("recommend")
        state = self.state_
        k = checks.places("k", k, len(state.items))
        excluded = checks.listed("exclude", exclude)
        with state.lock.reading:
            users = _several(user, state.users)
            ids, scores, filled = state.best(users, k, excluded)
            limits = state.stream.range if isinstance(self.clip, str) else self.clip
        queries = np.fromiter(users, dtype=object, count=len(users))
        return Ranked(queries, ids, scores if limits is None else np.clip(scores, *limits), filled)

    def rank(self, user: Hashable, items: Iterable[Hashable], x: object = None) -> list[Hashable]:
        """These items, best first (river's call)."""
        state = self._begin()
        listed = checks.listed("items", items)
        with state.lock.reading:
            i, j = state.users.find([user], len(state.users)), state.items.find(listed, len(state.items))
            scores = state.stream.answer(np.repeat(i, len(j)), j, in_range=False)
        return [listed[index] for index in np.argsort(-scores, kind="stable")]

    def topics(self, k: int = 10, by: Literal["share", "coefficient"] = "share") -> Ranked:
        """The k items that stand for each factor: one row per factor.

        by : "share" asks how much of an item's coefficients lies in the factor, and believes an item with n ratings
            by n/(n + 50); "coefficient" takes the largest coefficients as the paper does (Table 4), where good and
            rare items come first in every factor

        Factors that read as topics are non-negative and have no biases beside them: ``RatingStream.paper``.
        """
        self._require_fitted("topics")
        checks.choice("by", by, ("share", "coefficient"))
        state = self.state_
        k = checks.places("k", k, len(state.items))
        with state.lock.reading:
            rows = state.stream.items[: len(state.items)]
            scores = _item_factors(state.stream, rows).astype(np.float64)
            if by == "share":
                counts = rows[:, :1].astype(np.float64)
                total = np.abs(scores).sum(axis=1, keepdims=True)
                shares = np.divide(scores, total, out=np.zeros_like(scores), where=total > 0)
                scores = shares * counts / (counts + RATINGS_TO_BELIEVE)
            return _best(state.items, scores.T, k, np.arange(scores.shape[1]))

    @property
    def stream_(self) -> Stream:
        """The rows and the running facts. Whoever reads it while others learn holds ``state_.lock.reading``."""
        return self.state_.stream

    @property
    def user_ids_(self) -> GrowingIds:
        """Users in order of arrival."""
        return self.state_.users

    @property
    def item_ids_(self) -> GrowingIds:
        """Items in order of arrival."""
        return self.state_.items

    @property
    def journal_(self) -> dict[str, dict[str, float]]:
        """Source → how far it has been read."""
        return self.state_.journal

    @property
    def n_ratings_(self) -> int:
        """Ratings taken in so far."""
        return self.stream_.n_seen

    # -- state -------------------------------------------------------------------------------------------------

    def _begin(self) -> StreamState:
        """The state; an empty one when the first rating or question comes."""
        try:
            return self.state_
        except AttributeError:
            with writer(self):
                if "state_" not in vars(self):
                    self.state_ = self._new_state()
                return self.state_

    def check_clip(self) -> None:
        """One sentence on a clip that is none."""
        if isinstance(self.clip, str):
            checks.choice("clip (when it is text)", self.clip, ("seen",))
        elif self.clip is not None:
            limits = [checks.number("clip", limit) for limit in checks.listed("clip", self.clip)]
            if len(limits) != 2 or not limits[0] < limits[1]:
                raise InputError(f"clip must be 'seen', None or (lowest, highest) in this order, not {self.clip!r}.")

    def _new_state(self, seed: int | None = None) -> StreamState:
        self.check_clip()
        settings = self.settings()
        if seed is None:  # else a file is opened, whatever it holds
            self.require_used(settings)
        lowest = self.lowest_rating
        self._lowest = -LARGEST_RATING if lowest is None else lowest
        return StreamState(settings, self.rules(checks.seed(self.random_state) if seed is None else seed))

    def _check(self, values: Array) -> None:
        if len(values) and not (values.min() >= self._lowest and values.max() <= LARGEST_RATING):
            self._refuse(values)

    def _refuse(self, values: Array) -> None:
        unusable = np.flatnonzero(~(np.abs(values) <= LARGEST_RATING))
        if len(unusable):
            index = int(unusable[0])
            raise InputError(
                f"ratings must be finite and at most {LARGEST_RATING:g} in size, but number {index} is "
                f"{values[index]}; leave such rows out."
            )
        raise InputError(
            f"ratings has the negative value {values.min():g}, which non-negative factors without biases cannot "
            "predict; set nonnegative=False or biases='means', or shift the ratings."
        )

    def _clipped(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values if self.clip is None or isinstance(self.clip, str) else np.clip(values, *self.clip)

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.state_.to_file()

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        state = self._new_state(facts["seed"])
        state.restore(facts, parts)
        self.state_ = state


def _several(user: Any, known: GrowingIds) -> list[Any]:
    """The users who are asked for. A tuple holds several, as a list does, for streams as for all recommenders."""
    if isinstance(user, tuple) and known.number(user) >= 0:
        raise InputError(f"user: {user!r} is one id here, and a tuple stands for several; give it in a list.")
    single = isinstance(user, str | bytes) or not isinstance(user, Iterable)
    return [user] if single else checks.listed("user", user)


def _item_factors(stream: Stream, rows: Array) -> Array:
    """Factors of the items under the setting that weighs most among those that have factors."""
    able = [s for s, setting in enumerate(stream.settings) if setting.factors]
    if not able:
        raise InputError("topics needs factors, and this model has none; set factors to 1 or more.")
    return stream.factors_of(rows, max(able, key=stream.weights.__getitem__))


def _best(items: GrowingIds, scores: Iterable[Array], k: int, queries: Array) -> Ranked:
    """The best items under each row of scores; one row at a time is held."""
    order = np.full((len(queries), k), -1, dtype=np.int64)
    values = np.full((len(queries), k), np.nan)
    for index, row in enumerate(scores):
        (order[index],), _ = best_columns(row[None], k)
        result = order[index] >= 0
        values[index, result] = row[order[index, result]]
    return Ranked(queries, items.take(order), values, order >= 0)
