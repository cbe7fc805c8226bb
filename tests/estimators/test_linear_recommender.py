"""LinearRecommender: weights against dense float64 oracles, calls, evidence, features, files, bits."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit import Interactions, LinearRecommender
from tacit.data.matrix import as_csr
from tacit.errors import InputError
from tacit.estimators.recommend import held_out_choice, linear_choice
from tacit.solvers import linear_weights
from tacit.solvers.definite_inverse import invert
from tests import naive


def random_positives(seed, n=60, m=40, density=0.15):
    rng = np.random.default_rng(seed)
    cells = sp.random_array((n, m), density=density, rng=rng, format="csr", dtype=np.float32)
    cells.data[:] = 1
    return as_csr(cells, "x")


def test_a_row_tells_what_it_has():
    pairs = {"who": ["ann", "ann", "bob"], "what": ["tea", "jam", "tea"], "times": [2, 1, 1]}
    data = Interactions.from_table(pairs, row="who", col="what", weight="times")
    model = LinearRecommender("sparse", sparse_exponents=(1, 1, 0)).fit(data)
    assert model.positives_of("ann") == (["jam", "tea"], [1.0, 2.0])
    assert model.add("bob", "jam", 3).positives_of("bob") == (["jam", "tea"], [3.0, 1.0])


@pytest.mark.parametrize("size", [1, 7, 600, 1100])
def test_the_blocked_inverse_is_the_inverse(size):
    rng = np.random.default_rng(size)
    root = rng.standard_normal((size + 5, size))
    even = root.T @ root / size + np.eye(size)
    scale = 10.0 ** rng.uniform(-3, 3, size)
    matrix = (even * np.outer(scale, scale)).astype(np.float32)
    invert(matrix)
    assert np.array_equal(matrix, matrix.T)
    np.testing.assert_allclose(matrix * np.outer(scale, scale), np.linalg.inv(even), atol=2e-6)


def test_the_inverse_has_the_same_bits_on_any_number_of_threads():
    root = np.random.default_rng(0).standard_normal((1300, 1200)).astype(np.float32)
    matrices = [root.T @ root for _ in range(2)]
    matrices[1][:] = matrices[0]
    for matrix, threads in zip(matrices, (1, 3)):
        invert(matrix, threads)
    assert matrices[0].tobytes() == matrices[1].tobytes()


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    ridge=st.sampled_from([0.1, 1.0, 20.0]),
    row=st.sampled_from([0.0, 0.5, 1.0]),
    spread=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_dense_weights_minimise_the_weighted_squared_error(seed, ridge, row, spread):
    X = random_positives(seed)
    found = linear_weights.dense_weights(X, ridge, row_exponent=row, ridge_exponent=spread)
    np.testing.assert_allclose(found, naive.dense_weights(X.toarray(), ridge, row, spread), atol=2e-5)


def test_no_step_away_from_dense_weights_lowers_the_objective():
    X = random_positives(3)
    W = naive.dense_weights(X.toarray(), 0.7, 0.5, 0.5)
    at_best = naive.dense_objective(X.toarray(), W, 0.7, 0.5, 0.5)
    rng = np.random.default_rng(0)
    for _ in range(20):
        step = rng.standard_normal(W.shape)
        np.fill_diagonal(step, 0)
        sides = [naive.dense_objective(X.toarray(), W + s * step, 0.7, 0.5, 0.5) for s in (1e-4, -1e-4)]
        assert min(sides) > at_best
        assert abs(sides[0] - sides[1]) / 2e-4 < 1e-6 * at_best


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    exponents=st.tuples(*[st.sampled_from([-0.25, 0.0, 0.5, 1.0])] * 3),
    keep=st.sampled_from([1, 5, 39, 100]),
)
def test_sparse_weights_are_the_strongest_normalised_co_occurrences(seed, exponents, keep):
    X = random_positives(seed)
    found = linear_weights.sparse_weights(X, exponents, keep)
    full = naive.sparse_weights(X.toarray(), exponents)
    assert np.diff(found.indptr).max() <= keep
    dense = found.toarray()
    kept = dense != 0
    np.testing.assert_allclose(dense[kept], full[kept], rtol=1e-5)
    for i in range(len(full)):
        strongest = np.sort(full[i])[::-1][: min(keep, np.count_nonzero(full[i]))]
        np.testing.assert_allclose(np.sort(dense[i][kept[i]])[::-1], strongest, rtol=1e-5)


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    ridge=st.sampled_from([0.5, 3.0]),
    row=st.sampled_from([0.0, 0.5]),
    spread=st.sampled_from([0.0, 0.5]),
    keep=st.sampled_from([1, 6, 39]),
    stored=st.sampled_from([12, 100]),
)
def test_local_weights_are_ridge_regressions_on_the_nearest_columns(seed, ridge, row, spread, keep, stored):
    X = random_positives(seed)
    # Values without ties, so that there is one answer to which columns are the nearest.
    X.data[:] = np.random.default_rng(seed).uniform(1, 2, X.nnz)
    known = linear_weights.sparse_weights(X, (0.0, row, linear_weights.NEARNESS), stored)
    # What is not stored may make a system unsound (below); here the ridge is stronger than that.
    ridge *= 10 if stored < 39 else 1
    found = linear_weights.local_weights(X, known, ridge, keep, row_exponent=row, ridge_exponent=spread)
    expected = naive.local_weights(X.toarray(), ridge, row, spread, keep, stored)
    assert np.count_nonzero(expected, axis=0).max() <= keep
    np.testing.assert_allclose(found.toarray(), expected, atol=2e-5)


def test_local_weights_of_all_columns_are_dense_weights():
    X = random_positives(3, density=0.5)
    known = linear_weights.sparse_weights(X, (0.0, 0.5, linear_weights.NEARNESS), 40)
    found = linear_weights.local_weights(X, known, 0.7, 40)
    dense = linear_weights.dense_weights(X, 0.7, row_exponent=0.5, ridge_exponent=0.5)
    assert np.all(known.toarray()[~np.eye(40, dtype=bool)])
    np.testing.assert_allclose(found.toarray(), dense, atol=2e-5)


def test_a_local_system_that_cannot_be_one_of_all_co_occurrences_is_weakened_until_it_can():
    # Twice the co-occurrences that there are: halved once, they are those of columns that are all the same.
    X = as_csr(np.ones((30, 3), np.float32), "x")
    known = linear_weights.sparse_weights(X, (0.0, 0.0, linear_weights.NEARNESS), 2)
    stronger = as_csr(sp.csr_array((2 * known.data, known.indices, known.indptr), shape=known.shape), "known")
    found = linear_weights.local_weights(X, stronger, 0.01, 2, row_exponent=0.0, ridge_exponent=0.0).toarray()
    np.testing.assert_allclose(found, (1 - np.eye(3)) * 60 / (30.3 + 30), rtol=1e-4)


def test_local_weights_stay_bounded_where_most_co_occurrences_are_not_stored():
    X = random_positives(0, n=200, m=300, density=0.2)
    few, known = (linear_weights.sparse_weights(X, (0.0, 0.5, linear_weights.NEARNESS), count) for count in (60, 299))
    weights = [linear_weights.local_weights(X, cells, 0.1, 50) for cells in (few, known)]
    largest = [np.abs(one.data).max() for one in weights]
    assert np.isfinite(largest).all() and largest[0] < 3 * largest[1]


@pytest.mark.parametrize("method", ["sparse", "local"])
def test_products_too_small_for_single_precision_are_none(method):
    X = sp.csr_array(np.full((3000, 3), 1.0 if method == "sparse" else 1e-30))
    given = {"sparse_exponents": (1, 100, 0)} if method == "sparse" else {"regularization": 1.0}
    model = LinearRecommender(method, positive_weight="value", **given).fit(X)
    assert model.col_weights_.nnz == 0


def test_a_row_whose_columns_are_no_neighbours_gets_what_is_popular():
    rng = np.random.default_rng(0)
    X = sp.csr_array((rng.random((200, 60)) < np.where(np.arange(60) < 10, 0.5, 0.05)).astype(np.float32))
    model = LinearRecommender("local", keep=2, regularization=1.0).fit(X)
    silent = np.flatnonzero(np.diff(model.col_weights_.indptr) == 0)
    assert len(silent) and np.diff(X.tocsc().indptr)[silent].min() > 1
    found = model.add(999, [int(silent[0])]).recommend([999], k=3)
    expected = model.recommend([1000], k=3, unknown="average")
    assert found.ids.tolist() == expected.ids.tolist()


def test_similar_columns_are_listed_without_holes():
    X = random_positives(0, n=30, m=12, density=0.25)
    found = LinearRecommender("local", keep=3, regularization=0.1).fit(X).similar_cols(np.arange(12), k=11)
    assert not (found.filled[:, 1:] & ~found.filled[:, :-1]).any() and np.all(found.scores[found.filled] > 0)


def test_more_neighbours_than_there_are_cost_nothing():
    X = random_positives(1)
    wide, enough = (LinearRecommender("local", keep=keep, regularization=1.0).fit(X) for keep in (10**6, 39))
    assert wide.col_weights_.toarray().tobytes() == enough.col_weights_.toarray().tobytes()


def test_local_weights_have_the_same_bits_on_any_number_of_threads_and_choose_their_ridge(tmp_path):
    X = random_positives(5, n=300, m=600, density=0.05)
    one, three = (LinearRecommender("local", threads=threads).fit(X) for threads in (1, 3))
    assert one.col_weights_.toarray().tobytes() == three.col_weights_.toarray().tobytes()
    assert one.method_ == "local" and one.regularization_ in linear_choice.RIDGES and one.exponents_ == (0.5, 0.5)
    assert {record["method"] for record in one.validation_} == {"local"} and len(one.validation_) > 1
    one.save(tmp_path / "m")
    loaded = tacit.load(tmp_path / "m")
    assert loaded.recommend(np.arange(9)).scores.tobytes() == one.recommend(np.arange(9)).scores.tobytes()
    assert np.diff(loaded.col_weights_.T.tocsr().indptr).max() <= 50


@pytest.mark.parametrize("method", ["dense", "sparse", "local"])
def test_scores_are_x_times_w_and_why_sums_to_them(method):
    X = random_positives(1, n=50)
    X.data[:] = np.random.default_rng(1).integers(1, 9, X.nnz)
    model = LinearRecommender(method=method).fit(X)
    weights = model.col_weights_ if method == "dense" else model.col_weights_.toarray()
    values = X.toarray()
    values[values > 0] = 1 + np.log(values[values > 0] / X.data.min())
    expected = values @ weights.astype(np.float64)
    rows, cols = (part.ravel() for part in np.meshgrid(np.arange(50), np.arange(40), indexing="ij"))
    np.testing.assert_allclose(model.score_pairs(rows, cols).reshape(50, 40), expected, atol=1e-5)
    for row, col in np.random.default_rng(2).integers(0, [50, 40], (100, 2)):
        evidence = model.why(int(row), int(col))
        assert abs(evidence.total - expected[row, col]) < 1e-5
        assert abs(evidence.contributions.sum() + evidence.remainder - evidence.total) < 1e-9
        assert set(evidence.ids.tolist()) == set(X[[row]].indices.tolist())


def test_lists_leave_out_the_seen_and_keep_to_filters():
    X = random_positives(2)
    model = LinearRecommender(method="sparse", sparse_exponents=(0.5, 1, 0.5)).fit(X)
    found = model.recommend(np.arange(60), k=5)
    for row in range(60):
        assert not set(found.ids[row].tolist()) & set(X[[row]].indices.tolist())
    only = model.recommend([0, 1], k=5, include=[3, 4, 5], exclude=[4])
    assert set(only.ids[only.filled].tolist()) <= {3, 5}
    by_row = model.recommend([0, 1], k=3, include={0: [7]})
    assert by_row.filled[0].sum() <= 1 and by_row.filled[1].all()


def test_a_row_without_positives_gets_what_is_popular():
    X = as_csr(sp.vstack([random_positives(4), sp.csr_array((1, 40), dtype=np.float32)]), "x")
    model = LinearRecommender(method="dense", regularization=1.0).fit(X)
    expected = naive.votes(X.toarray())
    found = model.recommend([60], k=3)
    np.testing.assert_allclose(found.scores[0], np.sort(expected)[::-1][:3], atol=1e-5)
    unknown = model.recommend([999], k=3, unknown="average")
    assert unknown.ids.tolist() == found.ids.tolist()
    assert model.why(60, 0).remainder == pytest.approx(expected[0], abs=1e-5)


@pytest.mark.parametrize("parameters", [{"method": "dense"}, {"method": "sparse", "sparse_exponents": (1, 1, 0)}])
def test_rows_whose_columns_have_joined_since_get_what_is_popular_also_from_a_file(parameters, tmp_path):
    model = LinearRecommender(**parameters).fit(random_positives(4))
    model.add_each([70, 71], [40, 40])
    model.save(tmp_path / "m")
    popular = model.recommend([999], k=3, unknown="average")
    for one in (model, tacit.load(tmp_path / "m")):
        found = one.recommend([70, 71], k=3)
        np.testing.assert_array_equal(found.ids, np.repeat(popular.ids, 2, axis=0))
        assert one.why(70, 0).remainder == pytest.approx(model.popular_[0])


def test_no_account_is_given_of_rows_whose_histories_were_left_out(tmp_path):
    model = LinearRecommender(method="dense").fit(random_positives(4))
    model.save(tmp_path / "m", histories=False)
    with pytest.raises(InputError, match="was saved without histories"):
        tacit.load(tmp_path / "m").why(0, 1)


def test_folding_in_a_training_row_gives_its_scores_and_added_rows_stay():
    X = random_positives(5)
    model = LinearRecommender(method="sparse", sparse_exponents=(1, 1, 0)).fit(X)
    scores = model.fold_in(X[[7]])
    np.testing.assert_array_equal(scores[0], model.score_pairs(7, np.arange(40)))
    data = Interactions.from_table(
        {"who": ["a", "a", "b", "b", "c"], "what": ["x", "y", "x", "y", "z"]}, row="who", col="what"
    )
    named = LinearRecommender(method="sparse", sparse_exponents=(1, 1, 0)).fit(data)
    more = Interactions.from_table({"who": ["d"], "what": ["x"]}, row="who", col="what")
    named.fold_in(more, add=True)
    assert named.recommend("d", k=1).ids.tolist() == [["y"]]


@pytest.mark.parametrize("method", ["dense", "sparse"])
def test_columns_known_by_features_alone_follow_their_neighbours(method):
    X = random_positives(6).toarray()
    X[:, 39] = 0
    features = np.eye(40)
    features[39] = features[3]
    given = {"sharpening": 0.0} if method == "sparse" else {}
    model = LinearRecommender(method, **given).fit(sp.csr_array(X), col_features=sp.csr_array(features))
    plain = LinearRecommender(method, **given).fit(sp.csr_array(X))
    weights = model.col_weights_ if method == "dense" else model.col_weights_.toarray()
    before = plain.col_weights_ if method == "dense" else plain.col_weights_.toarray()
    expected = before[:, 3].copy()
    expected[3] = before[:, 3].max()
    np.testing.assert_allclose(weights[:, 39], expected, atol=1e-6)
    np.testing.assert_allclose(weights[:, :39], before[:, :39], atol=1e-6)


def test_similar_columns_are_the_strongest_weights():
    model = LinearRecommender(method="sparse", sharpening=0.0).fit(random_positives(7))
    found = model.similar_cols([5], k=4)
    row = model.col_weights_.toarray()[5]
    np.testing.assert_allclose(found.scores[0], np.sort(row)[::-1][:4])
    assert 5 not in found.ids[0].tolist()


def test_what_was_tried_is_told_and_given_settings_are_kept():
    X = random_positives(8, n=200)
    model = LinearRecommender().fit(X)
    assert {record["method"] for record in model.validation_} == {"dense", "sparse"}
    assert all(0 <= record["ndcg@10"] <= 1 for record in model.validation_)
    fixed = LinearRecommender("dense", regularization=2.0, dense_exponents=(0, 0)).fit(X)
    assert fixed.validation_ == [] and (fixed.regularization_, fixed.exponents_) == (2.0, (0.0, 0.0))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"method": "other"}, "method"),
        ({"regularization": 0}, "regularization"),
        ({"sparse_exponents": (1, 1)}, "sparse_exponents"),
        ({"dense_exponents": 3}, "dense_exponents"),
        ({"keep": 0}, "keep"),
        ({"positive_weight": "two"}, "positive_weight"),
    ],
)
def test_wrong_parameters_are_refused_by_name(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        LinearRecommender(**parameters).fit(random_positives(0))


def test_dense_weights_of_too_many_columns_are_refused():
    cells = sp.csr_array(([1.0, 1.0], ([0, 0], [0, 30_000])), shape=(1, 30_001))
    with pytest.raises(InputError, match="sparse"):
        LinearRecommender("dense").fit(cells)


@pytest.mark.parametrize("method", ["dense", "sparse"])
def test_a_file_answers_alike(method, tmp_path):
    X = random_positives(9)
    model = LinearRecommender(method=method).fit(X)
    model.save(tmp_path / "model")
    loaded = tacit.load(tmp_path / "model")
    assert loaded.recommend(np.arange(60)).scores.tobytes() == model.recommend(np.arange(60)).scores.tobytes()
    assert loaded.validation_ == model.validation_


def test_sharpened_weights_give_lists_evidence_files_and_grow(tmp_path):
    X = random_positives(8)
    model = LinearRecommender("sparse", sparse_exponents=(0.5, 1.0, 0.25), sharpening=0.5, keep=50).fit(X)
    expected = X.toarray() @ naive.sharpened_weights(X.toarray(), (0.5, 1.0, 0.25), 0.5, 40)
    rows, cols = (part.ravel() for part in np.meshgrid(np.arange(60), np.arange(40), indexing="ij"))
    full = np.diff(X.indptr) > 0
    np.testing.assert_allclose(model.score_pairs(rows, cols).reshape(60, 40)[full], expected[full], atol=1e-5)
    told = model.why(4, 7)
    assert told.total == pytest.approx(expected[4, 7], abs=1e-5)
    model.save(tmp_path / "model")
    loaded = tacit.load(tmp_path / "model")
    assert loaded.recommend(np.arange(60)).scores.tobytes() == model.recommend(np.arange(60)).scores.tobytes()
    assert loaded.similar_cols([1]).ids.tolist() == model.similar_cols([1]).ids.tolist()
    loaded.add(4, [40])
    np.testing.assert_allclose(loaded.score_pairs([4], [7]), expected[4, 7], atol=1e-5)


def test_a_file_whose_narrow_matrices_are_missing_is_refused(tmp_path):
    model = LinearRecommender("sparse", sparse_exponents=(0.5, 1.0, 0.25)).fit(random_positives(8))
    model.sharpening_ = 0.5
    with pytest.raises(InputError, match="narrow"):
        model.save(tmp_path / "model")


@pytest.mark.parametrize(("lead", "chosen"), [(0.001, 0.0), (0.1, 0.5)])
def test_sharpening_is_chosen_only_where_it_leads_by_more_than_a_standard_error(lead, chosen, monkeypatch):
    """A sharpening of 0.5 leads by so much on average, with noise whose mean has an error of 0.005 or so."""
    noise = np.random.default_rng(0).normal(size=400)
    noise = 0.1 * (noise - noise.mean()) / noise.std()

    def of_rows(self, number, settings):
        return [noise * (one.sharpening + 1) + lead * (one.sharpening == 0.5) for one in settings]

    monkeypatch.setattr(linear_choice.Search, "_of", of_rows)
    model = LinearRecommender("sparse").fit(random_positives(6))
    assert {one["sharpening"] for one in model.validation_} == {0.0, 0.25, 0.5, 0.75}
    assert model.sharpening_ == chosen


def test_a_search_finds_what_a_fit_with_the_same_setting_ranks():
    """Several strengths from the same products, and weights from a co-occurrence that is kept."""
    (part,) = held_out_choice.split(as_csr(random_positives(6), "X"), 0)[:1]
    search = linear_choice.Search([part], 20, 1, held_out_choice.Budget())
    tried = [linear_choice.Setting("sparse", (0.75, 0.5, 0.25), sharpening=one) for one in (0.0, 0.5, 1.0)]
    search.mean(linear_choice.Setting("sparse", (0.25, 0.5, 0.25)))
    search.look(tried)
    for setting in tried:
        model = LinearRecommender("sparse", sparse_exponents=setting.exponents, sharpening=setting.sharpening, keep=20)
        scores = model.fit(part.train.native()).fold_in(part.seen.native())
        expected = part.ndcg(lambda start, stop, scores=scores: scores[start:stop])
        np.testing.assert_allclose(search.scores[setting], expected, atol=1e-12)


def test_an_event_copies_its_own_row_alone_and_tells_as_much_as_all_events_together():
    X = random_positives(5, 40, 15)
    one_by_one, together = (LinearRecommender("sparse", sparse_exponents=(0.5, 1, 0.5)).fit(X) for _ in range(2))
    held, total = one_by_one._rows.positives, np.zeros((43, 17))
    total[:40, :15] = X.toarray()
    events = [(3, 2, 1.0), (3, 14, 2.0), (41, 2, 1.0), (3, 2, 0.5), (40, 16, 1.0), (42, 15, 1.0), (41, 0, 3.0)]
    for row, col, weight in events:
        one_by_one.add(row, [col], weight)
        total[row, col] += weight
    assert one_by_one._rows.positives is held
    together.add_each(*map(list, zip(*events)))
    for model in (one_by_one, together):
        places = model.row_ids_.require(range(43)), model.col_ids_.require(range(17))
        np.testing.assert_array_equal(model.seen_.toarray()[np.ix_(*places)], total)
    answers = [model.recommend(range(43), k=5) for model in (one_by_one, together)]
    np.testing.assert_array_equal(answers[0].ids, answers[1].ids)
    np.testing.assert_array_equal(answers[0].scores, answers[1].scores)
    # What was brought together for a whole matrix is what the next event starts from.
    assert len(one_by_one.add(3, [7])._rows.recent) == 1
    assert 7 in one_by_one.positives_of(3)[0]
    assert one_by_one.add(3, [])._rows.row(3).cols.tolist() == np.flatnonzero(total[3] + (np.arange(17) == 7)).tolist()


@pytest.mark.parametrize(("lead", "method"), [(0.2, "dense"), (2.0, "sparse"), (-2.0, "dense")])
def test_sparse_weights_must_lead_by_half_a_standard_error(monkeypatch, lead, method):
    """``lead`` of the sparse weights' score over the dense ones', in standard errors of the difference."""
    noise = np.random.default_rng(0).standard_normal(100)
    noise = (noise - noise.mean()) / noise.std()
    dense, sparse = np.full(100, 0.5), 0.5 + 0.1 * (noise + lead / 10)

    def look(search, settings):
        search.scores |= {setting: sparse if setting.method == "sparse" else dense for setting in settings}

    monkeypatch.setattr(linear_choice.Search, "look", look)
    assert LinearRecommender().fit(random_positives(3)).method_ == method
