"""The approximate index of a recommender's columns."""

import numpy as np
import pytest
import scipy.sparse as sp

import tacit
from tacit import FactorRecommender, Interactions
from tacit.errors import InputError


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    row, col = rng.integers(0, 30, 400), rng.integers(0, 30, 3000)
    positives = sp.csr_array((row[:, None] == col[None, :]) & (rng.random((400, 3000)) < 0.2), dtype=np.float32)
    return FactorRecommender(factors=16, iterations=4).fit(positives)


@pytest.fixture(scope="module")
def indexed(fitted, tmp_path_factory):
    path = tmp_path_factory.mktemp("index") / "model.tacit"
    fitted.save(path)
    return tacit.load(path).index_cols(recall=0.9)


def overlap(a, b):
    return np.mean([len(set(x) & set(y)) / len(x) for x, y in zip(a.ids.tolist(), b.ids.tolist())])


def test_lists_and_neighbours_are_nearly_those_of_the_exact_search(fitted, indexed):
    rows, cols = np.arange(400), np.arange(0, 3000, 10)
    assert overlap(indexed.recommend(rows, search="approximate"), fitted.recommend(rows)) > 0.85
    assert overlap(indexed.similar_cols(cols, search="approximate"), fitted.similar_cols(cols)) > 0.85
    assert indexed.col_index_.recommend.recall(10) > 0.85 and "recall" in str(indexed.col_index_)
    exact = indexed.recommend(rows, search="exact")
    np.testing.assert_array_equal(exact.ids, fitted.recommend(rows).ids)


def test_nothing_seen_or_excluded_comes_back_and_every_place_is_filled(indexed):
    rows = np.arange(400)
    found = indexed.recommend(rows, k=20, exclude=np.arange(0, 3000, 2), search="approximate")
    assert found.filled.all() and (found.ids % 2 == 1).all()
    for row, ids in zip(rows, found.ids):
        assert not set(indexed.positives_of(int(row))[0]) & set(ids.tolist())
    few = indexed.recommend([0], k=3, include=[5, 7, 9], search="auto")
    assert few.filled.sum() == 3 and set(few.ids[0].tolist()) == {5, 7, 9}


def test_the_index_is_saved_and_answers_the_same(indexed, tmp_path):
    indexed.save(tmp_path / "m")
    again = tacit.load(tmp_path / "m")
    assert again.col_index_ is not None and str(again.col_index_) == str(indexed.col_index_)
    a, b = (model.recommend(np.arange(50), search="approximate") for model in (indexed, again))
    np.testing.assert_array_equal(a.ids, b.ids)
    np.testing.assert_array_equal(a.scores, b.scores)


def test_columns_that_join_put_it_out_of_use_until_it_is_built_again(fitted, tmp_path):
    fitted.save(tmp_path / "m")
    model = tacit.load(tmp_path / "m").index_cols(recall=0.9)
    model.add(3, [5000], 1.0)
    with pytest.raises(InputError, match="index_cols"):
        model.recommend([3], search="approximate")
    assert model.recommend([3], k=5).ids.shape == (1, 5)
    model.save(tmp_path / "grown")
    assert tacit.load(tmp_path / "grown").col_index_ is None
    model.index_cols(recall=0.9)
    assert model.recommend([3], k=5, search="approximate").filled.all()


def test_what_cannot_be_is_refused(fitted, indexed):
    with pytest.raises(InputError, match="call index_cols first"):
        fitted.recommend([0], search="approximate")
    with pytest.raises(InputError, match="up to k=100"):
        indexed.recommend([0], k=101, search="approximate")
    assert indexed.recommend([0], k=101).ids.shape == (1, 101)
    with pytest.raises(InputError, match="search must be one of"):
        indexed.recommend([0], search="fast")
    played = Interactions.from_table({"u": ["a", "b"], "c": ["x", "y"], "i": ["p", "q"]}, row="u", col="i", context="c")
    with pytest.raises(InputError, match="contexts"):
        FactorRecommender(factors=2).fit(played).index_cols()
