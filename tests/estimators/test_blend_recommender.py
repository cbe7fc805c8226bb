"""BlendRecommender: what it adds up, what it chooses and why, and its file."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import tacit
from tacit import BlendRecommender, FactorRecommender, LinearRecommender
from tacit.data.matrix import as_csr
from tacit.errors import InputError
from tacit.estimators.recommend import blend_mixtures, blend_recommender, linear_recommender
from tacit.estimators.recommend.held_out_choice import first_near_the_best, split
from tacit.estimators.recommend.linear_choice import START_EXPONENTS, Setting
from tacit.estimators.recommend.row_shares import RowShares
from tacit.metrics.evaluation import evaluate
from tacit.metrics.ranking import ndcg
from tests import naive

MEMBERS = [("factors", FactorRecommender(4)), ("linear", LinearRecommender("sparse"))]


def positives(seed=0, n=120, m=50):
    """Rows of three tastes, so that there is something to learn."""
    rng = np.random.default_rng(seed)
    taste = rng.integers(3, size=n)
    near = (np.arange(m)[None] % 3) == taste[:, None]
    return sp.csr_array((rng.random((n, m)) < np.where(near, 0.4, 0.04)).astype(np.float32))


def test_scores_are_standardised_within_rows_and_added_by_weight():
    X = positives()
    model = BlendRecommender(MEMBERS, weights=(1.0, 3.0)).fit(X)
    factor, linear = model.members_
    parts = [factor.row_factors_ @ factor.col_factors_.T, X @ linear.col_weights_.toarray()]
    standard = [(part - part.mean(axis=1, keepdims=True)) / part.std(axis=1, keepdims=True) for part in parts]
    expected = 0.25 * standard[0] + 0.75 * standard[1]
    rows, cols = (part.ravel() for part in np.meshgrid(np.arange(120), np.arange(50), indexing="ij"))
    np.testing.assert_allclose(model.score_pairs(rows, cols).reshape(120, 50), expected, atol=1e-4)
    np.testing.assert_allclose(model.weights_, [0.25, 0.75])


def test_contributions_of_all_members_sum_to_the_score():
    X = positives()
    model = BlendRecommender(MEMBERS, weights=(1.0, 3.0)).fit(X)
    model.add(3, [model.recommend([3], k=1).ids[0, 0]])
    for row, col in ((0, 1), (3, 2), (7, 7)):
        found = model.why(row, col)
        assert found.total == pytest.approx(float(model.score_pairs(row, col)[0]), abs=1e-4)
        assert sorted(found.ids.tolist()) == sorted(model.seen_[[row]].indices.tolist())
    factor, linear = model.members_
    parts = []
    for member, scores in (
        (factor, factor.score_pairs([7] * 50, range(50))),
        (linear, linear.score_pairs(7, range(50))),
    ):
        own = member.why(7, 7)
        parts.append(dict(zip(own.ids.tolist(), own.contributions / scores.std())))
    found = model.why(7, 7)
    for ident, adds in zip(found.ids.tolist(), found.contributions.tolist()):
        assert adds == pytest.approx(0.25 * parts[0][ident] + 0.75 * parts[1][ident], rel=1e-3, abs=1e-5)


def two_kinds_of_rows(n=400, m=60):
    """Rows with few positives follow one of two tastes; rows with many have pairs of columns in any combination, which
    two factors cannot tell apart."""
    rng = np.random.default_rng(0)
    near = (np.arange(m)[None] % 2) == rng.integers(2, size=n // 2)[:, None]
    short = rng.random((n // 2, m)) < np.where(near, 0.12, 0.01)
    pairs = np.repeat(rng.random((n // 2, m // 2)) < 0.4, 2, axis=1)
    return sp.csr_array(np.concatenate((short, pairs & (rng.random(pairs.shape) < 0.9))).astype(np.float32))


def test_shares_follow_the_positives_of_a_row_where_that_does_better(tmp_path, monkeypatch):
    monkeypatch.setattr(blend_mixtures, "mixtures", lambda members: [(0.5, 0.5)])
    X = two_kinds_of_rows()
    model = BlendRecommender([("factors", FactorRecommender(2)), ("linear", LinearRecommender("dense"))]).fit(X)
    counts = np.diff(X.indptr)
    assert model.row_shares_.exponent == 1.0 and "few positives count more on factors" in model.validation_["sentence"]
    assert model.row_shares_.usual == np.median(counts[counts > 0])
    factor, linear = model.members_
    parts = [factor.row_factors_ @ factor.col_factors_.T, X @ linear.col_weights_]
    shares = naive.row_shares(model.weights_, (True, False), counts, 1.0, model.row_shares_.usual)
    rows = np.flatnonzero(counts)
    for x in (rows[0], rows[100], rows[-1]):
        mixed = sum(w * (part[x] - part[x].mean()) / part[x].std() for w, part in zip(shares[x], parts))
        np.testing.assert_allclose(model.score_pairs(x, np.arange(60)), mixed, atol=1e-4)
        assert model.why(x, 5).total == pytest.approx(mixed[5], abs=1e-4)
    model.save(tmp_path / "model")
    loaded = tacit.load(tmp_path / "model")
    assert loaded.row_shares_ == model.row_shares_
    assert loaded.recommend(rows).scores.tobytes() == model.recommend(rows).scores.tobytes()
    alone = BlendRecommender(model.members, threads=1).fit(X)
    assert alone.recommend(rows).scores.tobytes() == model.recommend(rows).scores.tobytes()


def many_small_groups(n=600, groups=120, size=5):
    """Rows have most columns of a few groups, and groups join in any combination: too many for two factors."""
    rng = np.random.default_rng(1)
    taken = rng.random((n, groups)) < 6 / groups
    cells = np.repeat(taken, size, axis=1) & (rng.random((n, groups * size)) < 0.6)
    return sp.csr_array((cells | (rng.random(cells.shape) < 0.01)).astype(np.float32))


def test_local_weights_join_where_they_do_better_and_the_file_knows_them(tmp_path, monkeypatch):
    X = many_small_groups()
    monkeypatch.setattr(blend_recommender, "AUTO_DENSE_COLUMNS", 100)
    monkeypatch.setattr(linear_recommender, "AUTO_DENSE_COLUMNS", 100)
    model = BlendRecommender().fit(X)
    assert [type(member).__name__ for member in model.members_][-1] == "LinearRecommender"
    assert model.members_[-1].method_ == "local" and model.weights_[-1] in blend_mixtures.LOCAL
    assert "With local weights as" in model.validation_["sentence"]
    rows = np.arange(20)
    found = model.recommend(rows)
    model.save(tmp_path / "m")
    loaded = tacit.load(tmp_path / "m")
    assert loaded.recommend(rows).scores.tobytes() == found.scores.tobytes()
    assert BlendRecommender(threads=1).fit(X).recommend(rows).scores.tobytes() == found.scores.tobytes()
    assert model.why(3, 7).total == pytest.approx(model.score_pairs(3, [7])[0], abs=1e-4)


def test_local_weights_stay_out_of_few_columns_and_of_given_members(monkeypatch):
    X = many_small_groups()
    assert all(getattr(member, "method", "") != "local" for member in BlendRecommender().fit(X).members_)
    monkeypatch.setattr(blend_recommender, "AUTO_DENSE_COLUMNS", 100)
    assert all(getattr(member, "method", "") != "local" for member in BlendRecommender(MEMBERS).fit(X).members_)


def test_shares_are_the_same_for_all_rows_where_weights_are_given():
    assert BlendRecommender(MEMBERS, weights=(1.0, 3.0)).fit(two_kinds_of_rows()).row_shares_ == RowShares()


@given(
    counts=st.lists(st.integers(0, 5), min_size=1, max_size=6),
    shares=st.tuples(*[st.sampled_from([0.25, 0.5, 3.0])] * 3),
    exponent=st.sampled_from([-0.5, 0.0, 1.0]),
    usual=st.sampled_from([0.1, 2.0, 30.0]),
)
def test_shares_of_rows_against_the_formula(counts, shares, exponent, usual):
    low_rank = (True, False, True)
    rows = as_csr(np.array([[1.0] * count + [0.0] * (5 - count) for count in counts]), "rows", allow_empty=True)
    found = RowShares(exponent, usual).of(shares, low_rank, rows)
    expected = sum(shares) * naive.row_shares(shares, low_rank, counts, exponent, usual)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_the_choice_is_within_one_standard_error_of_the_best_and_is_told():
    model = BlendRecommender(MEMBERS).fit(positives())
    tried = {tuple(record["weights"]): record["ndcg@10"] for record in model.validation_["tried"]}
    assert len(tried) == 5 and tuple(model.weights_) in tried
    assert max(tried.values()) - tried[tuple(model.weights_)] < 0.05
    assert "FactorRecommender" in model.validation_["sentence"] and "chosen" in model.validation_["sentence"]
    parts = split(as_csr(positives(), "positives"), 0)
    pooled = sum(len(part.rows) for part in parts)
    assert len(parts) > 1 and f"{pooled:,} held-out rows in {len(parts)} splits)." in model.validation_["sentence"]


def popular_columns(n=300, m=100, each=3):
    """Few positives per row, drawn by the columns' popularity alone: rows have no taste that could be learned."""
    rng = np.random.default_rng(0)
    draws = np.log(np.arange(1, m + 1)) * -1.2 + rng.gumbel(size=(n, m))
    chosen = np.argsort(-draws, axis=1)[:, :each]
    return sp.csr_array((np.ones(n * each, np.float32), (np.arange(n).repeat(each), chosen.ravel())), shape=(n, m))


