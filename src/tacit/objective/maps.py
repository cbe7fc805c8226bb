"""Linear maps Z from parameters to rows: Z·V on the way forward, Zᵀ·G on the way back.

Z (n, f) says which features each of the n rows has; V (f, w) are the features' parameters. Ids are the identity.
All products run in fixed chunks, so their bits do not depend on the number of threads.
"""

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from tacit import threads
from tacit.data.matrix import as_csr, as_dense, transpose
from tacit.kernels.positives import add_rows

Array = NDArray[Any]

DENSE_CHUNK = 4096


class Map(Protocol):
    """What towers need of a feature matrix Z (n, f)."""

    rows: int
    features: int

    def times(self, parameters: Array, n_threads: int = 0) -> Array:
        """Z V, (n, w) from (f, w)."""

    def transposed_times(self, gradient: Array, n_threads: int = 0) -> Array:
        """Zᵀ G, (f, w) from (n, w)."""

    def squared_transposed_times(self, values: Array, n_threads: int = 0) -> Array:
        """(Z∘Z)ᵀ G: what a diagonal on the rows becomes on the parameters."""

    def overlap(self) -> Array:
        """β_j = Σ_x |z_xj| ‖z_x‖₁ / Σ_x z_xj², at least 1: how far features that share rows add up.

        vᵀZᵀZv ≤ Σ_j β_j (ZᵀZ)_jj v_j², so a step that is safe for each feature alone is safe for all at once when
        divided by β. It is 1 where every row has one feature.
        """


class Identity:
    """Z = I: every row has a parameter of its own."""

    def __init__(self, rows: int) -> None:
        self.rows = self.features = rows

    def times(self, parameters: Array, n_threads: int = 0) -> Array:
        return parameters

    def transposed_times(self, gradient: Array, n_threads: int = 0) -> Array:
        return gradient

    def squared_transposed_times(self, values: Array, n_threads: int = 0) -> Array:
        return values

    def overlap(self) -> Array:
        return np.ones(self.rows)


class SparseMap:
    """Z in CSR, with its transpose for the way back."""

    def __init__(self, features: sp.csr_array) -> None:
        self.rows, self.features = features.shape
        self.forward = features
        self.backward = transpose(features)

    def times(self, parameters: Array, n_threads: int = 0) -> Array:
        return multiply(self.forward, parameters, n_threads)

    def transposed_times(self, gradient: Array, n_threads: int = 0) -> Array:
        return multiply(self.backward, gradient, n_threads)

    def squared_transposed_times(self, values: Array, n_threads: int = 0) -> Array:
        return multiply(self.backward, values, n_threads, self.backward.data**2)

    def overlap(self) -> Array:
        sizes = np.abs(self.forward.data.astype(np.float64))
        row_of = np.repeat(np.arange(self.rows), np.diff(self.forward.indptr))
        in_row = np.bincount(row_of, sizes, minlength=self.rows)
        shared = np.bincount(self.forward.indices, sizes * in_row[row_of], minlength=self.features)
        return _ratio(shared, np.bincount(self.forward.indices, sizes**2, minlength=self.features))


class DenseMap:
    """Z as a dense array."""

    def __init__(self, features: Array) -> None:
        self.rows, self.features = features.shape
        self.matrix = features

    def times(self, parameters: Array, n_threads: int = 0) -> Array:
        out = np.empty((self.rows, parameters.shape[1]), dtype=parameters.dtype)

        def part(start: int, stop: int) -> None:
            np.matmul(self.matrix[start:stop], parameters, out=out[start:stop])

        threads.run(part, threads.even_chunks(self.rows, DENSE_CHUNK), n_threads)
        return out

    def transposed_times(self, gradient: Array, n_threads: int = 0) -> Array:
        return _sum_of_products(self.matrix, gradient, n_threads)

    def squared_transposed_times(self, values: Array, n_threads: int = 0) -> Array:
        return _sum_of_products(self.matrix**2, values, n_threads)

    def overlap(self) -> Array:
        sizes = np.abs(self.matrix.astype(np.float64))
        return _ratio(sizes.T @ sizes.sum(axis=1), (sizes**2).sum(axis=0))


def as_map(features: Any, name: str, rows: int | None = None, dtype: DTypeLike = np.float32) -> Map:
    """The map of a feature matrix, sparse or dense.

    >>> as_map(np.eye(2), "row_features").times(np.ones((2, 1), np.float32)).ravel()
    array([1., 1.], dtype=float32)
    """
    if sp.issparse(features):
        return SparseMap(as_csr(features, name, rows=rows, dtype=dtype, allow_empty=True))
    return DenseMap(as_dense(features, name, rows=rows, dtype=dtype))


def multiply(csr: sp.csr_array, dense: Array, n_threads: int = 0, values: Array | None = None) -> Array:
    """csr · dense by our own kernel, in chunks of about equal work."""
    values = csr.data if values is None else values
    dense = np.ascontiguousarray(dense)
    out = np.zeros((csr.shape[0], dense.shape[1]), dtype=dense.dtype)
    chunks = threads.balanced_chunks(csr.indptr, most=_pieces(csr.nnz * dense.shape[1]))
    threads.run(lambda a, b: add_rows(a, b, csr.indptr, csr.indices, values, dense, out), chunks, n_threads)
    return out


def _sum_of_products(matrix: Array, gradient: Array, n_threads: int) -> Array:
    """matrixᵀ · gradient over fixed blocks of rows, added in order."""
    chunks = threads.even_chunks(len(matrix), DENSE_CHUNK)
    total = np.zeros((matrix.shape[1], gradient.shape[1]), dtype=gradient.dtype)
    for part in threads.run(lambda a, b: matrix[a:b].T @ gradient[a:b], chunks, n_threads):
        total += part
    return total


def _pieces(work: int) -> int:
    """Small products are not worth a second thread."""
    return int(np.clip(work / 200_000, 1, 64))


def _ratio(above: Array, below: Array) -> Array:
    ratio: Array = np.maximum(1.0, np.divide(above, below, out=np.ones_like(above), where=below > 0))
    return ratio
