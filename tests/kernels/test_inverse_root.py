"""A^{-1/2} x and the projection in the norm of A^{1/2} against eigenvalues and enumeration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.kernels import inverse_root
from tacit.solvers.inverse_root import NODES, quadrature
from tests import naive


def factors(H, floor):
    n = len(H)
    reflectors, bands = np.zeros((n, n)), np.zeros((2, n))
    pivots, lanes = np.zeros((n, NODES)), np.zeros((n, NODES))
    decade = inverse_root.decade_of(floor + np.trace(H), floor, quadrature())
    inverse_root.tridiagonalize(H[np.tril_indices(n)], n, np.zeros((n, n)), reflectors, bands)
    inverse_root.factorize(n, floor, quadrature(), decade, bands, pivots)
    return decade, reflectors, bands, pivots, lanes


@given(n=st.integers(1, 12), gathered=st.integers(0, 60), floor=st.sampled_from([0.01, 0.1, 1.0]), seed=st.integers(0))
def test_inverse_root_times_vector(n, gathered, floor, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((gathered, n))
    H, x, y = X.T @ X, rng.standard_normal(n), np.zeros(n)
    decade, *parts = factors(H, floor)
    inverse_root.solve(x, n, floor, quadrature(), decade, *parts, y)
    expected = naive.inverse_root(H + floor * np.eye(n)) @ x
    assert np.allclose(y, expected, rtol=0, atol=1e-7 * np.linalg.norm(expected))


@given(n=st.integers(1, 6), free=st.integers(0, 1), gathered=st.integers(0, 30), seed=st.integers(0))
def test_projection_is_the_minimum(n, free, gathered, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((gathered, n))
    H, x = X.T @ X, rng.standard_normal(n)
    floor, bounded = 0.05, max(n - free, 0)
    decade, *parts = factors(H, floor)
    found = x.copy()
    inverse_root.project(found, n, bounded, floor, quadrature(), decade, *parts)
    G = np.linalg.inv(naive.inverse_root(H + floor * np.eye(n)))
    assert np.allclose(found, naive.projection_in_norm(x, G, bounded), atol=1e-6 * (1 + np.abs(x).max()))
    assert (found[:bounded] >= 0).all()


def test_projection_of_fifty_places_meets_its_optimality_conditions():
    rng = np.random.default_rng(3)
    n, floor = 50, 0.05
    X = rng.random((200, n))
    H, x = X.T @ X, rng.standard_normal(n)
    decade, *parts = factors(H, floor)
    found = x.copy()
    inverse_root.project(found, n, n, floor, quadrature(), decade, *parts)
    gradient = np.linalg.inv(naive.inverse_root(H + floor * np.eye(n))) @ (found - x)
    assert (found >= 0).all()
    assert gradient.min() > -1e-5
    assert np.abs(gradient * found).max() < 1e-5


@pytest.mark.parametrize("size", [1e-30, 1e-18])
def test_tiny_entries_do_not_become_nan(size):
    """Squares of such float32 numbers are zero in float32; the reflections must survive them."""
    rng = np.random.default_rng(0)
    X = rng.random((4, 6)) * size
    X[:, -1] = 1.0
    decade, *parts = factors((X.T @ X).astype(np.float32), 0.05)
    y = np.zeros(6)
    inverse_root.solve(X[0], 6, 0.05, quadrature(), decade, *parts, y)
    assert np.isfinite(y).all()
    assert y[-1] == pytest.approx(1 / np.sqrt(4.05))
