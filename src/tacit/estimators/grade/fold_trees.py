"""Boosted trees for every cross-validation fold, grown once.

They give held-out scores (as one more feature) and the relevance of columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import threads as pool
from tacit.estimators.grade.folds import Fold
from tacit.features.trees import BoostedTrees

Vector = NDArray[np.float64]


@dataclass
class FoldTrees:
    """Trees by fold; ``rows`` (dense), ``labels`` and ``weights`` are of the labelled rows that the folds number."""

    rows: Any
    labels: NDArray[np.intp]
    weights: Vector
    folds: Sequence[Fold]
    seed: int
    grown: dict[int, BoostedTrees] = field(init=False, default_factory=dict)
    scored: dict[int, Vector] = field(init=False, default_factory=dict)

    def prepare(self, folds: Sequence[int], threads: int) -> None:
        """Grow the trees of some folds side by side."""
        missing = [f for f in folds if f not in self.grown]
        for fold, trees in zip(missing, pool.run(self._grow, [(f,) for f in missing], threads)):
            self.grown[fold] = trees

    def of(self, fold: int) -> BoostedTrees:
        self.prepare([fold], 1)
        return self.grown[fold]

    def held_out(self, fold: int) -> Vector:
        """Scores of the fold's test rows, in units of the scores of all labelled rows."""
        if fold not in self.scored:
            score = self.of(fold).score(self.rows)
            shares = self.weights / self.weights.sum()
            middle = float(shares @ score)
            spread = float(shares @ (score - middle) ** 2) ** 0.5
            self.scored[fold] = np.asarray((score - middle) / (spread or 1.0))[self.folds[fold][1]]
        return self.scored[fold]

    def _grow(self, fold: int) -> BoostedTrees:
        train = self.folds[fold][0]
        return BoostedTrees.grow(
            self.rows[train], self.labels[train].astype(np.float64), self.weights[train], self.seed
        )
