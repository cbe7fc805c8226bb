"""EASE: a linear item-to-item model in closed form (Steck 2019)."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.baselines.recommender import BlockRecommender
from tacit.data.interactions import Interactions
from tacit.errors import InputError

Array = NDArray[Any]

MOST_COLUMNS = 30_000


class Ease(BlockRecommender):
    """Scores X B, where B minimises ‖X − XB‖² + λ‖B‖² with a zero diagonal:

        P = (XᵀX + λI)⁻¹,      B_ij = −P_ij / P_jj  for i ≠ j

    X (n, m) is 1 where there is a positive. B is a dense m × m matrix, so this is for up to 30,000 columns.

    >>> Ease(regularization=1.0).fit(np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0]])).recommend([2], k=1).ids.tolist()
    [[1]]
    """

    def __init__(self, regularization: float = 300.0) -> None:
        self.regularization = regularization

    def _learn(self, data: Interactions) -> None:
        ridge = checks.number("regularization", self.regularization, above=0.0)
        m = data.shape[1]
        if m > MOST_COLUMNS:
            raise InputError(f"Ease needs a dense {m} × {m} matrix; it is for at most {MOST_COLUMNS} columns.")
        ones = _ones(data.matrix)
        gram = (ones.T @ ones).toarray().astype(np.float64)
        gram[np.diag_indices(m)] += ridge
        inverse = np.linalg.inv(gram)
        weights = inverse / -np.diag(inverse)[None, :]
        np.fill_diagonal(weights, 0.0)
        self.weights_ = weights.astype(np.float32)

    def _scores(self, positives: sp.csr_array) -> Array:
        scores: Array = np.asarray(_ones(positives) @ self.weights_)
        return scores


def _ones(positives: sp.csr_array) -> sp.csr_array:
    return sp.csr_array(
        (np.ones(positives.nnz, np.float32), positives.indices.astype(np.int32), positives.indptr.astype(np.int32)),
        shape=positives.shape,
    )
