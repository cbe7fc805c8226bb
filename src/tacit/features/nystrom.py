"""Nyström features: a kernel approximated from a few landmarks.

With landmarks z₁ … z_m (centres of k-means over the rows) and K the kernel among them,

    φ(x) = K^(−1/2) [k(x, z₁), …, k(x, z_m)],        ⟨φ(x), φ(x')⟩ = k_z(x)ᵀ K⁻¹ k_z(x'),

which is the kernel itself wherever x or x' is a landmark. Directions of K with eigenvalues below 1e-10 of the largest
carry rounding only and are left out.
"""

from typing import Any, Self

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.spatial.distance
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.features.joined_rows import JoinedRows
from tacit.threads import single_threaded_blas, single_threaded_openmp

Matrix = NDArray[np.float64]

KERNELS = ("gaussian", "laplacian", "linear")
_NEGLIGIBLE = 1e-10
MOST_LANDMARKS = 4096
"""More would hold a kernel among them of over 128 MiB and minutes of eigenvectors."""
_MOST_ROWS = 20_000


def kernel_matrix(kernel: str, left: Any, right: Any, bandwidth: float) -> Matrix:
    """k(left_i, right_j), dense, shape (rows of left, rows of right); both sides may be sparse, or joined.

    On rows of length one the Gaussian kernel is exp(γ (cos − 1)) with γ = 1 / bandwidth².

    >>> kernel_matrix("gaussian", np.array([[0.0]]), np.array([[1.0]]), 1.0).round(4)
    array([[0.6065]])
    """
    if kernel == "linear":
        return _products(left, right)
    if kernel == "gaussian":
        square = _products(left, right)
        square *= -2
        square += _squared_norms(left)[:, None]
        square += _squared_norms(right)
        np.maximum(square, 0.0, out=square)
        # As NumPy's number: a bandwidth beyond all distances makes everything near, and no error. One below them all
        # gives NaN on the diagonal, which whoever asks for the matrix refuses.
        with np.errstate(all="ignore"):
            square /= -2 * np.float64(bandwidth) ** 2
        return np.asarray(np.exp(square, out=square))
    if kernel == "laplacian":
        distance = scipy.spatial.distance.cdist(_dense(left), _dense(right), "cityblock")
        return np.asarray(np.exp(distance / -bandwidth))
    raise InputError(f"kernel must be one of {', '.join(KERNELS)}, not {kernel!r}.")


def _dense(rows: Any) -> Matrix:
    return np.asarray(rows.toarray() if sp.issparse(rows) else rows)


def _products(left: Any, right: Any) -> Matrix:
    if isinstance(left, JoinedRows):
        return left.products(right)
    return np.asarray(_dense(left @ right.T))


def _squared_norms(rows: Any) -> NDArray[Any]:
    if isinstance(rows, JoinedRows):
        return rows.squared_norms()
    if sp.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1)).ravel().astype(rows.dtype, copy=False)
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


class NystromFeatures:
    """The map φ of a kernel through landmarks.

    >>> rows = np.random.default_rng(0).standard_normal((50, 2))
    >>> phi = NystromFeatures.fit(rows, "gaussian", landmarks=50, bandwidth=1.0).transform(rows)
    >>> bool(abs(phi @ phi.T - kernel_matrix("gaussian", rows, rows, 1.0)).max() < 1e-4)
    True
    """

    def __init__(self, kernel: str, bandwidth: float, landmarks: Matrix) -> None:
        if len(landmarks) > MOST_LANDMARKS:
            raise InputError(f"at most {MOST_LANDMARKS} landmarks are supported, not {len(landmarks)}; ask for fewer.")
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.landmarks = np.asarray(landmarks, dtype=np.float64)
        with single_threaded_blas():
            similarities = kernel_matrix(kernel, self.landmarks, self.landmarks, bandwidth)
            if not np.isfinite(similarities).all():
                raise InputError(
                    f"bandwidth {bandwidth:g} makes the kernel leave the range of numbers; give one near the distances "
                    "between rows, or scale the features."
                )
            values, vectors = scipy.linalg.eigh(similarities)
        kept = values > _NEGLIGIBLE * values[-1]
        self.projection: Matrix = vectors[:, kept] / np.sqrt(values[kept])

    @classmethod
    def fit(
        cls,
        rows: Any,
        kernel: str = "gaussian",
        *,
        landmarks: int = 256,
        bandwidth: float = 1.0,
        weights: NDArray[np.float64] | None = None,
        seed: int = 0,
    ) -> Self:
        """Choose landmarks by k-means; with as many landmarks as rows, the rows themselves are taken.

        At most 20,000 rows, drawn evenly, take part in the clustering.
        """
        return cls(kernel, bandwidth, choose_landmarks(rows, landmarks, weights=weights, seed=seed))

    @property
    def size(self) -> int:
        return int(self.projection.shape[1])

    def transform(self, rows: Any) -> Matrix:
        """(n, d) → (n, at most m)."""
        return kernel_matrix(self.kernel, rows, self.landmarks, self.bandwidth) @ self.projection


def distinct_rows(rows: Any, most: int, seed: int = 0) -> Matrix:
    """The distinct rows, dense, in an order that depends on their values alone; more than ``most`` are thinned evenly.

    >>> distinct_rows(np.array([[2.0], [1.0], [2.0]]), 5).ravel().tolist() in ([1.0, 2.0], [2.0, 1.0])
    True
    """
    table = sp.csr_array(rows, dtype=np.float64)
    table.sum_duplicates()
    ends = zip(table.indptr[:-1], table.indptr[1:])
    keys = {table.indices[a:b].tobytes() + b"|" + table.data[a:b].tobytes(): n for n, (a, b) in enumerate(ends)}
    order = np.array([keys[key] for key in sorted(keys)])
    if len(order) > most:
        order = order[np.sort(np.random.default_rng(seed).choice(len(order), most, replace=False))]
    return np.asarray(table[order].toarray())


def choose_landmarks(rows: Any, count: int, *, weights: NDArray[np.float64] | None = None, seed: int = 0) -> Matrix:
    """Centres of k-means over (at most 20,000 of) the rows, dense, shape (min(count, n), d)."""
    from sklearn.cluster import KMeans

    n = rows.shape[0]
    if count >= n:
        return np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)
    if n > _MOST_ROWS:
        picked = np.sort(np.random.default_rng(seed).choice(n, _MOST_ROWS, replace=False))
        rows, weights = rows[picked], None if weights is None else weights[picked]
    with single_threaded_blas(), single_threaded_openmp():
        model = KMeans(count, n_init=1, max_iter=25, random_state=seed).fit(rows, sample_weight=weights)
    return np.asarray(model.cluster_centers_, dtype=np.float64)
