"""The best k of few queries in one kernel: those of sorting everything, and each query's bits its own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.kernels import few
from tacit.neighbours.few_queries import StoredRows, Tiled, top_k_of_few, top_k_of_rows
from tacit.neighbours.topk import QUERIES
from tests import naive
from tests.neighbours.test_topk import lists_of, whole_factors


@given(
    seed=st.integers(0, 2**16), n=st.integers(1, 16), m=st.integers(1, 40), k=st.integers(1, 50), g=st.integers(1, 9)
)
def test_agrees_with_sorting_everything(seed, n, m, k, g):
    rng = np.random.default_rng(seed)
    queries, items = whole_factors(rng, n, m, g)
    seen = rng.random((n, m)) < 0.3
    numbers, scores = top_k_of_few(queries, Tiled.of(items), k, seen=lists_of(seen))
    exact = queries.astype(np.float64) @ items.T
    expected = naive.top_k(np.where(seen, -np.inf, exact), k)
    np.testing.assert_array_equal(numbers, expected[0])
    np.testing.assert_array_equal(scores, expected[1])


@given(
    seed=st.integers(0, 2**16), n=st.integers(1, 16), m=st.integers(1, 40), g=st.integers(1, 9), exclude=st.booleans()
)
def test_rows_by_their_numbers_agree_with_sorting_everything(seed, n, m, g, exclude):
    """Some of them stored apart, some asked twice."""
    rng = np.random.default_rng(seed)
    queries, items = whole_factors(rng, n, m, g)
    queries[~queries.any(axis=1), 0] = 1
    seen = rng.random((n, m)) < 0.3
    first = rng.integers(0, n + 1)
    stored, apart = (StoredRows(queries[some], *lists_of(seen[some])) for some in (slice(first), slice(first, None)))
    wanted = rng.integers(0, n, 16)
    numbers = np.where(wanted < first, wanted, first - 1 - wanted).tolist()
    k = int(rng.integers(1, m + 1))
    found = top_k_of_rows(numbers, stored, apart, Tiled.of(items), k, exclude_seen=exclude)
    exact = queries.astype(np.float64) @ items.T
    expected = naive.top_k(np.where(seen & exclude, -np.inf, exact)[wanted], k)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.jit
@pytest.mark.parametrize("g", [5, 64])
def test_each_query_gets_the_bits_that_it_would_get_alone(rng, g):
    """Beside others, at any place among them, over several selections and with sections on several threads."""
    m = 9 * few.WIDTH + 7
    queries, items = (rng.standard_normal((size, g)).astype(np.float32) for size in (QUERIES[0], m))
    tiles = Tiled.of(items)
    numbers, scores = top_k_of_few(queries, tiles, 20)
    for count in (1, 2, 3, 4, 7):
        for start in range(0, QUERIES[0] - count, 3):
            some = slice(start, start + count)
            alone = top_k_of_few(queries[some], tiles, 20, threads=2)
            assert alone[0].tobytes() == numbers[some].tobytes() and alone[1].tobytes() == scores[some].tobytes()
    exact = queries.astype(np.float64) @ items.T
    np.testing.assert_allclose(scores, -np.sort(-exact, axis=1)[:, :20], rtol=1e-4, atol=1e-4)


@pytest.mark.jit
def test_sections_on_several_threads_change_no_bit(rng, monkeypatch):
    m = 5 * few.WIDTH + 3
    queries, items = (rng.standard_normal((size, 8)).astype(np.float32) for size in (3, m))
    whole = top_k_of_few(queries, Tiled.of(items), 30, threads=1)
    monkeypatch.setattr("tacit.neighbours.few_queries.TILES_AT_FIRST", 1)
    cut = top_k_of_few(queries, Tiled.of(items), 30, threads=3)
    assert [one.tobytes() for one in whole] == [one.tobytes() for one in cut]


@pytest.mark.jit
@given(seed=st.integers(0, 2**16), spread=st.sampled_from([0.0, 0.3, 1.5]), k=st.sampled_from([1, 10, 300, 2000]))
def test_items_that_are_left_out_could_not_have_come(seed, spread, k):
    """Lengths from alike to far apart; many equal scores, which go to the lower number; queries of zero."""
    rng = np.random.default_rng(seed)
    m = 2 * few.WIDTH + 50
    items = rng.integers(-2, 3, (m, 6)) * np.exp2(np.round(spread * rng.standard_normal((m, 1))))
    queries = np.concatenate((rng.integers(-2, 3, (5, 6)), np.zeros((1, 6))))
    seen = rng.random((6, m)) < 0.1
    numbers, scores = top_k_of_few(queries, Tiled.of(items), k, seen=lists_of(seen))
    expected = naive.top_k(np.where(seen, -np.inf, queries @ items.T), k)
    np.testing.assert_array_equal(numbers, expected[0])
    np.testing.assert_array_equal(scores, expected[1])


@pytest.mark.jit  # as plain Python, NumPy warns of the overflow first
def test_scores_that_are_not_finite_get_a_sentence():
    items = np.array([[1.0], [np.inf]], dtype=np.float32)
    with pytest.raises(InputError, match="NaN or infinite"):
        top_k_of_few(np.ones((1, 1), np.float32), Tiled.of(items), 1)
