"""Nearest training rows in a learned space, partition by partition (Algorithm 1 of the label-embedding paper).

Each partition has its own linear map z = Vᵀx, kept for the features that occur in it. A query goes to the partition
whose centre is closest; its neighbours are the partition's rows with the largest cosine in the mapped space. Both
sides are mapped from their *features*, not from the rows' label embeddings, so that what the map misses is missed on
both sides alike.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.neighbours.clusters import nearest_centre
from tacit.neighbours.topk import normalise, top_k

Array = NDArray[Any]
_ALIKE = 1e-3
"""A likeness that is less than this share of what its parts are without their signs is rounding."""


@dataclass(frozen=True)
class Partition:
    """One partition's map and rows.

    features : (f,) the features it knows, ascending
    weights : (f, g) V, one row per known feature
    rows : (m,) numbers of its training rows
    points : (m, g) their unit vectors
    labels : (L, g) vectors of the labels in the same space, or (0, g) where the method has none
    """

    features: NDArray[np.int32]
    weights: NDArray[np.float32]
    rows: NDArray[np.int64]
    points: NDArray[np.float32]
    labels: NDArray[np.float32]

    def project(self, X: sp.csr_array) -> NDArray[np.float32]:
        """Vᵀx of sparse rows; features unknown to the partition count for nothing."""
        known = X if X.shape[1] == len(self.features) else X[:, self.features]
        return np.asarray(known @ self.weights)

    def shares(self, x: sp.csr_array, rows: Array) -> tuple[Array, Array]:
        """Features of one row, and the part (f, n) of each in its likeness to n of the partition's training rows.

        ⟨Vᵀx, z⟩ is a sum over the features of x, so that the parts of a likeness sum to one. Rows to which it is not
        alike get none.
        """
        index = np.searchsorted(self.features, x.indices)
        known = np.flatnonzero(np.isin(x.indices, self.features))
        order = np.argsort(self.rows)
        points = self.points[order[np.searchsorted(self.rows, rows, sorter=order)]].astype(np.float64)
        parts = (x.data[known, None] * self.weights[index[known]].astype(np.float64)) @ points.T
        whole = parts.sum(axis=0)
        alike = whole > _ALIKE * np.abs(parts).sum(axis=0)
        return x.indices[known], np.divide(parts, whole, out=np.zeros_like(parts), where=alike)


@dataclass(frozen=True)
class Learner:
    """Partitions with their centres: one complete predictor. Several of them, started differently, vote together."""

    centres: NDArray[np.float32]
    partitions: tuple[Partition, ...]

    def assign(self, X: sp.csr_array) -> NDArray[np.int64]:
        """The partition of each row."""
        if len(self.partitions) == 1:
            return np.zeros(X.shape[0], dtype=np.int64)
        return nearest_centre(X[:, : self.centres.shape[1]], self.centres)[0]

    def neighbours(self, X: sp.csr_array, k: int, threads: int = 0) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Numbers of the k nearest training rows and their cosines, best first; -1 and 0 where a partition is small."""
        numbers = np.full((X.shape[0], k), -1, dtype=np.int64)
        cosines = np.zeros((X.shape[0], k), dtype=np.float32)
        of_row = self.assign(X)
        for number, partition in enumerate(self.partitions):
            mine = np.flatnonzero(of_row == number)
            if len(mine) and len(partition.rows):
                queries = normalise(partition.project(X[mine]))
                result, scores = top_k(queries, partition.points, k, threads=threads)
                numbers[mine] = np.where(result >= 0, partition.rows[result], -1)
                cosines[mine] = np.where(result >= 0, scores, 0.0)
        return numbers, cosines

    def label_scores(self, X: sp.csr_array) -> NDArray[np.float32]:
        """⟨Vᵀx, label vector⟩ for all labels: step 3 of Algorithm 4, as an (n, L) block."""
        scores = np.empty((X.shape[0], len(self.partitions[0].labels)), dtype=np.float32)
        of_row = self.assign(X)
        for number, partition in enumerate(self.partitions):
            mine = np.flatnonzero(of_row == number)
            scores[mine] = partition.project(X[mine]) @ partition.labels.T
        return scores

    # -- to and from a model file ------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        parts = self.partitions
        return {
            "centres": self.centres,
            "feature_starts": _starts([len(part.features) for part in parts]),
            "row_starts": _starts([len(part.rows) for part in parts]),
            "features": np.concatenate([part.features for part in parts]),
            "weights": np.concatenate([part.weights for part in parts]),
            "rows": np.concatenate([part.rows for part in parts]),
            "points": np.concatenate([part.points for part in parts]),
            "labels": np.stack([part.labels for part in parts]),
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, Array]) -> "Learner":
        spans = zip(_spans(arrays["feature_starts"]), _spans(arrays["row_starts"]), arrays["labels"])
        return cls(
            arrays["centres"],
            tuple(
                Partition(arrays["features"][f], arrays["weights"][f], arrays["rows"][r], arrays["points"][r], labels)
                for f, r, labels in spans
            ),
        )


def vote(numbers: NDArray[np.int64], cosines: NDArray[np.float32], Y: sp.csr_array, power: float = 1.0) -> sp.csr_array:
    """Part of the neighbours that carry each label, weighted by cosine to a power (Eq. 1 has power 0), as (n, L) CSR.

    Neighbours with a cosine of zero or below have no vote.

    >>> Y = sp.csr_array(np.array([[1.0, 0.0], [1.0, 1.0]], dtype=np.float32))
    >>> vote(np.array([[0, 1]]), np.array([[0.75, 0.25]], dtype=np.float32), Y).toarray().tolist()
    [[1.0, 0.25]]
    """
    heard = (numbers >= 0) & (cosines > 0)
    weight = np.where(heard, np.power(cosines, power, where=heard, out=np.zeros_like(cosines)), 0.0)
    whole = weight.sum(axis=1, keepdims=True)
    weight = np.divide(weight, whole, out=np.zeros_like(weight), where=whole > 0).astype(np.float32)
    indptr = np.concatenate(([0], np.cumsum(heard.sum(axis=1))))
    ballots = sp.csr_array((weight[heard], numbers[heard], indptr), shape=(len(numbers), Y.shape[0]))
    return sp.csr_array(ballots @ Y)


def _starts(sizes: list[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _spans(starts: Array) -> list[slice]:
    return [slice(int(a), int(b)) for a, b in pairwise(starts)]
