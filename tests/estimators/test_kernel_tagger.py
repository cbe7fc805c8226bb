"""KernelTagger: the exact solve, landmarks and columns against dense oracles; choice, growth, weights, evidence."""

import os

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.estimator_checks import parametrize_with_checks

import tacit
from tacit import FactorTagger, KernelTagger, NeighbourTagger
from tacit.errors import InputError, ModelFileError, UnsoundCombinationError
from tacit.estimators.tag import feature_relevance, kernel_choice, kernel_fit, kernel_tagger
from tacit.estimators.tag.kernel_choice import LABEL_POWERS
from tacit.estimators.tag.label_similarity import LEAST_ROWS
from tacit.estimators.tag.tables import KERNEL
from tests import naive


def worded_otherwise(estimator):
    """Wrong input is refused, in Tacit's own sentences instead of scikit-learn's, and by a ValueError."""
    checks = ("complex_data", "estimators_empty_data_messages", "fit2d_predict1d", "requires_y_none")
    own = {f"check_{name}": "refused in other words" for name in checks}
    return own | {
        "check_n_features_in_after_fitting": "a wrong width is refused in other words",
        "check_dtype_object": "an object that is no number is refused by a ValueError, not a TypeError",
    }


@parametrize_with_checks([KernelTagger()], expected_failed_checks=worded_otherwise)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


PLAIN = {"value_power": 1.0, "label_power": 0.0, "relevance_power": 0.0, "label_similarity": 0.0}
"""Rows as they are, compared by themselves alone, and every known label worth one."""


def tagged(n=60, seed=0, labels=5):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 12)) * (rng.random((n, 12)) < 0.4)
    Y = (X[:, :labels] > 0.3) & (rng.random((n, labels)) < 0.9)
    Y[np.flatnonzero(~Y.any(axis=1)), 0] = True
    return X, sp.csr_array(Y.astype(np.float64))


def unit(X):
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)


def cosine_kernel(A, B, bandwidth):
    return np.exp((unit(A) @ unit(B).T - 1) / bandwidth**2)


def test_cosine_scores_are_kernel_ridge():
    X, Y = tagged()
    X[np.abs(X).sum(axis=1) == 0, 0] = 1.0
    new = tagged(10, 9)[0] + 0.1
    model = KernelTagger("cosine", bandwidth=0.8, regularization=0.3, **PLAIN).fit(X, Y)
    alpha = naive.kernel_ridge(cosine_kernel(X, X, 0.8), Y.toarray(), np.ones(Y.shape), 0.3)
    np.testing.assert_allclose(model.decision_function(new), cosine_kernel(new, X, 0.8) @ alpha, atol=1e-4)


def test_gaussian_scores_are_kernel_ridge_on_standardised_columns():
    rng = np.random.default_rng(3)
    X, Y = rng.standard_normal((40, 4)) * [1, 10, 0.1, 5] + 2, tagged(40, 1)[1]
    Z = X / X.std(axis=0)
    K = np.exp(-((Z[:, None] - Z[None]) ** 2).sum(axis=2) / (2 * 1.5**2))
    model = KernelTagger(bandwidth=1.5, regularization=0.2, label_power=0.0).fit(X, Y)
    alpha = naive.kernel_ridge(K, Y.toarray(), np.ones(Y.shape), 0.2)
    np.testing.assert_allclose(model.decision_function(X), K @ alpha, atol=1e-3)


@pytest.mark.parametrize("landmarks", [None, 0, 60])
def test_the_linear_kernel_by_columns_rows_and_landmarks_is_one_model(landmarks):
    X, Y = tagged()
    model = KernelTagger("linear", regularization=0.5, value_power=1.0, label_power=0.0, landmarks=landmarks).fit(X, Y)
    assert (model.points_ is None) == (landmarks is None)
    features = np.hstack((unit(X), np.ones((60, 1))))
    weights = np.linalg.solve(features.T @ features + 0.5 * np.eye(13), features.T @ Y.toarray())
    np.testing.assert_allclose(model.decision_function(X), features @ weights, atol=3e-3)


@pytest.mark.parametrize("landmarks", [0, 60])
@pytest.mark.parametrize("kernel", ["cosine", "linear"])
def test_weights_of_labels_hold_in_every_solve(kernel, landmarks):
    X, Y = tagged()
    X[np.abs(X).sum(axis=1) == 0, 0] = 1.0
    width = {"bandwidth": 1.0} if kernel == "cosine" else {}
    model = KernelTagger(
        kernel,
        regularization=0.5,
        value_power=1.0,
        unlabelled_weight=0.25,
        relevance_power=0.0,
        landmarks=landmarks,
        inner_steps=60,
        **width,
    ).fit(X, Y)
    K = cosine_kernel(X, X, 1.0) if kernel == "cosine" else 1 + unit(X) @ unit(X).T
    alpha = naive.kernel_ridge(K, Y.toarray(), np.where(Y.toarray() > 0, 4.0, 1.0), 0.5)
    np.testing.assert_allclose(model.decision_function(X), K @ alpha, atol=5e-3)


