"""Thresholds against brute force over every cut."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from tacit.solvers.temperature import decision_values, fit_temperature
from tacit.solvers.thresholds import thresholds
from tests import naive


@st.composite
def graded(draw):
    rng = np.random.default_rng(draw(st.integers(0, 100_000)))
    n, k = draw(st.integers(3, 8)), draw(st.integers(2, 4))
    scores = rng.standard_normal(n) if draw(st.booleans()) else rng.integers(0, 4, n).astype(float)
    return scores, rng.integers(0, k, n), rng.integers(1, 4, n).astype(float), k


def cost_of(rule, codes, weights):
    def cost(predicted):
        if rule == "absolute":
            return weights @ np.abs(predicted - codes)
        if rule == "accuracy":
            return weights @ (predicted != codes)
        chance = np.outer(weights, weights) / weights.sum()
        expected = (chance * (predicted[:, None] - codes[None, :]) ** 2).sum()
        return (weights @ (predicted - codes) ** 2) / expected if expected > 0 else 1.0

    return cost


@pytest.mark.parametrize("rule", ["absolute", "accuracy", "kappa"])
@given(data=graded())
def test_rules_reach_the_best_of_all_cuts(rule, data):
    scores, codes, weights, k = data
    cost = cost_of(rule, codes, weights)
    found = thresholds(scores, codes, weights, k, rule)
    assert np.all(np.diff(found) >= 0)
    reached = cost(np.searchsorted(found, scores))
    assert reached == pytest.approx(naive.best_cut_cost(scores, codes, weights, k, cost), abs=1e-9)


@given(data=graded())
def test_one_sided_squares_reach_their_minimum_in_order(data):
    scores, codes, weights, k = data
    found = thresholds(scores, codes, weights, k, "square")
    assert np.all(np.diff(found) >= 0)
    for j in range(k - 1):
        above = codes > j
        if above.all() or not above.any():
            continue

        def loss(b, above=above):
            wrong = np.where(above, np.maximum(b - scores, 0), np.maximum(scores - b, 0))
            return weights @ wrong**2

        least = minimize_scalar(loss, bounds=(scores.min(), scores.max()), method="bounded", options={"xatol": 1e-9})
        assert loss(found[j]) <= least.fun + 1e-7


def test_a_class_without_labels_gets_an_empty_interval():
    scores = np.array([0.0, 1.0, 5.0, 6.0])
    for rule in ("square", "absolute", "kappa"):
        found = thresholds(scores, np.array([0, 0, 2, 2]), np.ones(4), 4, rule)
        assert found[0] == found[1] == 3.0
        assert found[2] > 6.0 and np.isfinite(found[2])


def test_the_highest_decision_value_is_the_interval_of_the_score(rng):
    cuts = np.sort(rng.standard_normal(4))
    scores = rng.standard_normal(200)
    np.testing.assert_array_equal(decision_values(scores, cuts).argmax(axis=1), np.searchsorted(cuts, scores))


def test_the_slope_of_the_probabilities_is_recovered(rng):
    scores = rng.normal(0, 2, 40_000)
    decisions = decision_values(scores, np.array([-1.0, 0.5]))
    chances = np.exp(1.7 * decisions)
    chances /= chances.sum(axis=1, keepdims=True)
    codes = (rng.random(40_000)[:, None] > chances.cumsum(axis=1)[:, :2]).sum(axis=1)
    # The standard error of the slope at 40,000 rows is about 0.02.
    assert fit_temperature(decisions, codes, np.ones(40_000)) == pytest.approx(1.7, abs=0.08)
