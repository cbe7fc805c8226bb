"""The feature map of the linear kernel: the scaled columns, or a random projection where there are very many.

A score of the linear kernel is a weight for every column, whatever map it was found with, and can be added to another
map as one more feature.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.features.feature_moments import FeatureMap
from tacit.features.fourier import frequency_block
from tacit.features.scaling import Scaling


class LinearFeatures:
    """φ(x) = (x − mean) / scale, so that ⟨φ(x), φ(x')⟩ is the linear kernel of scaled rows."""

    def __init__(self, scaling: Scaling) -> None:
        self.scaling = scaling

    @property
    def size(self) -> int:
        return len(self.scaling.mean)

    def transform(self, rows: Any) -> NDArray[np.float64]:
        """(n, d) → (n, d), dense."""
        return self.scaling.dense(rows)


class ProjectedFeatures:
    """φ(x) = Gᵀ(x − mean)/scale / √m with m columns of normal numbers in G: inner products hold up to about 1/√m.

    >>> unit = Scaling(np.zeros(3), np.ones(3), np.ones(3))
    >>> phi = ProjectedFeatures(unit, 20_000, seed=0).transform(np.array([[1.0, 2.0, 3.0]]))
    >>> bool(abs(phi[0] @ phi[0] - 14.0) < 1.0)
    True
    """

    def __init__(self, scaling: Scaling, size: int, seed: int) -> None:
        self.scaling = scaling
        self.size = size
        self.seed = seed

    @cached_property
    def _directions(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        draws = frequency_block("gaussian", len(self.scaling.mean), self.seed, 0, self.size)
        directions = np.ascontiguousarray(draws / (self.scaling.scale[:, None] * np.sqrt(self.size)))
        return directions, self.scaling.mean @ directions

    def transform(self, rows: Any) -> NDArray[np.float64]:
        """(n, d) → (n, m); sparse rows are never made dense."""
        directions, offset = self._directions
        return np.asarray(rows @ directions) - offset


class WithLinear:
    """A feature map and a weighted sum of the columns as one more feature.

    >>> unit = Scaling(np.zeros(2), np.ones(2), np.ones(2))
    >>> WithLinear(LinearFeatures(unit), np.array([1.0, 10.0])).transform(np.array([[2.0, 3.0]]))
    array([[ 2.,  3., 32.]])
    """

    def __init__(self, inner: FeatureMap, column_weights: NDArray[np.float64]) -> None:
        self.inner = inner
        self.column_weights = column_weights

    @property
    def size(self) -> int:
        return self.inner.size + 1

    def transform(self, rows: Any) -> NDArray[np.float64]:
        """(n, d) → (n, inner features + 1)."""
        return np.column_stack([self.inner.transform(rows), rows @ self.column_weights])
