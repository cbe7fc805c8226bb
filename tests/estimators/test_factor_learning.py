"""FactorRecommender learns on: rows and columns folded in, more interactions, events."""

import numpy as np
import pytest

from tacit import FactorRecommender, Interactions
from tacit.errors import DivergedError, InputError
from tests.estimators.planted import named, planted, small


@pytest.mark.parametrize("parameters", [{}, {"frequency_exponent": (0.3, 0.5)}, {"factors": 40}, {"held_out": 0.2}])
def test_folding_in_training_rows_gives_back_their_factors(matrix, parameters):
    model = small(**parameters).fit(matrix)
    np.testing.assert_allclose(model.fold_in(matrix[:30]), model.row_factors_[:30], rtol=0, atol=1e-5)


def test_folding_in_columns_needs_one_column_each(matrix):
    model = small(iterations=40).fit(matrix)
    folded = model.fold_in(matrix[:, :7], side="cols")
    cosine = np.einsum("ij,ij->i", folded, model.col_factors_[:7])
    cosine /= np.linalg.norm(folded, axis=1) * np.linalg.norm(model.col_factors_[:7], axis=1)
    assert cosine.min() > 0.99


def test_added_rows_are_recommended_to_as_after_a_refit(matrix):
    model = small(iterations=15).fit(named(matrix[:100]))
    newcomers = Interactions.from_matrix(
        matrix[100:], row_ids=[f"new {x}" for x in range(20)], col_ids=[f"col {y}" for y in range(80)]
    )
    model.fold_in(newcomers, add=True)
    refit = small(iterations=15).fit(matrix)
    grown = model.recommend([f"new {x}" for x in range(20)], k=10).ids
    again = refit.recommend(np.arange(100, 120), k=10).ids
    overlap = [
        len({int(i.split()[1]) for i in left} & set(right.tolist())) for left, right in zip(grown, again, strict=True)
    ]
    assert np.mean(overlap) >= 8
    assert model.row_factors_.shape == (120, 8)
    assert "new 3" in model.row_ids_


def test_partial_fit_lets_new_rows_and_columns_join(matrix):
    model = small().fit(named(matrix[:100, :70]))
    whole = named(matrix)
    model.partial_fit(whole, iterations=4)
    assert model.row_factors_.shape == (120, 8)
    assert model.col_factors_.shape == (80, 8)
    fresh = model.recommend("row 110", k=10).ids[0]
    assert np.mean([int(value.split()[1]) % 4 == 110 % 4 for value in fresh]) >= 0.8


def test_partial_fit_reads_a_bare_matrix_in_the_models_numbering(matrix):
    ours = named(matrix)
    model = small().fit(ours)
    model.partial_fit(matrix)
    assert model.row_factors_.shape == (matrix.shape[0], 8)
    assert model.row_ids_ == ours.row_ids
    assert np.array_equal(model.seen_.toarray(), 2 * matrix.toarray())
    with pytest.raises(InputError, match="a matrix of the model's own shape"):
        model.partial_fit(matrix[:5])
    with pytest.raises(InputError, match="like 0, new ones like 'row 0'"):
        small().fit(matrix).partial_fit(ours)


def test_partial_fit_starts_a_model_too(matrix):
    assert small().partial_fit(matrix).row_factors_.shape == (120, 8)


# -- training ----------------------------------------------------------------------------------------------------


def test_weights_beyond_single_precision_are_told():
    """Squares of their gradients overflow: rows would silently stay at zero."""
    matrix = planted()
    model = FactorRecommender(40, iterations=1, positive_weight="value").fit(matrix)
    with pytest.raises(DivergedError, match="single precision"):
        model.fold_in(matrix[:2] * np.float32(1e37))


# -- sentences ---------------------------------------------------------------------------------------------------
