"""RatingStream and ExpertRatingStream from the outside."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

import tacit
from tacit import ExpertRatingStream, RatingStream
from tacit.errors import InputError

BOTH = pytest.mark.parametrize(
    "make",
    [
        lambda **p: RatingStream(**{"factors": 3, **p}),
        lambda **p: RatingStream(**{"factors": 3, "adaptation": "full", "biases": "learned", **p}),
        lambda **p: RatingStream.paper(3, **p),
        lambda **p: ExpertRatingStream(**p),
        lambda **p: ExpertRatingStream(**{"experts": "paper", **p}),
    ],
    ids=["diagonal", "full", "paper", "experts", "paper's experts"],
)


def stream(n=400, seed=0, users=25, items=15):
    """Ratings with taste: users and items have two kinds, and like meets like."""
    rng = np.random.default_rng(seed)
    i, j = rng.integers(0, users, n), rng.integers(0, items, n)
    liked = (i % 2 == j % 2) ^ (rng.random(n) < 0.1)
    return i, j, np.where(liked, 5, 2) + rng.integers(-1, 1, n)


def same_state(one, two):
    assert one.user_ids_.all().tolist() == two.user_ids_.all().tolist()
    n, m = len(one.user_ids_), len(one.item_ids_)
    assert one.stream_.users[:n].tobytes() == two.stream_.users[:n].tobytes()
    assert one.stream_.items[:m].tobytes() == two.stream_.items[:m].tobytes()
    assert one.stream_.memory.tobytes() == two.stream_.memory.tobytes()


@BOTH
def test_one_by_one_in_batches_and_with_questions_between_give_the_same_bits(make):
    users, items, ratings = stream()
    whole = make().partial_fit(users, items, ratings)
    singly = make()
    for user, item, rating in zip(users.tolist(), items.tolist(), ratings.tolist()):
        singly.predict_one(user, item)
        singly.learn_one(user, item, rating)
    pieces = make()
    for part in np.array_split(np.arange(len(users)), 7):
        pieces.partial_fit(users[part], items[part], ratings[part])
        pieces.predict(users[:5], items[:5])
        pieces.recommend(3, k=2)
    same_state(whole, singly)
    same_state(whole, pieces)


@BOTH
def test_predictions_returned_by_learning_are_those_asked_for_before(make):
    users, items, ratings = stream()
    learned = make(clip=(1, 5)).predict_then_learn(users, items, ratings)
    model, asked = make(clip=(1, 5)), []
    for user, item, rating in zip(users.tolist(), items.tolist(), ratings.tolist()):
        asked.append(model.predict_one(user, item))
        model.learn_one(user, item, rating)
    assert np.array_equal(learned, asked)


@BOTH
def test_saved_in_the_middle_it_goes_on_to_the_same_bits(make, tmp_path):
    users, items, ratings = stream(users=60)
    names = np.array([f"user {u}" for u in users])
    whole = make().partial_fit(names, items, ratings)
    half = make().partial_fit(names[:150], items[:150], ratings[:150])
    half.save(tmp_path / "half.tacit")
    resumed = tacit.load(tmp_path / "half.tacit")
    for user, item, rating in zip(names[150:].tolist(), items[150:].tolist(), ratings[150:].tolist()):
        resumed.learn_one(user, item, rating)
    same_state(whole, resumed)
    if isinstance(whole, ExpertRatingStream):
        assert all(map(np.array_equal, whole.weights_history_, resumed.weights_history_))


@pytest.mark.parametrize(
    "model",
    [
        RatingStream(),
        RatingStream.paper(3, aggressiveness=0.2),
        RatingStream.paper(3, aggressiveness=0.2, adaptation="full"),
        ExpertRatingStream(),
    ],
    ids=["defaults", "paper", "full", "experts"],
)
def test_it_learns_who_likes_what(model):
    """Half of the ratings are far from any constant; a tenth of them is noise that nothing can predict."""
    model.fit(*stream(6000))
    i, j, r = stream(2000, seed=1)
    assert np.abs(model.predict(i, j) - r).mean() < 0.65 * np.abs(r - np.median(r)).mean()


@BOTH
def test_a_second_pass_is_the_same_ratings_once_more(make):
    columns = stream(300)
    same_state(make().fit(*columns, passes=2), make().fit(*columns).partial_fit(*columns))
    with pytest.raises(InputError, match="passes must be"):
        make().fit(*columns, passes=0)


@BOTH
@pytest.mark.parametrize("kind", ["polars", "pandas", "arrow", "mapping", "csv"])
def test_tables_of_every_kind(make, kind, tmp_path):
    users, items, ratings = stream(60)
    frame = pl.DataFrame({"user": users, "item": items, "rating": ratings})
    frame.write_csv(tmp_path / "ratings.csv")
    table = {
        "polars": frame, "pandas": frame.to_pandas(), "arrow": frame.to_arrow(), "mapping": frame.to_dict(),
        "csv": tmp_path / "ratings.csv",
    }[kind]  # fmt: skip
    same_state(make().partial_fit(table), make().partial_fit(users, items, ratings))


def test_pandas_series_and_text_ids():
    model = RatingStream(factors=2).partial_fit(pd.Series(["a", "b"]), pd.Series(["x", "y"]), pd.Series([5, 1]))
    assert model.user_ids_.all().tolist() == ["a", "b"]
    assert model.predict(["a", "nobody"], ["x", "nothing"]).shape == (2,)


def test_storage_grows_while_values_stay():
    model = RatingStream.paper(2)
    model.learn_one("first", "film", 5)
    before = model.predict_one("first", "film")
    for n in range(500):
        model.learn_one(n, f"other {n}", 3)
    assert model.predict_one("first", "film") == before
    assert len(model.user_ids_) == 501


def test_factors_stay_non_negative_and_free_ones_do_not():
    data = stream(3000)
    bounded = RatingStream.paper(4, aggressiveness=1.0).partial_fit(*data).stream_
    free = RatingStream.paper(4, aggressiveness=1.0, nonnegative=False).partial_fit(*data).stream_
    assert (bounded.factors_of(bounded.items[:15], 0) >= 0).all()
    assert (free.factors_of(free.items[:15], 0) < 0).any()


def test_clipping_touches_predictions_only():
    data = stream()
    plain, clipped, seen = (RatingStream(clip=clip).partial_fit(*data) for clip in (None, (2, 4), "seen"))
    same_state(plain, clipped)
    same_state(plain, seen)
    raw = plain.predict(*data[:2])
    assert raw.max() > 5
    assert np.array_equal(clipped.predict(*data[:2]), np.clip(raw, 2, 4))
    assert np.array_equal(seen.predict(*data[:2]), np.clip(raw, data[2].min(), data[2].max()))


def test_the_range_seen_so_far_clips_and_ranking_does_not_tie_at_its_end():
    users, items, ratings = stream(2000)
    predicted = RatingStream().predict_then_learn(users, items, ratings)
    lowest, highest = np.minimum.accumulate(ratings)[:-1], np.maximum.accumulate(ratings)[:-1]
    assert (predicted[1:] >= lowest).all()
    assert (predicted[1:] <= highest).all()
    model, raw = (RatingStream(clip=clip).partial_fit(users, items, ratings) for clip in ((2, 3), None))
    assert model.recommend(4, k=15).ids.tolist() == raw.recommend(4, k=15).ids.tolist()
    assert model.rank(4, range(15)) == raw.rank(4, range(15))
    assert model.recommend(4, k=15).scores.max() == 3 < raw.recommend(4, k=15).scores.max()


def test_shift_and_scale_of_ratings_do_not_matter():
    users, items, ratings = stream(1500)
    plain = RatingStream(clip=None).predict_then_learn(users, items, ratings)
    moved = RatingStream(clip=None).predict_then_learn(users, items, 8.0 * ratings - 100)
    assert np.abs(plain - (moved + 100) / 8)[1:].max() < 1e-3


def test_negative_ratings_simply_work():
    users, items, ratings = stream(3000)
    for model in (RatingStream(), ExpertRatingStream()):
        predicted = model.predict_then_learn(users, items, ratings - 4.0)
        assert np.abs(predicted - ratings + 4.0)[1500:].mean() < np.abs(ratings - np.median(ratings)).mean()


def mostly_fives(n=3000):
    rng = np.random.default_rng(0)
    return rng.integers(0, 100, n), rng.integers(0, 60, n), np.where(rng.random(n) < 0.8, 5, rng.integers(1, 5, n))


@pytest.mark.parametrize("make", [RatingStream, ExpertRatingStream])
def test_predictions_aim_at_the_middle_of_skewed_ratings_or_at_their_mean(make):
    users, items, ratings = mostly_fives()
    median, mean = (make(aim=aim).predict_then_learn(users, items, ratings)[1000:] for aim in ("median", "mean"))
    left = ratings[1000:]
    assert np.abs(median - left).mean() < 0.8 * np.abs(mean - left).mean()
    assert np.square(mean - left).mean() < np.square(median - left).mean()
    assert median.mean() > mean.mean()


def test_the_middle_keeps_the_order_of_predictions():
    users, items, ratings = mostly_fives()
    told, plain = (
        RatingStream(aim=aim, clip=None).partial_fit(users, items, ratings).predict(np.full(60, 3), np.arange(60))
        for aim in ("median", "mean")
    )
    order = np.argsort(plain)
    assert np.all(np.diff(told[order]) > 0)
    assert RatingStream().partial_fit(users, items, ratings).recommend(3, 60).ids[0].tolist() == order[::-1].tolist()


def test_between_two_values_there_is_no_middle():
    users, items, ratings = mostly_fives()
    clicks = (ratings == 5).astype(float)
    one, other = (RatingStream(aim=aim).predict_then_learn(users, items, clicks) for aim in ("median", "mean"))
    assert np.array_equal(one, other)


STRANGE = {
    "percentages": lambda rng, x: np.clip(25 * (x - 1), 0, 100),
    "around zero": lambda rng, x: np.clip(5 * (x - 3.5), -10, 10),
    "clicks": lambda rng, x: (x > 3.5).astype(float),
    "rare clicks": lambda rng, x: (x > 5.5).astype(float),
    "one value": lambda rng, x: np.full(len(x), 4.0),
    "a drift": lambda rng, x: np.clip(np.round(x + np.linspace(-1.5, 1.5, len(x))), 1, 5),
    "one or five": lambda rng, x: np.where(rng.random(len(x)) < 0.5, 1.0, 5.0),
    "a long tail": lambda rng, x: np.round(np.exp(1.5 * (x - 2))),
    "noise": lambda rng, x: rng.integers(1, 6, len(x)).astype(float),
}


@pytest.mark.parametrize("make", [RatingStream, ExpertRatingStream])
@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("who", ["many", "one user", "a burst", "power users", "strangers"])
def test_no_stream_is_predicted_worse_than_by_its_running_mean(make, kind, who):
    """Noise, of which nothing can be learned, may cost two hundredths, which finding this out takes."""
    rng = np.random.default_rng(1)
    n = 12_000
    users, items = rng.integers(0, 200, n), rng.integers(0, 100, n)
    taste = rng.normal(0, 0.5, 200)[users] + rng.normal(0, 0.5, 100)[items]
    ratings = STRANGE[kind](rng, 3.5 + taste + rng.normal(0, 0.8, n))
    if who == "one user":
        users[:] = 0
    elif who == "a burst":
        users[4000:6000], ratings[4000:6000] = 7, ratings.min()
    elif who == "power users":
        users = np.where(rng.random(n) < 0.8, users % 3, users)
    elif who == "strangers":
        users = np.arange(n)
    running = np.cumsum(ratings)[:-1] / np.arange(1, n)
    found = make().predict_then_learn(users, items, ratings)[1:]
    allowed = 1.02 if kind == "noise" else 1.0
    assert np.abs(found - ratings[1:]).mean() <= allowed * np.abs(running - ratings[1:]).mean() + 1e-9


def test_forgetting_follows_a_drift():
    users, items, ratings = stream(8000)
    turned = 6 - ratings
    errors = {}
    for forgetting in (1.0, 0.98):
        model = RatingStream.paper(3, forgetting=forgetting, aggressiveness=0.1).partial_fit(users, items, ratings)
        predictions = model.predict_then_learn(users[:2000], items[:2000], turned[:2000])
        errors[forgetting] = np.abs(predictions - turned[:2000])[500:].mean()
    assert errors[0.98] < errors[1.0]


def test_recommend_ranks_by_prediction_and_leaves_out_what_is_excluded():
    model = RatingStream(factors=3, clip=None).partial_fit(*stream())
    found = model.recommend(4, k=20, exclude=[2, 3, "not there"])
    kept = [j for j in range(15) if j not in (2, 3)]
    scores = dict(zip(kept, model.predict([4] * 13, kept)))
    assert found.ids[0, :13].tolist() == sorted(kept, key=lambda j: -scores[j])
    assert found.filled[0].tolist() == [True] * 13 + [False] * 7
    assert model.recommend([4, 5], k=2).ids.shape == (2, 2)
    assert model.recommend((4, 5), k=2).ids.tolist() == model.recommend([4, 5], k=2).ids.tolist()
    assert model.rank(4, [5, 6, 7]) == sorted([5, 6, 7], key=lambda j: -scores[j])


def test_a_tuple_is_never_silently_one_user():
    model = RatingStream(2).partial_fit([("ann", 1), ("bob", 2)], ["tea", "rye"], [5, 1])
    with pytest.raises(InputError, match="a tuple stands for several; give it in a list"):
        model.recommend(("ann", 1), k=1)
    assert model.recommend([("ann", 1)], k=1).ids.tolist() == [["tea"]]


@pytest.mark.parametrize("by", ["share", "coefficient"])
def test_topics_are_the_items_that_stand_for_a_factor(by):
    users, items, ratings = stream()
    model = RatingStream.paper(3).partial_fit(users, items, ratings)
    topics = model.topics(k=4, by=by)
    ids = model.item_ids_.all()
    scores = model.stream_.factors_of(model.stream_.items[:15], 0).astype(float)
    if by == "share":
        counts = np.bincount(items)[ids][:, None]
        scores = scores / scores.sum(axis=1, keepdims=True) * counts / (counts + 50)
    for topic in range(3):
        best = np.argsort(-scores[:, topic], kind="stable")[:4]
        assert topics.ids[topic].tolist() == ids[best].tolist()
        assert np.allclose(topics.scores[topic], scores[best, topic])
    with pytest.raises(InputError, match="by"):
        model.topics(by="name")


def test_topics_need_factors():
    with pytest.raises(InputError, match="factors"):
        RatingStream(factors=0).partial_fit(*stream()).topics()


@BOTH
def test_a_stream_that_begins_with_zeros(make):
    model = make()
    for n in range(5):
        model.learn_one(n, n, 0)
    assert model.predict_one(0, 0) == 0
    model.partial_fit(*stream(200))
    assert model.n_ratings_ == 205
    assert np.isfinite(model.predict(*stream(50)[:2])).all()


# -- experts -------------------------------------------------------------------------------------------------------


def test_the_papers_experts_have_names():
    for name, sizes, ranks in (
        ("paper", (0.01, 0.05, 0.4, 0.8, 5.0), (5, 10, 15)),
        ("paper medium", (0.02, 0.1, 0.8, 1.6, 10.0), (10, 15, 20)),
    ):
        found = ExpertRatingStream(name).partial_fit(*stream(20)).experts_
        assert {(s.aggressiveness, s.factors) for s in found} == {(c, k) for c in sizes for k in ranks}
        assert all(s.biases is None and s.nonnegative for s in found)


def test_the_default_experts_start_alike():
    """They share their biases, so none of them dilutes the first predictions."""
    users, items, ratings = stream(300)
    predicted = ExpertRatingStream(clip=None).predict_then_learn(users, items, ratings)
    best = RatingStream(clip=None).predict_then_learn(users, items, ratings)
    assert np.abs(predicted - ratings)[1:].mean() < 1.01 * np.abs(best - ratings)[1:].mean()


@pytest.mark.parametrize("times", [4.0, 1 / 16])
def test_another_rating_scale_gives_the_same_predictions_scaled(times):
    """Powers of four have roots that are powers of two, so not even the last bit may differ."""
    users, items, ratings = stream()
    plain = ExpertRatingStream().predict_then_learn(users, items, ratings)
    scaled = ExpertRatingStream().predict_then_learn(users, items, ratings * times)
    assert np.array_equal(plain * times, scaled)


def test_weights_history_ends_in_the_present_and_stays_small():
    users, items, ratings = stream(5000)
    model = ExpertRatingStream([{"factors": 2}, {"factors": 0, "biases": "learned", "aggressiveness": 0.2}])
    model.partial_fit(users, items, ratings)
    rounds, weights = model.weights_history_
    assert len(rounds) <= 512
    assert np.allclose(weights.sum(axis=1), 1)
    assert (np.diff(rounds) == rounds[0]).all()
    assert 5000 - rounds[-1] < rounds[0]
    assert model.weights_.shape == (2,)


def test_one_expert_is_a_rating_stream():
    data = stream()
    expert = ExpertRatingStream([{"factors": 3}]).partial_fit(*data)
    single = RatingStream(factors=3).partial_fit(*data)
    same_state(expert, single)


# -- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"factors": 0, "biases": None}, "factors"),
        ({"biases": "best"}, "biases"),
        ({"shrinkage": -1}, "shrinkage"),
        ({"clip": "range"}, "clip"),
        ({"factors": 2.5}, "factors"),
        ({"variant": "PA-III"}, "variant"),
        ({"adaptation": "half"}, "adaptation"),
        ({"projection": "none"}, "projection"),
        ({"aggressiveness": 0}, "aggressiveness"),
        ({"delta": -1}, "delta"),
        ({"delta": 0, "adaptation": "full"}, "delta"),
        ({"epsilon": -0.1}, "epsilon"),
        ({"cold_start": "best"}, "cold_start"),
        ({"start": 0}, "start"),
        ({"forgetting": 1.5}, "forgetting"),
        ({"clip": (5, 1)}, "clip"),
        ({"random_state": -1}, "random_state"),
    ],
)
def test_wrong_parameters_are_named(parameters, named):
    with pytest.raises(InputError, match=named):
        RatingStream(**parameters).learn_one("a", "b", 3)


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"experts": []}, "experts"),
        ({"experts": "mine"}, "experts"),
        ({"experts": [{"rank": 3}]}, "rank"),
        ({"experts": [{"factors": -3}]}, "factors"),
        ({"combine": "vote"}, "combine"),
        ({"beta": 1.0}, "beta"),
        ({"exploration": 2}, "exploration"),
        ({"forgetting": 0}, "forgetting"),
    ],
)
def test_wrong_parameters_of_experts_are_named(parameters, named):
    with pytest.raises(InputError, match=named):
        ExpertRatingStream(**parameters).learn_one("a", "b", 3)


@BOTH
@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_ratings_that_are_not_finite_are_refused_and_change_nothing(make, bad):
    model = make().partial_fit(*stream(50))
    before = model.stream_.users.tobytes()
    with pytest.raises(InputError, match="finite"):
        model.learn_one(1, 1, bad)
    with pytest.raises(InputError, match=r"finite.*number 1"):
        model.partial_fit([1, 1], [1, 1], [3.0, bad])
    assert model.stream_.users.tobytes() == before


@BOTH
def test_a_call_that_fails_halfway_leaves_the_model_as_it_was(make):
    model = make().partial_fit(*stream(50))
    users = model.user_ids_.all().tolist()
    with pytest.raises(InputError, match="missing"):
        model.partial_fit(np.arange(1000, 1200), [*range(199), None], np.full(200, 3.0))
    with pytest.raises(InputError, match="hashable"):
        model.learn_one("new", [1], 3)
    with pytest.raises(InputError, match="finite"):
        model.learn_one("never", "seen", float("nan"))
    assert model.user_ids_.all().tolist() == users
    assert np.isfinite(model.predict(np.arange(1000, 1200), np.arange(200))).all()
    model.partial_fit(np.arange(1000, 1200), np.arange(200), np.full(200, 3.0))
    assert model.n_ratings_ == 250


def test_negative_ratings_need_biases_or_free_factors():
    with pytest.raises(InputError, match="nonnegative=False"):
        RatingStream.paper().learn_one("a", "b", -1)
    RatingStream.paper(nonnegative=False).learn_one("a", "b", -1)
    RatingStream.paper(biases="learned").learn_one("a", "b", -1)


def test_columns_must_fit_together():
    with pytest.raises(InputError, match="equally long"):
        RatingStream().partial_fit([1], [1, 2], [3])
    with pytest.raises(InputError, match="equally long"):
        RatingStream().partial_fit(*stream(5)).predict([1], [1, 2])
    with pytest.raises(InputError, match="together"):
        RatingStream().partial_fit([1], [1])
    with pytest.raises(InputError, match="rating"):
        RatingStream().partial_fit(pl.DataFrame({"user": [1], "item": [1]}))
    with pytest.raises(InputError, match="numbers"):
        RatingStream().partial_fit([1], [1], ["good"])


def test_questions_before_the_first_rating():
    assert RatingStream().predict_one("a", "b") == 0.0
    with pytest.raises(NotFittedError):
        RatingStream().predict(["a"], ["b"])
    with pytest.raises(NotFittedError):
        RatingStream().recommend("a")


# -- real ratings --------------------------------------------------------------------------------------------------


def test_movielens_in_time_order_beats_a_biased_factorization_by_gradient_descent(shared_data):
    """river's BiasedMF reaches 0.7497 on this stream."""
    from tacit.data.loaders.movielens import load_movielens_100k

    table = load_movielens_100k().ratings.sort("time", maintain_order=True)
    actual = table["rating"].to_numpy()
    for model in (RatingStream(), ExpertRatingStream()):
        assert np.abs(model.predict_then_learn(table) - actual).mean() <= 0.7497


def test_movielens_one_pass_reaches_the_papers_error(shared_data):
    from tacit.data.loaders.movielens import load_movielens_100k

    table = load_movielens_100k().ratings.sample(fraction=1.0, shuffle=True, seed=0)
    train, test = table[:80_000], table[80_000:]
    actual = test["rating"].to_numpy()
    paper = RatingStream.paper(5, start=0.2, clip=(1, 5)).partial_fit(train)
    assert np.abs(paper.predict(test["user"], test["item"]) - actual).mean() <= 0.7665
    nothing_tuned = ExpertRatingStream("paper", clip=(1, 5)).partial_fit(train)
    assert np.abs(nothing_tuned.predict(test["user"], test["item"]) - actual).mean() <= 0.7660
