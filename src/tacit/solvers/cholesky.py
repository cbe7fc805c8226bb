"""Cholesky factors of large dense matrices, in place, on the thread pool.

    A = L Lᵀ,     column block k:  L_·k = (A_·k − L_·<k L_k<kᵀ) L_kk^−ᵀ

The blocks depend on the size alone and BLAS runs on one thread inside each, so the bits do not depend on the number of
threads. The upper triangle of the array is neither read nor written.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import get_lapack_funcs, solve_triangular

from tacit import threads as pool
from tacit.errors import DivergedError

Array = NDArray[Any]

_BLOCK = 512
_RIGHT_SIDES = 64


class Cholesky:
    """A factorised matrix: solves for right sides, and knows the diagonal of its inverse.

    Parameters
    ----------
    matrix : (n, n) symmetric and positive definite, float32 or float64, C order; overwritten by L
    remedy : what to change when it is not positive definite, for the sentence

    >>> factor = Cholesky(np.array([[4.0, 2.0], [2.0, 3.0]]), "raise regularization")
    >>> bool(np.allclose(factor.solve(np.array([[2.0], [3.0]])), [[0.0], [1.0]]))
    True
    """

    def __init__(self, matrix: Array, remedy: str, threads: int = 0) -> None:
        self.lower, self.threads = matrix, threads
        n = len(matrix)
        (factorise,) = get_lapack_funcs(("potrf",), (matrix,))
        with pool.single_threaded_blas():
            for start, end in pool.even_chunks(n, _BLOCK):
                if start:
                    pool.run(self._subtract, [(start, end, *rows) for rows in _rows_from(start, n)], threads)
                block, failed = factorise(matrix[start:end, start:end], lower=1, clean=1)
                if failed or not np.all(np.isfinite(block)):
                    raise DivergedError(
                        f"a matrix of {n} rows is not positive definite in {matrix.dtype} at row {start}; {remedy}."
                    )
                matrix[start:end, start:end] = block
                pool.run(self._divide, [(start, end, *rows) for rows in _rows_from(end, n)], threads)

    def _subtract(self, start: int, end: int, first: int, last: int) -> None:
        L = self.lower
        L[first:last, start:end] -= L[first:last, :start] @ L[start:end, :start].T

    def _divide(self, start: int, end: int, first: int, last: int) -> None:
        L = self.lower
        block = np.asfortranarray(L[start:end, start:end])
        L[first:last, start:end] = solve_triangular(block, L[first:last, start:end].T, lower=True, check_finite=False).T

    def solve(self, right: Array) -> Array:
        """A⁻¹ B for B (n, g)."""

        def solve_block(first: int, last: int) -> Array:
            half = solve_triangular(self.lower, right[:, first:last], lower=True, check_finite=False)
            return np.asarray(solve_triangular(self.lower, half, lower=True, trans=1, check_finite=False))

        return self._by_blocks(solve_block, right.shape[1])

    def inverse_diagonal(self) -> Array:
        """(n,) diagonal of A⁻¹ = L⁻ᵀ L⁻¹: the squared lengths of the columns of L⁻¹.

        Columns M of L⁻¹ solve L M = I, block of rows by block of rows: M_i = L_ii⁻¹ (I_i − L_i<i M_<i).
        """
        L = self.lower
        blocks = pool.even_chunks(len(L), _BLOCK)

        def squares(number: int) -> Array:
            # Columns from ``start`` on begin with as many zeros.
            start, end = blocks[number]
            columns = np.empty((len(L) - start, end - start), L.dtype)
            right = np.eye(end - start, dtype=L.dtype)
            for first, last in blocks[number:]:
                if first > start:
                    right = -(L[first:last, start:first] @ columns[: first - start])
                block = np.asfortranarray(L[first:last, first:last])
                columns[first - start : last - start] = solve_triangular(block, right, lower=True, check_finite=False)
            return np.asarray(np.einsum("ij,ij->j", columns, columns))

        with pool.single_threaded_blas():
            return np.concatenate(pool.run(squares, [(number,) for number in range(len(blocks))], self.threads))

    def _by_blocks(self, work: Any, width: int) -> Array:
        with pool.single_threaded_blas():
            return np.concatenate(pool.run(work, pool.even_chunks(width, _RIGHT_SIDES), self.threads), axis=1)


def _rows_from(start: int, n: int) -> list[tuple[int, int]]:
    return [(start + first, start + last) for first, last in pool.even_chunks(n - start, _BLOCK)]
