"""What a row is given of which nothing is known, against dense sums and a dense least squares."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import BlendRecommender, FactorRecommender, Interactions, LinearRecommender
from tacit.data.matrix import as_csr
from tacit.metrics.evaluation import evaluate
from tacit.solvers import popular_row
from tests import naive


def test_every_row_has_one_vote():
    cells = (np.random.default_rng(0).random((40, 15)) < 0.1) * 3.0
    assert not cells.any(axis=1).all()
    positives = as_csr(sp.csr_array(cells), "positives")
    np.testing.assert_allclose(popular_row.votes(positives), naive.votes(cells), rtol=1e-6)


@pytest.mark.parametrize("factors", [3, 30])
def test_its_scores_come_nearest_to_the_votes(monkeypatch, factors):
    rng = np.random.default_rng(1)
    q, wanted = rng.normal(size=(20, factors)).astype(np.float32), rng.random(20)
    expected = naive.nearest_scores(q, wanted)
    np.testing.assert_allclose(q @ popular_row.popular_row(q, wanted), expected, atol=1e-6)
    # Columns that joined since have no part in it, and blocks add up to the whole.
    monkeypatch.setattr(popular_row, "BLOCK", 7)
    more = np.vstack([q, rng.normal(size=(4, factors))])
    np.testing.assert_allclose(q @ popular_row.popular_row(more, wanted), expected, atol=1e-6)


def test_factors_of_zero_give_zeros():
    assert not popular_row.popular_row(np.zeros((4, 2)), np.ones(4)).any()


MODELS = {
    "factors": lambda: FactorRecommender(8, progress=False),
    "linear": lambda: LinearRecommender(),
    "blend": lambda: BlendRecommender(progress=False),
}


@pytest.mark.parametrize("name", MODELS)
def test_newcomers_get_what_rows_of_one_positive_have(name):
    """Columns 0 to 7 belong to rows that have all eight, column 8 to as many rows that have nothing else."""
    cells = np.zeros((61, 12), dtype=np.float32)
    cells[:30, :8] = 1
    cells[30:60, 8] = 1
    train = Interactions.from_matrix(sp.csr_array(cells))
    model = MODELS[name]().fit(train)
    assert model.recommend([60], k=1).ids.tolist() == [[8]]
    assert model.recommend([999], k=1, unknown="average").ids.tolist() == [[8]]
    test = Interactions.from_matrix(sp.csr_array((np.ones(1, np.float32), ([60], [8])), shape=cells.shape))
    assert evaluate(model, train, test, k=1, metrics=("ndcg",))["ndcg@1"] == 1
