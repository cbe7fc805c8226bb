"""OrdinalRanker: scikit-learn's checks, what it learns, what it refuses."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

from tacit import OrdinalRanker, load
from tacit.errors import InputError
from tacit.estimators.grade.maps import column_weights, make_map
from tacit.estimators.grade.selection import winner
from tacit.estimators.grade.settings import Candidate
from tacit.features.scaling import Scaling
from tacit.metrics.ordinal import ordinal_auc


def refused_on_purpose(estimator):
    return {"check_classifiers_classes": "fits text grades without an order, which are refused"}


# Two folds and few features: the checks look at shapes, types and refusals, and fit some hundred times.
@parametrize_with_checks(
    [OrdinalRanker(cv=2), OrdinalRanker(features="fourier", n_components=32, cv=2)],
    expected_failed_checks=refused_on_purpose,
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def graded(n=400, labelled=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    truth = np.digitize(X[:, 0] + X[:, 1] ** 2 + 0.2 * rng.standard_normal(n), [0.2, 1.2])
    y = np.where(np.arange(n) < labelled, truth, -1)
    return X, y, truth


def small(**parameters):
    return OrdinalRanker(**{"n_components": 48, "random_state": 3, "progress": False} | parameters)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"features": "fourier"},
        {"loss": "square"},
        {"loss": "logistic"},
        {"loss": "logistic", "features": "fourier", "threshold_rule": "absolute"},
        {"kernel": "laplacian"},
        {"kernel": "laplacian", "features": "fourier"},
        {"features": "nystrom"},
        {"solver": "stochastic"},
        {"solver": "stochastic", "step": "decay", "iterations": 800},
        {"class_priors": "matched"},
        {"class_priors": [0.5, 0.3, 0.2]},
        {"unlabelled_weight": [0.2, 0.6]},
    ],
    ids=str,
)
def test_every_way_ranks_rows_it_never_saw_graded(parameters):
    X, y, truth = graded()
    model = small(**parameters).fit(X, y)
    assert ordinal_auc(truth[80:], model.rank_score(X[80:])) > 0.85
    assert np.mean(np.abs(model.predict(X[80:]) - truth[80:])) < 0.45


def test_stochastic_is_close_to_exact():
    X, y, truth = graded()
    areas = [
        ordinal_auc(truth[80:], small(solver=s, loss="square").fit(X, y).rank_score(X[80:]))
        for s in ("exact", "stochastic")
    ]
    assert abs(areas[0] - areas[1]) < 0.01


def test_few_steps_still_use_every_grade():
    X, y, truth = graded()
    given = {"bandwidth": 3.0, "regularization": 1e-7, "unlabelled_weight": 0.0}
    model = small(solver="stochastic", iterations=20, **given).fit(X, y)
    assert np.mean(np.abs(model.predict(X[80:]) - truth[80:])) < 0.6


def test_one_decision_value_is_monotone_in_the_score_and_agrees_with_predict():
    X, y, _ = graded()
    model = small().fit(X, y)
    order = np.argsort(model.rank_score(X))
    decisions = model.decision_function(X)[order]
    assert decisions.shape == (400, 3)
    assert np.all(np.diff(decisions, axis=0) >= -1e-12)
    np.testing.assert_array_equal(decisions.argmax(axis=1), model.predict(X)[order])
    np.testing.assert_array_equal(model.predict_proba(X)[order].argmax(axis=1), model.predict(X)[order])


def test_labelled_rows_alone_give_what_weight_zero_gives():
    X, y, _ = graded()
    settings = {"bandwidth": 2.0, "regularization": 1e-3, "unlabelled_weight": 0.0, "standardize": False}
    for loss in ("square", "logistic"):
        with_rest, without = small(loss=loss, **settings).fit(X, y), small(loss=loss, **settings).fit(X[:80], y[:80])
        first, second = with_rest.rank_score(X), without.rank_score(X)
        np.testing.assert_allclose(first - first.mean(), second - second.mean(), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(("leads", "expected"), [((0.03, 0.02, 0.04), 0), ((0.06, -0.05, 0.0), 1), ((-0.1, 0, 0), 1)])
def test_the_squared_loss_must_lead_by_a_standard_error(leads, expected):
    areas = np.full((3, 1, 2, 1), 0.8)
    areas[:, 0, 0, 0] += leads
    squared, logistic = (Candidate(loss, np.ones(2)) for loss in ("square", "logistic"))
    assert winner(areas, [squared, logistic])[0] == (0, expected, 0)
    assert winner(areas[:, :, :1], [squared])[0] == (0, 0, 0)


@pytest.mark.parametrize(("leads", "expected"), [((0.03, 0.02, 0.04), 2), ((0.06, -0.05, 0.0), 1)])
def test_unlabelled_rows_must_lead_whichever_loss_won_by_a_standard_error(leads, expected):
    candidates = [
        Candidate("square", np.ones(2)),
        Candidate("logistic", np.ones(2)),
        Candidate("square", np.zeros(2)),
    ]
    areas = np.full((3, 1, 3, 1), 0.8)
    areas[:, 0, 0, 0] -= 0.1
    areas[:, 0, 2, 0] += leads
    assert winner(areas, candidates) == ((0, expected, 0), (0, 1, 0))


def test_auto_reports_what_its_loss_reaches_alone():
    X, y, _ = graded()
    auto, *each = (small(loss=loss, trees=False).fit(X, y) for loss in ("auto", "square", "logistic"))
    same = next(model for model in each if model.loss_ == auto.loss_)
    assert auto.selection_["auc"] == same.selection_["auc"]
    np.testing.assert_array_equal(auto.rank_score(X), same.rank_score(X))


def test_auto_leaves_the_logistic_loss_where_the_widest_features_do_not_fit(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 40))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    # 4 frequencies fit and the 40 columns of the linear kernel do not.
    monkeypatch.setattr("tacit.estimators.grade.choose.LARGEST_LOGISTIC", 60 * 20)
    model = OrdinalRanker(features="fourier", n_components=4, progress=False).fit(X, y)
    assert model.loss_ == "square"


def test_rows_far_out_bend_the_squared_loss_and_not_the_logistic_one():
    rng = np.random.default_rng(0)
    X = np.hstack([rng.standard_t(1.5, (2000, 1)), rng.standard_normal((2000, 3))])
    truth = np.digitize(X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.standard_normal(2000), [-1.0, 0.0, 1.0])
    y = np.where(np.arange(2000) < 200, truth, -1)
    areas = {}
    for loss in ("square", "logistic"):
        model = OrdinalRanker("linear", loss=loss, unlabelled_weight=0.0, progress=False).fit(X, y)
        areas[loss] = ordinal_auc(truth[200:], model.rank_score(X[200:]))
    assert areas["logistic"] > areas["square"] + 0.02


def test_a_stream_goes_on_from_a_logistic_fit_at_the_squared_scale():
    X, y, truth = graded()
    given = {"unlabelled_weight": 0.0, "bandwidth": 3.0, "regularization": 1e-3}
    model = small(loss="logistic", **given).fit(X, y).set_params(loss="auto", batch_size=400)
    before = ordinal_auc(truth[80:], model.rank_score(X[80:]))
    logistic_spread = np.std(model.rank_score(X))
    model.partial_fit(X, y)
    squared = small(loss="square", **given).fit(X, y)
    assert model.loss_ == "square"
    assert ordinal_auc(truth[80:], model.rank_score(X[80:])) > before - 0.02
    assert np.std(model.rank_score(X)) == pytest.approx(np.std(squared.rank_score(X)), rel=0.3)
    assert logistic_spread > 2 * np.std(squared.rank_score(X))
    with pytest.raises(InputError, match="squared"):
        small(loss="logistic").partial_fit(X, y)


def test_ordered_text_and_none():
    X, y, truth = graded()
    names = np.array(["low", "mid", "high"], dtype=object)
    text = names[truth]
    text[80:] = None
    listed = small(classes=["low", "mid", "high"]).fit(X, text)
    categorical = pd.Categorical(text, categories=["low", "mid", "high"], ordered=True)
    by_type = small().fit(X, categorical)
    assert listed.classes_.tolist() == ["low", "mid", "high"]
    np.testing.assert_array_equal(listed.predict(X), by_type.predict(X))
    np.testing.assert_array_equal(listed.predict(X), names[small().fit(X, y).predict(X)])


def test_a_grade_nobody_gave_keeps_its_place():
    X, y, _ = graded()
    model = small(classes=[0, 1, 2, 3]).fit(X, y)
    assert len(model.thresholds_) == 3
    assert set(model.predict(X)) <= {0, 1, 2}
    assert model.predict_proba(X).shape == (400, 4)


@pytest.mark.filterwarnings("ignore:y holds only")
def test_signs_are_two_classes_through_and_through():
    X, _, truth = graded()
    y = np.where(truth > 0, 1, -1)
    model = small(loss="square").fit(X, y)
    assert model.classes_.tolist() == [-1, 1]
    assert model.score(X, y) == np.mean(model.predict(X) == y) > 0.8
    assert model.partial_fit(X, y).classes_.tolist() == [-1, 1]


def test_score_counts_labelled_rows_only():
    X, y, _ = graded()
    model = small().fit(X, y)
    assert model.score(X, y) == np.mean(model.predict(X[:80]) == y[:80])


def test_selection_reports_what_labels_alone_would_have_reached():
    X, y, _ = graded()
    selection = small().fit(X, y).selection_
    assert selection["auc"] >= selection["auc_labelled_only"] > 0.8


def test_sparse_is_dense():
    X, y, _ = graded()
    X = np.where(np.abs(X) > 0.7, X, 0.0)
    # Trees are a candidate for dense rows alone.
    dense, sparse = (small(standardize=True, trees=False).fit(rows, y) for rows in (X, sp.csr_matrix(X)))
    np.testing.assert_allclose(sparse.rank_score(sp.csc_array(X)), dense.rank_score(X), rtol=1e-6, atol=1e-8)


def test_a_stream_of_parts_approaches_the_fit_of_the_whole():
    X, y, truth = graded(n=1200, labelled=200, seed=4)
    order = np.random.default_rng(0).permutation(1200)
    X, y, truth = X[order], y[order], truth[order]
    whole = small(trees=False).fit(X, y)
    stream = small(batch_size=32)
    for start in range(0, 1200, 200):
        stream.partial_fit(X[start : start + 200], y[start : start + 200], classes=[0, 1, 2])
    free = y < 0
    areas = [ordinal_auc(truth[free], model.rank_score(X[free])) for model in (whole, stream)]
    assert areas[1] > areas[0] - 0.03
    unlabelled_only = stream.partial_fit(X[:50], np.full(50, -1))
    assert np.isfinite(unlabelled_only.rank_score(X)).all()


def test_a_saved_text_model_keeps_its_classes(tmp_path):
    X, y, _ = graded()
    text = np.array(["low", "mid", "high"], dtype=object)[y]
    text[y < 0] = None
    model = small(classes=["low", "mid", "high"]).fit(X, text)
    model.save(tmp_path / "m")
    assert load(tmp_path / "m").predict(X[:9]).tolist() == model.predict(X[:9]).tolist()


def test_unbalanced_labels_are_righted_by_matched_priors():
    """Sixty labels of every grade, while grade 0 fills three quarters of the table."""
    X = np.random.default_rng(2).standard_normal((3000, 4))
    truth = np.digitize(X[:, 0] + X[:, 1], [1.0, 2.0])
    y = np.full(3000, -1)
    for c in range(3):
        y[np.flatnonzero(truth == c)[:60]] = c
    real = np.bincount(truth) / 3000
    by_labels = small().fit(X, y).class_prior_
    matched = small(class_priors="matched").fit(X, y).class_prior_
    assert np.abs(matched - real).sum() < 0.5 * np.abs(by_labels - real).sum()


def test_memory_never_holds_rows_by_features():
    import tracemalloc

    X, y, _ = graded(n=60_000, labelled=100)
    model = small(
        features="fourier", n_components=256, bandwidth=2.0, regularization=1e-3, unlabelled_weight=0.5, threads=1
    )
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # 60,000 × 512 numbers would be 246 MB; a block, its phases and the two moments are far less.
    assert peak < 130e6


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"kernel": "cubic"}, "kernel"),
        ({"unlabelled_weight": 2.0}, "unlabelled_weight"),
        ({"unlabelled_weight": [0.1]}, "unlabelled_weight"),
        ({"class_priors": [1.0]}, "class_priors"),
        ({"class_priors": "guess"}, "class_priors"),
        ({"threshold_rule": "median"}, "threshold_rule"),
        ({"loss": "hinge"}, "loss"),
        ({"loss": "logistic", "unlabelled_weight": 0.5}, "unlabelled_weight"),
        ({"loss": "logistic", "class_priors": [0.5, 0.3, 0.2]}, "class_priors"),
        ({"loss": "logistic", "solver": "stochastic"}, "stochastic"),
        ({"regularization": 0}, "regularization"),
        ({"trees": "many"}, "trees"),
        ({"cv": 1}, "cv"),
        ({"cv": "many"}, "cv"),
        ({"solver": "exact", "features": "fourier", "n_components": 5000}, "stochastic"),
    ],
    ids=str,
)
def test_wrong_parameters_are_named(parameters, why):
    X, y, _ = graded(n=60, labelled=30)
    with pytest.raises(InputError, match=why):
        small(**parameters).fit(X, y)


def test_rare_words_are_not_blown_up_and_the_linear_kernel_sees_all_of_them():
    """Text: a thousand rare words, of which ten decide; dividing by deviations would make noise of them."""
    rng = np.random.default_rng(0)
    X = sp.random_array((600, 1000), density=0.01, rng=rng)
    X = sp.hstack([sp.coo_array((rng.random((600, 10)) < 0.3).astype(float)), X], format="csr")
    truth = np.digitize(X[:, :5].sum(axis=1) + 0.3 * rng.standard_normal(600), [0.8, 1.8])
    y = np.where(np.arange(600) < 200, truth, -1)
    chosen, divided = small(n_components=256).fit(X, y), small(n_components=256, standardize=True).fit(X, y)
    assert chosen.preparation_ == "raw"
    areas = [ordinal_auc(truth[200:], model.rank_score(X[200:])) for model in (chosen, divided)]
    assert areas[0] > areas[1] + 0.02
    linear = OrdinalRanker("linear", progress=False).fit(X, y)
    assert linear.coefficients_.shape[0] <= 200 and ordinal_auc(truth[200:], linear.rank_score(X[200:])) > 0.8


def test_columns_that_do_not_matter_fall_away():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((1200, 24))
    target = X[:, 0] * X[:, 1] + 0.5 * X[:, 0]
    truth = np.digitize(target, [-0.4, 0.3])
    y = np.where(np.arange(1200) < 300, truth, -1)
    plain, model = small(n_components=300, standardize=True, trees=False).fit(X, y), small(n_components=300).fit(X, y)
    areas = [ordinal_auc(truth[300:], one.rank_score(X[300:])) for one in (plain, model)]
    assert model.preparation_ == "relevance"
    assert areas[1] > areas[0] + 0.1


def test_long_tails_are_ranked():
    rng = np.random.default_rng(2)
    Z = rng.standard_normal((900, 4))
    X = np.exp(3 * Z)
    truth = np.digitize(np.sin(2 * Z[:, 0]) + Z[:, 1], [-0.5, 0.5])
    y = np.where(np.arange(900) < 200, truth, -1)
    plain, model = small(standardize=True, trees=False).fit(X, y), small(trees=False).fit(X, y)
    assert model.preparation_ == "ranks"
    areas = [ordinal_auc(truth[200:], one.rank_score(X[200:])) for one in (plain, model)]
    assert areas[1] > areas[0] + 0.05


def test_a_model_with_trees_and_ranks_comes_back_from_its_file_and_goes_on_as_a_stream(tmp_path):
    rng = np.random.default_rng(3)
    X = np.exp(rng.standard_normal((500, 3)))
    truth = (X[:, 0] > 1).astype(int) + (X[:, 1] > 1)
    y = np.where(np.arange(500) < 250, truth, -1)
    model = small(trees=True).fit(X, y)
    assert model.tree_share_ > 0
    model.save(tmp_path / "m")
    loaded = load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.rank_score(X), model.rank_score(X))
    np.testing.assert_allclose(loaded.rank_score(sp.csr_array(X)), model.rank_score(X), rtol=1e-9)
    before = ordinal_auc(truth[250:], model.rank_score(X[250:]))
    loaded.partial_fit(X, y)
    assert ordinal_auc(truth[250:], loaded.rank_score(X[250:])) > before - 0.05


def test_two_columns_that_matter_are_found_among_two_thousand():
    rng = np.random.default_rng(10)
    X = rng.standard_normal((800, 2000))
    target = 3 * X[:, 0] + np.square(X[:, 1])
    truth = np.searchsorted(np.quantile(target, [0.25, 0.5, 0.75]), target)
    model = OrdinalRanker(progress=False).fit(X, np.where(np.arange(800) < 100, truth, -1))
    assert model.preparation_ == "relevance" or model.tree_share_ > 0
    assert ordinal_auc(truth[100:], model.rank_score(X[100:])) > 0.75


@pytest.mark.parametrize("landmarks", [0, 7])
def test_a_linear_score_is_a_weight_for_every_column(landmarks):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 4)) * [1, 2, 3, 4] + 5
    scaling = Scaling.of(X, np.ones(20))
    features = make_map("linear", 0, 1.0, 0, scaling, scaling.divide(X[:landmarks]) if landmarks else None)
    w = rng.standard_normal(features.size)
    left = features.transform(X) @ w - X @ column_weights(features, w)
    np.testing.assert_allclose(left, left[0], atol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_model_with_a_linear_part_is_a_kernel_and_a_sum_of_columns_and_comes_back_from_its_file(form, tmp_path):
    """Grades that are all but linear: no fold can tell which kernel is better."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 600 if form is sp.csr_array else 5)) * (rng.random((600, 1)) + 0.5)
    signal = X[:, :5].sum(axis=1) + 0.3 * np.square(X[:, 0]) + rng.standard_normal(600)
    truth = np.digitize(signal, [-1, 1])
    rows, y = form(X), np.where(np.arange(600) < 150, truth, -1)
    model = small(trees=False, n_components=150).fit(rows, y)
    assert model.linear_share_ == 0.5 and model.kernel_ == "gaussian"
    weights = model._fitted.column_weights
    kernel = model._map().inner.transform(rows) @ model.coefficients_[:-1]
    linear = model.coefficients_[-1] * (rows @ weights)
    np.testing.assert_allclose(model.rank_score(rows), kernel + linear + model.intercept_, atol=1e-8)
    known = y >= 0
    assert kernel[known].std() == pytest.approx(linear[known].std(), rel=1e-6)
    model.save(tmp_path / "m")
    loaded = load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.rank_score(rows), model.rank_score(rows))
    before = ordinal_auc(truth[150:], model.rank_score(rows[150:]))
    loaded.partial_fit(rows, y)
    assert ordinal_auc(truth[150:], loaded.rank_score(rows[150:])) > before - 0.05
    assert small(kernel="gaussian", trees=False).fit(rows, y).linear_share_ == 0