def test_frequency_exponent_favours_rare_labels():
    X, Y = tagged(200)
    own = {"bandwidth": 1.0, "regularization": 0.5, "value_power": 1.0, "label_power": 0.0}
    plain = KernelTagger("cosine", **own).fit(X, Y).decision_function(X)
    model = KernelTagger("cosine", frequency_exponent=1.0, **own).fit(X, Y)
    rare, common = np.argsort(model.label_frequency_)[[0, -1]]
    gain = model.decision_function(X).mean(axis=0) - plain.mean(axis=0)
    assert gain[rare] > gain[common]


def test_rows_without_labels_change_nothing_unless_imputed():
    X, Y = tagged()
    own = {"bandwidth": 1.0, "regularization": 0.5, "value_power": 1.0, "label_power": 0.0}
    more = np.vstack((X, tagged(20, 5)[0])), sp.vstack((Y, sp.csr_array((20, 5))), format="csr")
    alone = KernelTagger("cosine", **own).fit(X, Y).decision_function(X)
    np.testing.assert_array_equal(KernelTagger("cosine", **own).fit(*more).decision_function(X), alone)
    imputed = KernelTagger("cosine", impute=True, **own).fit(*more)
    assert len(imputed.points_.indptr) - 1 == 80
    assert not np.array_equal(imputed.decision_function(X), alone)


@pytest.mark.parametrize("power", [0.0, 0.4])
def test_imputed_is_kernel_ridge_on_guesses_of_models_that_never_saw_the_row(power):
    X, Y = tagged()
    X[np.abs(X).sum(axis=1) == 0, 0] = 1.0
    hidden = Y.toarray() * (np.random.default_rng(1).random(Y.shape) < 0.3)
    own = {"bandwidth": 1.0, "regularization": 0.5} | PLAIN | {"label_power": power}
    model = KernelTagger("cosine", impute=True, **own).fit(X, sp.csr_array(hidden))
    K = cosine_kernel(X, X, 1.0)
    alpha = naive.imputed_kernel_ridge(K, hidden, 0.5, naive.label_targets(hidden, power))
    np.testing.assert_allclose(model.decision_function(X), K @ alpha, atol=5e-3)


def test_leave_one_out_chooses_what_ranks_best():
    rng = np.random.default_rng(0)
    angle = rng.random(300) * 2 * np.pi
    X = np.stack((np.cos(angle), np.sin(angle)), axis=1) + 2
    Y = sp.csr_array(np.eye(12)[(angle / (2 * np.pi) * 12).astype(int)])
    model = KernelTagger("gaussian").fit(X[::2], Y[::2])
    records = model.history_
    assert model.bandwidth_ in [record["bandwidth"] for record in records]
    best = max(records, key=lambda record: record["ndcg"])
    assert (model.bandwidth_, model.regularization_) == (best["bandwidth"], best["regularization"])
    assert model.bandwidth_ < records[0]["bandwidth"]
    first = KernelTagger("gaussian", iterations=1).fit(X[::2], Y[::2])
    assert model.score(X[1::2], Y[1::2]) > first.score(X[1::2], Y[1::2])


def test_beyond_the_sample_one_half_octave_narrower_is_taken_where_it_is_as_close(monkeypatch):
    monkeypatch.setattr(kernel_choice, "_ROWS", 100)
    X, Y = repeated_words()
    given = PLAIN | {"value_power": 0.0, "regularization": 0.5}
    model = KernelTagger("cosine", **given).fit(X, Y)
    octaves = [-2 * np.log2(record["bandwidth"]) for record in model.history_]
    np.testing.assert_allclose(octaves[:-1], np.rint(octaves[:-1]), atol=1e-9)
    assert abs(octaves[-1] % 1 - 0.5) < 1e-9
    sample = np.sort(np.random.default_rng(0).choice(400, 100, replace=False))
    known, truth = np.sign(X[sample]), Y.toarray()[sample]
    rows = [loo_ndcg(cosine_kernel(known, known, record["bandwidth"]), truth, 0.5) for record in model.history_]
    np.testing.assert_allclose([one.mean() for one in rows], [one["ndcg"] for one in model.history_], atol=1e-4)
    leading = max(rows, key=np.mean)
    close = [np.mean(leading - one) <= np.std(leading - one) / 10 for one in rows]
    narrowest = max(octave for octave, is_close in zip(octaves, close) if is_close)
    assert abs(-2 * np.log2(model.bandwidth_) - narrowest) < 1e-9