def test_popularity_is_added_where_rows_have_no_taste(tmp_path):
    train, test = (part.matrix for part in tacit.Interactions.from_matrix(popular_columns()).split(test=0.25, seed=0))
    # A ridge of the data's choice would leave of factors nothing but popularity.
    model = BlendRecommender([("factors", FactorRecommender(4, regularization=0.1)), MEMBERS[1]]).fit(train)
    assert model.popularity_ is not None and "popularity" in model.validation_["sentence"]
    counts = np.bincount(train.indices, minlength=100)
    assert np.corrcoef(model.popularity_, counts)[0, 1] == pytest.approx(1.0, abs=1e-5)
    every, mixed = np.arange(100), model.popularity_
    for member, weight in zip(model.members_, model.weights_):
        own = member.score_pairs([7] * 100, every)
        mixed = mixed + weight * (own - own.mean()) / own.std()
    np.testing.assert_allclose(model.score_pairs(7, every), mixed, atol=1e-4)
    popular = np.argsort(-counts, kind="stable")
    seen = {x: set(train[[x]].indices.tolist()) for x in range(300)}
    lists = np.array([[y for y in popular if y not in seen[x]][:10] for x in range(300)])
    reached = evaluate(model, train, test, metrics=("ndcg",))["ndcg@10"]
    hits = np.array([np.isin(lists[x], test[[x]].indices) for x in range(300)])
    wanted = np.diff(test.indptr)
    assert reached > 0.95 * ndcg(hits[wanted > 0], wanted[wanted > 0]).mean()
    model.add(3, 100)
    assert model.popularity_[100] == model.popularity_.min()
    found = model.why(3, 5)
    assert found.total == pytest.approx(float(model.score_pairs(3, 5)[0]), abs=1e-4)
    model.save(tmp_path / "model")
    loaded = tacit.load(tmp_path / "model")
    assert loaded.recommend(every).scores.tobytes() == model.recommend(every).scores.tobytes()


