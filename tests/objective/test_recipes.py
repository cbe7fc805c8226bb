"""Recipes: the ridge that follows the noise of the data."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import FactorRecommender
from tacit.data.matrix import as_csr, transpose, transposed_cells
from tacit.objective import losses, recipes
from tacit.objective.default_ridge import default_ridge, noise_level
from tacit.objective.side_objective import SideObjective
from tacit.solvers import als


@pytest.mark.parametrize(("shape", "density"), [((400, 300), 0.05), ((800, 100), 0.1)])
def test_noise_is_where_the_singular_values_of_chance_end(shape, density):
    rng = np.random.default_rng(0)
    chance = (rng.random(shape) < density).astype(np.float64)
    largest = np.linalg.norm(chance - density, 2)
    per_row, per_col = chance.sum() / shape[0], chance.sum() / shape[1]
    assert largest == pytest.approx(noise_level(sp.csr_array(chance)) * np.sqrt(per_row * per_col), rel=0.1)


def test_few_factors_beside_many_rows_follow_the_root_of_the_noise():
    rng = np.random.default_rng(2)
    dense, sparse = (sp.csr_array((rng.random((400, 300)) < share).astype(np.float32)) for share in (0.1, 0.02))
    ratio = default_ridge(sparse, 1) / default_ridge(dense, 1)
    assert ratio == pytest.approx((dense.nnz / sparse.nnz) ** 0.25, rel=0.01)


def test_many_factors_beside_few_rows_follow_the_noise():
    positives = sp.csr_array((np.random.default_rng(3).random((60, 40)) < 0.2).astype(np.float32))
    expected = 0.74 * noise_level(positives) * (3 / 12) ** 0.2
    assert default_ridge(positives, 10) == default_ridge(positives, 64) == pytest.approx(expected)


def test_unlabelled_cells_weigh_less_beside_few_columns():
    def rows(columns, each):
        return sp.csr_array(np.arange(columns)[None] < np.full((10, 1), each), dtype=np.float32)

    found = [recipes.unlabelled_total(rows(columns, 6)) for columns in (18, 1_000, 4_000, 9_000)]
    assert found == pytest.approx([3.0, 6.0, 12.0, 12.0])
    # Half of it for short rows beside few columns, and in between by ν.
    found = [recipes.unlabelled_total(rows(columns, 3)) for columns in (9, 100, 700, 1_000)]
    half = 12 * np.sqrt(700 / 4_000) * 0.5 ** (1 - np.log2(1.4))
    assert found == pytest.approx([1.5, 1.5, half, 6.0])


def test_a_handful_of_positives_is_not_silenced():
    cells = sp.csr_array(np.array([[1, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=np.float32))
    assert 0.74 * noise_level(cells) > 1
    model = FactorRecommender(progress=False).fit(cells)
    assert np.abs(model.row_factors_ @ model.col_factors_.T).min() > 1e-3


def test_an_empty_matrix_has_a_finite_ridge():
    assert np.isfinite(default_ridge(sp.csr_array((3, 4), dtype=np.float32), 2))


def test_words_weigh_contexts_by_frequency_and_every_pair_at_most_half_a_positive():
    rng = np.random.default_rng(3)
    targets = as_csr((rng.random((30, 30)) < 0.2) * rng.random((30, 30)), "targets")
    weights = rng.uniform(0.1, 1.0, targets.nnz).astype(np.float32)
    counts = (targets.toarray() > 0).sum(axis=0)
    share = np.expm1(counts / counts.sum()) ** 0.75
    given, total, neither = (
        recipes.words(targets, weights, **options).objective(targets, weights, targets.data)
        for options in ({"unlabelled_weight": 0.2}, {"unlabelled_total": 6.0}, {})
    )
    np.testing.assert_allclose(given.cols.own_weight, 0.2 * share / share.mean(), rtol=1e-5)
    np.testing.assert_allclose(total.cols.own_weight, given.cols.own_weight, rtol=1e-6)
    assert neither.cols.own_weight.mean() == pytest.approx(weights.mean() / 2, rel=1e-5)
    assert (given.rows.own_weight == 1).all() and (given.rows.ridge == np.float32(0.1)).all()


def test_all_cells_of_tags_weigh_twice_the_known_ones():
    labels = as_csr(np.random.default_rng(4).random((40, 7)) < 0.3, "Y")
    objective = recipes.tags(labels, loss="logistic", regularization=0.7).objective(labels)
    assert np.outer(objective.rows.own_weight, objective.cols.own_weight).sum() == pytest.approx(2 * labels.nnz)
    assert objective.rows.unlabelled_target == -2.0
    assert not objective.rows.ridge.any() and (objective.cols.ridge == np.float32(0.7)).all()


def test_new_columns_of_words_see_what_training_saw():
    rng = np.random.default_rng(5)
    targets = as_csr((rng.random((12, 9)) < 0.4) * rng.random((12, 9)), "targets")
    weights = rng.uniform(0.1, 1.0, targets.nnz).astype(np.float32)
    recipe = recipes.words(targets, weights)
    trained = recipe.objective(targets, weights, targets.data)
    flipped = transpose(targets)
    moved = transposed_cells(targets, (weights, weights[:0]))[2][0]
    side = recipe.side_of_new(flipped, np.ones(12), "cols", moved, flipped.data)
    for name in ("indices", "weight", "target", "own_weight", "other_weight", "ridge"):
        np.testing.assert_array_equal(getattr(side, name), getattr(trained.cols, name))


@pytest.mark.parametrize("values", ["alike", "spread"])
def test_new_rows_of_a_recommender_see_what_training_saw(values):
    rng = np.random.default_rng(5)
    cells = (rng.random((12, 9)) < 0.4) * (rng.random((12, 9)) if values == "spread" else 1.0)
    positives = as_csr(cells, "positives")
    recipe = recipes.recommend(positives, frequency_exponent=(0.3, 0.5), regularization=0.5)
    trained = recipe.objective(positives)
    side = recipe.side_of_new(positives, trained.rows.other_weight, "rows")
    for name in ("indices", "weight", "target", "own_weight", "other_weight", "ridge"):
        np.testing.assert_array_equal(getattr(side, name), getattr(trained.rows, name))


def test_the_ridge_grows_where_rows_and_columns_are_thin_alike():
    thin, uneven = np.eye(40, dtype=np.float32), np.ones((40, 1), dtype=np.float32)
    assert default_ridge(sp.csr_array(thin), 1) == pytest.approx(0.75)
    # One column that everybody has is no thin column, and rows of one positive alone change nothing.
    level = noise_level(sp.csr_array(uneven))
    assert default_ridge(sp.csr_array(uneven), 1) == pytest.approx(min(0.6, 0.74 * level) * (1 / 12) ** 0.2 * 0.85)


@pytest.mark.parametrize("density", [0.05, 0.3, 0.9])
def test_an_unlabelled_cell_never_counts_more_than_a_mean_positive(density):
    rng = np.random.default_rng(0)
    cells = sp.csr_array((rng.random((80, 60)) < density) * rng.integers(1, 6, (80, 60)).astype(np.float32))
    model = FactorRecommender(4, frequency_exponent=0.0, iterations=1, progress=False).fit(cells)
    mean = (1 + np.log(cells.data / cells.data.min())).mean()
    shortness = 1 - np.clip(np.log2(cells.nnz / np.count_nonzero(np.diff(cells.indptr)) / 3), 0, 1)
    share = 3 * 0.5**shortness * cells.nnz / (80 * 60)
    assert model.col_weight_.mean() * model.row_weight_.mean() == pytest.approx(mean * min(1.0, share), rel=1e-5)


@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_one_weight_for_all_positives_is_the_same_objective_as_one_each(loss):
    """A single c and r take no memory per positive; every pass over the positives must read them alike."""
    rng = np.random.default_rng(6)
    positives = as_csr(rng.random((30, 20)) < 0.3, "positives")
    recipe = recipes.recommend(positives, loss=loss, regularization=0.2, frequency_exponent=(0.3, 0.5))
    single = recipe.objective(positives)
    assert len(single.rows.weight) == len(single.cols.target) == 1
    every = np.ones(positives.nnz, np.float32)
    full = recipe.objective(positives, every, every)
    P, Q = (rng.standard_normal((n, 3)).astype(np.float32) for n in positives.shape)
    assert single.value(P, Q) == full.value(P, Q)
    for side, other in ((single.rows, full.rows), (single.cols, full.cols)):
        assert side.quadratic_constant == other.quadratic_constant
        own, against = (P, Q) if side is single.rows else (Q, P)
        for method in ("cg", "cholesky", "blocks"):
            results = []
            for one in (side, other):
                moved = own.copy()
                als.RowSolver(one, 3, method, 2, 1, losses.resolve(loss)).improve(moved, against)
                results.append(moved)
            np.testing.assert_array_equal(*results)
        gradients = [SideObjective(one, losses.resolve(loss), against).value_and_gradient(own) for one in (side, other)]
        assert gradients[0][0] == gradients[1][0]
        np.testing.assert_array_equal(gradients[0][1], gradients[1][1])


@pytest.mark.parametrize("weight", [1.0, 3.0, 0.1])
def test_masses_are_the_weights_added_up_in_order(rng, weight):
    """Of a whole number without adding; either way to the bits of one sum after another in float64."""
    positives = as_csr((rng.random((30, 20)) < 0.4) * weight, "x")
    masses = recipes.frequencies(positives, "value").masses
    single = float(np.float32(weight))
    for found, counts in zip(masses, (np.diff(positives.indptr), np.diff(transpose(positives).indptr))):
        expected = [sum([single] * int(count)) for count in counts]
        np.testing.assert_array_equal(found, expected)
