"""New rows, labels and features in a fitted partition, without a refit.

The target of a new row in the learned space is the mean unit vector of rows that share its labels; a row with only new
labels gets a random direction, seeded by the labels. New features are fitted by ridge regression to what the old map
leaves of the target, on the new rows alone, so that rows without new features are mapped exactly as before. A new label
gets the mean vector of the rows that carry it, where the method has vectors of labels.

``stepped`` moves the map itself, by gradient steps on the new rows' objective, and maps every row of the partition
anew from features that the model has kept.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import as_csr
from tacit.neighbours.partitioned import Learner, Partition
from tacit.neighbours.topk import normalise
from tacit.solvers.end_to_end import online_map
from tacit.solvers.label_maps import MapSettings
from tacit.solvers.ridge import ridge_regression

Array = NDArray[Any]


def grown(learner: Learner, X: sp.csr_array, Y: sp.csr_array, numbers: NDArray[np.int64]) -> Learner:
    """The learner with rows ``X`` of these numbers; ``Y`` holds the labels of all rows, old and new."""
    of_row = learner.assign(X)
    parts = tuple(
        _grown_partition(part, X[of_row == number], Y, numbers[of_row == number])
        for number, part in enumerate(learner.partitions)
    )
    return replace(learner, partitions=parts)


def stepped(
    learner: Learner,
    X: sp.csr_array,
    Y: sp.csr_array,
    numbers: NDArray[np.int64],
    settings: MapSettings,
    steps: int,
    seed: list[int],
) -> Learner:
    """The learner after so many gradient steps in each partition that holds rows of these numbers.

    X, Y : features and labels of all rows, old and new
    """

    def moved(part: Partition, place: int) -> Partition:
        new = np.flatnonzero(np.isin(part.rows, numbers))
        if not len(new):
            return part
        mine = X[part.rows][:, part.features]
        given = settings.some("negatives", "learning_rate")
        V = online_map(
            mine, Y[part.rows], part.weights, new, steps=steps, scale=settings.cosine_scale,
            neighbours=settings.context_neighbours, seed=[*seed, place], **given,
        )  # fmt: skip
        part = replace(part, weights=V.astype(np.float32))
        return replace(part, points=normalise(part.project(mine)))

    return replace(learner, partitions=tuple(moved(part, place) for place, part in enumerate(learner.partitions)))


def _grown_partition(part: Partition, X: sp.csr_array, Y: sp.csr_array, numbers: NDArray[np.int64]) -> Partition:
    if X.shape[0]:
        part = _with_features(part, X, Y, numbers)
        mapped = part.project(X)
        unseen = ~np.isin(numbers, part.rows)
        part = replace(
            part,
            rows=np.concatenate((part.rows, numbers[unseen])),
            points=np.concatenate((part.points, normalise(mapped[unseen]))),
        )
    return _with_labels(part, Y) if len(part.labels) else part


def _with_features(part: Partition, X: sp.csr_array, Y: sp.csr_array, numbers: NDArray[np.int64]) -> Partition:
    new = np.setdiff1d(X.indices, part.features).astype(np.int32)
    if not len(new):
        return part
    mapped = part.project(X)
    carried = Y[part.rows]
    centre = normalise(carried.T @ part.points)
    target = Y[numbers] @ centre
    for row in np.flatnonzero(~target.any(axis=1)):
        for label in Y[[numbers[row]]].indices:
            target[row] += np.random.default_rng(label).standard_normal(target.shape[1])
    target = normalise(target)
    # Targets are directions; they are stretched to the length at which this map puts its rows.
    lengths = np.linalg.norm(mapped, axis=1)
    stretch = float(np.median(lengths[lengths > 0])) if np.any(lengths > 0) else 1.0
    unexplained = np.where(target.any(axis=1, keepdims=True), stretch * target - mapped, 0.0)
    weights = ridge_regression(X[:, new], unexplained.astype(np.float64), 1.0).astype(np.float32)
    features = np.concatenate((part.features, new))
    order = np.argsort(features)
    return replace(part, features=features[order], weights=np.concatenate((part.weights, weights))[order])


def _with_labels(part: Partition, Y: sp.csr_array) -> Partition:
    new = np.arange(len(part.labels), Y.shape[1])
    carried = Y[part.rows][:, new]
    frequency = np.maximum(np.asarray(carried.sum(axis=0)), 1.0)
    length = np.linalg.norm(part.labels, axis=1)
    usual = float(np.median(length[length > 0])) if np.any(length > 0) else 1.0
    vectors = (usual * np.asarray(carried.T @ part.points) / frequency[:, None]).astype(np.float32)
    return replace(part, labels=np.concatenate((part.labels, vectors)))


def with_labels(Y: sp.csr_array, new: sp.csr_array, numbers: Array) -> sp.csr_array:
    """Y with the labels of ``new`` added to the rows of these numbers; rows and columns grow as needed."""
    shape = (max(Y.shape[0], int(numbers.max(initial=-1)) + 1), new.shape[1])
    old, more = Y.tocoo(), new.tocoo()
    row = np.concatenate((old.coords[0], numbers[more.coords[0]]))
    col = np.concatenate((old.coords[1], more.coords[1]))
    union = as_csr(sp.coo_array((np.ones(len(row), np.float32), (row, col)), shape=shape), "Y")
    union.data[:] = 1.0
    return union


def with_rows(X: sp.csr_array, new: sp.csr_array, numbers: Array) -> sp.csr_array:
    """X with the rows of ``new`` whose numbers lie behind its own; known rows keep the features that first came."""
    old = sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], new.shape[1]))
    return as_csr(sp.vstack((old, new[numbers >= X.shape[0]]), format="csr"), "X", allow_empty=True)
