"""Ridge regression of many targets on sparse features.

    min_V ‖X V − Z‖² + λ ‖V‖²      (XᵀX + λI) V = XᵀZ

Few features: the Gram matrix is formed and factorised once. Many: conjugate gradients on all targets, matrix-free,
with the diagonal as preconditioner; each target stops when its own residual is small. Targets are cut into blocks
of fixed width that run on the thread pool, so the bits do not depend on the number of threads.
"""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from tacit import threads as pool
from tacit.errors import DivergedError, InputError

Array = NDArray[np.float64]

_FORMED = 2500
_WIDTH = 16


class NormalEquations:
    """XᵀX + λI for one X and λ, ready to be solved for several right sides.

    Parameters
    ----------
    X : (n, d) sparse features
    ridge : λ > 0
    tolerance : conjugate gradients stop when a target's residual is below this part of its right side
    iterations : conjugate gradient steps at most
    """

    def __init__(
        self, X: sp.csr_array, ridge: float, *, tolerance: float = 1e-3, iterations: int = 50, threads: int = 0
    ) -> None:
        if not ridge > 0:
            raise InputError(f"regularization must be positive, not {ridge!r}.")
        self.X = sp.csr_array(X, dtype=np.float64)
        self.ridge = ridge
        self.tolerance, self.iterations, self.threads = tolerance, iterations, threads
        self._solve: Callable[[Array, Array | None], Array]
        if X.shape[1] <= _FORMED:
            gram = sp.csr_array(self.X.T @ self.X).toarray()
            gram[np.diag_indices_from(gram)] += ridge
            with pool.single_threaded_blas():
                try:
                    factor = cho_factor(gram, overwrite_a=True, check_finite=False)
                except LinAlgError:
                    raise DivergedError(
                        "the features' products are not positive definite in double precision; raise regularization."
                    ) from None
            self._solve = lambda right, _start: cho_solve(factor, right, check_finite=False)
        else:
            self.flipped = sp.csr_array(self.X.T)
            squares = sp.csr_array((self.X.data**2, self.X.indices, self.X.indptr), shape=X.shape)
            self.diagonal = np.asarray(squares.sum(axis=0)) + ridge
            self._solve = self._conjugate_gradients

    def solve(self, right: Array, start: Array | None = None) -> Array:
        """V for the right side ``right`` (d, g), from ``start`` where steps are taken."""
        blocks = pool.even_chunks(right.shape[1], _WIDTH)

        def solve_block(first: int, last: int) -> Array:
            guess = None if start is None else start[:, first:last]
            return self._solve(np.ascontiguousarray(right[:, first:last]), guess)

        with pool.single_threaded_blas():
            solution = np.concatenate(pool.run(solve_block, blocks, self.threads), axis=1)
        if not np.all(np.isfinite(solution)):
            raise DivergedError("the regression on the features gave NaN or infinity; raise regularization.")
        return solution

    def _product(self, V: Array) -> Array:
        return np.asarray(self.flipped @ (self.X @ V)) + self.ridge * V

    def _conjugate_gradients(self, right: Array, start: Array | None) -> Array:
        V = np.zeros_like(right) if start is None else start.copy()
        residual = right - self._product(V) if start is not None else right.copy()
        target = self.tolerance * np.linalg.norm(right, axis=0)
        stretched = residual / self.diagonal[:, None]
        direction = stretched.copy()
        energy = np.einsum("ij,ij->j", residual, stretched)
        for _ in range(self.iterations):
            if np.all(np.linalg.norm(residual, axis=0) <= target):
                break
            image = self._product(direction)
            curvature = np.einsum("ij,ij->j", direction, image)
            step = np.divide(energy, curvature, out=np.zeros_like(energy), where=curvature > 0)
            V += step * direction
            residual -= step * image
            stretched = residual / self.diagonal[:, None]
            before, energy = energy, np.einsum("ij,ij->j", residual, stretched)
            direction = stretched + np.divide(energy, before, out=np.zeros_like(energy), where=before > 0) * direction
        return V


def ridge_regression(X: sp.csr_array, Z: Array, ridge: float, *, threads: int = 0) -> Array:
    """V (d, g) that minimises ‖XV − Z‖² + ridge·‖V‖².

    >>> X = sp.csr_array([[1.0, 0.0], [0.0, 2.0]])
    >>> ridge_regression(X, np.array([[1.0], [1.0]]), ridge=1.0).round(3).tolist()
    [[0.5], [0.4]]
    """
    equations = NormalEquations(X, ridge, threads=threads)
    return equations.solve(np.asarray(equations.X.T @ Z))