def test_a_linear_part_beside_a_linear_kernel_of_ranks_is_saved_too(tmp_path):
    """Columns with long tails: ranks lead, and the columns themselves are not clearly behind."""
    rng = np.random.default_rng(3)
    X = np.exp(0.8 * rng.standard_normal((300, 400)))
    signal = np.log(X).sum(axis=1) / 16 + 0.3 * rng.standard_normal(300)
    y = np.where(np.arange(300) < 140, signal > 0, -1)
    model = OrdinalRanker(trees=False).fit(X, y)
    assert (model.kernel_, model.preparation_, model.linear_share_) == ("linear", "ranks", 0.5)
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(load(tmp_path / "m").rank_score(X), model.rank_score(X))


def test_trees_are_tried_from_50_labels_on():
    """Steps, which no kernel follows from so few rows."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((430, 6))
    truth = (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] > 0.3)
    models = {n: small(n_components=300).fit(X, np.where(np.arange(430) < n, truth, -1)) for n in (49, 60)}
    assert models[49].tree_share_ == 0 and models[49].preparation_ != "relevance"
    kernel = small(n_components=300, trees=False).fit(X, np.where(np.arange(430) < 60, truth, -1))
    reached, alone = (ordinal_auc(truth[60:], one.rank_score(X[60:])) for one in (models[60], kernel))
    assert reached > alone + 0.02


@pytest.mark.parametrize("given", [{"solver": "stochastic"}, {"features": "fourier"}])
def test_trees_are_refused_where_they_cannot_be(given):
    X, y, _ = graded(n=60, labelled=60)
    with pytest.raises(InputError, match="trees=True"):
        small(trees=True, **given).fit(X, y)


def broken(kind):
    X = sp.csr_array(np.eye(30, 4))
    if kind == "column":
        X.indices[0] = 1_000_000
    elif kind == "negative":
        X.indices[0] = -7
    else:
        X.indptr[2:4] = [3, 1]
    return X


@pytest.mark.parametrize("kind", ["column", "negative", "decreasing"])
def test_malformed_sparse_rows_are_refused_before_anything_reads_them(kind):
    X, y, _ = graded(n=30, labelled=30)
    with pytest.raises(InputError, match="index arrays"):
        small().fit(broken(kind), y)
    model = small(bandwidth=1.0, regularization=0.1).fit(sp.csr_array(X), y)
    with pytest.raises(InputError, match="index arrays"):
        model.predict(broken(kind))


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_values_whose_squares_overflow_are_refused_in_one_sentence(convert):
    X, y, _ = graded(n=30, labelled=30)
    model = small(bandwidth=1.0, regularization=0.1).fit(convert(X), y)
    X[3, 1] = 1e160
    with pytest.raises(InputError, match=r"1e\+160.*rescale"):
        small().fit(convert(X), y)
    with pytest.raises(InputError, match=r"1e\+160.*rescale"):
        model.rank_score(convert(X))


def test_kin40k_from_500_labels(shared_data):
    import gzip

    path = next(shared_data.rglob("kin40k/data.csv.gz"))
    with gzip.open(path, "rt") as file:
        data = np.loadtxt(file, delimiter=",", max_rows=8000)
    truth = np.searchsorted(np.quantile(data[:, -1], [0.2, 0.4, 0.6, 0.8]), data[:, -1])
    y = np.where(np.arange(8000) < 500, truth, -1)
    model = OrdinalRanker(bandwidth=4.0, regularization=1e-6, unlabelled_weight=0.25).fit(data[:, :-1], y)
    assert ordinal_auc(truth[500:], model.rank_score(data[500:, :-1])) > 0.85
