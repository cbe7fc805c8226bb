"""The blocked Cholesky factor against NumPy, and its bits."""

import numpy as np
import pytest

from tacit.errors import DivergedError
from tacit.solvers import cholesky
from tacit.solvers.cholesky import Cholesky


def matrix(n, dtype, seed=0):
    rows = np.random.default_rng(seed).standard_normal((n, n + 5))
    return (rows @ rows.T / n + np.eye(n)).astype(dtype)


@pytest.mark.parametrize(("dtype", "close"), [(np.float64, 1e-10), (np.float32, 1e-4)])
@pytest.mark.parametrize("n", [1, 7, 64, 150])
def test_solves_and_inverts_like_numpy(monkeypatch, n, dtype, close):
    monkeypatch.setattr(cholesky, "_BLOCK", 16)
    A = matrix(n, dtype)
    right = np.random.default_rng(1).standard_normal((n, 3)).astype(dtype)
    factor = Cholesky(A.copy(), "nothing")
    np.testing.assert_allclose(factor.solve(right), np.linalg.solve(A.astype(float), right), atol=close)
    np.testing.assert_allclose(factor.inverse_diagonal(), np.diag(np.linalg.inv(A.astype(float))), atol=close)
    np.testing.assert_allclose(np.tril(factor.lower), np.linalg.cholesky(A.astype(float)), atol=close)


def test_the_upper_triangle_is_not_read():
    A = matrix(40, np.float64)
    nonsense = np.where(np.triu(np.ones_like(A), 1) > 0, np.nan, A)
    right = np.ones((40, 2))
    np.testing.assert_array_equal(Cholesky(nonsense, "").solve(right), Cholesky(A.copy(), "").solve(right))


def test_same_bits_at_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(cholesky, "_BLOCK", 32)
    A, right = matrix(200, np.float32), np.ones((200, 100), np.float32)
    one, three = (Cholesky(A.copy(), "", threads) for threads in (1, 3))
    assert np.tril(one.lower).tobytes() == np.tril(three.lower).tobytes()
    assert one.solve(right).tobytes() == three.solve(right).tobytes()
    assert one.inverse_diagonal().tobytes() == three.inverse_diagonal().tobytes()


def test_a_matrix_that_is_not_positive_definite_is_refused_with_the_remedy():
    with pytest.raises(DivergedError, match="raise regularization"):
        Cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]), "raise regularization")
