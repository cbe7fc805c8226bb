"""LR-wLR and Subsampled against sums over cells."""

import numpy as np
import pytest

from tacit.errors import UnsoundCombinationError
from tacit.objective import formulations
from tacit.objective.side_objective import Block
from tacit.objective.towers import id_tower
from tacit.objective.two_towers import Parameters, TwoTowers
from tests import naive
from tests.problems import make_problem
from tests.towers import make_tower


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_same_loss_on_every_cell(loss):
    problem = make_problem(seed=1, loss=loss)
    found = formulations.rewritten(problem.objective(), "same_loss", 0).value(problem.P, problem.Q)
    scores = problem.P @ problem.Q.T
    positives = problem.weight * naive.loss_value(loss, problem.target, scores)
    others = np.outer(problem.a, problem.b) * naive.loss_value(loss, -1.0, scores)
    expected = np.where(problem.dense, positives, others).sum()
    expected += problem.row_ridge @ (problem.P**2).sum(axis=1) + problem.col_ridge @ (problem.Q**2).sum(axis=1)
    assert found == pytest.approx(expected, rel=1e-12)


def test_under_the_squared_loss_storing_every_cell_changes_nothing():
    problem = make_problem(seed=2)
    objective = problem.objective()
    stored = formulations.rewritten(objective, "same_loss", 0)
    assert stored.value(problem.P, problem.Q) == pytest.approx(objective.value(problem.P, problem.Q), rel=1e-12)


def test_sampled_cells_are_unlabelled_ones_and_weigh_what_all_of_them_do():
    problem = make_problem(seed=3, n=40, m=30, density=0.1)
    side = formulations.rewritten(problem.objective(), "sampled", 5).rows
    row = np.repeat(np.arange(40), np.diff(side.indptr))
    drawn = ~problem.dense[row, side.indices]
    assert drawn.sum() == problem.dense.sum() and (~drawn).sum() == problem.dense.sum()
    total = np.outer(problem.a, problem.b)[~problem.dense].sum()
    assert side.weight[drawn].sum() == pytest.approx(total, rel=1e-12)
    np.testing.assert_array_equal(side.target[drawn], problem.t)
    again = formulations.rewritten(problem.objective(), "sampled", 5).rows
    np.testing.assert_array_equal(side.indices, again.indices)


@pytest.mark.parametrize("loss", ["logistic", "square"])
@pytest.mark.parametrize("which", ["same_loss", "sampled"])
def test_with_features_value_and_gradient_are_those_of_the_cells(which, loss):
    """LR-wLR and Subsampled where rows are features alone: value to 1e-10, gradient to 1e-8 and by differences."""
    problem = make_problem(seed=4, n=11, m=7, g=3, loss=loss, t=-0.2 if loss == "square" else -1.0)
    twin = make_tower("sparse", 11, 3, seed=4)
    objective = formulations.rewritten(problem.objective(), which, 6)
    towers = TwoTowers(objective, twin.tower, id_tower(7, 3))
    side = objective.rows
    counted = np.zeros((11, 7), dtype=bool)
    counted[np.repeat(np.arange(11), np.diff(side.indptr)), side.indices] = True
    drawn = counted & ~problem.dense
    assert drawn.sum() == (problem.dense.sum() if which == "sampled" else (~problem.dense).sum())
    # The cells that count weigh a·b times what makes up for those that do not.
    outer = np.outer(problem.a, problem.b)
    makes_up = outer[~problem.dense].sum() / outer[drawn].sum()
    weight = np.where(problem.dense, problem.weight, makes_up * outer * drawn)
    target = np.where(problem.dense, problem.target, problem.t if loss == "square" else -1.0)
    ridge = twin.tower.fields[0].ridge

    def value(theta):
        P, V = twin.naive(theta), theta.reshape(3, 3)
        total = (weight * naive.loss_value(loss, target, P @ problem.Q.T)).sum() + ridge @ (V**2).sum(axis=1)
        rows, cols = problem.row_ridge @ (P**2).sum(axis=1), problem.col_ridge @ (problem.Q**2).sum(axis=1)
        return total + rows + cols

    theta = np.random.default_rng(8).normal(0, 0.5, 9)
    assert towers.value(Parameters(theta, problem.Q.ravel())) == pytest.approx(value(theta), rel=1e-10)
    block = Block(towers.side_objective("rows", problem.Q), twin.tower, theta, twin.tower.groups[0])
    gradient = block.gradient(block.at(block.here), block.here)
    steps = 1e-5 * np.eye(9)
    np.testing.assert_allclose(gradient, [(value(theta + h) - value(theta - h)) / 2e-5 for h in steps], atol=1e-6)
    P = twin.naive(theta)
    slopes = weight * naive.loss_first(loss, target, P @ problem.Q.T)
    X = np.stack([twin.naive(unit)[:, 0] for unit in np.eye(9)[::3]], axis=1)
    by_P = slopes @ problem.Q + 2 * problem.row_ridge[:, None] * P
    dense = X.T @ by_P + 2 * ridge[:, None] * theta.reshape(3, 3)
    np.testing.assert_allclose(gradient, dense.ravel(), atol=1e-8)


def test_large_data_is_refused(monkeypatch):
    monkeypatch.setattr(formulations, "MOST_CELLS", 50)
    with pytest.raises(UnsoundCombinationError, match="unlabelled='all'"):
        formulations.rewritten(make_problem().objective(), "same_loss", 0)
