import numpy as np
import pytest
import scipy.sparse as sp

from tacit.baselines import LemlImcTagger, OneVsRestTagger, PopularTagger, SleecTagger, leml
from tacit.baselines.taggers import singular_value_projection


@pytest.fixture
def made(rng):
    topic = rng.integers(6, size=120)
    X = rng.poisson(12 * rng.dirichlet(np.full(40, 0.1), size=6)[topic]).astype(float)
    Y = (rng.random((120, 15)) < 0.85) & (rng.random((6, 15)) < 0.25)[topic]
    Y[~Y.any(axis=1), 0] = True
    return X, Y.astype(float)


def precision(model, X, Y):
    best = model.predict_topk(X, 1)[:, 0]
    return np.where(best >= 0, Y[np.arange(len(Y)), best], 0).mean()


@pytest.mark.parametrize(
    "baseline",
    [
        OneVsRestTagger(),
        leml(8, 0.05),
        LemlImcTagger(factors=8, regularization=0.05),
        SleecTagger(factors=8, neighbours=7, kept=20),
    ],
    ids=lambda baseline: type(baseline).__name__,
)
def test_every_baseline_beats_popularity(made, baseline):
    X, Y = made
    popular = PopularTagger().fit(X[40:], Y[40:])
    assert precision(baseline.fit(X[40:], Y[40:]), X[:40], Y[:40]) > precision(popular, X[:40], Y[:40]) + 0.15


def test_one_vs_rest_is_that_of_scikit_learn(made):
    from sklearn.linear_model import LogisticRegression

    X, Y = made
    model = OneVsRestTagger(normalize=False).fit(X, Y)
    label = int(Y.sum(axis=0).argmax())
    expected = LogisticRegression(solver="liblinear", random_state=0).fit(X, Y[:, label]).decision_function(X)
    np.testing.assert_allclose(model.decision_function(X)[:, label], expected, atol=1e-3)


def test_projection_rebuilds_a_matrix_of_low_rank(rng):
    Y = sp.csr_array((rng.random((30, 4)) < 0.5).astype(np.float32))
    Z = singular_value_projection(Y, 4, 30, 5)
    np.testing.assert_allclose(Z @ Z.T, (Y @ Y.T).toarray(), atol=1e-3)


def test_popular_labels_come_first(made):
    X, Y = made
    assert PopularTagger().fit(X, Y).predict_topk(X[:1], 1)[0, 0] == Y.sum(axis=0).argmax()


@pytest.mark.parametrize("given", [False, True])
def test_leml_with_features_of_labels_is_the_dense_minimiser_of_either_side(made, rng, given):
    """‖Y − XWVᵀFᵀ‖² + λ(‖W‖² + ‖V‖²), F the eigenvectors of the label graph: to what float32 holds."""
    X, Y = made
    half = rng.integers(3, size=(15, 6)).astype(float)
    graph = half @ half.T if given else Y.T @ Y
    ridge = 2.0
    model = LemlImcTagger(factors=4, regularization=ridge, iterations=200, normalize=False)
    model.fit(X, Y, graph if given else None)
    values, vectors = np.linalg.eigh(graph)
    F = vectors[:, values > 1e-8 * values[-1]]
    W, B = model.weights_.astype(float), model.label_factors_.astype(float)
    mapped = X @ W
    V = np.linalg.solve(mapped.T @ mapped + ridge * np.eye(4), mapped.T @ Y @ F).T
    np.testing.assert_allclose(B, F @ V, atol=2e-6)
    curvature = np.kron(X.T @ X, B.T @ B) + ridge * np.eye(W.size)
    np.testing.assert_allclose(W, np.linalg.solve(curvature, (X.T @ Y @ B).ravel()).reshape(W.shape), atol=2e-4)