def loo_ndcg(K, truth, ridge):
    """nDCG@5 of each row by a model that was fitted on all the others, one by one."""
    figures = []
    for row in range(len(K)):
        others = np.delete(np.arange(len(K)), row)
        alpha = np.linalg.solve(K[np.ix_(others, others)] + ridge * np.eye(len(others)), truth[others])
        order = np.argsort(-(K[row, others] @ alpha), kind="stable")[None]
        figures.append(naive.label_metrics(truth[[row]], order, 5, np.ones(truth.shape[1]))["ndcg"])
    return np.array(figures)


def repeated_words(n=400, seed=0):
    """Texts that have the word of their label, and other words many times: only that a word is there says something."""
    rng = np.random.default_rng(seed)
    label = rng.integers(8, size=n)
    X = (rng.random((n, 30)) < 0.2) * rng.geometric(0.05, size=(n, 30)).astype(np.float64)
    X[np.arange(n), label] = 1.0
    return X, sp.csr_array(np.eye(8)[label])


@pytest.mark.parametrize("kernel", ["cosine", "linear"])
def test_leave_one_out_chooses_the_power_of_values(kernel, tmp_path):
    X, Y = repeated_words()
    model = KernelTagger(kernel, relevance_power=0.0).fit(X[::2], Y[::2])
    tried = {record["value_power"]: record["ndcg"] for record in model.history_[:3]}
    assert list(tried) == [1.0, 0.5, 0.0]
    assert model.value_power_ == max(tried, key=tried.get) == 0.0
    as_given = KernelTagger(kernel, **PLAIN).fit(X[::2], Y[::2])
    assert model.score(X[1::2], Y[1::2]) > as_given.score(X[1::2], Y[1::2])
    given = {"regularization": model.regularization_, "value_power": 0.0, "relevance_power": 0.0}
    given |= {"bandwidth": model.bandwidth_} if kernel == "cosine" else {}
    given["label_power"] = model.label_power_
    model.save(tmp_path / "model")
    for same in (KernelTagger(kernel, **given).fit(X[::2], Y[::2]), tacit.load(tmp_path / "model")):
        np.testing.assert_array_equal(same.decision_function(X), model.decision_function(X))


def test_roots_of_values_are_kernel_ridge_of_roots():
    X, Y = tagged()
    X[np.abs(X).sum(axis=1) == 0, 0] = 1.0
    X[0] *= -1
    model = KernelTagger("cosine", bandwidth=0.8, regularization=0.3, **PLAIN | {"value_power": 0.5}).fit(X, Y)
    roots = np.sign(X) * np.sqrt(np.abs(X))
    K = cosine_kernel(roots, roots, 0.8)
    alpha = naive.kernel_ridge(K, Y.toarray(), np.ones(Y.shape), 0.3)
    np.testing.assert_allclose(model.decision_function(X), K @ alpha, atol=1e-4)


@pytest.mark.parametrize(("kernel", "landmarks"), [("cosine", 0), ("cosine", 60), ("linear", None), ("linear", 0)])
def test_targets_by_label_are_kernel_ridge_of_those_targets(kernel, landmarks):
    X, Y = tagged()
    X[np.abs(X).sum(axis=1) == 0, 0] = 1.0
    own = {"regularization": 0.5, "landmarks": landmarks} | PLAIN | {"label_power": 0.4}
    model = KernelTagger(kernel, bandwidth=1.0 if kernel == "cosine" else None, **own).fit(X, Y)
    K = cosine_kernel(X, X, 1.0) if kernel == "cosine" else 1 + unit(X) @ unit(X).T
    targets = naive.label_targets(Y.toarray(), 0.4)
    np.testing.assert_allclose(model.label_targets_, targets, rtol=1e-6)
    alpha = naive.kernel_ridge(K, Y.toarray() * targets, np.ones(Y.shape), 0.5)
    np.testing.assert_allclose(model.decision_function(X), K @ alpha, atol=5e-3)


def unequal_labels(n=600, seed=0):
    """Each row has a rare label, whose word it has, and perhaps frequent ones, of which no word tells."""
    rng = np.random.default_rng(seed)
    rare = rng.integers(20, size=n)
    X = (rng.random((n, 60)) < 0.05).astype(np.float64)
    X[np.arange(n), rare] = 1.0
    return X, sp.csr_array(np.hstack((rng.random((n, 5)) < 0.3, np.eye(20)[rare])).astype(np.float64))


def test_leave_one_out_raises_the_targets_of_rare_labels_where_that_ranks_better():
    X, Y = unequal_labels()
    model = KernelTagger("cosine").fit(X[::2], Y[::2])
    assert model.label_power_ in LABEL_POWERS[1:]
    plain = KernelTagger("cosine", label_power=0.0).fit(X[::2], Y[::2])
    assert model.score(X[1::2], Y[1::2]) > plain.score(X[1::2], Y[1::2])
    same = {"bandwidth": model.bandwidth_, "regularization": model.regularization_, "value_power": model.value_power_}
    alone = KernelTagger("cosine", **same).fit(X[::2], Y[::2])
    np.testing.assert_array_equal(alone.decision_function(X), model.decision_function(X))
    assert len(alone.history_) == 1


