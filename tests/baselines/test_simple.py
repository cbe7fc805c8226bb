"""Popularity and EASE against their formulas."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import Interactions
from tacit.baselines import Ease, Popularity
from tacit.errors import InputError
from tacit.metrics import evaluate


@pytest.fixture
def positives(rng):
    return (rng.random((30, 12)) < 0.3).astype(np.float32)


def test_ease_solves_the_constrained_ridge_regression(positives):
    ridge = 2.0
    model = Ease(ridge).fit(sp.csr_array(positives))
    m = positives.shape[1]
    for j in range(m):
        # The diagonal is zero: column j is regressed on all others.
        others = [i for i in range(m) if i != j]
        X = positives[:, others].astype(np.float64)
        expected = np.linalg.solve(X.T @ X + ridge * np.eye(m - 1), X.T @ positives[:, j])
        np.testing.assert_allclose(model.weights_[others, j], expected, atol=1e-5)
        assert model.weights_[j, j] == 0


def test_ease_ranks_by_x_times_b_without_the_seen(positives):
    model = Ease(2.0).fit(sp.csr_array(positives))
    scores = np.where(positives > 0, -np.inf, positives @ model.weights_)
    found = model.recommend(np.arange(30), k=3)
    np.testing.assert_allclose(found.scores, np.sort(scores, axis=1)[:, ::-1][:, :3], rtol=1e-5)


def test_popularity_counts_rows(positives):
    found = Popularity().fit(sp.csr_array(positives)).recommend([0, 5], k=2, exclude_seen=False)
    best = np.argsort(-positives.sum(axis=0), kind="stable")[:2]
    np.testing.assert_array_equal(found.ids, [best, best])


def test_ids_come_back_and_evaluate_accepts_them():
    table = {"who": ["a", "a", "b", "b", "c"], "what": ["x", "y", "x", "z", "x"]}
    data = Interactions.from_table(table, row="who", col="what")
    model = Popularity().fit(data)
    assert model.recommend("c", k=2).ids.tolist() == [["y", "z"]]
    train, test = data.split(test=2, seed=0)
    found = evaluate(Popularity().fit(train), train, test, k=3, metrics=("recall",))
    assert found["recall@3"] == 1.0


def test_too_many_columns_are_refused():
    with pytest.raises(InputError, match="at most"):
        Ease().fit(sp.csr_array(([1.0], ([0], [40_000])), shape=(1, 40_001)))
