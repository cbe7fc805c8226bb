import numpy as np
import pytest
import scipy.sparse as sp

import tacit
from tacit import FactorTagger
from tacit.data.loaders.tags import load_multilabel
from tacit.errors import InputError, UnsoundCombinationError
from tacit.metrics.labels import precision_at_k
from tests import naive


@pytest.fixture
def made(rng):
    """Each row has a topic, which decides on its words and, with some missing, on its labels."""
    topic = rng.integers(6, size=120)
    X = rng.poisson(12 * rng.dirichlet(np.full(40, 0.1), size=6)[topic]).astype(float)
    Y = (rng.random((120, 15)) < 0.85) & (rng.random((6, 15)) < 0.25)[topic]
    Y[~Y.any(axis=1), 0] = True
    return X, Y.astype(float)


def small(**parameters):
    return FactorTagger(**({"factors": 6, "regularization": 0.05, "tolerance": 0.0} | parameters))


def objective(X, Y, model, loss, weight, target, ridge, laplacian=None):
    """Every cell summed densely, in float64."""
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    W, H = model.weights_.astype(np.float64), model.label_factors_.astype(np.float64)
    if model.intercept_ is not None:
        X, W = np.column_stack([X, np.ones(len(X))]), np.vstack([W, model.intercept_])
    P = X @ W
    S = P @ H.T
    positive = {
        "square": (1 - S) ** 2,
        "logistic": np.log1p(np.exp(-S)),
        "squared_hinge": np.maximum(0, 1 - S) ** 2,
    }[loss]
    total = np.where(Y > 0, positive, weight * (target - S) ** 2).sum() + ridge * ((W**2).sum() + (H**2).sum())
    return total + (0 if laplacian is None else np.trace(P.T @ laplacian @ P))


@pytest.mark.parametrize(("loss", "target"), [("logistic", -2.0), ("square", 0.0), ("squared_hinge", -1.0)])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_objective_is_the_sum_over_all_cells(made, loss, target, intercept):
    X, Y = made
    model = small(loss=loss, unlabelled_weight=0.2, iterations=5, intercept=intercept).fit(X, Y)
    assert (model.intercept_ is not None) == intercept
    expected = objective(X, Y, model, loss, 0.2, target, 0.05)
    assert model.history_[-1]["objective"] == pytest.approx(expected, rel=1e-3)
    objectives = [record["objective"] for record in model.history_]
    assert objectives == sorted(objectives, reverse=True)