@pytest.mark.parametrize(
    "favour", [{"unlabelled_weight": 0.5}, {"frequency_exponent": 0.5}, {"propensity_weighted": True}]
)
def test_targets_stay_where_rare_labels_are_favoured_already(favour):
    X, Y = unequal_labels(300)
    assert KernelTagger("cosine", **favour).fit(X, Y).label_power_ == 0
    assert KernelTagger("cosine", label_power=0.2, **favour).fit(X, Y).label_power_ == 0.2


def test_partial_fit_goes_on_with_the_targets_of_labels_and_new_ones_get_one():
    X, Y = tagged(80)
    own = {"bandwidth": 1.0, "regularization": 0.5} | PLAIN | {"label_power": 0.4}
    model = KernelTagger("cosine", **own).fit(X[:60], Y[:60, :4])
    targets = np.append(naive.label_targets(Y[:60, :4].toarray(), 0.4), 1.0)
    before = np.hstack((model.decision_function(X), np.zeros((80, 1))))
    model.partial_fit(X[60:], Y[60:])
    np.testing.assert_allclose(model.label_targets_, targets, rtol=1e-6)
    left = Y[60:].toarray() * targets - before[60:]
    alpha = naive.kernel_ridge(cosine_kernel(X[60:], X[60:], 1.0), left, np.ones(left.shape), 0.5)
    expected = before + cosine_kernel(X, X[60:], 1.0) @ alpha
    full = np.abs(X).sum(axis=1) > 0
    np.testing.assert_allclose(model.decision_function(X)[full], expected[full], atol=5e-3)


def test_values_that_powers_cannot_change_or_should_not_are_taken_as_given():
    X, Y = tagged()
    tried = [
        {record["value_power"] for record in KernelTagger("cosine").fit(table, Y).history_}
        for table in (X, X > 0, unit((X > 0).astype(float)), X - 2 * X[:1])
    ]
    assert tried == [{1.0, 0.5, 0.0}, {1.0}, {1.0}, {1.0}]
    for kernel, table in (("gaussian", X), ("auto", X + 1)):
        with pytest.raises(InputError, match=r"value_power=0\.5 is of no use to the gaussian kernel"):
            KernelTagger(kernel, value_power=0.5).fit(table, Y)


@pytest.mark.parametrize("labels", [3, 80])
def test_features_weigh_by_their_weights_in_a_ridge_regression(labels, monkeypatch):
    # As many mixtures as it takes to see the lengths that they estimate.
    monkeypatch.setattr(feature_relevance, "_MIXTURES", 64 if labels == 3 else 60_000)
    X, Y = (part.astype(np.float64) for part in (tagged()[0], np.random.default_rng(4).random((60, labels)) < 0.1))
    X[np.abs(X).sum(axis=1) == 0, 0] = 1.0
    X[:, 11], Y[:, 0] = 0.0, 1.0
    model = KernelTagger("cosine", bandwidth=1.0, regularization=0.5, **PLAIN | {"relevance_power": 0.7})
    found = model.fit(X, sp.csr_array(Y)).decision_function(X)
    weighed = X * naive.relevance(unit(X), Y, 0.7)
    K = cosine_kernel(weighed, weighed, 1.0)
    np.testing.assert_allclose(found, K @ naive.kernel_ridge(K, Y, np.ones(Y.shape), 0.5), atol=2e-3)


