"""Partitions of sparse rows by spherical k-means: maximise Σ_i max_c ⟨x_i/‖x_i‖, centre_c⟩ over unit centres.

The rows stay sparse and a block of them at a time is compared with all centres, so memory is O(clusters · features).
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.neighbours.topk import normalise

_BLOCK = 4096
_STUCK = 0.9


def spherical_kmeans(
    X: sp.csr_array, clusters: int, rng: np.random.Generator, iterations: int = 10
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Unit centres (clusters, d) and the centre of each row; no cluster is empty.

    Starts from distinct random rows. A cluster that loses all its rows is given the row that fits its own worst.

    >>> X = sp.csr_array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    >>> centres, of_row = spherical_kmeans(X, 2, np.random.default_rng(0))
    >>> bool(of_row[0] == of_row[1] != of_row[2])
    True
    """
    X = unit_rows(X)
    start = rng.choice(X.shape[0], size=clusters, replace=False)
    centres = np.ascontiguousarray(X[np.sort(start)].toarray())
    of_row, fit = nearest_centre(X, centres)
    for _ in range(iterations):
        _fill_empty(of_row, fit, clusters)
        member = sp.csr_array((np.ones(X.shape[0], np.float32), (of_row, np.arange(X.shape[0]))))
        centres = normalise((member @ X).toarray())
        before = of_row
        of_row, fit = nearest_centre(X, centres)
        if np.array_equal(before, of_row):
            break
    _fill_empty(of_row, fit, clusters)
    return centres, of_row


def bounded_kmeans(
    X: sp.csr_array, clusters: int, most: int, rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Spherical k-means whose clusters of more than ``most`` rows are clustered again, so that there may be more.

    >>> X = sp.csr_array(np.eye(4, dtype=np.float32)[[0, 0, 0, 0, 1, 2]])
    >>> centres, of_row = bounded_kmeans(X, 2, 2, np.random.default_rng(0))
    >>> int(np.bincount(of_row).max())
    2
    """
    centres, of_row = spherical_kmeans(X, clusters, rng)
    parts = list(centres)
    waiting = list(range(clusters))
    while waiting:
        cluster = waiting.pop()
        mine = np.flatnonzero(of_row == cluster)
        if len(mine) <= most:
            continue
        pieces = -(-len(mine) // most)
        inner, of_mine = spherical_kmeans(X[mine], pieces, rng)
        if np.bincount(of_mine).max() > _STUCK * len(mine):
            # Rows that are all alike: any cut is as good as another.
            of_mine = np.arange(len(mine)) % pieces
        numbers = np.array([cluster, *range(len(parts), len(parts) + pieces - 1)])
        of_row[mine] = numbers[of_mine]
        parts[cluster] = inner[0]
        parts.extend(inner[1:])
        waiting.extend(int(number) for number in numbers)
    return np.stack(parts), of_row


def nearest_centre(X: sp.csr_array, centres: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The centre with the largest inner product for each row, and that product."""
    of_row = np.empty(X.shape[0], dtype=np.int64)
    fit = np.empty(X.shape[0], dtype=np.float32)
    for start in range(0, X.shape[0], _BLOCK):
        products = X[start : start + _BLOCK] @ centres.T
        best = np.argmax(products, axis=1)
        of_row[start : start + _BLOCK] = best
        fit[start : start + _BLOCK] = np.take_along_axis(products, best[:, None], axis=1)[:, 0]
    return of_row, fit


def unit_rows(X: sp.csr_array) -> sp.csr_array:
    """Rows scaled to length one; rows of zeros stay zeros.

    >>> unit_rows(sp.csr_array([[3.0, 4.0], [0.0, 0.0]])).toarray().tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    squares = sp.csr_array((X.data.astype(np.float64) ** 2, X.indices, X.indptr), shape=X.shape)
    length = np.sqrt(np.asarray(squares.sum(axis=1)))
    data = (X.data / np.repeat(length, np.diff(X.indptr))).astype(X.dtype)
    return sp.csr_array((data, X.indices, X.indptr), shape=X.shape)


def _fill_empty(of_row: NDArray[np.int64], fit: NDArray[np.float32], clusters: int) -> None:
    size = np.bincount(of_row, minlength=clusters)
    worst = iter(np.argsort(fit, kind="stable"))
    for cluster in np.flatnonzero(size == 0):
        row = next(row for row in worst if size[of_row[row]] > 1)
        size[of_row[row]] -= 1
        of_row[row], size[cluster] = cluster, 1
