"""Alternating least squares against the dense normal equations."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tacit.errors import DivergedError, InputError, UnsoundCombinationError
from tacit.objective.losses import custom_loss
from tacit.objective.two_towers import Parameters, TwoTowers
from tacit.progress import Run
from tacit.solvers import als
from tacit.solvers.alternation import alternate
from tests import naive
from tests.problems import make_problem


def sweep(problem, method, sweeps, dtype=np.float64, threads=1, **options):
    objective = problem.objective(dtype)
    P, Q = problem.factors(dtype)
    with Run("als", sweeps, progress=False) as run:
        alternate(
            TwoTowers.of_ids(objective, P.shape[1]),
            Parameters(P.reshape(-1), Q.reshape(-1)),
            als.AlternatingLeastSquares(method=method),
            run,
            n_threads=threads,
            **options,
        )
    return objective, P, Q, run.history


@pytest.mark.parametrize("loss", ["square", "logistic", "squared_hinge"])
@pytest.mark.parametrize("t", [0.0, -0.3])
def test_value_equals_the_sum_over_every_cell(loss, t):
    problem = make_problem(seed=1, loss=loss, t=t)
    expected = naive.whole_data_value(
        problem.P, problem.Q, *problem.parts, problem.row_ridge, problem.col_ridge, loss=loss
    )
    assert problem.objective().value(problem.P, problem.Q) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("factors", [4, als.SOLVE_BY_CHOLESKY_UP_TO + 5])
@pytest.mark.parametrize("side", ["rows", "cols"])
def test_exact_solve_is_the_dense_minimiser(factors, side):
    problem = make_problem(seed=2, g=factors)
    objective = problem.objective()
    P, Q = problem.factors()
    if side == "rows":
        als.solve_exactly(objective.rows, P, Q)
        expected = [naive.best_row(x, Q, *problem.parts, problem.row_ridge) for x in range(len(P))]
        np.testing.assert_allclose(P, expected, rtol=0, atol=1e-5 if factors > 32 else 1e-10)
    else:
        als.solve_exactly(objective.cols, Q, P)
        dense, weight, target, a, b, t = problem.parts
        flipped = (dense.T, weight.T, target.T, b, a, t)
        expected = [naive.best_row(y, P, *flipped, problem.col_ridge) for y in range(len(Q))]
        np.testing.assert_allclose(Q, expected, rtol=0, atol=1e-5 if factors > 32 else 1e-10)


@pytest.mark.parametrize("method", ["cholesky", "cg", "blocks"])
def test_reported_objective_is_the_objective(method):
    objective, P, Q, history = sweep(make_problem(seed=3, g=6), method, 5)
    assert history[-1]["objective"] == pytest.approx(objective.value(P, Q), rel=1e-10)


@pytest.mark.parametrize("method", ["cholesky", "cg", "blocks"])
def test_objective_never_rises(method):
    _, _, _, history = sweep(make_problem(seed=4, g=6), method, 8)
    values = [record["objective"] for record in history]
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(values))


def test_all_methods_reach_the_same_minimum(monkeypatch):
    monkeypatch.setattr(als, "BLOCK", 2)
    problem = make_problem(seed=5, g=5)
    problem.row_ridge += 1.0
    problem.col_ridge += 1.0
    values = [sweep(problem, method, 60)[3][-1]["objective"] for method in ("cholesky", "cg", "blocks")]
    assert values == pytest.approx([values[0]] * 3, rel=1e-8)


def test_gradient_norm_is_the_norm_of_the_gradient():
    problem = make_problem(seed=6, g=3)
    objective = problem.objective()
    P, Q = problem.factors()
    half = als.RowSolver(objective.rows, 3, "cg", 1, 1)
    _, squared_norm = half.improve(P.copy(), Q)
    step = 1e-6
    gradient = np.zeros_like(P)
    for index in np.ndindex(P.shape):
        up, down = P.copy(), P.copy()
        up[index] += step
        down[index] -= step
        gradient[index] = (objective.value(up, Q) - objective.value(down, Q)) / (2 * step)
    assert squared_norm == pytest.approx((gradient**2).sum(), rel=1e-6)


# Threads take turns where kernels are Python; the other tests run these on smaller problems.
@pytest.mark.jit
@pytest.mark.parametrize("method", ["cholesky", "cg", "blocks"])
def test_same_bits_at_any_number_of_threads(method):
    problem = make_problem(seed=7, n=300, m=200, g=20, density=0.1)
    _, P1, Q1, _ = sweep(problem, method, 3, np.float32, threads=1)
    _, P2, Q2, _ = sweep(problem, method, 3, np.float32, threads=3)
    assert P1.tobytes() == P2.tobytes()
    assert Q1.tobytes() == Q2.tobytes()


def test_tolerance_ends_the_run():
    _, _, _, history = sweep(make_problem(seed=8), "cholesky", 500, tolerance=1e-6)
    assert len(history) < 500


def test_a_singular_system_says_what_to_raise():
    problem = make_problem(seed=9, g=4)
    problem.row_ridge[:] = 0
    problem.Q[:] = 0
    with pytest.raises(DivergedError, match="raise regularization"):
        sweep(problem, "cholesky", 1)


@pytest.mark.parametrize("method", ["cholesky", "cg", "blocks"])
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_other_losses_descend_and_report_the_objective(loss, method):
    objective, P, Q, history = sweep(make_problem(seed=10, g=6, loss=loss), method, 8)
    values = [record["objective"] for record in history]
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(values))
    assert values[-1] == pytest.approx(objective.value(P, Q), rel=1e-12)


@pytest.mark.parametrize("factors", [4, als.SOLVE_BY_CHOLESKY_UP_TO + 5])
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_a_complete_solve_of_other_losses_ends_near_a_stationary_point(loss, factors):
    problem = make_problem(seed=11, g=factors, loss=loss)
    objective = problem.objective()
    P, Q = problem.factors()
    als.solve_exactly(objective.rows, P, Q, loss=objective.loss)
    gradient = naive.whole_data_gradient(P, Q, *problem.parts, problem.row_ridge, loss=loss)
    at_zero = naive.whole_data_gradient(np.zeros_like(P), Q, *problem.parts, problem.row_ridge, loss=loss)
    assert np.abs(gradient).max() < 1e-3 * np.abs(at_zero).max()


def test_own_loss_without_a_bound_is_refused():
    problem = make_problem()
    objective = problem.objective()
    own = custom_loss("cosh", lambda r, s: np.cosh(r - s), lambda r, s: np.sinh(s - r), lambda r, s: np.cosh(r - s))
    towers = TwoTowers.of_ids(replace(objective, loss=own), 4)
    with Run("als", 1, progress=False) as run, pytest.raises(UnsoundCombinationError, match="curvature_bound"):
        alternate(towers, towers.start(0), als.AlternatingLeastSquares(), run)


def test_unknown_method_is_named():
    with pytest.raises(InputError, match="'magic'"):
        sweep(make_problem(), "magic", 1)
