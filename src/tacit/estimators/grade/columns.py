"""Ways to prepare the columns before a kernel compares rows, and which of them are tried.

    standard    divided by the standard deviation, so that every column counts the same
    raw         unchanged; for sparse rows such as word weights, where the deviation of a rare column is meaningless
    ranks       ranks with a normal distribution, for columns with long tails
    relevance   standard, times the root of the column's gain in boosted trees, so that irrelevant columns shrink

The first is tried at every bandwidth (``raw`` where the table is sparse), the others at the bandwidth that was best.
Relevance is learned from labels, so every fold grows its own trees and held-out rows stay unseen.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.features.scaling import Scaling
from tacit.features.trees import BoostedTrees

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

LEAST_RELEVANCE = 0.03
FEWEST_FOR_TREES = 50
"""Labelled rows; with fewer, a fold leaves too few to grow trees on and to tell whether they lead."""
MOST_FOR_TREES = 4_096
"""Columns; every row is held as that many numbers once more."""


@dataclass(frozen=True)
class Columns:
    """One way to prepare columns: a scaling, and landmarks in its units where the features need them."""

    name: str
    scaling: Scaling
    landmarks: Matrix | None

    def weighted(self, relevance: Vector) -> Self:
        """The same with every column multiplied by its relevance."""
        landmarks = None if self.landmarks is None else self.landmarks * relevance
        return type(self)("relevance", self.scaling.weighted(relevance), landmarks)


def names_to_try(table: Any, standardize: bool | None, several: bool) -> list[str]:
    """The preparations that are candidates, the first of them the one to begin with; ``several`` allows others.

    >>> names_to_try(np.zeros((3, 2)), None, True), names_to_try(np.zeros((3, 2)), False, True)
    (['standard', 'ranks'], ['raw'])
    """
    if standardize is not None:
        return ["standard" if standardize else "raw"]
    if sp.issparse(table):
        return ["raw", "standard"] if several else ["raw"]
    return ["standard", "ranks"] if several else ["standard"]


def make_scaling(name: str, table: Any, weights: Vector) -> Scaling:
    if name == "ranks":
        return Scaling.of_ranks(table, weights)
    return Scaling.of(table, weights, name == "standard")


def relevance(trees: BoostedTrees) -> Vector:
    """√(importance over the greatest one), not below a small floor.

    >>> rows = np.random.default_rng(0).standard_normal((60, 2))
    >>> float(relevance(BoostedTrees.grow(rows, (rows[:, 0] > 0).astype(float), np.ones(60)))[0])
    1.0
    """
    most = max(float(trees.importance.max()), 1e-300)
    return np.maximum(np.sqrt(trees.importance / most), LEAST_RELEVANCE)
