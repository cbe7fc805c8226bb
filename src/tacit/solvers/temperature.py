"""How sure a class is: one number that turns decision values into probabilities.

With scores f and thresholds b, the decision value of class j is d_j = j·f − Σ_{i ≤ j} b_i, which is the largest of all
exactly where b_j < f ≤ b_{j+1}. The adjacent-category logit model

    P(y = j | f) = exp(a d_j) / Σ_i exp(a d_i)

has those thresholds and one free slope a, so its most probable class is always the predicted one. a maximises the
likelihood of labels given held-out scores; the labels are softened by one row's weight in all, as Platt does, which
keeps a finite when the classes are separated.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


def decision_values(scores: Vector, thresholds: Vector) -> Matrix:
    """d_j, shape (n, k).

    >>> decision_values(np.array([1.0]), np.array([0.0, 3.0]))
    array([[ 0.,  1., -1.]])
    """
    steps = np.arange(len(thresholds) + 1)
    return np.multiply.outer(scores, steps) - np.concatenate(([0.0], np.cumsum(thresholds)))


def fit_temperature(decisions: Matrix, codes: NDArray[np.intp], weights: Vector) -> float:
    """The slope a > 0 of greatest likelihood."""
    n, k = decisions.shape
    soft = 1.0 / (weights.sum() + 2.0)
    targets = np.full((n, k), soft / k)
    targets[np.arange(n), codes] += 1 - soft
    targets *= weights[:, None]
    # In units of the decision values themselves, so that the search interval suits any scale of scores.
    unit = 1.0 / max(float(np.abs(decisions - decisions.mean(axis=1, keepdims=True)).mean()), 1e-12)

    def loss(log_slope: float) -> float:
        return -float((targets * log_softmax(np.exp(log_slope) * unit * decisions, axis=1)).sum())

    result = minimize_scalar(loss, bounds=(-7.0, 7.0), method="bounded", options={"xatol": 1e-9})
    return float(np.exp(result.x) * unit)
