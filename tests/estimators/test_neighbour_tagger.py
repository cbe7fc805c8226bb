import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import tacit
from tacit import NeighbourTagger
from tacit.data.loaders.tags import load_multilabel
from tacit.data.matrix import as_csr
from tacit.errors import DivergedError, InputError
from tacit.estimators.tag.text_tagger import TextTagger
from tacit.metrics.labels import inverse_propensities, precision_at_k
from tests import naive

TEXTS = ["a red ball", "a red round ball", "the blue sky", "blue sea and sky", "a round red apple", "deep blue sea"]
TAGS = [["red", "round"], ["red", "round"], ["blue"], ["blue", "wet"], ["red"], ["blue", "wet"]]


@pytest.fixture
def made(rng):
    """Each row has a topic, which decides on its words and, with some missing, on its labels."""
    topic = rng.integers(6, size=120)
    X = rng.poisson(12 * rng.dirichlet(np.full(40, 0.1), size=6)[topic]).astype(float)
    Y = (rng.random((120, 15)) < 0.85) & (rng.random((6, 15)) < 0.25)[topic]
    Y[~Y.any(axis=1), 0] = True
    return X, Y.astype(float)


def small(**parameters):
    return NeighbourTagger(**({"factors": 8, "neighbours": 7} | parameters))


def oracle(X, Y, queries, factors, k, power, ridge):
    """Algorithm 2 and Algorithm 1, densely: SPPMI, SVD, ridge, neighbours in the regressed space, votes."""
    X, queries = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (X, queries))
    U, s, _ = np.linalg.svd(naive.ppmi(Y @ Y.T))
    V = naive.ridge(X, U[:, :factors] * np.sqrt(s[:factors]), ridge)
    return [naive.neighbour_votes(query @ V, X @ V, Y, k, power) for query in queries]


def test_sppmi_equals_the_dense_algorithm(made):
    X, Y = made
    model = small(vote_power=2.0, regularization=0.5).fit(X[20:], Y[20:])
    found = model.decision_function(X[:20])
    expected = oracle(X[20:], Y[20:], X[:20], 8, 7, 2.0, 0.5)
    np.testing.assert_allclose(found, expected, atol=2e-4)


def test_joint_adds_scaled_votes_and_scaled_label_similarities(made):
    X, Y = made
    graph = Y.T @ Y + 1.0
    model = small(method="joint", vote_power=0.0).fit(X[20:], Y[20:], graph)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    S = naive.ppmi(naive.joint_matrix(Y[20:], graph, (1, 1, 1)))
    U, s, _ = np.linalg.svd(S)
    Z = U[:, :8] * np.sqrt(s[:8])
    V = naive.ridge(unit[20:], Z[:100], 1.0)
    for row in range(20):
        z = unit[row] @ V
        votes = naive.neighbour_votes(z, unit[20:] @ V, Y[20:], 7, 0.0)
        labels = Z[100:] @ z
        expected = votes / np.linalg.norm(votes) + labels / np.linalg.norm(labels)
        np.testing.assert_allclose(model.decision_function(X[[row]])[0], expected, atol=2e-3)


def test_rare_features_weigh_more(made):
    X, Y = made
    model = small(idf_power=0.5).fit(X, Y)
    weights = np.maximum(np.log(120 / (1 + (X > 0).sum(axis=0))), 0.1) ** 0.5
    by_hand = small().fit(X * weights, Y)
    np.testing.assert_allclose(model.decision_function(X), by_hand.decision_function(X * weights), atol=1e-4)