def test_by_default_unknown_cells_weigh_twice_the_known_ones(made):
    X, Y = made
    weight = 2 * Y.sum() / Y.size
    model, given = small().fit(X, Y), small(unlabelled_weight=weight).fit(X, Y)
    np.testing.assert_allclose(model.decision_function(X), given.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("solver", ["newton", "newton_linesearch", "linesearch", "adagrad"])
def test_every_solver_descends_the_same_objective(made, solver):
    X, Y = made
    best = small(iterations=40).fit(X, Y).history_[-1]["objective"]
    steps = {"inner_steps": 20} if solver.startswith("newton") else {}
    model = small(solver=solver, iterations=60, **steps).fit(X, Y)
    reached, began = model.history_[-1]["objective"], model.history_[0]["objective"]
    assert reached < began
    assert reached < 1.1 * best if solver.startswith("newton") else reached < 0.5 * (began + best)


def test_leml_is_a_case(made):
    """Squared loss with all cells alike: no low-rank map does better than the truncated solution it converges to."""
    X, Y = made
    model = small(loss="square", unlabelled_weight=1.0, iterations=200, regularization=1e-3, intercept=False).fit(X, Y)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    # Without a ridge, reduced-rank regression has a closed form: project Y on X's range, then truncate its SVD.
    basis = np.linalg.svd(unit, full_matrices=False)[0][:, : np.linalg.matrix_rank(unit)]
    projected = basis @ (basis.T @ Y)
    U, s, Vt = np.linalg.svd(projected, full_matrices=False)
    best = ((Y - (U[:, :6] * s[:6]) @ Vt[:6]) ** 2).sum()
    reached = ((Y - model.decision_function(X)) ** 2).sum()
    assert best <= reached < 1.05 * best + 1.0


def test_a_row_that_says_nothing_gets_the_frequent_labels(made):
    X, Y = made
    nothing = np.zeros((1, X.shape[1]))
    frequent = np.argsort(-Y.sum(axis=0), kind="stable")
    model = small().fit(X, Y)
    assert set(model.predict_topk(nothing, 3)[0]) <= set(frequent[:5])
    np.testing.assert_allclose(model.decision_function(nothing)[0], model.label_factors_ @ model.intercept_, rtol=1e-5)
    assert not small(intercept=False).fit(X, Y).decision_function(nothing).any()


def test_a_row_graph_draws_rows_together(made):
    X, Y = made
    graph = np.zeros((120, 120))
    graph[0, 1] = 1.0
    apart = small().fit(X, Y).transform(X[:2])
    together = small(graph_weight=50.0).fit(X, Y, row_graph=sp.csr_array(graph)).transform(X[:2])
    assert np.linalg.norm(together[0] - together[1]) < 0.5 * np.linalg.norm(apart[0] - apart[1])
    laplacian = np.diag(graph.sum(1) / 2 + graph.sum(0) / 2) - (graph + graph.T) / 2
    model = small(graph_weight=0.3, unlabelled_weight=0.2).fit(X, Y, row_graph=sp.csr_array(graph))
    expected = objective(X, Y, model, "logistic", 0.2, -2.0, 0.05, laplacian=0.3 * laplacian)
    assert model.history_[-1]["objective"] == pytest.approx(expected, rel=1e-3)


def test_landmarks_learn_what_a_line_cannot(rng):
    """Labels by distance from the origin: no linear map of two coordinates tells them apart."""
    X = rng.normal(size=(300, 2))
    inside = np.linalg.norm(X, axis=1) < 1.1
    Y = np.stack([inside, ~inside], axis=1).astype(float)
    right = {}
    for landmarks in (0, 30):
        model = FactorTagger(factors=3, landmarks=landmarks, normalize=False, regularization=0.01, iterations=20)
        model.fit(X[:200], Y[:200])
        right[landmarks] = (model.predict_topk(X[200:], 1)[:, 0] == 1 - inside[200:]).mean()
    assert right[30] > 0.9 > right[0]


def test_top_k_is_that_of_the_scores(made):
    X, Y = made
    model = small().fit(X, Y)
    scores = model.decision_function(X)
    found = model.predict_topk(X, 4)
    assert (found == np.argsort(-scores, axis=1, kind="stable")[:, :4]).mean() > 0.99
    assert Y[np.arange(120), found[:, 0]].mean() > 0.7


def test_new_labels_and_features_join(made):
    X, Y = made
    model = small().fit(X[:80], Y[:80])
    before = model.decision_function(X)
    marked = Y[:, 3] == 1
    wider = np.concatenate((X, 3.0 * marked[:, None]), axis=1)
    more = np.concatenate((Y, marked[:, None]), axis=1)
    model.partial_fit(wider, more)
    after = model.decision_function(wider)
    assert after.shape == (120, 16)
    assert after[marked, 15].mean() > after[~marked, 15].mean() + 0.5
    assert np.corrcoef(before.ravel(), after[:, :15].ravel())[0, 1] > 0.8


def test_missing_labels_come_with_evidence(made):
    X, Y = made
    rng = np.random.default_rng(1)
    visible = Y * (rng.random(Y.shape) < 0.8)
    found = small().missing_labels(X, visible, n=20)
    # Y itself lacks labels, so even perfect suggestions would not all be in it.
    by_chance = (Y - visible).sum() / (visible == 0).sum()
    assert np.mean([Y[cell] for cell in found.cells()]) > 5 * by_chance
    assert all(one.nearest and one.features for one in found)


def test_save_and_load_with_landmarks(made, tmp_path):
    X, Y = made
    model = small(landmarks=10).fit(X, Y, labels=[f"tag {j}" for j in range(15)])
    model.save(tmp_path / "model")
    again = tacit.load(tmp_path / "model")
    assert (again.decision_function(X) == model.decision_function(X)).all()
    assert again.predict_topk(X, 2).tolist() == model.predict_topk(X, 2).tolist()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"loss": "hinge"}, "loss must be one of"),
        ({"solver": "sgd"}, "solver must be one of"),
        ({"factors": 0}, "factors must be a whole number"),
        ({"regularization": -1}, "regularization must be a finite number of at least 0"),
        ({"unlabelled_weight": 0}, "unlabelled_weight must be a finite number above 0"),
    ],
)
def test_bad_parameters_are_named(made, parameters, words):
    with pytest.raises(InputError, match=words):
        FactorTagger(**parameters).fit(*made)


