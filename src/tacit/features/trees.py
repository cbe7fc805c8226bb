"""Boosted regression trees as arrays: a score that sees one column at a time and its interactions.

    g(x) = Σ_t v_t(x),        tree t sends x left where x[feature] ≤ threshold and adds the value of the leaf it reaches

scikit-learn grows each tree on a random part of the labelled rows, by the squared loss of what the trees before it left
of the class numbers. Its own boosting does the same, but repeats its checks before every tree, which is slow on a few
hundred rows. What is kept are complete binary trees of one depth, as three arrays that a model file can hold and check:

    feature    (trees, 2^depth − 1)  column of every inner node; where a branch ends early, both sides hold its value
    threshold  (trees, 2^depth − 1)
    value      (trees, 2^depth)      of every leaf, learning rate included
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.features.feature_moments import FeatureMap
from tacit.threads import even_chunks

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

COUNT = 100
DEPTH = 4
RATE = 0.05
_SHARE = 0.5
_MOST_ROWS = 2_000
"""Rows per tree at most: growing costs the same from there on."""
_FEWEST_IN_LEAF = 3
_WIDE = 64
"""Beyond so many columns a split tries as many of them as the square root says, as random forests do."""
_BLOCK_CELLS = 1 << 20


@dataclass(frozen=True)
class BoostedTrees:
    """Trees and the importance of every column.

    >>> rows = np.arange(40.0)[:, None] % 7
    >>> trees = BoostedTrees.grow(rows, (rows[:, 0] > 3).astype(float), np.ones(40))
    >>> bool(trees.score(rows)[3] < trees.score(rows)[4])
    True
    """

    feature: NDArray[np.int32]
    threshold: Matrix
    value: Matrix
    importance: Vector

    @classmethod
    def grow(cls, rows: Any, target: Vector, weights: Vector, seed: int = 0) -> Self:
        """Fit to ``target`` of dense ``rows``, each tree to what those before it left."""
        from sklearn import config_context
        from sklearn.tree import DecisionTreeRegressor

        n, columns = rows.shape
        single, left = _single(rows), target - np.average(target, weights=weights)
        # Weights that are all the same say nothing, and every tree would check them.
        shares = None if np.ptp(weights) == 0 else weights
        draw = np.random.RandomState(seed)
        trees = []
        with config_context(skip_parameter_validation=True):
            for _ in range(COUNT):
                part = np.sort(draw.permutation(n)[: max(1, int(min(_SHARE * n, _MOST_ROWS)))])
                tree = DecisionTreeRegressor(
                    max_depth=DEPTH, min_samples_leaf=_FEWEST_IN_LEAF, max_features="sqrt" if columns > _WIDE else None,
                    random_state=draw,
                )  # fmt: skip
                tree.fit(single[part], left[part], None if shares is None else shares[part], check_input=False)
                left = left - RATE * tree.tree_.predict(single)[:, 0]
                trees.append(tree.tree_)
        parts = [_complete(tree) for tree in trees]
        feature = np.stack([part[0] for part in parts])
        threshold, value = np.stack([part[1] for part in parts]), np.stack([part[2] for part in parts])
        gains = np.sum([tree.compute_feature_importances(normalize=False) for tree in trees], axis=0)
        return cls(feature, threshold, RATE * value, gains / (gains.sum() or 1.0))

    def score(self, rows: Any) -> Vector:
        """g of every row, dense or sparse."""
        result = np.empty(rows.shape[0])
        trees = np.arange(len(self.feature))
        for a, b in even_chunks(rows.shape[0], max(1, _BLOCK_CELLS // len(self.feature))):
            block = _single(rows[a:b])
            index = np.arange(b - a)[:, None]
            node = np.zeros((b - a, len(trees)), dtype=np.intp)
            for _ in range(_depth(self.value.shape[1])):
                right = block[index, self.feature[trees, node]] > self.threshold[trees, node]
                node = 2 * node + 1 + right
            result[a:b] = self.value[trees, node - self.feature.shape[1]].sum(axis=1)
        return result


def _depth(leaves: int) -> int:
    return int(leaves).bit_length() - 1


def _single(rows: Any) -> NDArray[np.float32]:
    """Trees compare in single precision, in dense rows; what is beyond it is as far out as can be."""
    rows = rows.toarray() if sp.issparse(rows) else rows
    most = float(np.finfo(np.float32).max)
    return np.asarray(np.clip(rows, -most, most), dtype=np.float32)


def _complete(tree: Any) -> tuple[NDArray[np.int32], Vector, Vector]:
    """A tree of scikit-learn as a complete one: below a branch that ends early, all leaves are copies of its value."""
    inner = 2**DEPTH - 1
    feature, threshold = np.zeros(inner, dtype=np.int32), np.zeros(inner)
    source = np.zeros(2 * inner + 1, dtype=np.intp)
    for node in range(inner):
        here = source[node]
        left, right = int(tree.children_left[here]), int(tree.children_right[here])
        if left >= 0:
            feature[node], threshold[node] = tree.feature[here], tree.threshold[here]
            source[2 * node + 1], source[2 * node + 2] = left, right
        else:
            source[2 * node + 1] = source[2 * node + 2] = here
    return feature, threshold, np.asarray(tree.value[source[inner:], 0, 0])


class WithTrees:
    """A feature map and the trees' score as one more feature."""

    def __init__(self, inner: FeatureMap, trees: BoostedTrees) -> None:
        self.inner = inner
        self.trees = trees

    @property
    def size(self) -> int:
        return self.inner.size + 1

    def transform(self, rows: Any) -> Matrix:
        """(n, d) → (n, inner features + 1)."""
        return np.column_stack([self.inner.transform(rows), self.trees.score(rows)])
