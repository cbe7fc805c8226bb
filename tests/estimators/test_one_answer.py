"""What one row asks for costs that row and the columns, however many positives the other rows have."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import FactorRecommender, Interactions


@pytest.fixture(scope="module")
def crowded():
    """600 rows × 500 columns, half of the cells filled: 150,000 positives, 1.2 MB of numbers and values."""
    cells = np.random.default_rng(0).random((600, 500)) < 0.5
    return FactorRecommender(factors=4, iterations=1, threads=1).fit(sp.csr_array(cells.astype(np.float32)))


def peak(call):
    """Bytes that a call holds at most, the second time that it is asked."""
    call()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.jit
@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.recommend([3]),
        lambda model: model.similar_cols([3]),
        lambda model: model.similar_rows([3]),
        lambda model: model.score([3], [4]),
        lambda model: model.fold_in(sp.csr_array(([1.0], ([0], [7])), shape=(1, 500))),
        lambda model: model.recommend(sp.csr_array(([1.0], ([0], [7])), shape=(1, 500))),
    ],
    ids=["recommend", "similar_cols", "similar_rows", "score", "fold_in", "recommend a new row"],
)
def test_one_answer_never_copies_the_positives(crowded, ask):
    assert peak(lambda: ask(crowded)) < 150_000


def test_a_single_row_and_a_batch_agree(crowded):
    batch = crowded.recommend(np.arange(40), k=5)
    for row in range(40):
        alone = crowded.recommend([row], k=5)
        assert alone.ids.tolist() == batch.ids[[row]].tolist()
        np.testing.assert_allclose(alone.scores, batch.scores[[row]], rtol=1e-5)


def test_neighbours_follow_the_factors_that_the_model_holds(crowded):
    model = FactorRecommender(factors=4, iterations=1).fit(crowded.seen_)
    before = model.similar_cols([0], k=499)
    model.col_factors_ = model.col_factors_[::-1].copy()
    after = model.similar_cols([499], k=499)
    np.testing.assert_allclose(before.scores, after.scores, rtol=1e-4, atol=1e-6)
    assert 499 - before.ids[0, 0] == after.ids[0, 0]


def test_a_row_without_positives_is_answered_where_there_are_contexts():
    """Weights belong to (row, contexts) pairs there, of which there may be fewer than rows."""
    table = {"who": ["ann", "bob", "cyd", "ann"], "what": [1, 2, 3, 2], "when": ["day"] * 4}
    data = Interactions.from_table(table, row="who", col="what", context="when")
    train, _ = data.split(test=0.5, seed=2)
    model = FactorRecommender(2, iterations=2, context_model="additive").fit(train)
    assert len(model.row_weight_) < len(model.row_ids_)
    assert model.recommend(["ann", "bob", "cyd"], k=2, context={"when": "day"}).ids.shape == (3, 2)
