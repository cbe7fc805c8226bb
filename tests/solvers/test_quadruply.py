"""QS³ORAO as printed: the steps of an oracle that goes pair by pair, and the minimiser in the kernel's own space."""

import numpy as np
import pytest

from tacit import OrdinalRanker, load
from tacit.features.fourier import FourierFeatures, frequency_block
from tacit.features.nystrom import NystromFeatures
from tacit.features.scaling import Scaling
from tacit.metrics.ordinal import ordinal_auc
from tacit.solvers.ordinal_exact import collect_moments, solve_path
from tacit.solvers.quadruply import THETA_LAMBDA, QuadruplyStochastic
from tacit.solvers.stochastic import RowSampler
from tests import naive


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((160, 3))
    codes = np.digitize(X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.standard_normal(160), [0.2, 1.4])
    codes[80:] = -1
    return X, codes, Scaling(np.zeros(3), np.ones(3), np.ones(3))


def test_every_step_is_the_oracles(problem):
    X, codes, scaling = problem
    gamma, strength, width = np.array([0.3, 0.8]), 0.25, 1.7
    moments = collect_moments(X, codes, np.ones(160), 3, FourierFeatures("gaussian", 4, width, 0, scaling))
    descent = QuadruplyStochastic("gaussian", 5, width, scaling, moments.splits, gamma, strength, batch_size=2, seed=7)
    sampler = RowSampler(X, codes, np.ones(160), 3)
    batches = []
    draw = sampler.draw
    sampler.draw = lambda *given: batches.append(draw(*given)) or batches[-1]
    for _ in range(6):
        descent.advance(sampler)
    frequencies = [frequency_block("gaussian", 3, 7, i, 5) / width for i in range(6)]
    expected = naive.qs3orao(batches, frequencies, moments.splits.priors, gamma, strength, THETA_LAMBDA / strength)
    np.testing.assert_allclose(descent.alphas, expected, atol=1e-8)


def test_the_grown_map_scores_as_the_steps_do(problem):
    X, codes, scaling = problem
    moments = collect_moments(X, codes, np.ones(160), 3, FourierFeatures("gaussian", 4, 1.0, 0, scaling))
    descent = QuadruplyStochastic("gaussian", 5, 1.0, scaling, moments.splits, np.ones(2), 0.5, batch_size=4, seed=3)
    sampler = RowSampler(X, codes, np.ones(160), 3)
    for _ in range(4):
        descent.advance(sampler)
    grown = FourierFeatures("gaussian", 20, 1.0, 3, scaling, block=5)
    np.testing.assert_allclose(grown.transform(X) @ descent.coefficients, descent.score(X), atol=1e-10)


# As Python, minutes of the same kernels as the steps above.
@pytest.mark.jit
def test_it_approaches_the_minimiser_in_the_kernels_own_space_at_the_rate_of_one_over_t(problem):
    X, codes, scaling = problem
    gamma, strength = np.array([0.5, 0.5]), 0.25
    everything = NystromFeatures("gaussian", 1.5, X)
    moments = collect_moments(X, codes, np.ones(160), 3, everything)
    exact = solve_path(moments.quadratic(gamma), moments.linear(), [strength])[:, 0]
    target = everything.transform(X) @ exact
    errors = []
    for seed in range(5):
        given = moments.splits, gamma, strength
        descent = QuadruplyStochastic("gaussian", 8, 1.5, scaling, *given, batch_size=8, seed=seed)
        sampler = RowSampler(X, codes, np.ones(160), 3)
        seen = []
        for steps in (16, 128):
            while descent.steps < steps:
                descent.advance(sampler)
            seen.append(np.mean((descent.score(X) - target) ** 2) / np.mean(target**2))
        assert descent.coefficients.nbytes == 128 * 2 * 8 * 8
        errors.append(seen)
    early, late = np.mean(errors, axis=0)
    # Eight times the steps divide the error by 8; a third of that shows that it falls at the rate.
    assert late < early * 3 / 8


# As Python, half a minute of the same kernels.
@pytest.mark.jit
def test_the_estimator_runs_it_saves_it_and_ranks(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 2))
    truth = np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])
    y = np.where(np.arange(300) < 80, truth, -1)
    model = OrdinalRanker(
        "gaussian",
        features="fourier",
        solver="stochastic",
        step="decay",
        n_components=16,
        iterations=40,
        progress=False,
    ).fit(X, y)
    assert model.coefficients_.shape == (2 * 16 * 40,)
    assert model.regularization_ >= 2**-3
    assert ordinal_auc(truth[80:], model.rank_score(X[80:])) > 0.8
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(load(tmp_path / "m").rank_score(X), model.rank_score(X))
