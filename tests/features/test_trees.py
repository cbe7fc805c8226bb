"""Trees as arrays are the trees that scikit-learn grew."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor

from tacit.features.trees import DEPTH, BoostedTrees, WithTrees


@pytest.fixture(scope="module")
def grown():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((80, 3))
    target = (rows[:, 0] > 0) + 2.0 * (rows[:, 1] * rows[:, 0] > 0.2)
    kept = []
    fit = GradientBoostingRegressor.fit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            GradientBoostingRegressor, "fit", lambda model, *a, **k: kept.append(model) or fit(model, *a, **k)
        )
        trees = BoostedTrees.grow(rows, target, np.ones(80), seed=1)
    return rows, target, trees, kept[0]


def test_the_arrays_score_as_the_library_does(grown):
    _, target, trees, model = grown
    rows = np.random.default_rng(1).standard_normal((500, 3))
    np.testing.assert_allclose(trees.score(rows) + target.mean(), model.predict(rows.astype(np.float32)), atol=1e-8)


def test_every_array_is_finite_and_a_complete_tree(grown):
    _, _, trees, _ = grown
    assert trees.feature.shape[1] == 2**DEPTH - 1 and trees.value.shape[1] == 2**DEPTH
    assert np.isfinite(trees.threshold).all() and np.isfinite(trees.value).all()
    assert trees.feature.min() >= 0 and trees.feature.max() < 3


def test_columns_that_do_not_matter_are_unimportant(grown):
    _, _, trees, _ = grown
    assert trees.importance[2] < 0.2 * trees.importance[:2].min()


def test_values_beyond_single_precision_are_far_out(grown):
    rows, _, trees, _ = grown
    far = rows[:1].copy()
    far[0, 0] = 1e300
    near = far.copy()
    near[0, 0] = 1e30
    assert trees.score(far) == trees.score(near)


def test_the_score_is_one_more_feature(grown):
    rows, _, trees, _ = grown

    class Itself:
        size = 3

        def transform(self, rows):
            return rows

    mapped = WithTrees(Itself(), trees)
    assert mapped.size == 4
    np.testing.assert_array_equal(mapped.transform(rows), np.column_stack([rows, trees.score(rows)]))