@pytest.mark.slow
def test_bibtex(shared_data):
    """The published split; the bars are what LR-wSQ reaches in its paper, or better."""
    data = load_multilabel("bibtex")
    top = FactorTagger().fit(data.X, data.Y).predict_topk(data.X_test, 5)
    assert precision_at_k(data.Y_test, top, 1) >= 0.632
    assert precision_at_k(data.Y_test, top, 3) >= 0.390
    assert precision_at_k(data.Y_test, top, 5) >= 0.288


@pytest.mark.parametrize("loss", ["logistic", "square"])
@pytest.mark.parametrize("unlabelled", ["same_loss", "sampled"])
def test_unlabelled_cells_counted_in_another_way_are_those_of_the_dense_formula(unlabelled, loss):
    """J that is reported, cell by cell: LR-wLR has every cell under ℓ, Subsampled as many as there are known ones."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(14, 5)).astype(np.float32)
    Y = sp.csr_array((rng.random((14, 6)) < 0.3).astype(np.float32))
    model = FactorTagger(
        3, loss=loss, unlabelled=unlabelled, unlabelled_weight=0.2, regularization=0.5, normalize=False, iterations=3,
        tolerance=0.0, intercept=False, progress=False,
    ).fit(X, Y)  # fmt: skip
    known, scores = Y.toarray() > 0, X @ model.weights_ @ model.label_factors_.T
    cells = ~known
    if unlabelled == "sampled":
        cells = _drawn(known, seed=0)
        assert cells.sum() == known.sum()
    weight = 0.2 * (~known).sum() / cells.sum()
    r = -1.0 if loss == "logistic" else 0.0
    value = naive.loss_value(loss, 1.0, scores[known]).sum()
    value += weight * naive.loss_value(loss, r, scores[cells]).sum()
    value += 0.5 * ((model.weights_**2).sum() + (model.label_factors_**2).sum())
    assert model.history_[-1]["objective"] == pytest.approx(value, rel=1e-5)


def _drawn(known, seed):
    """The cells of Subsampled: numbers drawn with repeats, known ones and repeats left out, the first so many kept."""
    rng = np.random.default_rng(seed)
    positives = np.flatnonzero(known.ravel())
    fresh = sorted(set(rng.integers(0, known.size, 2 * len(positives)).tolist()) - set(positives.tolist()))
    cells = np.zeros(known.size, dtype=bool)
    cells[rng.permutation(fresh)[: len(positives)]] = True
    return cells.reshape(known.shape)


def test_every_cell_under_the_loss_is_for_small_data(monkeypatch):
    monkeypatch.setattr("tacit.objective.formulations.MOST_CELLS", 50)
    X, Y = np.eye(10, dtype=np.float32), sp.csr_array(np.eye(10, 6, dtype=np.float32))
    with pytest.raises(UnsoundCombinationError, match=r"unlabelled='same_loss' stores every cell, and 10 × 6"):
        FactorTagger(2, unlabelled="same_loss").fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"unlabelled": "some"}, "unlabelled must be one of"),
        ({"solver": "adagrad", "inner_steps": 3}, "inner_steps=3 is of no use to solver='adagrad'"),
        ({"trust_radius": 1.0}, "trust_radius=1.0 is of no use to solver='als'"),
    ],
)
def test_options_that_cannot_be_used_are_refused(parameters, words):
    with pytest.raises(InputError, match=words):
        FactorTagger(2, **parameters).fit(np.eye(3), sp.csr_array(np.eye(3)))
