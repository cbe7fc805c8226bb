"""Recipes: the ridge that follows the noise of the data."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import FactorRecommender
from tacit.objective.recipes import default_ridge, noise_level


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
    assert default_ridge(positives, 10) == default_ridge(positives, 64) == pytest.approx(0.74 * noise_level(positives))


def test_a_handful_of_positives_is_not_silenced():
    cells = sp.csr_array(np.array([[1, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=np.float32))
    assert 0.74 * noise_level(cells) > 1
    model = FactorRecommender(progress=False).fit(cells)
    assert np.abs(model.row_factors_ @ model.col_factors_.T).min() > 1e-3


def test_an_empty_matrix_has_a_finite_ridge():
    assert np.isfinite(default_ridge(sp.csr_array((3, 4), dtype=np.float32), 2))