def test_rows_without_labels_teach_and_vote_nothing(made):
    X, Y = made
    extra = np.concatenate((X, np.ones((5, 40)))), np.concatenate((Y, np.zeros((5, 15))))
    one, two = small().fit(X, Y), small().fit(*extra)
    assert (one.decision_function(X) == two.decision_function(X)).all()


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"method": "joint"},
        {"method": "weighted"},
        {"method": "skipgram"},
        {"method": "end_to_end"},
        {"partitions": 3, "learners": 2},
        {"max_partners": 10},
    ],
)
def test_learns_better_than_popularity(made, parameters):
    X, Y = made
    model = small(**parameters).fit(X[40:], Y[40:])
    best = model.predict_topk(X[:40], 1)[:, 0]
    popular = Y[40:].sum(axis=0).argmax()
    assert Y[np.arange(40), best].mean() > Y[:40, popular].mean() + 0.15


@pytest.mark.parametrize("regression", ["admm_l2", "admm_l1"])
def test_regression_by_alternating_directions(made, regression):
    X, Y = made
    strength = 1.0 if regression == "admm_l2" else 0.05
    model = small(regression=regression, regularization=strength).fit(X, Y)
    weights = model.learners_[0].partitions[0].weights
    if regression == "admm_l2":
        np.testing.assert_allclose(weights, small().fit(X, Y).learners_[0].partitions[0].weights, atol=1e-2)
    else:
        assert 0.1 < (weights == 0).mean() < 0.9


def test_imputed_labels_join_the_known_ones_and_help(made):
    X, Y = made
    rng = np.random.default_rng(3)
    visible = Y * (rng.random(Y.shape) < 0.25)
    plain, filled = (small(method="joint", n_imputed=n_imputed, vote_power=3.0).fit(X, visible) for n_imputed in (0, 2))
    assert (filled._Y.toarray() >= visible).all()
    assert filled._Y.nnz > 1.5 * np.count_nonzero(visible)
    assert filled.label_frequency_.sum() == np.count_nonzero(visible)

    def hidden_found(model):
        scores = np.where(visible > 0, -np.inf, model.decision_function(X))
        return np.take_along_axis(Y, np.argsort(-scores, axis=1)[:, :2], axis=1).sum()

    assert hidden_found(filled) > hidden_found(plain)


def test_text_in_a_pipeline_with_a_grid_search():
    pipeline = make_pipeline(TfidfVectorizer(), NeighbourTagger(factors=2, neighbours=2))
    search = GridSearchCV(pipeline, {"neighbourtagger__neighbours": [1, 2]}, cv=2).fit(TEXTS, TAGS)
    assert 0 < search.best_score_ <= 1
    assert "blue" in search.predict(["the blue blue sea"])[0]


def test_predict_gives_labels_in_the_form_they_came(made):
    X, Y = made
    by_count = small(top_k=2).fit(X, Y).predict(X)
    assert sp.issparse(by_count)
    voted = (small().fit(X, Y).decision_function(X) > 0).sum(axis=1)
    assert (np.diff(by_count.indptr) == np.minimum(voted, 2)).all()
    model = small(threshold=0.5).fit(X, Y)
    assert (model.predict(X).toarray() == (model.decision_function(X) >= 0.5)).all()
    usual = small().fit(X, Y)
    assert np.diff(usual.predict(X).indptr).max() == round(usual.labels_per_row_)


def test_predict_topk_agrees_with_decision_function(made):
    X, Y = made
    model = small().fit(X, sp.csr_array(Y), labels=[f"tag {j}" for j in range(15)])
    ranked = model.predict_topk(X, 15, return_scores=True)
    scores = model.decision_function(X)
    for row in range(len(X)):
        expected = [j for j in np.lexsort((np.arange(15), -scores[row])) if scores[row, j] > 0]
        assert ranked.ids[row, : len(expected)].tolist() == [f"tag {j}" for j in expected]
        assert ranked.ids[row, len(expected) :].tolist() == [None] * (15 - len(expected))
    assert (model.predict_topk(X, 15) == ranked.ids).all()


def test_a_row_of_unknown_words_gets_no_invented_labels():
    model = NeighbourTagger(factors=2).fit(np.eye(3), [["a"], ["b"], ["c"]])
    assert model.predict_topk(np.zeros((1, 3)), 2).tolist() == [[None, None]]
    assert model.predict(np.zeros((1, 3))) == [[]]


