"""Least squares over all cells from one factorisation for all labels.

    min_F  Σ_{all x,y} w_xy (t_xy − f_y(x))² + λ ‖f_y‖²,        w = c_y where x has label y, else 1

In a kernel's own space f_y = Σ_i α_iy k(·, x_i), and with equal weights α = (K + λI)⁻¹ T for every label at once. The
prediction of a row by a model that never saw it needs no second fit: t_i − α_i / (K + λI)⁻¹_ii.

Where weights differ by label, each has a matrix of its own, C + E_y with C = K + λI and E_y = −λ(1 − 1/c_y) at the
label's rows. The factor of C is then the preconditioner of conjugate gradients on all labels, and because C z = r is
known for every step z = C⁻¹ r, no product with K is ever formed.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import threads as pool
from tacit.solvers.cholesky import Cholesky

Array = NDArray[Any]

_LABELS = 256


def solve_all(factor: Cholesky, targets: sp.csr_array | Array, weight: Array | None, ridge: float, steps: int) -> Array:
    """α (n, L) for all labels; ``weight`` (L,) is c of each label, None where all are 1.

    >>> factor = Cholesky(np.array([[2.0]]) + 1.0, "raise regularization")
    >>> solve_all(factor, np.array([[1.0]]), np.array([4.0]), ridge=1.0, steps=1).round(4).tolist()  # 1 / (2 + 1/4)
    [[0.4444]]
    """
    n, labels = targets.shape
    solution = np.empty((n, labels), factor.lower.dtype)
    columns = targets if isinstance(targets, np.ndarray) else sp.csc_array(targets)
    for first, last in pool.even_chunks(labels, _LABELS):
        part = columns[:, first:last]
        right = part if isinstance(part, np.ndarray) else part.toarray()
        right = np.asarray(right, dtype=factor.lower.dtype)
        if weight is None:
            solution[:, first:last] = factor.solve(right)
            continue
        change = np.where(right > 0, -ridge * (1 - 1 / weight[first:last]), 0.0).astype(right.dtype)
        solution[:, first:last] = conjugate_gradients(factor, partial(np.multiply, change), right, steps)
    return solution


def conjugate_gradients(factor: Cholesky, extra: Callable[[Array], Array], right: Array, steps: int) -> Array:
    """Solutions of (C + E) x = b for all columns b, preconditioned by C; ``extra`` multiplies by E."""
    residual = right.copy()
    stretched = factor.solve(residual)
    solution = np.zeros_like(right)
    direction, image = stretched, residual.copy()
    energy = np.einsum("ij,ij->j", residual, stretched)
    for _ in range(steps):
        product = image + extra(direction)
        curvature = np.einsum("ij,ij->j", direction, product)
        step = np.divide(energy, curvature, out=np.zeros_like(energy), where=curvature > 0)
        solution += step * direction
        residual -= step * product
        stretched = factor.solve(residual)
        before, energy = energy, np.einsum("ij,ij->j", residual, stretched)
        turn = np.divide(energy, before, out=np.zeros_like(energy), where=before > 0)
        direction = stretched + turn * direction
        # C times the direction: C z is the residual, and the rest is carried along.
        image = residual + turn * image
    return solution


def leave_one_out(factor: Cholesky, targets: Array, coefficients: Array) -> Array:
    """What each row would be given by a model fitted on all the others, (n, L)."""
    return np.asarray(targets - coefficients / factor.inverse_diagonal()[:, None])