def test_popularity_is_left_out_where_tastes_say_more():
    assert BlendRecommender(MEMBERS).fit(positives(2, n=300)).popularity_ is None


def test_a_useless_member_gets_no_weight_and_is_left_out(tmp_path):
    # One factor cannot tell three tastes apart; the other member can.
    X = positives(1, n=300)
    model = BlendRecommender([("factors", FactorRecommender(1)), MEMBERS[1]]).fit(X)
    assert [type(member) for member in model.members_] == [tacit.LinearRecommender]
    assert model.weights_.tolist() == [1.0]
    model.save(tmp_path / "model")
    loaded = tacit.load(tmp_path / "model")
    assert len(loaded.members_) == 1
    assert loaded.recommend(np.arange(300)).scores.tobytes() == model.recommend(np.arange(300)).scores.tobytes()


def test_a_budget_that_is_over_ends_the_choice_and_is_told():
    model = BlendRecommender(MEMBERS, seconds=1e-9).fit(positives())
    assert "budget of 1e-09 seconds" in model.validation_["sentence"]
    assert "held-out rows in 1 split)" in model.validation_["sentence"]
    without = BlendRecommender(MEMBERS).fit(positives())
    assert "budget" not in without.validation_["sentence"]
    linear, free = model.members_[-1], without.members_[-1]
    assert len(linear.validation_) == 1 < len(free.validation_)
    assert linear.exponents_ == START_EXPONENTS


def test_the_first_within_one_standard_error_of_the_best_wins():
    rng = np.random.default_rng(0)
    base = rng.random(400)
    scores = {"simple": base, "rich": base + 0.001 * rng.standard_normal(400), "better": base + 0.1}
    assert first_near_the_best(scores, ["simple", "rich", "better"]) == "better"
    del scores["better"]
    assert (
        first_near_the_best(scores, ["simple", "rich"]) == "simple" or scores["rich"].mean() > scores["simple"].mean()
    )


