"""Recommend columns in random order: the score without any learning."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.baselines.recommender import BlockRecommender
from tacit.data.interactions import Interactions


class RandomOrder(BlockRecommender):
    """score(x, y) is drawn evenly from [0, 1), anew at every call.

    >>> lists = RandomOrder(0).fit(np.array([[1, 1, 0, 0], [0, 1, 0, 0]])).recommend([0, 1], k=2).ids
    >>> [sorted(row.tolist()) for row in lists][0]
    [2, 3]
    """

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def _learn(self, data: Interactions) -> None:
        self._rng = np.random.default_rng(self.random_state)
        self._columns = data.shape[1]

    def _scores(self, positives: sp.csr_array) -> NDArray[Any]:
        return self._rng.random((positives.shape[0], self._columns), dtype=np.float32)
