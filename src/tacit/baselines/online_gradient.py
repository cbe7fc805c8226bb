"""Baselines of the rating streams: projected online gradient descent, and its multi-task form."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tacit.data.growing_ids import GrowingIds
from tacit.data.rating_columns import rating_columns

Array = NDArray[Any]


@dataclass(eq=False, repr=False)
class OnlineGradient:
    """Matrix factorization by online gradient descent; factors return to zero when they fall below it.

    Parameters
    ----------
    rate : step; regularization : λ; start : the first prediction to expect
    spread : b ≥ 0; above 0 every step also moves all other users and items, as in online multi-task collaborative
        filtering (OMTCF; Wang, Hoi, Zhao & Liu, RecSys 2013, doi:10.1145/2507157.2507176) with a fixed interaction
        between tasks. The multi-task form is not held at zero.

    >>> OnlineGradient(2).partial_fit(["ann", "bob"], ["tea", "tea"], [5, 4]).predict(["ann"], ["tea"]).shape
    (1,)
    """

    factors: int = 10
    _: KW_ONLY
    rate: float = 0.02
    regularization: float = 0.01
    start: float = 1.5
    spread: float = 0.0
    random_state: int = 0
    users_: Array = field(init=False)
    items_: Array = field(init=False)

    def partial_fit(self, users: Any, items: Any = None, ratings: Any = None) -> Self:
        """Take in ratings in order."""
        self.predict_then_learn(users, items, ratings)
        return self

    def predict_then_learn(self, users: Any, items: Any = None, ratings: Any = None) -> NDArray[np.float64]:
        """Take in ratings and return what was predicted for each just before."""
        users, items, values = rating_columns(users, items, ratings)
        if not hasattr(self, "user_ids_"):
            self._begin()
        i, j = self.user_ids_.numbers(users, add=True), self.item_ids_.numbers(items, add=True)
        self.users_ = self._grown(self.users_, len(self.user_ids_), 0)
        self.items_ = self._grown(self.items_, len(self.item_ids_), 1)
        return self._run(i, j, values)

    def predict(self, users: Any, items: Any) -> NDArray[np.float64]:
        """Predictions for pairs; whoever is unknown is predicted as the average."""
        i, j = self.user_ids_.numbers(users), self.item_ids_.numbers(items)
        known = self.users_, self.items_
        self.users_, self.items_ = (np.vstack((rows, rows.mean(axis=0))) for rows in known)
        i[i < 0], j[j < 0] = len(known[0]), len(known[1])
        predictions = self._run(i, j, None)
        self.users_, self.items_ = known
        return predictions

    def _begin(self) -> None:
        self.user_ids_, self.item_ids_ = GrowingIds("users"), GrowingIds("items")
        self.users_ = np.zeros((0, self.factors), dtype=np.float32)
        self.items_ = np.zeros((0, self.factors), dtype=np.float32)
        self.shared_: Array = np.zeros((2, self.factors))
        self._draw = [np.random.default_rng([self.random_state, side]) for side in (0, 1)]

    def _grown(self, rows: Array, length: int, side: int) -> Array:
        width = 2.0 * np.sqrt(self.start / self.factors)
        new = width * self._draw[side].random((length - len(rows), self.factors))
        return np.concatenate((rows, new.astype(np.float32)))

    def _run(self, users: Array, items: Array, ratings: Array | None) -> NDArray[np.float64]:
        from tacit.kernels.online_gradient import gradient_rounds

        outcomes: NDArray[np.float64] = np.zeros((2, len(users)))
        if ratings is not None:
            outcomes[0] = ratings
        counts = np.array([len(self.user_ids_), len(self.item_ids_)], dtype=np.float64)
        gradient_rounds(
            self.users_, self.items_, self.shared_, counts, np.stack((users, items)), outcomes,
            float(self.rate), float(self.regularization), float(self.spread), self.spread == 0, ratings is not None,
        )  # fmt: skip
        predictions: NDArray[np.float64] = outcomes[1]
        return predictions
