"""Popularity against its formula."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import Interactions
from tacit.baselines import Popularity
from tacit.metrics import evaluate


@pytest.fixture
def positives(rng):
    return (rng.random((30, 12)) < 0.3).astype(np.float32)


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
