import numpy as np
import pytest
import scipy.sparse as sp

from tacit.data.matrix import as_csr
from tacit.solvers.eigen import symmetric_embedding
from tacit.solvers.label_embedding import joint_embedding, sppmi_embedding
from tests import naive


@pytest.fixture
def Y(rng):
    dense = (rng.random((40, 7)) < 0.3).astype(np.float64)
    dense[dense.sum(axis=1) == 0, 0] = 1
    dense[20:] = dense[:20]
    return dense


@pytest.mark.parametrize("shift", [1.0, 1.5])
def test_sppmi_embedding_is_the_truncated_svd_of_the_whole_matrix(Y, shift):
    Z = sppmi_embedding(as_csr(Y, "Y"), 5, shift=shift)
    expected = naive.symmetric_reconstruction(naive.ppmi(Y @ Y.T, shift), 5)
    np.testing.assert_allclose(Z @ Z.T, expected, atol=2e-6)


def test_joint_embedding_is_the_truncated_svd_of_the_whole_matrix(Y, rng):
    graph = rng.integers(0, 5, (7, 7)).astype(float)
    graph += graph.T
    weights = (2.0, 1.0, 0.5)
    rows, labels = joint_embedding(as_csr(Y, "Y"), sp.csr_array(graph), 6, weights=weights)
    Z = np.concatenate((rows, labels))
    expected = naive.symmetric_reconstruction(naive.ppmi(naive.joint_matrix(Y, graph, weights)), 6)
    np.testing.assert_allclose(Z @ Z.T, expected, atol=2e-6)


def test_a_label_that_nothing_mentions_has_the_vector_zero(Y):
    Y[:, 3] = 0
    Y[Y.sum(axis=1) == 0, 0] = 1
    _, labels = joint_embedding(as_csr(Y, "Y"), sp.csr_array(Y.T @ Y), 6)
    np.testing.assert_allclose(labels[3], 0, atol=1e-12)
    assert np.abs(labels[0]).max() > 0


def test_sparse_and_dense_eigenvalues_agree(rng):
    M = rng.random((420, 420)) * (rng.random((420, 420)) < 0.02)
    M += M.T
    Z = symmetric_embedding(sp.csr_array(M), 8)
    np.testing.assert_allclose(Z @ Z.T, naive.symmetric_reconstruction(M, 8), atol=1e-5)
    assert (symmetric_embedding(sp.csr_array(M), 8) == Z).all()


def test_more_factors_than_rows_are_zero():
    Z = symmetric_embedding(sp.csr_array([[2.0, 1.0], [1.0, 2.0]]), 4)
    assert (Z[:, 2:] == 0).all()
    np.testing.assert_allclose(Z @ Z.T, [[2, 1], [1, 2]], atol=1e-12)