def test_what_is_preferred_may_lag_by_errors_and_by_a_share_of_the_best():
    rng = np.random.default_rng(0)
    best = rng.random(400)
    even = best - 0.02 + 0.5 * rng.standard_normal(400)
    scores = {"even": even - (even.mean() - best.mean() + 0.01), "best": best}
    error = (best - scores["even"]).std() / 20
    assert error > 0.01 and 0.01 / best.mean() > 0.005
    assert first_near_the_best(scores, ["even", "best"]) == "even"
    assert first_near_the_best(scores, ["even", "best"], errors=0.9 * 0.01 / error) == "best"
    assert first_near_the_best(scores, ["even", "best"], share=0.005) == "best"
    assert first_near_the_best(scores, ["even", "best"], share=0.03) == "even"


def test_splits_hold_out_a_fifth_and_never_show_it():
    for part in split(tacit.data.Interactions.from_matrix(positives()).matrix, seed=3):
        assert part.train.multiply(positives()).nnz == part.train.nnz
        assert part.hidden.multiply(part.seen).nnz == 0
        assert abs(part.train.nnz / positives().nnz - 0.8) < 0.01


def test_members_choose_once_and_keep_their_parameters():
    model = BlendRecommender([("linear", LinearRecommender()), MEMBERS[0]]).fit(positives())
    linear = model.members_[0]
    assert linear.method == "auto" and linear.regularization is None and linear.method_ in ("dense", "sparse")


def test_a_file_holds_all_members(tmp_path):
    model = BlendRecommender(MEMBERS).fit(positives())
    model.save(tmp_path / "model")
    loaded = tacit.load(tmp_path / "model")
    assert [type(member) for member in loaded.members_] == [type(member) for member in model.members_]
    assert loaded.recommend(np.arange(120)).scores.tobytes() == model.recommend(np.arange(120)).scores.tobytes()
    assert loaded.similar_cols([1]).ids.tolist() == model.similar_cols([1]).ids.tolist()


def test_grid_search_reaches_inside_and_leaves_the_given_members_alone():
    found = GridSearchCV(BlendRecommender(MEMBERS, weights=[1, 1]), {"factors__factors": [1, 4]}, cv=2).fit(positives())
    assert found.best_estimator_.members_[0].factors == found.best_params_["factors__factors"]
    assert MEMBERS[0][1].factors == 4 and not hasattr(MEMBERS[0][1], "col_factors_")


def test_members_are_parameters_and_survive_a_file(tmp_path):
    model = BlendRecommender(MEMBERS, weights=[1, 1])
    assert model.get_params()["factors__factors"] == 4 and "factors" not in model.get_params(deep=False)
    model = clone(model).set_params(factors__iterations=2, linear=LinearRecommender("dense")).fit(positives())
    assert model.members_[0].iterations == 2 and model.members_[1].method_ == "dense"
    model.save(tmp_path / "model")
    assert repr(tacit.load(tmp_path / "model").members) == repr(model.members)


def test_the_default_members_of_large_data_survive_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(blend_recommender, "LARGE", 40)
    monkeypatch.setattr(blend_recommender, "FACTORS_OF_LARGE", 7)
    model = BlendRecommender(weights=[1, 1], random_state=3).fit(positives())
    assert model.members_[0].factors == 7 and model.members_[0].random_state == 3
    model.save(tmp_path / "model")
    loaded = tacit.load(tmp_path / "model")
    assert loaded.members_[0].factors == 7
    assert loaded.recommend([0]).scores.tobytes() == model.recommend([0]).scores.tobytes()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"members": []}, "at least one"),
        ({"members": [{"recommender": "factors"}]}, "pairs of a name and a model"),
        ({"members": [("trees", tacit.FactorTagger())]}, "members: trees must be an estimator such as"),
        ({"members": [("weights", FactorRecommender())]}, "cannot be a name"),
        ({"weights": (1.0,)}, "one for each"),
        ({"weights": (0.0, 0.0)}, "weights"),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        BlendRecommender(**parameters).fit(positives())


def test_sharpening_is_chosen_again_beside_the_other_members(monkeypatch):
    seen = []

    def first_strength(search, start):
        seen.append(search)
        return replace(start, sharpening=0.25)

    monkeypatch.setattr(blend_recommender, "sharper", first_strength)
    X = positives(2)
    model = BlendRecommender(MEMBERS).fit(X)
    linear = next(member for member in model.members_ if isinstance(member, tacit.LinearRecommender))
    assert len(model.members_) == 2 and linear.sharpening_ == 0.25
    assert "Beside the others sharpening 0.25" in model.validation_["sentence"]
    # The mixture of a setting is what its own measure says of both members together.
    (search,) = seen
    plain = Setting("sparse", linear.exponents_)
    tried = {tuple(record["weights"]): record["ndcg@10"] for record in model.validation_["tried"]}
    assert search.mean(plain) == pytest.approx(tried[tuple(model.weights_)], abs=1e-9)
