"""LR-wLR and Subsampled against sums over cells."""

import numpy as np
import pytest

from tacit.errors import UnsoundCombinationError
from tacit.objective import formulations
from tests import naive
from tests.problems import make_problem


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


def test_large_data_is_refused(monkeypatch):
    monkeypatch.setattr(formulations, "MOST_CELLS", 50)
    with pytest.raises(UnsoundCombinationError, match="unlabelled='all'"):
        formulations.rewritten(make_problem().objective(), "same_loss", 0)
