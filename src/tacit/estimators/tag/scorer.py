"""The protocol by which blends and audits use a fitted tagger."""

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[Any]


class Scorer(Protocol):
    """A fitted tagger, as others see it; rows come as canonical CSR with the features of training."""

    propensity_weighted: bool

    def block_scores(self, X: sp.csr_array) -> sp.csr_array | Array:
        """Scores (b, L) of a few rows: dense, or sparse where labels without a stored score cannot be suggested."""

    def chances(self, scores: Array) -> Array:
        """Scores that grow with the chance of a label and are near zero for labels that do not apply."""

    def weighted_by_propensity(self, scores: sp.csr_array | Array) -> sp.csr_array | Array:
        """Scores that favour rare labels, which are missing more often."""

    def linear_map(self, x: sp.csr_array) -> tuple[Array, Array]:
        """Features (ascending) and weights (f, g) of the linear map by which this row is compared with others."""


def dense_chances(scorer: Scorer, X: sp.csr_array) -> Array:
    """The chances (b, L) of a few rows as a dense array."""
    scores = scorer.block_scores(X)
    return scorer.chances(scores if isinstance(scores, np.ndarray) else scores.toarray())
