"""Kernel ridge over all cells against dense float64 oracles."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.solvers.cholesky import Cholesky
from tacit.solvers.kernel_ridge import leave_one_out, solve_all
from tests import naive


def problem(seed=0, n=30, labels=4):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, 5))
    K = np.exp(-((rows[:, None] - rows[None]) ** 2).sum(axis=2) / 8)
    return K, (rng.random((n, labels)) < 0.3).astype(float)


@pytest.mark.parametrize("weight", [None, np.array([1.0, 0.5, 3.0, 20.0])])
def test_the_weighted_objective_is_minimised(weight):
    K, Y = problem()
    factor = Cholesky(K + 0.4 * np.eye(len(K)), "")
    found = solve_all(factor, sp.csr_array(Y), weight, 0.4, steps=60)
    c = np.ones(4) if weight is None else weight
    np.testing.assert_allclose(found, naive.kernel_ridge(K, Y, np.where(Y > 0, c, 1.0), 0.4), atol=1e-8)


def test_the_gradient_at_the_solution_vanishes_by_finite_differences():
    K, Y = problem(1)
    weight = np.where(Y > 0, 5.0, 1.0)
    alpha = solve_all(Cholesky(K + 0.3 * np.eye(len(K)), ""), Y, np.full(4, 5.0), 0.3, steps=60)

    def objective(alpha):
        scores = K @ alpha
        return float(np.sum(weight * (Y - scores) ** 2) + 0.3 * np.sum(alpha * scores))

    rng = np.random.default_rng(2)
    for _ in range(5):
        direction = rng.standard_normal(alpha.shape)
        slope = (objective(alpha + 1e-4 * direction) - objective(alpha - 1e-4 * direction)) / 2e-4
        assert abs(slope) < 1e-6


def test_leave_one_out_is_what_fits_without_the_row_say():
    K, Y = problem(3, n=12)
    factor = Cholesky(K + 0.2 * np.eye(12), "")
    honest = leave_one_out(factor, Y, factor.solve(Y))
    for row in range(12):
        rest = np.setdiff1d(np.arange(12), row)
        alpha = naive.kernel_ridge(K[np.ix_(rest, rest)], Y[rest], np.ones((11, 4)), 0.2)
        np.testing.assert_allclose(honest[row], K[row, rest] @ alpha, atol=1e-10)


def test_few_steps_are_near_where_positives_are_few():
    K, Y = problem(4, n=60)
    factor = Cholesky(K + 0.5 * np.eye(60), "")
    exact = naive.kernel_ridge(K, Y, np.where(Y > 0, 3.0, 1.0), 0.5)
    near = solve_all(factor, Y, np.full(4, 3.0), 0.5, steps=5)
    assert np.abs(K @ (near - exact)).max() < 1e-3
