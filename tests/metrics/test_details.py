"""What lies behind the means adds up to the means."""

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.baselines import RandomOrder
from tacit.baselines.means_so_far import means_so_far
from tacit.errors import InputError
from tacit.metrics import Details, evaluate, evaluate_lists, ndcg_at_k
from tacit.metrics.label_evaluation import Labelled, evaluate_labels


@pytest.fixture
def lists(rng):
    numbers = np.stack([rng.permutation(12)[:6] for _ in range(30)])
    numbers[rng.random(numbers.shape) < 0.1] = -1
    test = sp.csr_array((rng.random((30, 12)) < 0.2).astype(np.float32))
    return numbers, test


def test_means_of_users_are_the_means(lists, monkeypatch):
    numbers, test = lists
    monkeypatch.setattr("tacit.metrics.evaluation.BATCH", 7)
    details = Details(3, ("ndcg", "recall"))
    means = evaluate_lists(numbers, test, k=(3, 6), metrics=("ndcg", "recall"), details=details)
    for name in ("ndcg", "recall"):
        assert details.scores[name].mean() == pytest.approx(means[f"{name}@3"], rel=1e-12)
    assert details.rows.tolist() == np.flatnonzero(np.diff(test.indptr)).tolist()


def test_items_are_counted_where_they_stand(lists):
    numbers, test = lists
    details = Details(3)
    evaluate_lists(numbers, test, k=6, details=details)
    listed, hits = np.zeros(12, int), np.zeros(12, int)
    for row in np.flatnonzero(np.diff(test.indptr)):
        for item in numbers[row, :3]:
            if item >= 0:
                listed[item] += 1
                hits[item] += test[row, item] > 0
    assert details.listed.tolist() == listed.tolist()
    assert details.hits.tolist() == hits.tolist()


def test_details_cannot_look_behind_the_end_of_the_lists(lists):
    with pytest.raises(InputError, match="lists end at 6"):
        evaluate_lists(*lists, k=6, details=Details(7))


def test_lists_by_lot_hold_nothing_seen_and_find_what_chance_finds(rng):
    train = sp.csr_array((rng.random((400, 50)) < 0.2).astype(np.float32))
    test = sp.csr_array(((rng.random((400, 50)) < 0.1) & (train.toarray() == 0)).astype(np.float32))
    found = RandomOrder(3).fit(train).recommend(range(400), k=10).ids
    assert all(train[row, item] == 0 for row in range(400) for item in found[row])
    free = 50 - np.diff(train.indptr)
    asked = np.diff(test.indptr) > 0
    chance = (10 / free)[asked]
    # The mean over about 390 rows of a recall whose deviation is below 0.5 lies within four deviations.
    recall = evaluate(RandomOrder(3).fit(train), train, test, k=10, metrics=("recall",))["recall@10"]
    assert abs(recall - chance.mean()) < 4 * 0.5 / np.sqrt(asked.sum())


def test_means_so_far_are_those_of_a_loop(rng):
    ratings, groups = rng.integers(1, 6, 80).astype(float), rng.integers(0, 9, 80)
    for place, (overall, own) in enumerate(zip(means_so_far(ratings, start=3.0), means_so_far(ratings, groups))):
        before = ratings[:place]
        assert overall == pytest.approx(before.mean() if place else 3.0)
        same = before[groups[:place] == groups[place]]
        assert own == pytest.approx(same.mean() if len(same) else before.mean() if place else 0.0)


def test_labels_a_model_has_never_seen_can_only_be_missed():
    truth = Labelled.of([["a", "new"], ["b"]], ["a", "b"], np.array([5, 3]), 8)
    assert (truth.unknown, truth.names.all().tolist(), truth.frequency.tolist()) == (1, ["a", "b", "new"], [5, 3, 0])
    lists = truth.lists(np.array([["a", "b"], ["a", "b"]]))
    found = evaluate_labels(lists, truth, (1, 2))
    assert found["recall@2"] == pytest.approx((1 / 2 + 1) / 2)
    assert found["ndcg@2"] == ndcg_at_k(truth.truth, lists, 2)
    assert truth.most_frequent(2).tolist() == [[0, 1], [0, 1]]
    assert all(len(set(row)) == 3 for row in truth.random(3).tolist())
