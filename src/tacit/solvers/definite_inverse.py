"""The inverse of a large symmetric positive definite matrix in float32, in place, on all threads, to the same bits.

LAPACK cuts its products by the number of threads, so its bits depend on that number. Here the cuts are fixed. With
A = L Lᵀ (``cholesky``) and M = L⁻¹, for column blocks j from the last to the first, and then for row blocks i from the
first to the last,

    M_:j = −M_:: (L_:j M_jj)   (rows below the block),     A⁻¹_ij = M_:iᵀ M_:j   (j ≤ i, over the rows from i on)

Every block is written once, as one long product, and those on the diagonal as half of one. Only the lower triangle is
worked on: m³ operations, as many as LAPACK takes. Memory: the matrix, one panel and a tile per thread.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import get_blas_funcs, get_lapack_funcs

from tacit.errors import DivergedError
from tacit.solvers.cholesky import Cholesky
from tacit.threads import even_chunks, run, single_threaded_blas

BLOCK = 384
_TILE = 1024
"""Columns of a block of rows that are made at once: wider than a block, so that long rows are read."""

Array = NDArray[Any]


def invert(matrix: NDArray[np.float32], threads: int = 0) -> None:
    """Replace the symmetric positive definite ``matrix`` (m, m) by its inverse.

    Rows and columns are scaled to a unit diagonal first, so that entries of very different size lose no digits.

    >>> matrix = np.array([[4.0, 2.0], [2.0, 2.0]], dtype=np.float32)
    >>> invert(matrix)
    >>> matrix.round(4)
    array([[ 0.5, -0.5],
           [-0.5,  1. ]], dtype=float32)
    """
    diagonal = np.diag(matrix).astype(np.float64)
    if not (np.isfinite(diagonal).all() and (diagonal > 0).all()):
        raise DivergedError("the matrix to invert has a diagonal that is not positive; raise regularization.")
    scale = (1 / np.sqrt(diagonal)).astype(np.float32)
    blocks = even_chunks(len(matrix), BLOCK)
    _scale(matrix, scale, blocks, threads)
    Cholesky(matrix, "raise regularization", threads)
    with single_threaded_blas():
        for block in blocks[::-1]:
            _invert_column(matrix, block, threads)
        for block in blocks:
            _multiply_row(matrix, block, threads)
    _scale(matrix, scale, blocks, threads)
    _mirror(matrix, blocks, threads)


def _invert_column(matrix: Array, block: tuple[int, int], threads: int) -> None:
    """M_:j of the rows from block j on, where those below and to the right of it hold M already."""
    start, stop = block
    (invert_triangle,) = get_lapack_funcs(("trtri",), (matrix,))
    (times_triangle,) = get_blas_funcs(("trmm",), (matrix,))
    # Above the diagonal the factor leaves what was there.
    own = np.tril(invert_triangle(matrix[start:stop, start:stop], lower=1)[0])
    # own is a triangle: half the operations of a product with a square.
    panel = times_triangle(-1.0, own.T, matrix[stop:, start:stop].T, lower=0).T
    matrix[start:stop, start:stop] = own

    def multiply(first: int, last: int) -> None:
        matrix[first:last, start:stop] = matrix[first:last, stop:last] @ panel[: last - stop]

    # The longest products first: what is left over at the end is short.
    below = [(stop + first, stop + last) for first, last in even_chunks(len(matrix) - stop, BLOCK)]
    run(multiply, below[::-1], threads)


def _multiply_row(matrix: Array, block: tuple[int, int], threads: int) -> None:
    """A⁻¹_ij of block i and all columns up to its last, where its own rows and those below hold M."""
    start, stop = block
    panel = matrix[start:, start:stop].T.copy()
    (with_itself,) = get_blas_funcs(("syrk",), (matrix,))

    def multiply(first: int, last: int) -> None:
        if first == start:
            matrix[start:stop, start:stop] = with_itself(1.0, panel.T, trans=1).T
        else:
            matrix[start:stop, first:last] = panel @ matrix[start:, first:last]

    run(multiply, [*even_chunks(start, _TILE), block], threads)


def _mirror(matrix: Array, blocks: list[tuple[int, int]], threads: int) -> None:
    """The lower triangle copied to the upper one."""

    def copy(start: int, stop: int) -> None:
        matrix[:start, start:stop] = matrix[start:stop, :start].T
        own = matrix[start:stop, start:stop]
        own[:] = np.tril(own) + np.tril(own, -1).T

    run(copy, blocks, threads)


def _scale(matrix: Array, scale: Array, blocks: list[tuple[int, int]], threads: int) -> None:
    """Rows and columns of the lower triangle times ``scale``."""

    def multiply(start: int, stop: int) -> None:
        rows = matrix[start:stop, :stop]
        rows *= scale[start:stop, None]
        rows *= scale[:stop]

    run(multiply, blocks, threads)
