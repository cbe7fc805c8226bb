"""Counts against the pair-by-pair oracle; bounded memory and threads change no bit."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.features import cooccurrence
from tests import naive

WORDS = 12
sentences = st.lists(st.lists(st.integers(0, WORDS - 1), min_size=1, max_size=15), min_size=1, max_size=6)
WEIGHT = {"inverse": lambda d, w: 1 / d, "linear": lambda d, w: (w + 1 - d) / w, "flat": lambda d, w: 1.0}


def tokens_of(lists):
    joined = [token for one in lists for token in [*one, -1]]
    return np.array(joined[:-1], np.int32)


@given(
    sentences,
    st.integers(1, 6),
    st.sampled_from(["inverse", "linear", "flat"]),
    st.sampled_from(["both", "left", "right"]),
)
def test_counts_are_the_oracle(lists, window, weighting, side):
    counts = cooccurrence.count_pairs(tokens_of(lists), WORDS, window=window, weighting=weighting, side=side)
    oracle = naive.cooccurrence(
        lists, WORDS, lambda d: WEIGHT[weighting](d, window), window, side != "right", side != "left"
    )
    np.testing.assert_allclose(counts.toarray(), oracle, rtol=1e-6)
    assert counts.nnz == np.count_nonzero(oracle)
    assert counts.has_canonical_format
    assert counts.indptr.dtype == np.int64
    assert counts.indices.dtype == np.int32


def long_text(rng, length=20_000, words=300):
    tokens = (rng.zipf(1.3, length) % words).astype(np.int32)
    tokens[rng.random(length) < 0.05] = -1
    return tokens


def test_full_and_sparse_rows_are_both_sorted(rng):
    """Rows above and below the border between the two ways of putting columns in order."""
    tokens = long_text(rng, words=2000)
    counts = cooccurrence.count_pairs(tokens, 2000, window=5)
    sizes = np.diff(counts.indptr)
    assert sizes.max() > 2000 / 32 > sizes[sizes > 0].min()
    assert counts.has_canonical_format
    assert abs(counts - counts.T).max() == 0


def test_the_same_bits_at_any_number_of_threads(rng):
    tokens = long_text(rng)
    one, four = (cooccurrence.count_pairs(tokens, 300, threads=threads) for threads in (1, 4))
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(one, name), getattr(four, name))


def test_a_small_budget_goes_to_disk_and_in_runs_with_the_same_counts(rng, monkeypatch):
    tokens = long_text(rng)
    whole = cooccurrence.count_pairs(tokens, 300, window=4)
    files = []
    real = cooccurrence._nameless_file
    monkeypatch.setattr(cooccurrence, "_nameless_file", lambda: files.append(real()) or files[-1])
    small = cooccurrence.count_pairs(tokens, 300, window=4, memory=1e-5)
    assert len(files) >= 2 * 5  # several runs and their sums, two files each
    np.testing.assert_array_equal(small.indices, whole.indices)
    np.testing.assert_array_equal(small.indptr, whole.indptr)
    np.testing.assert_allclose(small.data, whole.data, rtol=1e-6)


def test_adding_pads_the_smaller_one(rng):
    a = sp.random_array((4, 4), density=0.5, rng=rng, dtype=np.float32, format="csr")
    b = sp.random_array((6, 6), density=0.4, rng=rng, dtype=np.float32, format="csr")
    for one, other in ((a, b), (b, a)):
        total = cooccurrence.add_counts(one, other).toarray()
        expected = b.toarray()
        expected[:4, :4] += a.toarray()
        np.testing.assert_array_equal(total, expected)


@pytest.mark.jit
def test_frequent_pairs_do_not_stall():
    """Sums run in float64: in float32 adding 1/8 would stop counting at 2^21."""
    tokens = np.zeros(3_000_000, np.int32)
    counts = cooccurrence.count_pairs(tokens, 1, window=8)
    exact = 2 * sum((len(tokens) - d) / d for d in range(1, 9))
    np.testing.assert_allclose(counts.data[0], exact, rtol=1e-6)


def test_no_tokens_no_counts():
    counts = cooccurrence.count_pairs(np.empty(0, np.int32), 3)
    assert counts.shape == (3, 3)
    assert counts.nnz == 0


@pytest.mark.parametrize(
    ("options", "name"),
    [({"window": 0}, "window"), ({"weighting": "x"}, "weighting"), ({"side": "x"}, "side"), ({"memory": 0}, "memory")],
)
def test_bad_parameters(options, name):
    with pytest.raises(InputError, match=name):
        cooccurrence.count_pairs(np.zeros(3, np.int32), 1, **options)
