"""The kernel of all rows with each other, and of rows with landmarks, in float32 and in blocks.

The linear kernel here is 1 + ⟨x, x'⟩: the one is the constant feature, an intercept that is penalised like all others.

``label_moments`` stands beside ``feature_moments``, which is made for a few groups of rows and sums in float64, with a
D × D matrix per lane. Here thousands of labels overlap, columns stay sparse, and one D × D matrix in float32 is what
memory has room for.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular

from tacit import threads as pool
from tacit.features.nystrom import kernel_matrix

Array = NDArray[np.float32]

_ROWS = 512
_JITTER = 1e-4
"""Added to the landmarks' own kernel: directions weaker than this would be rounding, blown up by its inverse."""


def kernel_between(kernel: str, left: Any, right: Any, bandwidth: float) -> Array:
    """k(left_i, right_j), float32, dense.

    >>> rows = np.eye(2, dtype=np.float32)
    >>> [f"{value:.3f}" for value in kernel_between("gaussian", rows, rows, 1.0)[0]]
    ['1.000', '0.368']
    """
    block = kernel_matrix(kernel, left, right, bandwidth)
    if kernel == "linear":
        block = block + np.float32(1)
    return np.asarray(block, dtype=np.float32)


def lower_gram(kernel: str, rows: Any, bandwidth: float, threads: int = 0) -> Array:
    """k(x_i, x_j) for j ≤ i and some more, (n, n); what lies above is not filled in."""
    n = rows.shape[0]
    gram = np.zeros((n, n), np.float32)

    def fill(first: int, last: int) -> None:
        gram[first:last, :last] = kernel_between(kernel, rows[first:last], rows[:last], bandwidth)

    with pool.single_threaded_blas():
        pool.run(fill, pool.even_chunks(n, _ROWS), threads)
    return gram


class LandmarkFeatures:
    """φ(x) = L⁻¹ k_z(x) with L Lᵀ = k(z, z): the kernel seen from landmarks, whitened by their own kernel.

    A Cholesky factor stands in for the K^(−1/2) of ``NystromFeatures``: thousands of landmarks are cheap, they stay
    sparse, and the inner products are the same.

    >>> rows = np.eye(3, dtype=np.float32)
    >>> phi = LandmarkFeatures("gaussian", 1.0, rows).transform(rows)
    >>> bool(abs(phi @ phi.T - kernel_between("gaussian", rows, rows, 1.0)).max() < 1e-3)
    True
    """

    def __init__(self, kernel: str, bandwidth: float, landmarks: Any) -> None:
        self.kernel, self.bandwidth, self.landmarks = kernel, bandwidth, landmarks
        own = kernel_between(kernel, landmarks, landmarks, bandwidth).astype(np.float64)
        own[np.diag_indices_from(own)] += _JITTER * float(np.mean(own.diagonal()))
        with pool.single_threaded_blas():
            self._lower = cholesky(own, lower=True, overwrite_a=True, check_finite=False)
        self._single = np.asfortranarray(self._lower, dtype=np.float32)

    @property
    def size(self) -> int:
        return int(self._lower.shape[0])

    def transform(self, rows: Any) -> Array:
        """(n, d) → (n, m)."""
        kernel = kernel_between(self.kernel, rows, self.landmarks, self.bandwidth)
        return np.asarray(solve_triangular(self._single, kernel.T, lower=True, check_finite=False)).T

    def coefficients(self, weights: NDArray[Any]) -> Array:
        """β with ⟨φ(x), w⟩ = Σ_j k(x, z_j) β_j, for weights w (m, L)."""
        with pool.single_threaded_blas():
            result = solve_triangular(self._lower, weights, lower=True, trans=1, check_finite=False)
        return np.asarray(result, dtype=np.float32)


class ConstantAndColumns:
    """φ(x) = [x, 1]: the linear kernel's own features, which stay sparse."""

    def __init__(self, columns: int) -> None:
        self.size = columns + 1

    def transform(self, rows: sp.csr_array) -> sp.csr_array:
        """(n, d) → (n, d + 1)."""
        return sp.csr_array(sp.hstack((rows, np.ones((rows.shape[0], 1), np.float32)), format="csr"))


def label_moments(
    rows: Any, Y: sp.csr_array, features: "LandmarkFeatures | ConstantAndColumns", threads: int = 0
) -> tuple[Array, Array]:
    """ΦᵀΦ (D, D) and ΦᵀY (D, L) in one pass over blocks of rows; both are added in the order of the blocks."""
    gram = np.zeros((features.size, features.size), np.float32)
    right = np.zeros((features.size, Y.shape[1]), np.float32)
    with pool.single_threaded_blas():
        if isinstance(features, ConstantAndColumns):
            mapped = features.transform(rows)
            gram += (mapped.T @ mapped).toarray()
            right += (mapped.T @ Y).toarray()
            return gram, right
        height = max(_ROWS, (1 << 24) // features.size)
        for first, last in pool.even_chunks(rows.shape[0], height):
            parts = [(first + a, first + b) for a, b in pool.even_chunks(last - first, _ROWS)]
            mapped = np.concatenate(pool.run(lambda a, b: features.transform(rows[a:b]), parts, threads))

            def add(a: int, b: int, mapped: Array = mapped) -> None:
                gram[a:b, :b] += mapped[:, a:b].T @ mapped[:, :b]

            pool.run(add, pool.even_chunks(features.size, _ROWS), threads)
            right += np.asarray((Y[first:last].T @ mapped).T)
    return gram, right
