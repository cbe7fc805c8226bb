"""Exact top-k against sorting everything, on small integers (so that ties abound and products are exact)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.kernels.topk import STRIDE, finish, select
from tacit.neighbours.filters import Filters
from tacit.neighbours.topk import ITEMS, normalise, top_k
from tests import naive


def lists_of(mask):
    """Indptr and indices of the true cells."""
    return np.concatenate(([0], np.cumsum(mask.sum(axis=1)))), np.nonzero(mask)[1].astype(np.int32)


def whole_factors(rng, n, m, g=3, largest=2):
    """Factors whose inner products are exact in float32, with many ties."""
    return (rng.integers(-largest, largest + 1, size=(rows, g)).astype(np.float32) for rows in (n, m))


@given(
    seed=st.integers(0, 2**16),
    n=st.integers(1, 20),
    m=st.integers(1, 40),
    k=st.integers(1, 50),
    parts=st.sets(st.sampled_from(["seen", "excluded", "included", "limited", "allowed", "bias"])),
)
def test_agrees_with_sorting_everything(seed, n, m, k, parts):
    rng = np.random.default_rng(seed)
    queries, items = whole_factors(rng, n, m)
    scores = queries.astype(np.float64) @ items.T
    options, bias = {}, None
    if "bias" in parts:
        bias = rng.integers(-2, 3, size=m).astype(np.float32)
        scores += bias
    for part in ("seen", "excluded"):
        if part in parts:
            mask = rng.random((n, m)) < 0.4
            options[part] = lists_of(mask)
            scores[mask] = -np.inf
    if "included" in parts:
        mask = rng.random((n, m)) < 0.4
        options["included"] = lists_of(mask)
        if "limited" in parts:
            options["limited"] = rng.random(n) < 0.5
            mask[~options["limited"]] = True
        scores[~mask] = -np.inf
    if "allowed" in parts:
        options["allowed"] = rng.random(m) < 0.6
        scores[:, ~options["allowed"]] = -np.inf
    numbers, best = top_k(queries, items, k, Filters(**options), threads=1, bias=bias)
    expected_numbers, expected_best = naive.top_k(scores, k)
    np.testing.assert_array_equal(numbers, expected_numbers)
    np.testing.assert_array_equal(best, expected_best)


@pytest.mark.jit
@pytest.mark.parametrize("k", [1, 10, 60, 128, 129, 700, ITEMS, 2500, 3000])
def test_many_tiles_and_every_size_of_k(rng, k):
    """Several tiles, several blocks of queries, all paths of the selection; some rows have fewer than k left."""
    queries, items = whole_factors(rng, 70, 2500, g=4, largest=4)
    mask = rng.random((70, 2500)) < rng.choice([0.0, 0.3, 0.999], size=(70, 1))
    scores = queries.astype(np.float64) @ items.T
    scores[mask] = -np.inf
    numbers, best = top_k(queries, items, k, Filters(seen=lists_of(mask)))
    expected_numbers, expected_best = naive.top_k(scores, k)
    np.testing.assert_array_equal(numbers, expected_numbers)
    np.testing.assert_array_equal(best, expected_best)


def test_zeros_of_both_signs_are_equal():
    """Straight to the kernel: whether BLAS ever gives -0.0 is its own affair."""
    scores = np.full((1, STRIDE), -1.0, dtype=np.float32)
    scores[0, [5, 9]] = -0.0, 0.0
    keys, filled, floors = np.empty((1, 80), dtype=np.int64), np.zeros(1, np.int64), np.full(1, -np.inf, np.float32)
    select(scores, scores.view(np.int32), 1, 0, 2, keys, filled, floors)
    finish(keys, filled, 2)
    assert (0xFFFFFFFF - (np.sort(keys[0, :2])[::-1] & 0xFFFFFFFF)).tolist() == [5, 9]


@pytest.mark.jit
@pytest.mark.parametrize("order", ["ascending", "descending", "constant"])
def test_scores_in_unlucky_orders(order):
    values = {
        "ascending": np.arange(5000.0),
        "descending": -np.arange(5000.0),
        "constant": np.full(5000, -3.0),
    }[order]
    numbers, _ = top_k(np.ones((3, 1)), values[:, None], 25)
    np.testing.assert_array_equal(numbers, naive.top_k(np.tile(values, (3, 1)), 25)[0])


@pytest.mark.jit
@pytest.mark.parametrize(("n", "m"), [(700, 1500), (1, 150_000)])
def test_same_bits_at_any_number_of_threads(rng, n, m):
    queries, items = (rng.standard_normal((rows, 20)).astype(np.float32) for rows in (n, m))
    one = top_k(queries, items, 12, threads=1)
    for threads in (2, 3, 5):
        many = top_k(queries, items, 12, threads=threads)
        np.testing.assert_array_equal(one[0], many[0])
        np.testing.assert_array_equal(one[1].view(np.int32), many[1].view(np.int32))


@pytest.mark.jit
def test_scores_are_the_inner_products(rng):
    queries, items = (rng.standard_normal((rows, 50)).astype(np.float32) for rows in (40, 1100))
    numbers, best = top_k(queries, items, 7)
    exact = np.einsum("ng,nkg->nk", queries.astype(np.float64), items[numbers].astype(np.float64))
    np.testing.assert_allclose(best, exact, rtol=1e-5, atol=1e-5)


def test_inputs_are_not_changed(rng):
    queries, items = (rng.standard_normal((rows, 4)).astype(np.float32) for rows in (3, 9))
    before = queries.copy(), items.copy()
    top_k(queries, items, 3, Filters(allowed=np.arange(9) > 4), bias=np.ones(9))
    np.testing.assert_array_equal(before[0], queries)
    np.testing.assert_array_equal(before[1], items)


def test_no_queries_and_no_candidates():
    numbers, best = top_k(np.zeros((0, 2)), np.zeros((3, 2)), 4)
    assert numbers.shape == best.shape == (0, 4)
    numbers, best = top_k(np.zeros((2, 2)), np.zeros((3, 2)), 4, Filters(allowed=np.zeros(3, dtype=bool)))
    assert (numbers == -1).all()
    assert np.isnan(best).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"k": 0}, "k must be a whole number"),
        ({"k": 2.5}, "k must be a whole number"),
        ({"queries": np.ones((2, 3))}, "3 columns but items have 2"),
        ({"queries": np.ones(2)}, "queries must have two dimensions"),
        ({"queries": np.full((2, 2), np.nan)}, "NaN or infinite"),
        ({"items": np.full((4, 2), 3e38)}, "NaN or infinite"),
        (
            {"filters": Filters(seen=(np.array([0, 1]), np.array([0])))},
            "seen must list items for each of the 2",
        ),
        ({"filters": Filters(seen=(np.array([0, 1, 1]), np.array([4])))}, "seen names items outside 0 to 3"),
        ({"filters": Filters(excluded=(np.array([0, 1, 9]), np.array([1])))}, "excluded names items outside"),
        ({"filters": Filters(allowed=np.ones(3, dtype=bool))}, "allowed must be a mask of 4"),
        ({"filters": Filters(allowed=np.arange(4))}, "allowed must be a mask of 4"),
        ({"bias": np.ones(3)}, "bias must have one value for each of the 4 items"),
        ({"threads": -1}, "threads must be"),
    ],
)
def test_bad_input_gets_a_sentence(change, sentence):
    arguments = {"queries": np.full((2, 2), 2.0), "items": np.ones((4, 2)), "k": 2} | change
    with pytest.raises(InputError, match=sentence):
        top_k(**arguments)


@given(seed=st.integers(0, 2**16), scale=st.sampled_from([1e-30, 1e-3, 1.0, 1e30]))
def test_normalised_rows_have_length_one_or_zero(seed, scale):
    rng = np.random.default_rng(seed)
    factors = (rng.standard_normal((5, 3)) * scale).astype(np.float32)
    factors[2] = 0
    lengths = np.linalg.norm(normalise(factors).astype(np.float64), axis=1)
    np.testing.assert_allclose(lengths, [1, 1, 0, 1, 1], atol=1e-6)
