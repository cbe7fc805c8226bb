"""The closed form over all pairs, its gradient, and the identities that make unlabelled rows count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.objective.pairwise import Moments, Splits, batch_risk, matched_priors
from tacit.solvers.ordinal_exact import collect_moments, solve_path
from tests import naive


class Identity:
    """φ(x) = x."""

    def __init__(self, size):
        self.size = size

    def transform(self, rows):
        return np.array(rows, dtype=np.float64)


def problem(rng, n=14, k=3, d=4):
    X = rng.standard_normal((n, d))
    codes = rng.integers(-1, k, n)
    codes[: k + 1] = np.arange(-1, k)
    return X, codes, rng.uniform(0.5, 2.0, n)


def shares_of(codes, weights):
    return weights / np.array([weights[codes == c].sum() for c in codes])


@given(seed=st.integers(0, 10_000), given_priors=st.booleans())
def test_moments_count_every_pair(seed, given_priors):
    rng = np.random.default_rng(seed)
    X, codes, weights = problem(rng)
    priors = rng.dirichlet(np.ones(3)) if given_priors else None
    used = priors if given_priors else np.array([weights[codes == c].sum() for c in range(3)])
    used = used / used.sum()
    gamma = rng.random(2)
    w = rng.standard_normal(4)
    moments = collect_moments(X, codes, weights, 3, Identity(4), priors=priors)
    expected = naive.ordinal_pair_risk(X @ w, codes, weights, used, gamma)
    assert moments.risk(w, gamma) == pytest.approx(expected, rel=1e-9)
    value, slopes = batch_risk(X @ w, codes, shares_of(codes, weights), moments.splits, gamma)
    assert value == pytest.approx(expected, rel=1e-9)
    gradient = 2 * moments.quadratic(gamma) @ w - 2 * moments.linear()
    np.testing.assert_allclose(X.T @ slopes, gradient, rtol=1e-8, atol=1e-10)


def test_slopes_are_the_derivative_of_the_pairwise_risk(rng):
    _, codes, weights = problem(rng)
    scores, gamma = rng.standard_normal(len(codes)), np.array([0.3, 0.8])
    priors = np.array([0.2, 0.5, 0.3])
    _, slopes = batch_risk(scores, codes, shares_of(codes, weights), Splits.of(priors), gamma)
    for row in range(len(codes)):
        step = np.zeros(len(codes))
        step[row] = 1e-5
        up = naive.ordinal_pair_risk(scores + step, codes, weights, priors, gamma)
        down = naive.ordinal_pair_risk(scores - step, codes, weights, priors, gamma)
        assert slopes[row] == pytest.approx((up - down) / 2e-5, rel=1e-6, abs=1e-8)


def test_the_exact_solution_has_no_gradient_left(rng):
    X, codes, weights = problem(rng, n=60)
    moments = collect_moments(X, codes, weights, 3, Identity(4))
    gamma = np.array([0.4, 0.4])
    path = solve_path(moments.quadratic(gamma), moments.linear(), [1e-3, 0.1, 2.0])
    for strength, w in zip([1e-3, 0.1, 2.0], path.T):
        np.testing.assert_allclose(
            solve_path(moments.quadratic(gamma), moments.linear(), [strength])[:, 0], w, rtol=1e-8
        )
        for direction in np.eye(4):
            up = moments.risk(w + 1e-4 * direction, gamma, strength)
            down = moments.risk(w - 1e-4 * direction, gamma, strength)
            assert up - down == pytest.approx(0.0, abs=1e-10)
            assert up > moments.risk(w, gamma, strength)


def zero_one(high, low):
    return np.mean([[0.5 * (1 - np.sign(a - b)) for b in low] for a in high])


def test_unlabelled_pairs_estimate_the_labelled_risk_without_bias(rng):
    """Eq. 6, R_PN = R_PU + R_NU − ½, is exact when the unlabelled rows are the mixture of both sides."""
    high, low = rng.standard_normal(6) + 0.5, rng.standard_normal(6)
    unlabelled = np.concatenate([np.tile(high, 2), low])  # π = 2/3
    assert zero_one(high, unlabelled) + zero_one(unlabelled, low) - 0.5 == pytest.approx(zero_one(high, low), abs=1e-12)


def test_squared_loss_adds_a_penalty_on_the_spread_within_the_sides(rng):
    """R_PU + R_NU = R_PN + 1 + 2(π Var_P f + (1−π) Var_N f): the surrogate's bias is a within-side variance."""
    high, low = rng.standard_normal(6) + 0.5, rng.standard_normal(6)
    unlabelled = np.concatenate([np.tile(high, 2), low])

    def risk(a, b):
        return np.mean((1 - a[:, None] + b[None, :]) ** 2)

    spread = 2 / 3 * high.var() + 1 / 3 * low.var()
    assert risk(high, unlabelled) + risk(unlabelled, low) == pytest.approx(risk(high, low) + 1 + 2 * spread)


def test_unbiased_in_expectation_over_draws(rng):
    """The same for samples: averaged over many draws of P, N and U the two sides agree within their standard error."""
    pi, gaps = 0.3, []
    for _ in range(2000):
        high, low = rng.normal(1.0, 1.0, 5), rng.normal(0.0, 1.0, 5)
        mixture = np.where(rng.random(8) < pi, rng.normal(1.0, 1.0, 8), rng.normal(0.0, 1.0, 8))
        sides = [(a[:, None] < b[None, :]).mean() for a, b in ((high, mixture), (mixture, low), (high, low))]
        gaps.append(sides[0] + sides[1] - 0.5 - sides[2])
    assert abs(np.mean(gaps)) < 4 * np.std(gaps) / np.sqrt(len(gaps))


def test_matched_priors_find_the_mixture_of_the_unlabelled_rows(rng):
    means = rng.standard_normal((4, 10))
    shares = np.array([0.1, 0.4, 0.0, 0.5])
    present = np.array([True, True, False, True])
    np.testing.assert_allclose(matched_priors(means, shares @ means, present), shares, atol=1e-6)


def test_matched_priors_leave_no_class_that_has_labels_without_a_share():
    """Unlabelled rows that look like one class alone: the others keep a little, so that every split can be ranked."""
    priors = matched_priors(np.eye(3), np.array([1.0, 0.0, 0.0]), np.array([True, True, False]))
    np.testing.assert_allclose(priors, [1 / 1.01, 0.01 / 1.01, 0.0])
    assert Splits.of(priors).count == 1


def test_splits_without_both_sides_are_left_out():
    splits = Splits.of(np.array([0.0, 0.4, 0.0, 0.6, 0.0]))
    np.testing.assert_array_equal(splits.kept, [1, 2])
    assert splits.class_weight.sum() == pytest.approx(2.0)


def test_no_unlabelled_rows_means_no_weight_for_them(rng):
    moments = Moments(Splits.of(np.array([0.5, 0.5])), rng.standard_normal((2, 3)), np.eye(3))
    with pytest.raises(ValueError, match="unlabelled_weight"):
        moments.quadratic(np.array([0.5]))
