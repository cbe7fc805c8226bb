"""The base class of the simple recommenders: ids, and top-k lists from blocks of scores."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.interactions import Interactions
from tacit.estimators.ranked import Ranked
from tacit.estimators.recommend.asking import listed
from tacit.estimators.recommend.joining import as_interactions
from tacit.neighbours.best import best_columns
from tacit.threads import even_chunks

Array = NDArray[Any]

CELLS_PER_BLOCK = 8_000_000


class BlockRecommender:
    """A recommender that can score all columns for a block of rows at once."""

    def fit(self, interactions: Any) -> Self:
        """Learn from ``Interactions`` or a sparse matrix of positives."""
        data = as_interactions(interactions)
        self.row_ids_, self.col_ids_, self.seen_ = data.row_ids, data.col_ids, data.matrix
        self._learn(data)
        return self

    def _learn(self, data: Interactions) -> None:
        raise NotImplementedError

    def _scores(self, positives: sp.csr_array) -> Array:
        """Scores (rows, m) for rows given by their positives."""
        raise NotImplementedError

    def recommend(self, rows: Any, k: int = 10, exclude_seen: bool = True) -> Ranked:
        """The k best columns for each row, best first."""
        checks.integer("k", k, 1)
        queries = listed(rows, self.row_ids_)
        numbers = self.row_ids_.require(queries)
        result, scores = [], []
        height = max(1, CELLS_PER_BLOCK // len(self.col_ids_))
        for start, stop in even_chunks(len(numbers), height):
            seen = self.seen_[numbers[start:stop]]
            block = self._scores(seen)
            if exclude_seen:
                block[np.repeat(np.arange(len(block)), np.diff(seen.indptr)), seen.indices] = -np.inf
            columns, values = best_columns(block, k)
            result.append(columns)
            scores.append(values)
        columns, values = np.concatenate(result), np.concatenate(scores)
        return Ranked(queries, self.col_ids_.take(columns), values, columns >= 0)
