import numpy as np
import pytest
import scipy.sparse as sp

from tacit.errors import InputError
from tacit.solvers import ridge
from tacit.solvers.admm import admm_regression
from tests import naive


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(40, 30)) * (rng.random((40, 30)) < 0.3)
    return X, rng.normal(size=(40, 19))


@pytest.mark.parametrize("formed", [2500, 0])
def test_both_ways_solve_the_normal_equations(problem, formed, monkeypatch):
    monkeypatch.setattr(ridge, "_FORMED", formed)
    X, Z = problem
    equations = ridge.NormalEquations(sp.csr_array(X), 0.7, tolerance=1e-10, iterations=500)
    np.testing.assert_allclose(equations.solve(X.T @ Z), naive.ridge(X, Z, 0.7), atol=1e-7)


@pytest.mark.parametrize("formed", [2500, 0])
def test_bits_do_not_depend_on_threads(problem, formed, monkeypatch):
    monkeypatch.setattr(ridge, "_FORMED", formed)
    X, Z = problem
    one, two = (ridge.ridge_regression(sp.csr_array(X), Z, 0.7, threads=threads) for threads in (1, 3))
    assert (one == two).all()


def test_a_warm_start_at_the_solution_stays(problem, monkeypatch):
    monkeypatch.setattr(ridge, "_FORMED", 0)
    X, Z = problem
    solution = naive.ridge(X, Z, 0.7)
    equations = ridge.NormalEquations(sp.csr_array(X), 0.7, iterations=0)
    assert (equations.solve(X.T @ Z, solution) == solution).all()


def test_admm_with_squares_is_ridge(problem):
    X, Z = problem
    found = admm_regression(sp.csr_array(X), Z, 0.7, "l2", iterations=400, tolerance=1e-10)
    np.testing.assert_allclose(found, naive.ridge(X, Z, 0.7), atol=1e-6)


def test_admm_with_absolute_values_meets_the_lasso_conditions(problem):
    """XᵀX V − XᵀZ + λ sign(V) = 0 where V ≠ 0, and within ±λ where V = 0."""
    X, Z = problem
    V = admm_regression(sp.csr_array(X), Z, 2.0, "l1", iterations=3000, tolerance=1e-10)
    slope = X.T @ (X @ V - Z)
    zero = V == 0
    assert 0.1 < zero.mean() < 0.9
    np.testing.assert_allclose(slope[~zero], -2.0 * np.sign(V[~zero]), atol=1e-5)
    assert np.abs(slope[zero]).max() <= 2.0 + 1e-5


def test_regularization_must_be_positive(problem):
    with pytest.raises(InputError, match="regularization must be positive"):
        ridge.ridge_regression(sp.csr_array(problem[0]), problem[1], 0.0)
