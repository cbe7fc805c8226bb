"""Linear item-item weights W in closed form. The scores of a row x are x W.

Dense (EASE; Steck 2019), with row weights a_x and a ridge λ_y by frequency:

    min Σ_x a_x ‖x − x W‖² + Σ_y λ_y ‖W_y·‖²,  diag W = 0:      P = (XᵀAX + Λ)⁻¹,  W_iy = −P_iy / P_yy  (i ≠ y)

Sparse (a graph filter; P3alpha and RP3beta are special cases), with d_y and u_x the total weight of columns and rows:

    W_iy = d_i^−in Σ_x x_i u_x^−row x_y d_y^−out  (i ≠ y)

Of each row i of W the K largest entries are stored. Cutting rows rather than columns leaves popular columns all their
neighbours, and a positive adds at most K terms to a row's scores.

Local: the regression of the dense weights with few columns, so that it serves any number of them. With G = XᵀAX, the
target y is regressed on the K columns c that co-occur with it most, by G_yc d_c^−½:

    (G_cc + Λ_c) w = G_cy,      W_cy = w

Of G the strongest co-occurrences of each column are stored, as many as ``stored`` says; the others count as zero.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import Csr, as_csr, transposed_cells
from tacit.kernels import linear_weights as kernels
from tacit.kernels.local_weights import local_weights as solve_locally
from tacit.solvers.definite_inverse import invert
from tacit.threads import balanced_chunks, even_chunks, run

Array = NDArray[Any]
Strongest = tuple[Array, Array, Array]
"""Cells of each of some rows of W, their columns and their values."""

GRAM_ROWS = 512
LOCAL_COLUMNS = 256
LEAST_STORED, MOST_STORED = 300, 12_000_000
"""Co-occurrences that local weights know: of a column at least, and of all columns together else at most (96 MB)."""
NEARNESS = 0.5
"""Exponent by which frequent columns count less as neighbours of local weights."""


def dense_weights(
    positives: Csr,
    ridge: float,
    *,
    row_exponent: float = 0.0,
    ridge_exponent: float = 0.0,
    threads: int = 0,
) -> NDArray[np.float32]:
    """W (m, m) with a zero diagonal.

    Parameters
    ----------
    positives : (n, m) values x
    ridge : the mean of λ_y, in units of the mean of Σ_x a_x x_y² over the columns
    row_exponent : a_x ∝ u_x^−row_exponent, with mean 1 over the positives
    ridge_exponent : λ_y ∝ d_y^ridge_exponent

    >>> dense_weights(as_csr(np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1]]), "x"), 0.5).round(2)
    array([[ 0.  ,  0.57,  0.38],
           [ 0.67,  0.  , -0.25],
           [ 0.5 , -0.29,  0.  ]], dtype=float32)
    """
    rows, cols = masses(positives)
    cells = positives.data.astype(np.float64)
    weight = rows**-row_exponent
    of_cell = np.repeat(weight, np.diff(positives.indptr))
    of_cell *= len(of_cell) / max(of_cell.sum(), 1e-300)
    gram = _gram(positives, (cells * of_cell).astype(np.float32), cells.astype(np.float32), threads)
    gram[np.diag_indices(len(gram))] = _with_ridge(np.diag(gram).astype(np.float64), cols, ridge, ridge_exponent)
    invert(gram, threads)
    own = np.diag(gram).copy()

    def divide(start: int, stop: int) -> None:
        gram[start:stop] /= -own

    run(divide, even_chunks(len(gram), GRAM_ROWS), threads)
    np.fill_diagonal(gram, 0.0)
    return gram


def sparse_weights(positives: Csr, exponents: tuple[float, float, float], keep: int, *, threads: int = 0) -> Csr:
    """W (m, m) by row, at most ``keep`` cells in each row, for the exponents (in, row, out).

    >>> X = as_csr(np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1]]), "x")
    >>> sparse_weights(X, (1.0, 1.0, 0.0), 2).toarray().round(2)
    array([[0.  , 0.33, 0.17],
           [0.5 , 0.  , 0.  ],
           [0.5 , 0.  , 0.  ]], dtype=float32)
    """
    by_row = exponents[1]
    rows, cols = masses(positives)
    m = positives.shape[1]
    share = np.repeat(rows**-by_row, np.diff(positives.indptr)).astype(np.float32)
    share *= positives.data
    starts, rows_of_col, (of_col, _) = transposed_cells(positives, (share, share[:0]))
    ends = Ends.of(cols, exponents, keep)

    def block(first: int, last: int) -> Strongest:
        sums, best, strength = ends.room(last - first)
        kernels.strongest_targets(
            first, last, starts, rows_of_col, of_col, positives.indptr, positives.indices, positives.data,
            ends.target, sums, sums.view(np.int32), best, strength,
        )  # fmt: skip
        return ends.listed(first, best, strength)

    return joined(run(block, balanced_chunks(starts), threads), m)


def local_weights(
    positives: Csr,
    co_occurrence: Csr,
    ridge: float,
    keep: int,
    *,
    row_exponent: float = 0.5,
    ridge_exponent: float = 0.5,
    threads: int = 0,
) -> Csr:
    """W (m, m) by row: in each column the weights of at most ``keep`` others.

    ``co_occurrence`` are the ``sparse_weights`` of the positives with the exponents (0, row_exponent, ``NEARNESS``);
    the others are as for ``dense_weights``.

    >>> X = as_csr(np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1]]), "x")
    >>> local_weights(X, sparse_weights(X, (0, 0, NEARNESS), 2), 0.5, 1, row_exponent=0.0).toarray().round(2)
    array([[0.  , 0.47, 0.24],
           [0.66, 0.  , 0.  ],
           [0.  , 0.  , 0.  ]], dtype=float32)
    """
    rows, cols = masses(positives)
    m = positives.shape[1]
    squares = np.square(positives.data, dtype=np.float64) * np.repeat(rows**-row_exponent, np.diff(positives.indptr))
    own = np.bincount(positives.indices, squares, minlength=m)
    diagonal = _with_ridge(own, cols, ridge, ridge_exponent)
    added, diagonal = (diagonal - own).astype(np.float32), diagonal.astype(np.float32)
    scale = (cols**NEARNESS).astype(np.float32)
    values = co_occurrence.data
    cells = co_occurrence.indptr, co_occurrence.indices, values, values.view(np.int32)
    width = min(keep, int(np.diff(co_occurrence.indptr).max(initial=1)))

    def block(first: int, last: int) -> tuple[Array, Array, Array]:
        best, weight = np.empty((last - first, width), np.int32), np.empty((last - first, width), np.float32)
        solve_locally(first, last, *cells, scale, diagonal, added, best, weight)
        target, index = np.nonzero(best >= 0)
        return best[target, index], target + first, weight[target, index]

    source, target, weight = (np.concatenate(part) for part in zip(*run(block, even_chunks(m, LOCAL_COLUMNS), threads)))
    return as_csr(sp.csr_array((weight, (source, target)), shape=(m, m)), "weights", allow_empty=True)


def stored(columns: int) -> int:
    """Co-occurrences of each of so many columns that local weights know.

    >>> stored(3), stored(10_000), stored(1_000_000)
    (2, 1200, 300)
    """
    return min(max(1, columns - 1), max(LEAST_STORED, MOST_STORED // columns))


def _with_ridge(diagonal: Array, cols: Array, ridge: float, exponent: float) -> Array:
    """A Gram matrix's diagonal and λ_y ∝ d_y^exponent, whose mean is ``ridge`` times that of the diagonal."""
    spread = cols**exponent
    return np.asarray(diagonal + ridge * diagonal.mean() * spread / spread.mean())