def test_new_rows_labels_and_features_without_a_refit(made):
    X, Y = made
    model = small().fit(X[:80], Y[:80])
    marked = Y[:, 3] == 1
    wider = np.concatenate((X, np.zeros((120, 2))), axis=1)
    wider[80:, 40] = 5.0 * marked[80:]
    more = np.concatenate((Y, np.zeros((120, 1))), axis=1)
    more[80:, 15] = marked[80:]
    model.partial_fit(wider[80:], more[80:])
    assert model.decision_function(wider[:1]).shape == (1, 16)
    # The new feature alone now speaks for the label that it goes with, old or new.
    query = np.zeros((1, 42))
    query[0, 40] = 1.0
    assert {3, 15} <= set(model.predict_topk(query, 3)[0])
    assert (model.decision_function(wider[80:])[marked[80:], 15] > 0).mean() > 0.9


def test_a_row_added_later_is_mapped_as_if_it_had_been_there(made):
    X, Y = made
    model = small().fit(X[:100], Y[:100]).partial_fit(X[100:], Y[100:])
    part = model.learners_[0].partitions[0]
    assert part.rows.tolist() == list(range(120))
    unit = X[100:] / np.linalg.norm(X[100:], axis=1, keepdims=True)
    mapped = part.project(as_csr(unit, "X"))
    np.testing.assert_allclose(part.points[100:], mapped / np.linalg.norm(mapped, axis=1, keepdims=True), atol=1e-5)


@pytest.mark.parametrize("method", ["sppmi", "joint"])
def test_accepted_cells_come_back_as_votes(made, method):
    X, Y = made
    Y[:, 9] = 0
    Y[~Y.any(axis=1), 0] = 1
    model = small(method=method).fit(X, Y)
    before = model.decision_function(X[:1])[0, 9]
    accepted = np.zeros((120, 15))
    accepted[:, 9] = 1
    model.partial_fit(X, accepted, rows=range(120))
    assert model.decision_function(X[:1])[0, 9] > before
    assert model.rows_seen_ == 120
    assert len(model.learners_[0].partitions[0].rows) == 120


def test_labels_accepted_for_a_row_that_had_none(made):
    X, Y = made
    Y[5] = 0
    model = small().fit(X, Y).partial_fit(X[[5]], np.eye(15)[[2]], rows=[5])
    assert 5 in model.learners_[0].partitions[0].rows
    assert model.decision_function(X[[5]])[0, 2] > 0


def online(**parameters):
    return small(method="end_to_end", online_steps=5, **parameters)


def test_online_steps_move_the_map_and_map_every_row_anew(made):
    """Old rows and new ones lie where the moved map puts them; without steps the map stays."""
    X, Y = made
    X = X[:, X[:100].any(axis=0)]
    model = online().fit(X[:100], Y[:100])
    V = model.learners_[0].partitions[0].weights
    model.partial_fit(X[100:], Y[100:])
    part = model.learners_[0].partitions[0]
    assert (part.weights != V).any()
    mapped = part.project(as_csr(X / np.linalg.norm(X, axis=1, keepdims=True), "X"))
    np.testing.assert_allclose(part.points, mapped / np.linalg.norm(mapped, axis=1, keepdims=True), atol=1e-6)
    still = small(method="end_to_end").fit(X[:100], Y[:100]).partial_fit(X[100:], Y[100:])
    assert (still.learners_[0].partitions[0].weights == V).all()


def test_online_steps_follow_features_that_change_their_meaning(made):
    """Words are dealt out anew after fit: gradient steps learn it, rows that only join do not as well."""
    X, Y = made
    order = np.random.default_rng(5).permutation(40)
    found = {}
    for steps in (None, 60):
        model = small(method="end_to_end", online_steps=steps, learning_rate=0.05).fit(X[:60], Y[:60])
        model.partial_fit(X[60:90][:, order], Y[60:90])
        top = model.predict_topk(X[90:][:, order], 1)
        found[steps] = precision_at_k(as_csr(Y[90:], "Y"), top, 1)
    assert found[60] > found[None]