def told_by_few_words(n=300, seed=0):
    """Texts of 120 words, of which eight tell a label, most of the time, and the others nothing."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, 120)) < 0.2).astype(np.float64)
    X[np.arange(n), rng.integers(8, size=n)] = 1.0
    return X, sp.csr_array(X[:, :8] * (rng.random((n, 8)) < 0.8))


def test_features_that_say_nothing_weigh_less_and_that_helps(tmp_path):
    reached = {None: 0.0, 0.0: 0.0}
    for seed in range(5):
        X, Y = told_by_few_words(seed=seed)
        for power in reached:
            model = KernelTagger("cosine", relevance_power=power).fit(X[::2], Y[::2])
            reached[power] += model.score(X[1::2], Y[1::2]) / 5
            assert power == 0.0 or model._scales[:8].min() > model._scales[8:].max()
    assert reached[None] > reached[0.0] + 0.005
    model = KernelTagger("cosine").fit(X, Y)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(tacit.load(tmp_path / "model").decision_function(X), model.decision_function(X))


def test_the_linear_kernel_takes_features_alike_unless_told_otherwise():
    X, Y = told_by_few_words()
    assert np.all(KernelTagger("linear").fit(X, Y)._scales == 1)
    assert np.ptp(KernelTagger("linear", relevance_power=0.5).fit(X, Y)._scales) > 0


SIMILAR = {"bandwidth": 0.8, "regularization": 0.3} | PLAIN | {"label_similarity": 0.2}


def few_common_words(n=60, seed=0):
    """Rows of unlike length, some of which are empty, and labels of which some rows are the only ones to have one."""
    X, Y = tagged(n, seed)
    X[2] = 0.0
    return X, Y


@pytest.mark.parametrize("share", [0.2, 0.7, 1.0])
@pytest.mark.parametrize("power", [0.0, 0.4])
def test_similarity_by_labels_is_kernel_ridge_after_kernel_ridge(share, power):
    X, Y = few_common_words()
    new = few_common_words(10, 9)[0]
    model = KernelTagger("cosine", **SIMILAR | {"label_similarity": share, "label_power": power}).fit(X, Y)
    targets = Y.toarray() * naive.label_targets(Y.toarray(), power)
    expected = naive.kernel_ridge_by_labels_too(unit(X), targets, unit(new), 0.8, 0.3, share)
    assert model.label_similarity_ == share
    np.testing.assert_allclose(model.profiles_, expected[1], atol=1e-3)
    np.testing.assert_allclose(model.decision_function(new), expected[0], atol=1e-4)


def test_rows_are_compared_by_labels_unless_told_otherwise_or_few():
    X, Y = tagged(LEAST_ROWS)
    own = {"bandwidth": 0.8, "regularization": 0.3}
    usual, told = KernelTagger("cosine", **own).fit(X, Y), KernelTagger("cosine", label_similarity=0.3, **own).fit(X, Y)
    np.testing.assert_array_equal(usual.decision_function(X), told.decision_function(X))
    alone = KernelTagger("cosine", label_similarity=0.0, **own).fit(X, Y)
    assert (usual.label_similarity_, alone.label_similarity_) == (0.3, 0.0)
    assert alone.profiles_ is None and alone.first_coefficients_ is None
    # The first model is the one that compares by features alone.
    np.testing.assert_array_equal(usual.first_coefficients_, alone.coefficients_)
    assert [one["ndcg"] for one in usual.history_] == [one["ndcg"] for one in alone.history_]
    assert KernelTagger("cosine", **own).fit(X[1:], Y[1:]).label_similarity_ == 0


@pytest.mark.parametrize(
    "given",
    [{"kernel": "linear"}, {"kernel": "gaussian"}, {"landmarks": 20}, {"impute": True}, {"unlabelled_weight": 0.5},
     {"frequency_exponent": 0.5}],
    ids=str,
)  # fmt: skip
def test_where_labels_cannot_make_rows_similar_they_do_not(given):
    X, Y = tagged()
    model = KernelTagger(**{"kernel": "cosine"} | given).fit(X, Y)
    same = KernelTagger(**{"kernel": "cosine", "label_similarity": 0} | given).fit(X, Y)
    assert model.label_similarity_ == 0 and model.profiles_ is None
    np.testing.assert_array_equal(model.decision_function(X), same.decision_function(X))
    with pytest.raises(UnsoundCombinationError, match=r"label_similarity=0\.3 is of no use"):
        KernelTagger(**{"kernel": "cosine", "label_similarity": 0.3} | given).fit(X, Y)


def test_a_single_label_makes_no_rows_similar():
    X, Y = tagged()
    assert KernelTagger("cosine").fit(X, Y[:, :1]).label_similarity_ == 0
    with pytest.raises(UnsoundCombinationError, match=r"label_similarity=0\.3 is of no use where there is one label"):
        KernelTagger("cosine", label_similarity=0.3).fit(X, Y[:, :1])


def test_similarity_by_labels_takes_room_that_may_not_be_there(monkeypatch):
    monkeypatch.setattr(kernel_tagger, "LEAST_ROWS", 60)
    X, Y = tagged()
    # 60 rows and 5 labels: 60 · (4 · 60 + 12 · 5) bytes with a first model, 60 · (4 · 60 + 4 · 5) without.
    monkeypatch.setattr(kernel_fit, "LARGEST_FIT", 18_000)
    assert KernelTagger("cosine").fit(X, Y).label_similarity_ == 0.3
    monkeypatch.setattr(kernel_fit, "LARGEST_FIT", 17_999)
    model = KernelTagger("cosine").fit(X, Y)
    assert model.label_similarity_ == 0 and len(model.coefficients_) == 60
    with pytest.raises(
        InputError, match=r"label_similarity=0\.2 would need .* GB for 5 labels on 60 rows; leave it out"
    ):
        KernelTagger("cosine", label_similarity=0.2).fit(X, Y)


def test_similarity_by_labels_is_saved_and_the_same_at_any_number_of_threads(tmp_path):
    X, Y = tagged(1200)
    models = [KernelTagger("cosine", threads=threads, **SIMILAR).fit(X, Y) for threads in (1, 3)]
    scores = [model.decision_function(X) for model in models]
    np.testing.assert_array_equal(scores[0], scores[1])
    models[0].save(tmp_path / "model")
    loaded = tacit.load(tmp_path / "model")
    assert loaded.label_similarity_ == 0.2
    np.testing.assert_array_equal(loaded.decision_function(X), scores[0])
    np.testing.assert_array_equal(loaded.profiles_, models[0].profiles_)
    loaded.partial_fit(X[:5], Y[:5])
    models[1].partial_fit(X[:5], Y[:5])
    np.testing.assert_array_equal(loaded.decision_function(X), models[1].decision_function(X))


def test_a_file_from_before_similarity_by_labels_compares_by_features_alone():
    X, Y = tagged()
    model = KernelTagger("cosine", **PLAIN).fit(X, Y)
    facts, arrays = KERNEL.pack(model, *model._state())
    del facts["label_similarity"]
    assert not {"first_coefficients", "profiles"} & set(arrays)
    older = KernelTagger("cosine", value_power=1.0, label_power=0.0, relevance_power=0.0)
    older._restore(*KERNEL.open(older, facts, arrays))
    assert older.label_similarity_ == 0
    np.testing.assert_array_equal(older.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("fault", ["no profiles", "no first model", "no share", "linear", "unlike rows", "beyond 1"])
def test_a_file_whose_first_model_does_not_fit_is_refused(fault):
    X, Y = tagged()
    model = KernelTagger("cosine", **SIMILAR).fit(X, Y)
    facts, arrays = KERNEL.pack(model, *model._state())
    if fault in ("no profiles", "no first model"):
        del arrays[{"no profiles": "profiles", "no first model": "first_coefficients"}[fault]]
    elif fault == "no share":
        facts["label_similarity"] = 0.0
    elif fault == "linear":
        facts["kernel"], facts["bandwidth"] = "linear", 1.0
    else:
        profiles = arrays["profiles"]
        arrays["profiles"] = profiles[1:] if fault == "unlike rows" else profiles * np.float32(2)
    with pytest.raises(ModelFileError):
        KERNEL.open(model, facts, arrays)


def test_partial_fit_compares_new_rows_by_what_the_first_model_says():
    X, Y = few_common_words(80)
    Y = sp.csr_array(np.maximum(Y.toarray(), np.eye(5)[np.arange(80) % 4]))
    known, truth = unit(X), Y.toarray()
    model = KernelTagger("cosine", **SIMILAR).fit(X[:60], Y[:60, :4])
    before, profiles, more = naive.kernel_ridge_by_labels_too(known[:60], truth[:60, :4], known, 0.8, 0.3, 0.2)
    model.partial_fit(X[60:], Y[60:])
    joined = naive.joined_by_labels(known, more, 0.2)
    left = truth[60:] - np.pad(before[60:], ((0, 0), (0, 1)))
    K = naive.gaussian_kernel(joined, joined[60:], 0.8)
    expected = np.pad(before, ((0, 0), (0, 1))) + K @ np.linalg.solve(K[60:] + 0.3 * np.eye(20), left)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=2e-4)
    np.testing.assert_allclose(model.profiles_, np.vstack((profiles, more[60:])), atol=1e-3)
    assert model.first_coefficients_.shape == (80, 4) and not model.first_coefficients_[60:].any()
    # Once more, with features that are new too.
    wider = np.hstack((X, np.ones((80, 2))))
    assert np.isfinite(model.partial_fit(wider[:5], Y[:5]).decision_function(wider)).all()


@pytest.mark.parametrize("oddity", ["far from zero", "constant", "one enormous row", "unlike scales"])
def test_dense_columns_of_any_scale_are_as_good_as_standardised_ones(oddity, tmp_path):
    rng = np.random.default_rng(2)
    Z = rng.standard_normal((500, 4))
    Y = sp.csr_array((Z @ rng.standard_normal((4, 6)) > 1).astype(np.float64))
    X = {
        "far from zero": Z * 1e5 + 1.6e9,
        "constant": np.hstack((Z, np.full((500, 2), 1234.567))),
        "one enormous row": Z * np.where(np.arange(500) == 7, 1e9, 1)[:, None],
        "unlike scales": Z * [1e-6, 1, 1e6, 1e20],
    }[oddity]
    usual = KernelTagger().fit(Z[:300], Y[:300]).score(Z[300:], Y[300:])
    model = KernelTagger().fit(X[:300], Y[:300])
    assert model.score(X[300:], Y[300:]) > usual - 0.01
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(tacit.load(tmp_path / "model").decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("size", [1e-13, 1e-30, 1e-40])
def test_tiny_columns_are_learned_from_and_saved(size, tmp_path):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((60, 4))
    Y = sp.csr_array(np.stack((X[:, 0] > 0, X[:, 0] <= 0), axis=1).astype(np.float64))
    model = KernelTagger().fit(X * size, Y)
    assert np.isfinite(model.decision_function(X * size)).all()
    assert size < 1e-13 or model.score(X * size, Y) > 0.9
    model.save(tmp_path / "model")


@pytest.mark.parametrize("given", [{}, {"kernel": "linear"}, {"kernel": "linear", "landmarks": 0}])
@pytest.mark.parametrize("dense", [True, False])
def test_where_rows_say_nothing_labels_are_ranked_by_frequency(dense, given, tmp_path):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((600, 20)) if dense else (rng.random((600, 60)) < 0.1).astype(np.float64)
    Y = sp.csr_array((rng.random((600, 8)) < np.linspace(0.5, 0.1, 8)).astype(np.float64))
    model = KernelTagger(**given).fit(X[:300], Y[:300])
    order = np.argsort(-np.bincount(Y[:300].indices, minlength=8), kind="stable")
    assert np.mean(model.predict_topk(X[300:], 5) == order[:5]) > 0.95
    assert model.bandwidth_ > 50
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(tacit.load(tmp_path / "model").decision_function(X), model.decision_function(X))
    # What is known stays: rows that come later explain what it leaves open.
    model.partial_fit(X[300:], Y[300:])
    order = np.argsort(-np.bincount(Y.indices, minlength=8), kind="stable")
    assert np.mean(model.predict_topk(X, 3) == order[:3]) > 0.9


def test_a_linear_kernel_is_as_wide_as_ever_where_rows_say_something():
    X, Y = tagged(200)
    model = KernelTagger("linear").fit(X, Y)
    assert model.bandwidth_ == 1


@pytest.mark.parametrize("labels", [1, 2])
def test_few_rows_and_labels_are_learned_from(labels):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 3))
    Y = sp.csr_array(np.stack((X[:, 0] > 0, X[:, 0] <= 0), axis=1)[:, :labels].astype(np.float64))
    scores = KernelTagger().fit(X[:30], Y[:30]).decision_function(X[30:])
    assert np.isfinite(scores).all()
    if labels == 2:
        right = np.mean((scores[:, 0] > scores[:, 1]) == (X[30:, 0] > 0))
        assert right > Y[30:].mean(axis=0).max() + 0.1


def test_all_landmarks_are_the_exact_model_and_few_are_near():
    X, Y = tagged(200)
    own = {"bandwidth": 1.0, "regularization": 0.5, "value_power": 1.0, "label_power": 0.0, "label_similarity": 0.0}
    exact = KernelTagger("cosine", landmarks=0, **own).fit(X, Y).decision_function(X)
    errors = [
        np.abs(KernelTagger("cosine", landmarks=m, **own).fit(X, Y).decision_function(X) - exact).max()
        for m in (20, 100, 200)
    ]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 5e-3


def test_partial_fit_takes_rows_labels_and_features():
    X, Y = tagged(80)
    for kernel in ("cosine", "linear"):
        model = KernelTagger(kernel, regularization=0.3).fit(X[:60, :10], Y[:60, :4])
        before = model.score(X[60:, :10], Y[60:, :4])
        model.partial_fit(X[60:], Y[60:])
        assert model.decision_function(X).shape == (80, 5)
        assert model.score(X[60:], Y[60:]) >= before
        model.partial_fit(X[:3], Y[:3])


def test_partial_fit_needs_room_for_the_square_of_the_new_rows_alone(monkeypatch):
    X, Y = tagged(90)
    model = KernelTagger("cosine", regularization=0.3, label_similarity=0.2).fit(X[:60], Y[:60])
    # 10 more rows: 4 · 10 · (10 + 5) + 8 · 70 · (5 + 2 · 5) bytes; the square of all 70 would take 19,600.
    monkeypatch.setattr(kernel_fit, "LARGEST_FIT", 9000)
    model.partial_fit(X[60:70], Y[60:70])
    assert model.points_.shape[0] == 70
    with pytest.raises(InputError, match=r"5 labels on 90 rows would need .* fit all rows anew with landmarks"):
        model.partial_fit(X[70:], Y[70:])


@pytest.mark.parametrize(
    "model",
    [
        KernelTagger("cosine"),
        KernelTagger("cosine", label_similarity=0),
        KernelTagger("linear"),
        FactorTagger(factors=3),
        FactorTagger(factors=3, landmarks=4),
        NeighbourTagger(factors=3, neighbours=5),
        NeighbourTagger(factors=3, neighbours=5, learners=2, partitions=2),
        NeighbourTagger("joint", factors=3, neighbours=5),
    ],
    ids=repr,
)
def test_why_sums_to_the_score(model):
    """Of 100 pairs; TACIT_TRIALS=1000 tries a thousand."""
    X, Y = tagged(int(os.environ.get("TACIT_TRIALS", "100")) // 5)
    model.fit(X, Y)
    scores = model.decision_function(X)
    for row, label in np.ndindex(scores.shape):
        assert abs(model.why(X[[row]], label).total - scores[row, label]) < 1e-5


def test_why_names_what_speaks():
    X, Y = tagged()
    evidence = KernelTagger("linear").fit(X, Y).why(X[[0]], 0)
    assert set(evidence.ids.tolist()) == set(np.flatnonzero(X[0]).tolist())
    with pytest.raises(InputError, match="one row"):
        KernelTagger("linear").fit(X, Y).why(X[:2], 0)


def test_missing_labels_and_a_label_taken_away():
    X, Y = tagged(100)
    Y = Y.tolil()
    Y[np.argmax(X[:, 0]), 0] = 0
    found = KernelTagger("cosine", bandwidth=1.0, regularization=0.3).missing_labels(X, Y.tocsr(), n=5, folds=2)
    assert (int(np.argmax(X[:, 0])), 0) in [(one.row, one.label) for one in found]


def test_what_memory_cannot_hold_is_refused_with_what_to_use(monkeypatch):
    X, Y = tagged()
    monkeypatch.setattr(kernel_fit, "LARGEST_FIT", 16 * 20**2 + 8 * 20 * 5)
    with pytest.raises(InputError, match=r"5 labels on 30 landmarks.*landmarks to at most 20, or use NeighbourTagger"):
        KernelTagger("cosine", landmarks=30).fit(X, Y)
    KernelTagger("cosine", landmarks=20).fit(X, Y)
    monkeypatch.setattr(kernel_fit, "LARGEST_EXACT", 50)
    with pytest.raises(InputError, match="landmarks"):
        KernelTagger("cosine", landmarks=0).fit(X, Y)
    with pytest.raises(InputError, match="impute"):
        KernelTagger("cosine", impute=True).fit(X, Y)
    monkeypatch.setattr(kernel_fit, "LARGEST_FIT", 10)
    with pytest.raises(InputError, match="GB; use NeighbourTagger"):
        KernelTagger("cosine").fit(X, Y)


def test_two_hundred_thousand_rows_are_refused_before_anything_is_tried():
    """200,000 × 50,000 × 20,000: all rows, or too many landmarks, get a sentence; what it names fits in 4 GB."""
    rows, features, labels = 200_000, 50_000, 20_000
    number, value = np.arange(rows), np.ones(rows, np.float32)
    X = sp.csr_array((value, (number, number % features)), shape=(rows, features))
    Y = sp.csr_array((value, (number, number % labels)), shape=(rows, labels))
    tried = []
    with pytest.raises(InputError, match=r"200000 × 200000 rows, and at most 15000.*set landmarks to 4000"):
        KernelTagger("cosine", landmarks=0, callback=tried.append).fit(X, Y)
    with pytest.raises(InputError, match=r"on 30000 landmarks would need 19\.2 GB; set landmarks to at most 11583"):
        KernelTagger("cosine", landmarks=30_000, callback=tried.append).fit(X, Y)
    assert tried == []
    assert kernel_fit.Way("landmarks", 11_583).needs(labels) <= 4e9 < kernel_fit.Way("landmarks", 11_584).needs(labels)
    assert kernel_fit.Way.of("gaussian", X.shape, rows, labels, None, False) == kernel_fit.Way("landmarks", 4000)


@pytest.mark.parametrize(
    ("name", "value"),
    [("kernel", "round"), ("bandwidth", 0), ("regularization", -1), ("landmarks", 1.5), ("random_state", -1),
     ("random_state", 1.5), ("unlabelled_weight", 0), ("iterations", 0), ("value_power", 1.5), ("value_power", -1),
     ("label_power", 1.5), ("label_power", -0.1), ("label_similarity", 1.5), ("label_similarity", -0.1)],
)  # fmt: skip
def test_wrong_parameters_are_refused_by_name(name, value):
    with pytest.raises(InputError, match=name):
        KernelTagger(**{name: value}).fit(*tagged())


def test_beyond_the_exact_size_landmarks_take_over(monkeypatch, tmp_path):
    monkeypatch.setattr(kernel_fit, "LARGEST_EXACT", 50)
    monkeypatch.setattr(kernel_fit, "DEFAULT_LANDMARKS", 30)
    X, Y = tagged()
    model = KernelTagger("cosine", random_state=None).fit(X, Y)
    assert model.coefficients_.shape == (30, 5)
    model.save(tmp_path / "model")
    loaded = tacit.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert [record["ndcg"] for record in loaded.history_] == [record["ndcg"] for record in model.history_]
