"""Boosting is that of scikit-learn, and trees as arrays are the trees that it grew."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor

import tacit.features.trees as module
from tacit.features.trees import COUNT, DEPTH, RATE, BoostedTrees, WithTrees


def problem(count=80):
    rows = np.random.default_rng(0).standard_normal((count, 3))
    return rows, (rows[:, 0] > 0) + 2.0 * (rows[:, 1] * rows[:, 0] > 0.2)


@pytest.fixture(scope="module")
def grown():
    rows, target = problem()
    return rows, target, BoostedTrees.grow(rows, target, np.ones(80), seed=1)


@pytest.mark.parametrize("weighted", [False, True])
def test_boosting_on_all_rows_is_that_of_the_library(monkeypatch, weighted):
    # With noise and leaves of 30 rows, no two splits are equally good: chance then has nothing to decide.
    monkeypatch.setattr(module, "_SHARE", 1.0)
    monkeypatch.setattr(module, "_FEWEST_IN_LEAF", 30)
    rows, target = problem(400)
    target = target + 0.3 * np.random.default_rng(3).standard_normal(400)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 400) if weighted else np.full(400, 3.0)
    trees = BoostedTrees.grow(rows, target, weights)
    model = GradientBoostingRegressor(
        n_estimators=COUNT, learning_rate=RATE, max_depth=DEPTH, min_samples_leaf=30, random_state=0
    ).fit(rows.astype(np.float32), target, sample_weight=weights)
    fresh = np.random.default_rng(2).standard_normal((500, 3))
    expected = model.predict(fresh.astype(np.float32)) - np.average(target, weights=weights)
    np.testing.assert_allclose(trees.score(fresh), expected, atol=1e-8)
    np.testing.assert_allclose(trees.importance, model.feature_importances_, atol=1e-8)


def test_every_tree_sees_a_part_of_the_rows(grown):
    rows, target, trees = grown
    values = {tuple(values) for values in trees.value}
    assert len(values) == COUNT
    again = BoostedTrees.grow(rows, target, np.ones(80), seed=1)
    np.testing.assert_array_equal(trees.value, again.value)
    assert not np.array_equal(trees.value, BoostedTrees.grow(rows, target, np.ones(80), seed=2).value)


def test_every_array_is_finite_and_a_complete_tree(grown):
    _, _, trees = grown
    assert trees.feature.shape[1] == 2**DEPTH - 1 and trees.value.shape[1] == 2**DEPTH
    assert np.isfinite(trees.threshold).all() and np.isfinite(trees.value).all()
    assert trees.feature.min() >= 0 and trees.feature.max() < 3


def test_columns_that_do_not_matter_are_unimportant(grown):
    _, _, trees = grown
    assert trees.importance[2] < 0.2 * trees.importance[:2].min()


def test_values_beyond_single_precision_are_far_out(grown):
    rows, _, trees = grown
    far = rows[:1].copy()
    far[0, 0] = 1e300
    near = far.copy()
    near[0, 0] = 1e30
    assert trees.score(far) == trees.score(near)


def test_the_score_is_one_more_feature(grown):
    rows, _, trees = grown

    class Itself:
        size = 3

        def transform(self, rows):
            return rows

    mapped = WithTrees(Itself(), trees)
    assert mapped.size == 4
    np.testing.assert_array_equal(mapped.transform(rows), np.column_stack([rows, trees.score(rows)]))