def test_online_steps_with_new_labels_new_features_and_known_rows(made):
    X, Y = made
    model = online(partitions=2, learners=2).fit(X[:100], Y[:100])
    wider = np.concatenate((X[100:], np.ones((20, 1))), axis=1)
    more = np.concatenate((Y[100:], np.ones((20, 1))), axis=1)
    model.partial_fit(wider, more)
    assert model._X.shape == (120, 41)
    assert model.decision_function(wider).shape == (20, 16)
    model.partial_fit(wider[:1], np.eye(16)[[3]], rows=[100])
    assert model._X.shape == (120, 41)
    assert model._Y[100, 3] == 1
    model.partial_fit(wider[:2], np.zeros((2, 16)))
    assert model.rows_seen_ == 122


def test_online_steps_are_the_same_bits_after_a_file_and_at_any_number_of_threads(made, tmp_path):
    X, Y = made
    model = online(partitions=2, threads=1).fit(X[:100], Y[:100])
    model.save(tmp_path / "model")
    again = tacit.load(tmp_path / "model").set_params(threads=2)
    for one in (model, again):
        one.partial_fit(X[100:110], Y[100:110]).partial_fit(X[110:], Y[110:])
    assert (model.decision_function(X) == again.decision_function(X)).all()


def test_online_steps_are_decided_before_fit(made):
    X, Y = made
    with pytest.raises(InputError, match="online_steps=5 is of no use to method='sppmi'"):
        small(online_steps=5).fit(X, Y)
    with pytest.raises(InputError, match="online_steps must be a whole number"):
        small(method="end_to_end", online_steps=0).fit(X, Y)
    for given, later in ((None, 5), (5, None)):
        model = small(method="end_to_end", online_steps=given).fit(X, Y).set_params(online_steps=later)
        with pytest.raises(InputError, match="set after fit"):
            model.partial_fit(X[:2], Y[:2])


def test_steps_to_infinity_leave_the_model_as_it_was(made):
    X, Y = made
    model = online(idf_power=0.5).fit(X, Y)
    before = model.decision_function(X)
    model.learning_rate = 1e200
    wider = np.concatenate((X[:9], np.ones((9, 1))), axis=1)
    with pytest.raises(DivergedError, match="lower learning_rate"), np.errstate(all="ignore"):
        model.partial_fit(wider, Y[:9])
    assert (model.decision_function(X) == before).all()


def test_steps_to_infinity_leave_the_words_of_a_text_tagger_too():
    texts, tags = ["red ball", "red apple", "blue sea", "blue sky"], [["red"], ["red"], ["blue"], ["blue"]]
    inner = NeighbourTagger("end_to_end", factors=2, neighbours=2, online_steps=3)
    model = TextTagger(inner, min_count=1).fit(texts, tags)
    before = model.decision_function(texts)
    model.tagger_.learning_rate = 1e200
    with pytest.raises(DivergedError), np.errstate(all="ignore"):
        model.partial_fit(["green grass", "red grass", "blue grass"], [["green"], ["red"], ["blue"]])
    assert len(model.words_) == 6
    assert (model.decision_function(texts) == before).all()


def test_rare_labels_gain_by_propensity(made):
    X, Y = made
    plain = small().fit(X, Y).decision_function(X)
    model = small(propensity_weighted=True).fit(X, Y)
    weighted = model.decision_function(X)
    heard = np.flatnonzero(plain.any(axis=0))
    ratio = np.array([(weighted[:, j][plain[:, j] > 0] / plain[:, j][plain[:, j] > 0]).mean() for j in heard])
    np.testing.assert_allclose(ratio, inverse_propensities(Y.sum(axis=0), 120)[heard], rtol=1e-4)


