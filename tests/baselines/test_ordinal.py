"""The baselines of OrdinalRanker, each checked against what it says it minimises."""

import numpy as np
import pytest
from scipy.optimize import minimize

from tacit.baselines.ordinal_splits import MPNUAUC, MSAMULT, pair_terms
from tacit.baselines.svorex import SVOREX
from tacit.errors import InputError
from tacit.metrics.ordinal import ordinal_auc


def graded(rng, n=150, labelled=90):
    X = rng.standard_normal((n, 2))
    truth = np.digitize(X[:, 0] + 0.5 * X[:, 1], [-0.6, 0.6])
    return X, np.where(np.arange(n) < labelled, truth, -1), truth


@pytest.mark.parametrize("make", [SVOREX, MSAMULT, MPNUAUC, lambda: MPNUAUC(mix=-0.5)])
def test_they_rank(rng, make):
    X, y, truth = graded(rng)
    model = make().fit(X, y)
    assert ordinal_auc(truth[90:], model.rank_score(X[90:])) > 0.93
    assert np.mean(model.predict(X[90:]) == truth[90:]) > 0.7


def test_pair_terms_count_every_pair(rng):
    high, low, w = rng.standard_normal((5, 3)), rng.standard_normal((7, 3)), rng.standard_normal(3)
    quadratic, linear = pair_terms(high, low)
    risk = np.mean((1 - (high @ w)[:, None] + (low @ w)[None, :]) ** 2)
    assert 1 - 2 * linear @ w + w @ quadratic @ w == pytest.approx(risk)


def test_without_unlabelled_rows_both_are_the_same_supervised_problem(rng):
    X, y, _ = graded(rng, n=60, labelled=60)
    first, second = MSAMULT().fit(X, y), MPNUAUC(mix=0.7).fit(X, y)
    np.testing.assert_allclose(first.split_scores(X), second.split_scores(X), rtol=1e-8)


def test_svorex_reaches_the_minimum_of_its_primal(rng):
    X, y, _ = graded(rng, n=24, labelled=24)
    X = X + 0.8 * rng.standard_normal(X.shape)
    model = SVOREX(bandwidth=1.5, C=0.7).fit(X, y)
    scaled = X / X.std(axis=0)
    kernel = np.exp(-np.square(scaled[:, None] - scaled[None]).sum(-1) / (2 * 1.5**2))

    def primal(parameters):
        a, b = parameters[:24], np.sort(parameters[24:])
        f = kernel @ a
        hinge = sum(
            np.maximum(0, 1 + f[y == j] - b[j]).sum() + np.maximum(0, 1 - f[y == j + 1] + b[j]).sum() for j in range(2)
        )
        return 0.5 * a @ kernel @ a + 0.7 * hinge

    start = np.concatenate([model.coefficients_, model.thresholds_])
    reached = primal(start)
    for seed in range(3):
        noise = 0.05 * np.random.default_rng(seed).standard_normal(26)
        found = minimize(primal, start + noise, method="Powell", options={"maxiter": 4, "ftol": 1e-7})
        # The thresholds' own penalty of a thousandth is what separates the two.
        assert reached <= found.fun * 1.002


def test_limits_are_stated():
    with pytest.raises(InputError, match="6000"):
        MSAMULT().fit(np.zeros((6001, 1)), np.zeros(6001))
    with pytest.raises(InputError, match="5000"):
        SVOREX().fit(np.zeros((5001, 1)), np.zeros(5001))


@pytest.mark.parametrize("make", [MSAMULT, MPNUAUC])
def test_a_split_below_all_labels_ranks_nothing_and_harms_nothing(make):
    X = np.arange(12.0)[:, None]
    y = np.array([1, 1, -1, -1, 1, 1, -1, -1, 2, 2, -1, -1])
    scores = make().fit(X, y).split_scores(X)
    assert not scores[:, 0].any()
    assert scores[8:10, 1].min() > scores[:2, 1].max()
