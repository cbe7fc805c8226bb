"""Recipes: the ridge that follows the noise of the data."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.objective.recipes import Recipe, default_ridge, noise


@pytest.mark.parametrize(("shape", "density"), [((400, 300), 0.05), ((800, 100), 0.1)])
def test_noise_is_where_the_singular_values_of_chance_end(shape, density):
    rng = np.random.default_rng(0)
    chance = (rng.random(shape) < density).astype(np.float64)
    largest = np.linalg.norm(chance - density, 2)
    per_row, per_col = chance.sum() / shape[0], chance.sum() / shape[1]
    assert largest == pytest.approx(noise(sp.csr_array(chance)) * np.sqrt(per_row * per_col), rel=0.1)


def test_without_a_ridge_the_recipe_takes_the_default_one():
    positives = sp.csr_array((np.random.default_rng(1).random((30, 20)) < 0.2).astype(np.float32))
    chosen, given = (Recipe.measure(positives, regularization=ridge) for ridge in (None, default_ridge(positives)))
    assert chosen == given


def test_fewer_positives_ask_for_a_larger_ridge():
    rng = np.random.default_rng(2)
    dense, sparse = (sp.csr_array((rng.random((60, 40)) < share).astype(np.float32)) for share in (0.4, 0.1))
    assert default_ridge(sparse) == pytest.approx(default_ridge(dense) * (dense.nnz / sparse.nnz) ** 0.25)


def test_an_empty_matrix_has_a_finite_ridge():
    assert np.isfinite(default_ridge(sp.csr_array((3, 4), dtype=np.float32)))
