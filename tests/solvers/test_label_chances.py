"""Scores as chances: the optimum of a general minimiser, derivatives by differences, and the order that comes of it."""

import numpy as np
import pytest
import scipy.optimize
from scipy.special import expit

from tacit.solvers.label_chances import FLOOR, LabelChances, Problem, ScoredCells, design_of

FREQUENCY = np.array([400, 300, 60, 8, 0])


@pytest.fixture
def cells(rng):
    """Label 1 is stored less often than its scores say, and nothing is known of label 4."""
    labels = rng.choice(4, size=500, p=[0.5, 0.3, 0.15, 0.05])
    scores = rng.uniform(FLOOR, 1.3, 500)
    truth = expit(-2 + 4 * np.minimum(scores, 1) - 1.5 * (labels == 1))
    return ScoredCells(labels, scores, (rng.random(500) < truth).astype(np.float64))


@pytest.fixture
def problem(cells, rng):
    return Problem(design_of(cells, rng.normal(size=5)), cells, 0.4)


def test_the_gradient_is_that_of_the_value(problem, rng):
    beta, effects = rng.normal(size=3), rng.normal(size=5)
    of_beta, of_effects = problem.gradient(beta, effects)
    for found, move in ((of_beta, lambda d: (beta + d, effects)), (of_effects, lambda d: (beta, effects + d))):
        for place, step in enumerate(1e-5 * np.eye(len(found))):
            change = (problem.value(*move(step)) - problem.value(*move(-step))) / 2e-5
            assert change == pytest.approx(found[place], rel=1e-5, abs=1e-5)


def test_newton_ends_where_a_general_minimiser_ends(problem):
    def value(both):
        return problem.value(both[:3], both[3:])

    expected = scipy.optimize.minimize(value, np.zeros(8), method="BFGS", options={"gtol": 1e-4}).x
    beta, effects, curvature = problem.solve(np.array([-2.0, 4.0, 0.0]), np.zeros(5))
    np.testing.assert_allclose(np.concatenate((beta, effects)), expected, atol=2e-3)
    assert effects[4] == 0 and curvature[4] == pytest.approx(1 / 0.4)


def test_chances_grow_with_the_score_up_to_one_and_know_the_label(cells):
    found = LabelChances.fit(cells, FREQUENCY)
    chances = found.of(np.linspace(-0.5, 1.5, 41, dtype=np.float32)[:, None].repeat(5, axis=1))
    assert (np.diff(chances, axis=0) >= 0).all() and (chances[30:] == chances[30]).all()
    assert ((chances > 0) & (chances < 1)).all()
    assert (chances[:31, 1] < chances[:31, 0]).all()
    for label in (0, 1):
        mine = cells.labels == label
        said = expit(found.level[label] + found.slope * np.minimum(cells.scores[mine], 1))
        assert said.mean() == pytest.approx(cells.stored[mine].mean(), abs=0.03)


def test_a_rare_label_needs_a_higher_score(rng):
    labels = rng.integers(40, size=4000)
    frequency = np.where(np.arange(40) < 20, 500, 4)
    scores = rng.uniform(FLOOR, 1.2, 4000)
    truth = expit(-2 + 4 * np.minimum(scores, 1) - 2 * (labels >= 20))
    cells = ScoredCells(labels, scores, (rng.random(4000) < truth).astype(np.float64))
    chances = LabelChances.fit(cells, frequency).of(np.full((1, 40), 0.9, np.float32))[0]
    assert chances[:20].min() > chances[20:].max()


def test_without_cells_and_with_scores_that_mislead_the_order_of_the_scores_stays():
    nothing = ScoredCells.of(np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32))
    scores = np.linspace(FLOOR, 1, 200)
    wrong = ScoredCells(np.zeros(200, np.int64), scores, (scores < 0.6).astype(np.float64))
    for cells in (nothing, ScoredCells.joined([wrong, nothing])):
        chances = LabelChances.fit(cells, np.array([5, 1, 0])).of(np.array([[0.5] * 3, [0.6] * 3], np.float32))
        assert (chances[0] < chances[1]).all() and np.ptp(chances[0]) == 0
