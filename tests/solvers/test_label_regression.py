"""Labels regressed on the labels beside them, against one dense regression per label."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.errors import DivergedError
from tacit.solvers.label_regression import LabelRegression, Moments, most_frequent, trusted
from tests import naive


@pytest.fixture
def rows(rng):
    topic = rng.integers(3, size=60)
    Y = (rng.random((60, 6)) < np.where(np.eye(3)[topic].repeat(2, axis=1) > 0, 0.8, 0.1)).astype(np.float32)
    T = (0.6 * np.eye(3)[topic].repeat(2, axis=1) + 0.3 * rng.random((60, 6))).astype(np.float32)
    return Y, T


def test_weights_are_those_of_one_regression_per_label(rows):
    Y, T = rows
    every = np.arange(6)
    found = LabelRegression.fit(Moments.of(Y, T, every), every)
    size = 2 * np.linalg.norm(Y) / np.linalg.norm(T)
    expected = naive.companion_scores(Y, size * T, ridge=20)
    np.testing.assert_allclose(found.scores(Y, T), expected, atol=2e-4)


def test_no_label_speaks_for_itself(rows):
    Y, T = rows
    every = np.arange(6)
    found = LabelRegression.fit(Moments.of(Y, T, every), every)
    flipped = Y.copy()
    flipped[:, 2] = 1 - flipped[:, 2]
    np.testing.assert_array_equal(found.scores(Y, T)[:, 2], found.scores(flipped, T)[:, 2])
    assert not np.allclose(found.scores(Y, T)[:, 3], found.scores(flipped, T)[:, 3])


def test_moments_of_blocks_add_up(rows):
    Y, T = rows
    part = np.array([0, 2, 5])
    whole = Moments.of(Y, T, part)
    sums = Moments.none(3) + Moments.of(Y[:17], T[:17], part) + Moments.of(Y[17:], T[17:], part)
    assert whole.rows == sums.rows == 60
    np.testing.assert_allclose(whole.gram, sums.gram, rtol=1e-6)
    np.testing.assert_allclose(whole.others, sums.others, rtol=1e-6)


def test_labels_that_do_not_take_part_keep_their_guess_scaled(rows):
    Y, T = rows
    part = np.array([0, 2, 5])
    found = LabelRegression.fit(Moments.of(Y, T, part), part)
    aside = [1, 3, 4]
    share = (Y[:, aside] * T[:, aside]).sum() / (T[:, aside] ** 2).sum()
    np.testing.assert_allclose(found.scores(Y, T)[:, aside], share * T[:, aside], rtol=1e-5)
    assert found.top_evidence(np.array([0, 2]), 1, 3).tolist() == []


def test_the_labels_that_speak_are_known_ones_strongest_first(rows):
    Y, T = rows
    every = np.arange(6)
    found = LabelRegression.fit(Moments.of(Y, np.zeros_like(T), every), every)
    spoken = found.top_evidence(np.array([0, 3, 4]), 1, 2)
    assert spoken[0] == 0
    column = found.weights[:6, 1]
    assert all(column[label] > 0 for label in spoken)
    assert list(column[spoken]) == sorted(column[spoken], reverse=True)


def test_scores_that_are_not_finite_are_refused(rows):
    Y, T = rows
    every = np.arange(6)
    T[0, 0] = np.inf
    with pytest.raises(DivergedError, match="labels on each other"), np.errstate(all="ignore"):
        LabelRegression.fit(Moments.of(Y, T, every), every)


def test_the_most_frequent_labels_take_part_and_empty_ones_never():
    Y = sp.csr_array(np.array([[1, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 0]], dtype=np.float32))
    assert most_frequent(Y, 2).tolist() == [2, 3]
    assert most_frequent(Y, 9).tolist() == [0, 2, 3]


def test_a_rare_label_and_a_score_beyond_one_are_trusted_less():
    scores = np.array([[0.9, 0.9, 1.4, -0.2], [1.0, 0.0, 1.0, 0.5]], np.float32)
    found = trusted(scores, np.array([480, 2, 480, 0]))
    expected = [[0.9 * 0.96, 0.9 / 11, 0.96, 0], [0.96, 0, 0.96, 0]]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert scores[0, 2] == np.float32(1.4)