def from_sources(weights: Csr, positives: Csr, into: float) -> Csr:
    """Sparse weights that were made with in = 0, for another exponent ``into``: the same cells are the strongest."""
    _, cols = masses(positives)
    scale = np.repeat((cols**-into).astype(np.float32), np.diff(weights.indptr))
    return as_csr(
        sp.csr_array((weights.data * scale, weights.indices, weights.indptr), shape=weights.shape),
        "weights", allow_empty=True,
    )  # fmt: skip


@dataclass(frozen=True)
class Ends:
    """What the columns weigh as those that speak and as those that are scored, and how many of these are kept."""

    source: NDArray[np.float32]
    target: NDArray[np.float32]
    keep: int

    @classmethod
    def of(cls, cols: Array, exponents: tuple[float, float, float], keep: int) -> "Ends":
        """From the masses of the columns."""
        into, _, out = exponents
        source, target = ((cols**-power).astype(np.float32) for power in (into, out))
        return cls(source, target, min(keep, max(1, len(cols) - 1)))

    def room(self, columns: int) -> tuple[Array, Array, Array]:
        """Sums of zero, and places for the strongest of so many columns and for their strengths."""
        best = np.empty((columns, self.keep), dtype=np.int32)
        return np.zeros(len(self.target), np.float32), best, np.empty(best.shape, np.float32)

    def listed(self, first: int, best: Array, strength: Array) -> Strongest:
        """The places that are filled, for columns from ``first`` on."""
        i, k = np.nonzero(best >= 0)
        return np.bincount(i, minlength=len(best)), best[i, k], strength[i, k] * self.source[i + first]


def joined(parts: Sequence[Strongest], m: int) -> Csr:
    """W from the blocks of its rows."""
    counts, y, w = (np.concatenate(part) for part in zip(*parts))
    indptr = np.concatenate(([0], np.cumsum(counts)))
    return as_csr(sp.csr_array((w, y, indptr), shape=(m, m)), "weights", allow_empty=True)


def scores(positives: Csr, weights: Array | Csr, start: int, stop: int) -> NDArray[np.float32]:
    """x W (stop - start, m) for the rows start..stop-1 of ``positives``."""
    block = np.zeros((stop - start, weights.shape[1]), dtype=np.float32)
    x = (start, stop, positives.indptr, positives.indices, positives.data)
    if isinstance(weights, np.ndarray):
        kernels.add_dense_rows(*x, weights, block)
    else:
        kernels.add_sparse_rows(*x, weights.indptr, weights.indices, weights.data, block)
    return block


def masses(positives: sp.csr_array) -> tuple[Array, Array]:
    """Sums of the values per row and per column; 1 where there are none, so that any power of them is finite."""
    n, m = positives.shape
    of_row = np.repeat(np.arange(n), np.diff(positives.indptr))
    rows = np.bincount(of_row, positives.data, minlength=n)
    cols = np.bincount(positives.indices, positives.data, minlength=m)
    return np.where(rows > 0, rows, 1.0), np.where(cols > 0, cols, 1.0)


def _gram(positives: Csr, left: Array, right: Array, threads: int) -> NDArray[np.float32]:
    """leftᵀ right as a dense matrix, for two sets of values of the same cells; nothing else of its size is held."""
    m = positives.shape[1]
    by_row = positives.indptr, positives.indices, right
    starts, rows_of_col, (of_col, _) = transposed_cells(positives, (left, left[:0]))
    gram = np.zeros((m, m), dtype=np.float32)

    def fill(start: int, stop: int) -> None:
        kernels.add_sparse_rows(start, stop, starts, rows_of_col, of_col, *by_row, gram[start:stop])

    run(fill, even_chunks(m, GRAM_ROWS), threads)
    return gram
