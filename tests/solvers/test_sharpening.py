"""Sharpened linear weights: against an exact decomposition, and the same bits on any number of threads."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.data.matrix import as_csr
from tacit.solvers import linear_weights, sharpening
from tests import naive


def positives(seed, n=60, m=40):
    cells = sp.random_array((n, m), density=0.15, rng=np.random.default_rng(seed), format="csr", dtype=np.float32)
    cells.data[:] = 1
    return as_csr(cells, "x")


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    exponents=st.tuples(*[st.sampled_from([0.0, 0.5, 1.0])] * 3),
    strength=st.sampled_from([0.25, 1.0]),
)
def test_a_part_of_all_directions_is_taken_from_the_weights(seed, exponents, strength):
    X = positives(seed)
    plain = linear_weights.sparse_weights(X, exponents, 100)
    found = sharpening.sharpened(plain, X, exponents, sharpening.leading(X, exponents[1]), strength)
    expected = naive.sharpened_weights(X.toarray(), exponents, strength, 40)
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-5 * np.abs(expected).max())
    np.testing.assert_allclose(sharpening.scores(X, found, 3, 50), X.toarray()[3:50] @ expected, rtol=1e-4, atol=1e-4)
    assert found[3, 5] == pytest.approx(expected[3, 5], abs=1e-5 * np.abs(expected).max())


def test_the_leading_directions_of_a_larger_matrix_are_found_in_order(monkeypatch):
    """Groups of columns of their own rows: one direction each stands out from the rest."""
    rng = np.random.default_rng(0)
    near = (np.arange(600)[:, None] % 8) == (np.arange(200)[None] % 8)
    X = as_csr((rng.random((600, 200)) < np.where(near, 0.5, 0.01)).astype(np.float32), "x")
    monkeypatch.setattr(sharpening, "COMPONENTS", 8)
    monkeypatch.setattr(sharpening, "ROUNDS", 8)
    found = sharpening.leading(X, 1.0)
    dense = X.toarray().astype(np.float64)
    scaled = dense / np.sqrt(np.outer(dense.sum(axis=1), dense.sum(axis=0)))
    _, values, vectors = np.linalg.svd(scaled)
    np.testing.assert_allclose(found.values, values[:8], rtol=1e-5)
    np.testing.assert_allclose(found.vectors @ found.vectors.T, vectors[:8].T @ vectors[:8], atol=1e-4)


def test_the_bits_are_the_same_on_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(sharpening, "ROWS_AT_ONCE", 16)
    one, three = (sharpening.leading(positives(1), 1.0, threads) for threads in (1, 3))
    assert one.vectors.tobytes() == three.vectors.tobytes() and one.values.tobytes() == three.values.tobytes()
