"""Recommend the most popular columns to every row."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.baselines.recommender import BlockRecommender
from tacit.data.interactions import Interactions

Array = NDArray[Any]


class Popularity(BlockRecommender):
    """score(x, y) = number of rows that have y.

    >>> Popularity().fit(np.array([[1, 1, 0], [0, 1, 0], [0, 1, 1]])).recommend([0, 1], k=1).ids.tolist()
    [[2], [0]]
    """

    def _learn(self, data: Interactions) -> None:
        self.counts_ = np.bincount(data.matrix.indices, minlength=data.shape[1]).astype(np.float32)

    def _scores(self, positives: sp.csr_array) -> Array:
        return np.tile(self.counts_, (positives.shape[0], 1))
