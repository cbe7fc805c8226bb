"""Stochastic steps approach the exact minimiser over the same features."""

import numpy as np
import pytest

from tacit.features.fourier import FourierFeatures
from tacit.features.scaling import Scaling
from tacit.solvers import stochastic
from tacit.solvers.ordinal_exact import collect_moments, solve_path
from tacit.solvers.stochastic import Descent, Reservoir, RowSampler, feature_blocks


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((600, 3))
    codes = np.digitize(X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.standard_normal(600), [0.2, 1.4])
    codes[150:] = -1
    features = FourierFeatures("gaussian", 24, 2.0, 0, Scaling.of(X, np.ones(600)))
    moments = collect_moments(X, codes, np.ones(600), 3, features)
    return X, codes, features, moments


def error(problem, descent, exact):
    X, _, features, _ = problem
    mapped = features.transform(X)
    mapped -= mapped.mean(axis=0)
    return np.mean((mapped @ (descent.coefficients - exact)) ** 2) / np.mean((mapped @ exact) ** 2)


# As Python, minutes of the same kernels as the batches below.
@pytest.mark.jit
@pytest.mark.parametrize("step", ["constant", "decay"])
def test_the_error_falls_like_one_over_t(problem, step, monkeypatch):
    monkeypatch.setattr(stochastic, "BLOCK_FEATURES", 24)  # two blocks take turns
    X, codes, features, moments = problem
    gamma, strength = np.array([0.5, 0.5]), 0.05
    exact = solve_path(moments.quadratic(gamma), moments.linear(), [strength])[:, 0]
    rows = RowSampler(X, codes, np.ones(len(codes)), 3)
    errors = []
    for seed in range(4):
        descent = Descent(features, moments.splits, gamma, strength, batch_size=8, step=step, seed=seed)
        assert len(descent.blocks) == 2
        descent.measure(rows)
        seen = []
        for steps in (100, 1600):
            while descent.steps < steps:
                descent.advance(rows)
            seen.append(error(problem, descent, exact))
        errors.append(seen)
    early, late = np.mean(errors, axis=0)
    # Sixteen times the steps: a slope of -1 divides the error by 16; a quarter of that shows it falls at the rate.
    assert late < early / 4
    assert late < 0.02


def test_batches_are_unbiased(problem):
    X, codes, features, moments = problem
    rows = RowSampler(X, codes, np.ones(len(codes)), 3)
    gamma = np.array([0.3, 0.9])
    w = np.random.default_rng(5).standard_normal(features.size)
    full = 2 * moments.quadratic(gamma) @ w - 2 * moments.linear()
    draws = []
    for seed in range(400):
        batch, labels, shares = rows.draw(np.random.default_rng(seed), 6)
        mapped = features.transform(batch)
        draws.append(mapped.T @ stochastic.batch_risk(mapped @ w, labels, shares, moments.splits, gamma)[1])
    deviation = np.abs(np.mean(draws, axis=0) - full) / (np.std(draws, axis=0) / np.sqrt(len(draws)))
    # Means of 48 coordinates stay within 4.5 standard errors but for a chance of 1 in 3,000.
    assert deviation.max() < 4.5


def test_blocks_cover_every_feature_once(problem, monkeypatch):
    monkeypatch.setattr(stochastic, "BLOCK_FEATURES", 10)
    columns = np.concatenate(list(feature_blocks(problem[2])))
    np.testing.assert_array_equal(np.sort(columns), np.arange(48))


def test_a_reservoir_is_an_even_sample():
    kept = np.zeros(40)
    for seed in range(600):
        reservoir = Reservoir(10, seed)
        reservoir.add(np.arange(40.0)[:, None], np.ones(40))
        kept[reservoir.stack().ravel().astype(int)] += 1
    # Each row is kept with chance 1/4: 150 ± 11 of 600 times.
    assert np.all(np.abs(kept - 150) < 5 * 10.6)