def test_save_and_load(made, tmp_path):
    X, Y = made
    names = [f"tag {j}" for j in range(15)]
    model = small(method="joint", partitions=2, learners=2).fit(X, Y, labels=names)
    model.save(tmp_path / "model")
    again = tacit.load(tmp_path / "model")
    assert (again.decision_function(X) == model.decision_function(X)).all()
    assert list(again.classes_) == names
    assert (again.partial_fit(X[:3], Y[:3], labels=names).rows_seen_) == 123


def test_bits_do_not_depend_on_threads_or_history(made):
    X, Y = made
    models = [small(partitions=3, learners=2, threads=threads).fit(X, Y) for threads in (1, 2)]
    one, two = (model.decision_function(X) for model in models)
    assert (one == two).all()
    assert (clone(models[0]).fit(X, Y).decision_function(X) == one).all()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"method": "word2vec"}, "method must be one of 'sppmi'"),
        ({"regression": "lasso"}, "regression must be one of"),
        ({"factors": 0}, "factors must be a whole number"),
        ({"neighbours": 2.5}, "neighbours must be a whole number"),
        ({"n_imputed": -1}, "n_imputed must be a whole number"),
        ({"vote_power": -1}, "vote_power must be a finite number of at least 0"),
        ({"regularization": 0}, "regularization must be a finite number above 0"),
        ({"shift": 0}, "shift must be a finite number above 0"),
        ({"top_k": 0}, "top_k must be a whole number of at least 1"),
    ],
)
def test_bad_parameters_are_named(made, parameters, words):
    with pytest.raises(InputError, match=words):
        NeighbourTagger(**parameters).fit(*made)


def test_a_fit_that_failed_has_made_no_model(made):
    X, Y = made
    model = small(method="skipgram", learning_rate=1e30)
    with pytest.raises(DivergedError), np.errstate(all="ignore"):
        model.fit(X, Y)
    with pytest.raises(NotFittedError, match="call fit before predict"):
        model.predict(X)


def test_bad_calls_are_named(made):
    X, Y = made
    with pytest.raises(InputError, match="label_graph is used by method='joint' only"):
        small().fit(X, Y, np.eye(15))
    with pytest.raises(InputError, match="label_graph must have 15 rows"):
        small(method="joint").fit(X, Y, np.eye(3))
    model = small().fit(X, Y)
    with pytest.raises(InputError, match="must have 40 columns"):
        model.predict(X[:, :5])
    with pytest.raises(InputError, match="append new ones"):
        model.partial_fit(X[:, :5], Y)
    with pytest.raises(InputError, match="one number per row"):
        model.partial_fit(X, Y, rows=[1])
    with pytest.raises(InputError, match="k must be"):
        model.predict_topk(X, 0)


@pytest.mark.parametrize(("method", "factors"), [("sppmi", 200), ("weighted", 100), ("joint", 100)])
def test_factors_that_are_not_given_follow_the_method(made, method, factors):
    bare, given = (NeighbourTagger(method, neighbours=7, **own).fit(*made) for own in ({}, {"factors": factors}))
    assert bare.learners_[0].partitions[0].points.shape[1] == factors
    assert np.array_equal(bare.decision_function(made[0]), given.decision_function(made[0]))


@pytest.mark.slow
def test_bibtex(shared_data):
    """The published split; the bars are those of the label-embedding paper's own tables."""
    data = load_multilabel("bibtex")
    top = NeighbourTagger().fit(data.X, data.Y).predict_topk(data.X_test, 5)
    assert precision_at_k(data.Y_test, top, 1) >= 0.650
    assert precision_at_k(data.Y_test, top, 3) >= 0.385
    assert precision_at_k(data.Y_test, top, 5) >= 0.281


