"""The state of a rating stream under one lock: arrays of users and items, their ids, and how far sources were read."""

import copy
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.growing_ids import GrowingIds, as_array
from tacit.data.ids import Ids
from tacit.errors import InputError
from tacit.estimators.concurrency import ReadWriteLock
from tacit.solvers.passive_aggressive import Rules, Setting, Stream

Array = NDArray[Any]

NOBODY = np.empty(0, dtype=np.int64)


class StreamState:
    """Rows of users and items together with their ids. One call learns at a time, alone; questions run side by side.

    A call that cannot be carried through leaves everything as it was, ids included.
    """

    def __init__(self, settings: list[Setting], rules: Rules) -> None:
        self.stream = Stream(settings, rules)
        self.users, self.items = GrowingIds("users"), GrowingIds("items")
        self.journal: dict[str, dict[str, float]] = {}
        self.lock = ReadWriteLock()

    def __getstate__(self) -> dict[str, Any]:
        with self.lock.reading:
            return {name: value if name == "lock" else copy.deepcopy(value) for name, value in vars(self).items()}

    # -- learning ----------------------------------------------------------------------------------------------

    def learn_one(self, user: Hashable, item: Hashable, rating: float) -> None:
        """Take in one rating."""
        with self.lock.writing:
            try:
                i, j = self.users.seen[user], self.items.seen[item]
            except (KeyError, TypeError):
                with self._admitting():
                    i, j = self.users.add(user), self.items.add(item)
                    self.stream.reserve(len(self.users), len(self.items))
                    self.stream.learn_one(i, j, rating)
            else:
                self.stream.learn_one(i, j, rating)

    def learn(self, users: Any, items: Any, ratings: NDArray[np.float64]) -> NDArray[np.float64]:
        """Take in many ratings in order; returns what was predicted for each just before."""
        with self.lock.writing, self._admitting():
            i, j = self.users.numbers(users, add=True), self.items.numbers(items, add=True)
            self.stream.reserve(len(self.users), len(self.items))
            return self.stream.learn(i, j, ratings)

    @contextmanager
    def _admitting(self) -> Iterator[None]:
        """Forget again who became known in a call that failed."""
        known = len(self.users), len(self.items)
        try:
            yield
        except Exception:
            self.users, self.items = self.users.first(known[0]), self.items.first(known[1])
            raise

    # -- asking ------------------------------------------------------------------------------------------------

    def answer_one(self, user: Hashable, item: Hashable) -> float:
        """The prediction for one cell."""
        with self.lock.reading:
            i, j = self.users.number(user), self.items.number(item)
            i, j = len(self.users) if i < 0 else i, len(self.items) if j < 0 else j
            return self.stream.answer_one(i, j)

    def cells(self, users: Any, items: Any) -> NDArray[np.int64]:
        """Rows (2, n) of users and of items, the spare row for those unknown. The lock is the caller's."""
        users, items = as_array(users, self.users.name), as_array(items, self.items.name)
        if users.ndim != 1 or items.ndim != 1 or len(users) != len(items):
            # Which of the two has another shape is said first.
            i, j = self.users.numbers(users), self.items.numbers(items)
            raise InputError(f"users and items must be equally long, not {len(i)} and {len(j)}.")
        cells = np.empty((2, len(users)), dtype=np.int64)
        self.users.find(users, len(self.users), cells[0])
        self.items.find(items, len(self.items), cells[1])
        return cells

    def best(self, users: list[Any], k: int, exclude: list[Any]) -> tuple[Array, Array, Array]:
        """Ids (n, k) of the items with the highest predictions for users, these, and which places could be filled.

        The lock is the caller's.
        """
        if len(users) == 1 and type(users[0]) is int:
            number = self.users.number(users[0])
            numbers = np.array([len(self.users) if number < 0 else number])
        else:
            numbers = self.users.find(users, len(self.users))
        left_out = self.items.find(exclude, len(self.items)) if exclude else NOBODY
        order, values = self.stream.best(numbers, len(self.items), k, left_out)
        return self.items.take(order), values, order >= 0

    # -- to and from a model file ------------------------------------------------------------------------------

    def to_file(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Facts and parts, apart from what goes on being learned."""
        with self.lock.reading:
            stream, record = self.stream, self.stream.record
            parts = {
                "user_ids": Ids.of_distinct(self.users.all().copy(), "users"),
                "item_ids": Ids.of_distinct(self.items.all().copy(), "items"),
                "users": stream.users[: len(self.users)].copy(),
                "items": stream.items[: len(self.items)].copy(),
                "memory": stream.memory.copy(),
            }
            facts: dict[str, Any] = {"seed": stream.rules.seed, "journal": copy.deepcopy(self.journal)}
            if record is not None:
                facts["interval"] = record.interval
                parts |= {"record.n_seen": record.n_seen.copy(), "record.weights": record.weights.copy()}
        return facts, parts

    def restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        """Take back what a file holds."""
        self.users, self.items = GrowingIds.of(parts["user_ids"]), GrowingIds.of(parts["item_ids"])
        stream = self.stream
        stream.reserve(len(self.users), len(self.items))
        stream.users[: len(self.users)] = parts["users"]
        stream.items[: len(self.items)] = parts["items"]
        stream.memory[:] = parts["memory"]
        self.journal = facts["journal"]
        if stream.record is not None:
            stream.record.restore(facts["interval"], parts["record.n_seen"], parts["record.weights"])
