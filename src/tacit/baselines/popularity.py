"""Popularity: the same columns for everybody, those that most rows have. Whatever learns must beat it."""

from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from tacit.estimators import factor_queries
from tacit.estimators.factor_recommender import FactorRecommender, as_interactions
from tacit.estimators.ranked import Ranked


class Popularity:
    """s_xy = number of rows that have y, written as factors of length one.

    >>> import tacit
    >>> pairs = {"who": ["ann", "bob", "bob"], "what": ["tea", "tea", "jam"]}
    >>> model = Popularity().fit(tacit.Interactions.from_table(pairs, row="who", col="what"))
    >>> model.recommend(["ann"], k=1).ids.tolist()
    [['jam']]
    """

    threads = 1
    row_factors_: NDArray[np.float32]
    col_factors_: NDArray[np.float32]

    def fit(self, interactions: Any, y: Any = None) -> Self:
        """Count."""
        data = as_interactions(interactions)
        n, m = data.shape
        self.row_ids_, self.col_ids_, self.seen_ = data.row_ids, data.col_ids, data.matrix
        self.row_factors_ = np.ones((n, 1), dtype=np.float32)
        self.col_factors_ = np.bincount(data.matrix.indices, minlength=m).astype(np.float32)[:, None]
        return self

    def recommend(self, rows: Any, k: int = 10) -> Ranked:
        """The k most frequent columns that each row does not have yet."""
        return factor_queries.recommend(cast(FactorRecommender, self), rows, k, True, None, None)
