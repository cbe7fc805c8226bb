"""The all-threshold logistic loss against a dense oracle, finite differences and SciPy's minimiser."""

import numpy as np
import pytest
from scipy.optimize import minimize

from tacit.errors import DivergedError, InputError
from tacit.solvers.all_threshold import Problem, logistic_cuts, principal_axes, solve_logistic_path
from tacit.solvers.thresholds import thresholds
from tests import naive


def graded_rows(n=40, size=5, classes=4, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, size)) * 0.5 ** np.arange(size)
    codes = np.digitize(rows[:, 0] + 0.5 * rng.standard_normal(n), np.linspace(-0.8, 0.8, classes - 1))
    return rows, codes, rng.integers(1, 4, n).astype(float)


def oracle_minimum(rows, codes, weights, strength):
    size, cuts = rows.shape[1], int(codes.max())

    def loss(values):
        return naive.all_threshold_loss(values[:size], values[size:], rows, codes, weights, strength)

    return minimize(loss, np.zeros(size + cuts), tol=1e-12).x[:size]


def test_value_and_derivatives_are_those_of_the_oracle():
    rows, codes, weights = graded_rows()
    problem = Problem.of(rows, codes, weights)
    rng = np.random.default_rng(1)
    w, cuts = rng.standard_normal(5), np.array([-1.0, 0.2, 0.9])

    def value(at):
        return naive.all_threshold_loss(problem.basis @ at[:5], at[5:], rows, codes, weights, 0.3)

    at = np.concatenate([w, cuts])
    assert problem.value(w, cuts, 0.3) == pytest.approx(value(at), rel=1e-12)
    gradient, hessian = problem.gradient(w, cuts, 0.3), problem.hessian(w, cuts, 0.3)
    small = 1e-5 * np.eye(8)
    np.testing.assert_allclose(gradient, [(value(at + e) - value(at - e)) / 2e-5 for e in small], atol=1e-8)
    slopes = [problem.gradient((at + e)[:5], (at + e)[5:], 0.3) for e in small]
    np.testing.assert_allclose(hessian, [(slope - gradient) / 1e-5 for slope in slopes], atol=1e-4)


@pytest.mark.parametrize("strength", [1.0, 0.1, 1e-3])
def test_the_minimum_is_the_oracles(strength):
    rows, codes, weights = graded_rows()
    found = solve_logistic_path(rows, codes, weights, [strength], 1e-14)[:, 0]
    np.testing.assert_allclose(found, oracle_minimum(rows, codes, weights, strength), atol=2e-4)


def test_a_path_holds_what_single_solves_find():
    rows, codes, weights = graded_rows(n=60, size=8)
    strengths = [1e-4, 1.0, 1e-2]
    path = solve_logistic_path(rows, codes, weights, strengths, 1e-12)
    for place, strength in enumerate(strengths):
        alone = solve_logistic_path(rows, codes, weights, [strength], 1e-12)[:, 0]
        np.testing.assert_allclose(path[:, place], alone, atol=1e-5)


def test_directions_that_cannot_matter_may_be_left_out():
    """Features that fall by ten thousand: the scores are those of all directions."""
    rows, codes, weights = graded_rows(n=60, size=12)
    rows = rows * 0.1 ** np.arange(12)
    found = rows @ solve_logistic_path(rows, codes, weights, [0.01], 1e-14)[:, 0]
    best = rows @ oracle_minimum(rows, codes, weights, 0.01)
    np.testing.assert_allclose(found, best, atol=1e-3)


def test_features_along_principal_axes_need_no_turning():
    rows, codes, weights = graded_rows(n=60, size=8)
    axes = principal_axes(rows, weights / weights.sum())[1]
    turned = solve_logistic_path(rows @ axes, codes, weights, [1e-3, 0.1], 1e-12, principal=True)
    np.testing.assert_allclose(axes @ turned, solve_logistic_path(rows, codes, weights, [1e-3, 0.1], 1e-12), atol=1e-5)


def test_a_strong_penalty_shrinks_scores_and_keeps_their_order():
    """A column that is almost constant has all the curvature, and the tolerance is above what there is to gain."""
    rows, codes, weights = graded_rows(n=60, size=6)
    rows = np.hstack([10.0 + rows[:, -1:], 0.1 * rows[:, :5]])
    strengths = [1e3, 1e1]
    rough = rows @ solve_logistic_path(rows, codes, weights, strengths, 1e-3)
    exact = rows @ solve_logistic_path(rows, codes, weights, strengths, 1e-14)
    for found, best in zip(rough.T, exact.T):
        assert np.ptp(best) < 0.5
        assert np.corrcoef(found, best)[0, 1] > 0.99


def test_parted_rows_have_finite_scores():
    rows = np.repeat([[-1.0], [0.0], [1.0]], 5, axis=0)
    codes = np.repeat([0, 1, 2], 5)
    path = solve_logistic_path(rows, codes, np.ones(15), [1e-7, 1e-9])
    assert np.isfinite(path).all() and 0 < path[0, 0] <= path[0, 1]


def test_thresholds_on_scores_are_those_of_the_loss():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 4, 80)
    scores = 5.0 + codes + rng.standard_normal(80)

    def loss(values):
        slope, cuts = values[0], values[1:]
        return naive.all_threshold_loss(np.array([slope]), slope * cuts, scores[:, None], codes, np.ones(80), 0.0)

    best = minimize(loss, np.array([1.0, 5.5, 6.5, 7.5]), tol=1e-12).x[1:]
    np.testing.assert_allclose(logistic_cuts(scores, codes, np.ones(80)), best, atol=1e-3)


def test_thresholds_stay_in_order_and_absent_classes_get_no_room():
    rng = np.random.default_rng(4)
    scores = rng.standard_normal(50)
    codes = np.digitize(scores + 0.5 * rng.standard_normal(50), [-0.5, 0.5]) + 1
    found = thresholds(scores, codes, np.ones(50), 5, "logistic")
    assert np.all(np.diff(found) >= 0)
    assert found[0] < scores.min() and found[-1] > scores.max()
    assert set(np.searchsorted(found, scores)) <= {1, 2, 3}


def test_scores_that_fall_with_the_classes_still_get_thresholds():
    codes = np.repeat([0, 1, 2], 10)
    assert logistic_cuts(-codes.astype(float), codes, np.ones(30)) is None
    assert logistic_cuts(np.ones(30), codes, np.ones(30)) is None
    found = thresholds(-codes.astype(float), codes, np.ones(30), 3, "logistic")
    assert np.isfinite(found).all() and np.all(np.diff(found) >= 0)


def test_bad_numbers_are_named():
    rows, codes, weights = graded_rows()
    with pytest.raises(InputError, match="regularization"):
        solve_logistic_path(rows, codes, weights, [0.0])
    with pytest.raises(DivergedError, match="finite"):
        solve_logistic_path(np.full_like(rows, np.nan), codes, weights, [1.0])
