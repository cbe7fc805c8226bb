"""The inverse of a large symmetric positive definite matrix in float32, in place, on all threads, to the same bits.

LAPACK on several threads cuts its products by their number. Here the cuts are fixed: the matrix is swept block by block
(Gauss–Jordan elimination, each diagonal block by its Cholesky factor in float64). With the block k, its inverse
D = A_kk⁻¹ and the panel B = A_:k,

    A_ij ← A_ij − B_i D B_jᵀ     (i, j ≠ k),      A_:k ← B D,      A_kk ← −D

After all blocks A holds −A⁻¹. Only the lower triangle is worked on: m³ operations, what LAPACK's Cholesky factor and
inverse take together. Memory: the matrix, two panels and one tile per thread.
"""

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from tacit.errors import DivergedError
from tacit.threads import even_chunks, run, single_threaded_blas

BLOCK = 512
TILE = 1024

Array = NDArray[Any]


def invert(matrix: NDArray[np.float32], threads: int = 0) -> None:
    """Replace the symmetric positive definite ``matrix`` (m, m) by its inverse.

    Rows and columns are scaled to a unit diagonal first, so that entries of very different size lose no digits.

    >>> matrix = np.array([[4.0, 2.0], [2.0, 2.0]], dtype=np.float32)
    >>> invert(matrix)
    >>> matrix
    array([[ 0.5, -0.5],
           [-0.5,  1. ]], dtype=float32)
    """
    diagonal = np.diag(matrix).astype(np.float64)
    if not (np.isfinite(diagonal).all() and (diagonal > 0).all()):
        raise DivergedError("the matrix to invert has a diagonal that is not positive; raise regularization.")
    scale = (1 / np.sqrt(diagonal)).astype(np.float32)
    m = len(matrix)
    blocks = even_chunks(m, BLOCK)
    _scale(matrix, scale, threads)
    with single_threaded_blas():
        for block in blocks:
            _sweep(matrix, block, blocks, threads)
    _scale(matrix, -scale, threads, scale)
    _mirror(matrix, blocks, threads)


def _sweep(matrix: Array, block: tuple[int, int], blocks: list[tuple[int, int]], threads: int) -> None:
    start, stop = block
    pivot = matrix[start:stop, start:stop].astype(np.float64)
    try:
        factor = scipy.linalg.cho_factor(pivot, lower=True)
    except scipy.linalg.LinAlgError:
        raise DivergedError("the matrix to invert is not positive definite in float32; raise regularization.") from None
    inverse = scipy.linalg.cho_solve(factor, np.eye(stop - start)).astype(np.float32)
    # The panel's rows above the block lie in the block's own rows: only the lower triangle is kept.
    panel = np.empty((len(matrix), stop - start), dtype=np.float32)
    panel[:start] = matrix[start:stop, :start].T
    panel[stop:] = matrix[stop:, start:stop]
    panel[start:stop] = 0
    product = np.empty_like(panel)

    def multiply(first: int, last: int) -> None:
        np.dot(panel[first:last], inverse, out=product[first:last])

    def update(first: int, last: int) -> None:
        for begin, end in even_chunks(last, TILE):
            matrix[first:last, begin:end] -= product[first:last] @ panel[begin:end].T

    run(multiply, blocks, threads)
    # The longest rows first: what is left over at the end is short.
    run(update, blocks[::-1], threads)
    matrix[start:stop, :start] = product[:start].T
    matrix[stop:, start:stop] = product[stop:]
    matrix[start:stop, start:stop] = -inverse


def _mirror(matrix: Array, blocks: list[tuple[int, int]], threads: int) -> None:
    """The lower triangle copied to the upper one."""

    def copy(start: int, stop: int) -> None:
        matrix[:start, start:stop] = matrix[start:stop, :start].T
        own = matrix[start:stop, start:stop]
        own[:] = np.tril(own) + np.tril(own, -1).T

    run(copy, blocks, threads)


def _scale(matrix: Array, rows: Array, threads: int, cols: Array | None = None) -> None:
    cols = rows if cols is None else cols

    def scale(start: int, stop: int) -> None:
        matrix[start:stop] *= rows[start:stop, None]
        matrix[start:stop] *= cols

    run(scale, even_chunks(len(matrix), BLOCK), threads)
