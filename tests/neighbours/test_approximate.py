"""The approximate search: exact scores, honest recall, exactly k, the same bits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.neighbours import approximate
from tacit.neighbours.filters import Filters
from tacit.neighbours.topk import top_k
from tests.conftest import JIT_IS_OFF


@pytest.fixture(scope="module")
def clustered():
    # Where kernels are Python, a tenth is as much as can be waited for.
    n, m = (400, 40) if JIT_IS_OFF else (4000, 400)
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(40, 8))
    items = (centres[rng.integers(0, 40, n)] + 0.3 * rng.normal(size=(n, 8))).astype(np.float32)
    queries = (centres[rng.integers(0, 40, m)] + 0.3 * rng.normal(size=(m, 8))).astype(np.float32)
    return items, queries


@pytest.fixture(scope="module")
def index(clustered):
    return approximate.build(*clustered, recall=0.95)


def search(index, clustered, k, probes=None, **filters):
    items, queries = clustered
    return approximate.search(index, items[index.order], queries, k, Filters(**filters), probes=probes)


@pytest.mark.jit
def test_recall_on_queries_that_chose_nothing_is_what_it_says(index, clustered):
    items, _ = clustered
    rng = np.random.default_rng(9)
    fresh = items[rng.choice(len(items), 300)] + 0.2 * rng.normal(size=(300, 8)).astype(np.float32)
    truth = top_k(fresh, items, 10)[0]
    found = approximate.search(index, items[index.order], fresh, 10)[0]
    share = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found, truth)])
    assert share > 0.9
    assert index.recall(10) > 0.9 and index.probes[0] < len(index.centres) / 4


def test_scores_are_exact_and_in_order(index, clustered):
    items, queries = clustered
    found, scores = search(index, clustered, 10)
    exact = np.einsum("ig,ikg->ik", queries.astype(float), items[found].astype(float))
    np.testing.assert_allclose(scores, exact, rtol=1e-4, atol=1e-5)
    assert (np.diff(scores, axis=1) <= 0).all()


def test_all_lists_give_what_the_exact_search_gives(index, clustered):
    items, queries = clustered
    found, scores = search(index, clustered, 20, probes=len(index.centres))
    exact, exact_scores = top_k(queries, items, 20)
    np.testing.assert_allclose(scores, exact_scores, rtol=1e-4, atol=1e-5)
    assert (found == exact).mean() > 0.999


@given(seed=st.integers(0, 1000), share=st.sampled_from([0.5, 0.02, 0.003]))
@settings(max_examples=15, deadline=None)
def test_filters_leave_no_place_empty(index, clustered, seed, share):
    items, queries = clustered
    rng = np.random.default_rng(seed)
    allowed = rng.random(len(items)) < share
    taken = [np.sort(rng.choice(len(items), 50, replace=False)).astype(np.int32) for _ in queries]
    seen = np.arange(0, 50 * len(queries) + 1, 50), np.concatenate(taken)
    found, _ = search(index, clustered, 10, allowed=allowed, seen=seen)
    for row, own in zip(found, taken):
        possible = allowed.copy()
        possible[own] = False
        listed = row[row >= 0]
        assert len(listed) == min(10, possible.sum()) == len(set(listed)) and possible[listed].all()


def test_what_the_next_query_has_seen_is_not_kept_from_this_one(index, clustered):
    """The first query has seen nothing, and the second one the very item that is best for the first."""
    items, queries = clustered
    best = search(index, (items, queries[:1]), 1)[0][0, 0]
    seen = np.array([0, 0, 1]), np.array([best], dtype=np.int32)
    found, _ = search(index, (items, queries[[0, 0]]), 1, seen=seen)
    assert found[0, 0] == best and found[1, 0] != best


def test_the_same_seed_gives_the_same_index_at_any_number_of_threads(clustered):
    one, two = (approximate.build(*clustered, recall=0.9, seed=3, threads=t) for t in (1, 2))
    for name in ("centres", "starts", "order", "probes", "recalls"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()
    other = approximate.build(*clustered, recall=0.9, seed=4)
    assert other.centres.tobytes() != one.centres.tobytes()


def test_every_item_is_in_one_list(index, clustered):
    assert np.array_equal(np.sort(index.order), np.arange(len(clustered[0])))
    assert index.starts[0] == 0 and index.starts[-1] == len(clustered[0]) and (np.diff(index.starts) >= 0).all()


@pytest.mark.parametrize("recall", [0.0, 1.0, np.nan, "high"])
def test_a_recall_that_makes_no_sense_is_refused(clustered, recall):
    with pytest.raises(InputError, match="recall"):
        approximate.build(*clustered, recall=recall)
