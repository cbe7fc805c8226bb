"""Conjugate gradient against the dense solve, inside and on the border of a trust region; and the line search."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.solvers.backtracking import backtrack
from tacit.solvers.conjugate import conjugate_gradient


def system(seed, size=6):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((size, size))
    return root @ root.T + np.diag(rng.uniform(0.5, 50.0, size)), rng.standard_normal(size)


@pytest.mark.parametrize("scaled", [False, True])
def test_it_is_the_dense_solve(scaled):
    H, g = system(0)
    scale = np.diag(H).copy() if scaled else None
    step, residual = conjugate_gradient(lambda d: H @ d, g, steps=20, tolerance=1e-12, scale=scale)
    np.testing.assert_allclose(step, np.linalg.solve(H, -g), rtol=1e-8)
    np.testing.assert_allclose(residual, -g - H @ step, atol=1e-10)


@given(st.integers(0, 100), st.floats(1e-3, 10.0))
def test_it_stays_in_the_trust_region_and_descends(seed, radius):
    H, g = system(seed)
    step, residual = conjugate_gradient(lambda d: H @ d, g, steps=20, tolerance=1e-10, radius=radius)
    assert np.linalg.norm(step) <= radius * (1 + 1e-9)
    assert g @ step + step @ H @ step / 2 < 0
    np.testing.assert_allclose(residual, -g - H @ step, atol=1e-8)
    if np.linalg.norm(np.linalg.solve(H, g)) > radius:
        assert np.linalg.norm(step) == pytest.approx(radius)


def test_a_direction_without_curvature_ends_on_the_border_or_at_once():
    g = np.array([3.0, 4.0])
    step, _ = conjugate_gradient(np.negative, g, steps=5, tolerance=0.1, radius=2.0)
    np.testing.assert_allclose(step, -2.0 * g / 5.0)
    step, residual = conjugate_gradient(np.negative, g, steps=5, tolerance=0.1)
    assert not step.any() and (residual == -g).all()


def test_a_line_search_takes_the_first_half_that_falls_enough():
    assert backtrack(lambda a: (1 - 3 * a) ** 2, 1.0, -6.0) == (0.5, 0.25)
    assert backtrack(lambda a: 1.0 + a, 1.0, -1.0) == (0.0, 1.0)