@pytest.mark.parametrize("name", ["exmlds1", "exmlds2", "exmlds3", "exmlds4"])
def test_methods_of_the_paper_by_name(made, name, tmp_path):
    """Each fits, saves and ranks labels above chance with the paper's settings, cut down to a small table."""
    X, Y = made
    quick = {"factors": 6} | ({"learners": 2, "iterations": 40} if name == "exmlds4" else {})
    model = NeighbourTagger.paper(name, **quick).fit(X[30:], Y[30:])
    found = precision_at_k(as_csr(Y[:30], "Y"), model.predict_topk(X[:30], 1), 1)
    assert found > 2 * Y.mean()
    model.save(tmp_path / "model")
    assert tacit.load(tmp_path / "model").get_params()["method"] == model.method
    with pytest.raises(InputError, match="name must be one of 'exmlds1'"):
        NeighbourTagger.paper("exmlds5")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"iterations": 5}, "iterations=5 is of no use to method='sppmi'; .* method='weighted' or 'skipgram'"),
        ({"learning_rate": 0.1}, "learning_rate=0.1 is of no use to method='sppmi'"),
        ({"method": "skipgram", "start": "random"}, "start='random' is of no use to method='skipgram'"),
        ({"method": "end_to_end", "tables": 1}, "tables=1 is of no use to method='end_to_end'"),
        ({"graph_weights": (2, 1, 1)}, "graph_weights=.* is of no use to method='sppmi'"),
        ({"method": "skipgram", "tables": 3}, "tables must be"),
        ({"method": "end_to_end", "cosine_scale": 0}, "cosine_scale must be"),
        ({"method": "end_to_end", "start": "zero"}, "start must be one of"),
        ({"method": "skipgram", "context_neighbours": 0}, "context_neighbours must be"),
    ],
)
def test_settings_that_a_method_has_no_use_for_are_refused(made, parameters, words):
    with pytest.raises(InputError, match=words):
        small(**parameters).fit(*made)


@pytest.mark.parametrize("parameters", [{}, {"learners": 3, "partitions": 2}, {"method": "joint"}])
def test_votes_are_shared_among_the_features_of_a_row(parameters):
    X, Y = _groups()
    model = NeighbourTagger(progress=False, **parameters).fit(X, Y)
    for row in range(0, X.shape[0], 7):
        x = sp.csr_array(X[[row]])
        for column in range(Y.shape[1]):
            told = model.features_for(x, column)
            score = model.decision_function(x)[0, column]
            assert told.total == pytest.approx(score, abs=1e-5)
            assert told.contributions.sum() + told.remainder == pytest.approx(score, abs=1e-5)
            assert sorted(told.ids.tolist()) == sorted(x.indices.tolist())
            if not parameters:
                # By hand: the vote of a row goes to features by their parts in the scalar product with it.
                expected = np.zeros(X.shape[1])
                part = model.learners_[0].partitions[0]
                for voter, vote in zip(*(lambda why: (why.ids, why.contributions))(model.why(x, column))):
                    point = part.points[part.rows.tolist().index(voter)]
                    own = x.toarray()[0] * (_full(part, X.shape[1]) @ point)
                    expected += vote * own / own.sum()
                assert told.contributions == pytest.approx(expected[told.ids], abs=1e-5)
                assert abs(told.remainder) < 1e-5


def _full(part, features):
    """The partition's map with a row for every feature."""
    weights = np.zeros((features, part.weights.shape[1]))
    weights[part.features] = part.weights
    return weights


def _groups():
    rng = np.random.default_rng(3)
    group = rng.integers(0, 3, 60)
    X = sp.csr_array(rng.random((60, 12)) * (np.arange(12) // 4 == group[:, None]) + 0.2 * (rng.random((60, 12)) < 0.2))
    return X, sp.csr_array(np.eye(3)[group])


@pytest.mark.parametrize("labels", [1, 3])
def test_labels_that_every_row_has_are_suggested(labels):
    X = np.random.default_rng(0).random((40, 6))
    model = NeighbourTagger().fit(X[:30], np.ones((30, labels)))
    assert sorted(model.predict_topk(X[[35]], labels)[0].tolist()) == list(range(labels))
