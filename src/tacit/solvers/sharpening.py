"""Sharpening: sparse item-item weights with part of their leading directions removed.

With N = U^(−row/2) X D^(−1/2) the sparse weights are D^(1/2−in) NᵀN D^(1/2−out), except for the diagonal. As a filter
they keep every eigenvalue λ of NᵀN, so popular columns dominate the scores. With the r leading right singular vectors
V of N and their values σ,

    W′ = W − δ D^(1/2−in) V (Σ⁴ / σ_1²) Vᵀ D^(1/2−out)

has λ − δ λ²/λ_1 in place of those λ (as BSPM sharpens; Choi, Hong, Park and Cho 2022, arXiv:2211.09324). The rank
stays full. The correction is stored as two narrow matrices.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import Csr
from tacit.solvers import linear_weights
from tacit.solvers.linear_weights import masses
from tacit.threads import even_chunks, run, single_threaded_blas

Array = NDArray[Any]

COMPONENTS, MORE, ROUNDS = 128, 16, 3
"""Directions, what the search for them carries besides, and its rounds: the last of them need not be exact."""
ROWS_AT_ONCE = 4096


@dataclass(frozen=True)
class Leading:
    """The leading right singular vectors V (m, r) of N and their values σ (r,), the largest first."""

    vectors: NDArray[np.float32]
    values: NDArray[np.float64]


def leading(positives: Csr, by_row: float, threads: int = 0) -> Leading:
    """Those of N by subspace iteration, from a fixed start: the same bits at any number of threads.

    >>> from tacit.data.matrix import as_csr
    >>> result = leading(as_csr(np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1]]), "x"), 1.0)
    >>> result.values.round(3)
    array([1.   , 0.707, 0.   ])
    """
    rows, cols = masses(positives)
    n, m = positives.shape
    cells = positives.data * np.repeat(rows ** (-by_row / 2), np.diff(positives.indptr))
    cells *= cols[positives.indices] ** -0.5
    scaled = sp.csr_array((cells.astype(np.float32), positives.indices, positives.indptr), shape=(n, m))
    turned = scaled.T.tocsr()
    width = min(COMPONENTS, n, m)
    with single_threaded_blas():
        basis = np.random.default_rng(0).standard_normal((m, min(width + MORE, n, m)), dtype=np.float32)
        for _ in range(ROUNDS):
            basis, _ = np.linalg.qr(_product(turned, _product(scaled, basis, threads), threads))
        seen = _product(scaled, basis, threads)
        squares, turn = np.linalg.eigh((seen.T @ seen).astype(np.float64))
        order = np.argsort(-squares, kind="stable")[:width]
        vectors = basis @ turn[:, order].astype(np.float32)
    return Leading(vectors, np.sqrt(np.maximum(squares[order], 0.0)))


@dataclass(frozen=True)
class Sharpened:
    """W′ = ``sparse`` − ``left`` ``right``ᵀ, of shapes (m, m), (m, r) and (m, r)."""

    sparse: Csr
    left: NDArray[np.float32]
    right: NDArray[np.float32]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.left), len(self.right)

    def toarray(self) -> NDArray[np.float32]:
        dense: NDArray[np.float32] = self.sparse.toarray() - self.left @ self.right.T
        return dense

    def __getitem__(self, cell: tuple[int, int]) -> float:
        i, y = cell
        return float(self.sparse[i, y]) - float(self.left[i] @ self.right[y])


def scores(positives: Csr, weights: Array | Csr | Sharpened, start: int, stop: int) -> NDArray[np.float32]:
    """x W (stop - start, m) for the rows start..stop-1 of ``positives``, for weights of any form."""
    return next(scores_at(positives, weights, (1.0,), start, stop))


def scores_at(
    positives: Csr, weights: Array | Csr | Sharpened, factors: Sequence[float], start: int, stop: int
) -> Iterator[NDArray[np.float32]]:
    """The same with ``left`` ``right``ᵀ taken away so many times, one after the other from the same two products."""
    if not isinstance(weights, Sharpened):
        yield linear_weights.scores(positives, weights, start, stop)
        return
    block = linear_weights.scores(positives, weights.sparse, start, stop)
    first, last = positives.indptr[start], positives.indptr[stop]
    cells = positives.data[first:last], positives.indices[first:last], positives.indptr[start : stop + 1] - first
    low = (sp.csr_array(cells, shape=(stop - start, len(weights.left))) @ weights.left) @ weights.right.T
    for factor in factors:
        yield block - np.float32(factor) * low


def sharpened(
    weights: Csr, positives: Csr, exponents: tuple[float, float, float], result: Leading, strength: float
) -> Sharpened:
    """W′ for sparse weights W of these exponents (in, row, out), with δ = ``strength``."""
    into, _, out = exponents
    _, cols = masses(positives)
    scaled = result.vectors * (np.sqrt(strength) * result.values**2 / max(result.values[0], 1e-30)).astype(np.float32)
    left, right = (scaled * (cols ** (0.5 - power)).astype(np.float32)[:, None] for power in (into, out))
    return Sharpened(weights, left, right)


def _product(matrix: sp.csr_array, dense: Array, threads: int) -> NDArray[np.float32]:
    parts = run(lambda start, stop: matrix[start:stop] @ dense, even_chunks(matrix.shape[0], ROWS_AT_ONCE), threads)
    return np.concatenate(parts)
