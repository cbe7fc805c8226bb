"""A row that shares no column with another gets what is popular: its own positives say nothing of others."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import BlendRecommender, FactorRecommender, Interactions, LinearRecommender
from tacit.data.matrix import as_csr
from tacit.estimators.recommend.recent_rows import alone


def shop():
    """Groups of taste with a popular item each, a newcomer with an item of its own, and a row without anything."""
    rng = np.random.default_rng(0)
    rows, cols = [], []
    for row in range(90):
        for item in np.unique((rng.random(6) ** 3 * 12).astype(int) + 12 * (row % 3)):
            rows.append(f"u{row}")
            cols.append(f"i{item}")
    return Interactions.from_table({"who": [*rows, "new"], "what": [*cols, "own"]}, row="who", col="what")


MODELS = {
    "factors": lambda: FactorRecommender(8, progress=False),
    "linear": lambda: LinearRecommender(),
    "dense": lambda: LinearRecommender("dense"),
    "sparse": lambda: LinearRecommender("sparse"),
    "blend": lambda: BlendRecommender(progress=False),
}


@pytest.mark.parametrize("name", MODELS)
def test_it_gets_the_list_of_a_row_that_nobody_knows(name):
    model = MODELS[name]().fit(shop())
    nobody = model.recommend("who is this", k=12, unknown="average")
    listed = [one for one in nobody.ids[0].tolist() if one != "own"][:10]
    # One row, several at once, and through a filter: three ways through the code.
    for found in (
        model.recommend(["new"], k=10),
        model.recommend(["u1"] * 30 + ["new"], k=10),
        model.recommend(["new"], k=10, exclude=["nothing"]),
    ):
        assert found.ids[-1].tolist()[:10] == listed
    assert model.recommend(["u1"], k=3).ids[0].tolist() == model.recommend(["u1"] * 30, k=3).ids[7].tolist()


@pytest.mark.parametrize("name", MODELS)
def test_why_says_so_and_sums_to_the_score(name):
    model = MODELS[name]().fit(shop())
    ranked = model.recommend(["new"], k=3)
    for ident, score in zip(ranked.ids[0].tolist(), ranked.scores[0].tolist()):
        told = model.why("new", ident)
        assert told.total == pytest.approx(score, abs=1e-5)
        assert "popularity" in str(told)


def test_what_it_does_next_is_heard():
    model = FactorRecommender(8, progress=False).fit(shop())
    before = model.recommend(["new"], k=5).ids.tolist()
    model.add("new", ["i13", "i14"])
    after = model.recommend(["new"], k=5).ids
    assert after.tolist() != before and sum(one in {f"i{n}" for n in range(12, 24)} for one in after[0]) >= 4
    assert after.tolist() == model.recommend(["new"], k=5, exclude=["nothing"]).ids.tolist()


def test_features_say_something_of_a_row():
    data = shop()
    features = sp.csr_array(np.ones((data.shape[0], 1)))
    model = FactorRecommender(4, progress=False).fit(data, row_features=features)
    assert not model._ids_alone


def test_numbers_of_rows_alone():
    cells = np.random.default_rng(1).random((60, 40)) < 0.03
    truth = {row for row in range(60) if cells[row].any() and not (np.delete(cells, row, axis=0)[:, cells[row]]).any()}
    assert alone(as_csr(sp.csr_array(cells.astype(np.float32)), "positives")) == truth and truth
