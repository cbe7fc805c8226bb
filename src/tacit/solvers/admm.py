"""Regression by the alternating direction method of multipliers (Boyd et al. 2011), with a ridge or a lasso.

    min ½‖X V − Z‖² + h(W)   subject to V = W,    h(W) = λ/2 ‖W‖²  or  λ‖W‖₁

    V ← (XᵀX + ρI)⁻¹ (XᵀZ + ρ(W − U))
    W ← shrink(V + U)              U ← U + V − W

The first step is a ridge regression with the same matrix every time, so its factorisation is reused.
"""

from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.solvers.ridge import NormalEquations

Array = NDArray[np.float64]
Penalty = Literal["l1", "l2"]


def admm_regression(
    X: sp.csr_array,
    Z: Array,
    regularization: float,
    penalty: Penalty = "l2",
    *,
    step: float = 1.0,
    iterations: int = 30,
    tolerance: float = 1e-4,
    threads: int = 0,
) -> Array:
    """W (d, g); under ``"l1"`` most of it is exactly zero.

    Stops when V and W agree and W has come to rest, both relative to the size of W.

    >>> X = sp.csr_array([[1.0, 0.0], [0.0, 2.0]])
    >>> admm_regression(X, np.array([[1.0], [0.1]]), 0.5, "l1").round(2).tolist()
    [[0.5], [0.0]]
    """
    equations = NormalEquations(X, step, tolerance=1e-5, threads=threads)
    right = np.asarray(equations.X.T @ Z)
    W = np.zeros_like(right)
    dual = np.zeros_like(right)
    V = W
    for _ in range(iterations):
        V = equations.solve(right + step * (W - dual), V)
        before, W = W, _shrink(V + dual, regularization, step, penalty)
        dual += V - W
        size = max(float(np.linalg.norm(W)), 1e-12)
        if np.linalg.norm(V - W) <= tolerance * size and np.linalg.norm(W - before) <= tolerance * size:
            break
    return W


def _shrink(values: Array, regularization: float, step: float, penalty: Penalty) -> Array:
    if penalty == "l2":
        return values * (step / (step + regularization))
    return np.sign(values) * np.maximum(np.abs(values) - regularization / step, 0.0)
