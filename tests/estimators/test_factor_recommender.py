"""FactorRecommender end to end: answers, growth, files, interrupts, and the sentences it says."""

import multiprocessing
import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

import tacit
from tacit import FactorRecommender, Interactions
from tacit.baselines import Popularity
from tacit.data import load_movielens_1m
from tacit.data.ids import Ids
from tacit.errors import DivergedError, InputError, UnknownIdError
from tacit.metrics.evaluation import evaluate, evaluate_factors


def planted(seed=0, n=120, m=80, groups=4, noise=0.02):
    """Rows and columns in groups; a row likes most columns of its group and a few others."""
    rng = np.random.default_rng(seed)
    same = (np.arange(n) % groups)[:, None] == (np.arange(m) % groups)[None, :]
    likes = rng.random((n, m)) < np.where(same, 0.5, noise)
    return sp.csr_array(likes.astype(np.float32))


def small(**parameters):
    return FactorRecommender(**{"factors": 8, "iterations": 5} | parameters)


@pytest.fixture(scope="module")
def matrix():
    return planted()


@pytest.fixture(scope="module")
def model(matrix):
    return small().fit(matrix)


def named(matrix, **sides):
    rows = [f"row {x}" for x in range(matrix.shape[0])]
    cols = [f"col {y}" for y in range(matrix.shape[1])]
    return Interactions.from_matrix(matrix, row_ids=rows, col_ids=cols, **sides)


def test_it_finds_the_planted_groups(matrix):
    train, test = Interactions.from_matrix(matrix).split(test=0.2, seed=1)
    model = small().fit(train)
    popularity = evaluate_factors(
        np.ones((120, 1)), np.bincount(train.matrix.indices, minlength=80)[:, None], train.matrix, test.matrix, k=10
    )
    assert evaluate(model, train, test, k=10)["ndcg@10"] > 2 * popularity["ndcg@10"]
    found = model.recommend(np.arange(120), k=10).ids
    # By chance a quarter would be of the row's own group.
    assert np.mean(found % 4 == (np.arange(120) % 4)[:, None]) > 0.75


# -- recommend ---------------------------------------------------------------------------------------------------


def test_recommend_leaves_out_what_is_seen(model, matrix):
    found = model.recommend([3], k=80)
    seen = set(matrix[[3]].indices.tolist())
    ids = found.ids[0][found.filled[0]].tolist()
    assert not seen & set(ids)
    assert len(ids) == 80 - len(seen)
    assert (found.ids[0][~found.filled[0]] == -1).all()
    assert np.isnan(found.scores[0][~found.filled[0]]).all()
    assert len(set(model.recommend([3], k=80, exclude_seen=False).ids[0])) == 80


def test_a_row_without_positives_gets_what_the_average_row_would(matrix):
    popular = sp.csr_array(matrix.toarray() + (np.arange(80) == 57))
    popular.data[:] = 1
    model = small().fit(sp.vstack([popular, sp.csr_array((1, 80))], format="csr"))
    assert not model.row_factors_[120].any()
    average = model.col_factors_ @ model.row_factors_.mean(axis=0)
    found = model.recommend([120], k=3)
    assert found.ids[0, 0] == 57
    assert np.array_equal(found.ids[0], np.argsort(-average)[:3])
    new = model.recommend(sp.csr_array((1, 80)), k=3)
    assert np.array_equal(new.ids, found.ids)
    asked = sp.csr_array((np.ones(3), ([120] * 3, found.ids[0])), shape=(121, 80))
    assert evaluate(model, model.seen_, asked, k=3)["ndcg@3"] == 1.0


def test_recommend_scores_are_sorted_dot_products(model):
    found = model.recommend([5, 6], k=7)
    for place, row in enumerate((5, 6)):
        expected = model.col_factors_[found.ids[place]] @ model.row_factors_[row]
        np.testing.assert_allclose(found.scores[place], expected, rtol=1e-5)
        assert (np.diff(found.scores[place]) <= 0).all()


def test_include_and_exclude_per_call_and_per_row(model):
    only = [1, 2, 3, 70]
    assert set(model.recommend([0, 1], k=4, include=only, exclude_seen=False).ids.ravel()) == set(only)
    without = model.recommend([0], k=10, exclude=only).ids[0]
    assert not set(only) & set(without)
    per_row = model.recommend([0, 1], k=3, include={0: [10, 11, 12]}, exclude={1: [4]}, exclude_seen=False)
    assert set(per_row.ids[0]) == {10, 11, 12}
    assert 4 not in per_row.ids[1]
    assert per_row.filled.all()


def test_exactly_k_come_back_when_that_many_are_allowed(model):
    allowed = list(range(0, 80, 2))
    found = model.recommend(np.arange(120), k=10, include=allowed)
    assert found.filled.all()
    assert (found.ids % 2 == 0).all()


def test_ids_come_back_as_they_went_in(matrix):
    model = small().fit(named(matrix))
    found = model.recommend("row 3", k=2)
    assert found.ids.shape == (1, 2)
    assert all(isinstance(value, str) and value.startswith("col ") for value in found.ids[0])
    table = found.to_polars()
    assert table.columns == ["query", "rank", "id", "score"]
    assert table["query"].to_list() == ["row 3", "row 3"]
    assert found.to_pandas().shape == (2, 4)


def test_tuples_and_dates_can_be_ids(tmp_path):
    ids = [(1, "a"), (2, "b"), (3, "c")]
    model = small(factors=2).fit(Interactions.from_matrix(np.eye(3), row_ids=ids, col_ids=["x", "y", "z"]))
    model.save(tmp_path / "m")
    assert tacit.load(tmp_path / "m").recommend([(2, "b")], k=1).queries[0] == (2, "b")


def test_similar_is_cosine_without_itself(model):
    found = model.similar_cols([8], k=3)
    directions = model.col_factors_ / np.linalg.norm(model.col_factors_, axis=1, keepdims=True)
    cosines = directions @ directions[8]
    cosines[8] = -np.inf
    assert found.ids[0].tolist() == np.argsort(-cosines)[:3].tolist()
    assert (found.ids[0] % 4 == 0).all()
    assert 8 not in model.similar_rows([8], k=119).ids[0]


def test_score_of_pairs(model):
    expected = np.einsum("ij,ij->i", model.row_factors_[[1, 2]], model.col_factors_[[3, 4]])
    np.testing.assert_allclose(model.score([1, 2], [3, 4]), expected)
    assert model.score(1, [3, 4, 5]).shape == (3,)


# -- growth ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", [{}, {"frequency_exponent": (0.3, 0.5)}, {"factors": 40}, {"held_out": 0.2}])
def test_folding_in_training_rows_gives_back_their_factors(matrix, parameters):
    model = small(**parameters).fit(matrix)
    np.testing.assert_allclose(model.fold_in(matrix[:30]), model.row_factors_[:30], rtol=0, atol=1e-5)


def test_folding_in_columns_needs_one_column_each(matrix):
    model = small(iterations=40).fit(matrix)
    folded = model.fold_in(matrix[:, :7], side="cols")
    cosine = np.einsum("ij,ij->i", folded, model.col_factors_[:7])
    cosine /= np.linalg.norm(folded, axis=1) * np.linalg.norm(model.col_factors_[:7], axis=1)
    assert cosine.min() > 0.99


def test_added_rows_are_recommended_to_as_after_a_refit(matrix):
    model = small(iterations=15).fit(named(matrix[:100]))
    newcomers = Interactions.from_matrix(
        matrix[100:], row_ids=[f"new {x}" for x in range(20)], col_ids=[f"col {y}" for y in range(80)]
    )
    model.fold_in(newcomers, add=True)
    refit = small(iterations=15).fit(matrix)
    grown = model.recommend([f"new {x}" for x in range(20)], k=10).ids
    again = refit.recommend(np.arange(100, 120), k=10).ids
    overlap = [
        len({int(i.split()[1]) for i in left} & set(right.tolist())) for left, right in zip(grown, again, strict=True)
    ]
    assert np.mean(overlap) >= 8
    assert model.row_factors_.shape == (120, 8)
    assert "new 3" in model.row_ids_


def test_recommend_for_rows_never_seen(model, matrix):
    found = model.recommend(matrix[:2], k=5)
    known = model.recommend([0, 1], k=5)
    assert found.ids.tolist() == known.ids.tolist()


def test_partial_fit_lets_new_rows_and_columns_join(matrix):
    model = small().fit(named(matrix[:100, :70]))
    whole = named(matrix)
    model.partial_fit(whole, iterations=4)
    assert model.row_factors_.shape == (120, 8)
    assert model.col_factors_.shape == (80, 8)
    fresh = model.recommend("row 110", k=10).ids[0]
    assert np.mean([int(value.split()[1]) % 4 == 110 % 4 for value in fresh]) >= 0.8


def test_partial_fit_reads_a_bare_matrix_in_the_models_numbering(matrix):
    ours = named(matrix)
    model = small().fit(ours)
    model.partial_fit(matrix)
    assert model.row_factors_.shape == (matrix.shape[0], 8)
    assert model.row_ids_ == ours.row_ids
    assert np.array_equal(model.seen_.toarray(), 2 * matrix.toarray())
    with pytest.raises(InputError, match="a matrix of the model's own shape"):
        model.partial_fit(matrix[:5])
    with pytest.raises(InputError, match="like 0, new ones like 'row 0'"):
        small().fit(matrix).partial_fit(ours)


def test_rows_that_include_does_not_name_get_any_column(model):
    """And cost nothing: a list of all columns for each of them would be rows times columns."""
    free, narrowed = model.recommend([0, 1], k=5), model.recommend([0, 1], k=5, include={1: [3]})
    assert np.array_equal(narrowed.ids[0], free.ids[0])
    assert narrowed.filled[1].sum() <= 1


def test_partial_fit_starts_a_model_too(matrix):
    assert small().partial_fit(matrix).row_factors_.shape == (120, 8)


# -- training ----------------------------------------------------------------------------------------------------


def test_early_stopping_keeps_the_best_sweep(matrix):
    model = small(iterations=60, held_out=0.2, patience=2, regularization=1e-4).fit(matrix)
    scores = [record["held_out_ndcg"] for record in model.history_]
    assert len(scores) < 60
    assert max(scores) == scores[-3]


def test_checkpoint_resumes_to_the_same_bits(matrix, tmp_path):
    for name, extra in (("plain", {}), ("held_out", {"held_out": 0.2, "patience": 9})):
        straight, resumed = tmp_path / f"{name} straight", tmp_path / f"{name} resumed"
        small(iterations=6, **extra).fit(matrix).save(straight)
        point = tmp_path / f"{name}.checkpoint"
        small(iterations=2, checkpoint=point, **extra).fit(matrix)
        model = small(iterations=6, checkpoint=point, **extra).fit(matrix)
        model.set_params(checkpoint=None).save(resumed)
        assert straight.read_bytes() == resumed.read_bytes()
        assert len(model.history_) == 6


@pytest.mark.parametrize(
    "parameters",
    [
        {"tolerance": 0.05, "iterations": 30},
        {"held_out": 0.2, "patience": 1, "iterations": 30},
        {"solver": "newton", "tolerance": 0.05, "iterations": 30},
    ],
)
def test_a_fit_that_has_stopped_by_itself_does_not_go_on(matrix, tmp_path, parameters):
    point, files = tmp_path / "point", [tmp_path / "first", tmp_path / "again"]
    for file in files:
        model = small(checkpoint=point, **parameters).fit(matrix)
        assert 1 < len(model.history_) < 30
        model.save(file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_checkpoint_of_other_features_is_refused(matrix, tmp_path):
    point, rng = tmp_path / "point", np.random.default_rng(0)
    features = rng.random((2, matrix.shape[0], 3))
    small(checkpoint=point, iterations=1).fit(matrix, row_features=features[0])
    with pytest.raises(InputError, match="other data or other parameters"):
        small(checkpoint=point, iterations=1).fit(matrix, row_features=features[1])


def test_interactions_of_a_matrix_in_any_order_and_type(matrix):
    """The constructor is public: what it is given must reach the kernels as they want it."""
    backwards = sp.csr_array(matrix, dtype=np.float64)
    for start, stop in zip(backwards.indptr, backwards.indptr[1:]):
        backwards.indices[start:stop] = backwards.indices[start:stop][::-1].copy()
        backwards.data[start:stop] = backwards.data[start:stop][::-1].copy()
    odd = sp.csr_array(
        (backwards.data, backwards.indices.astype(np.int64), backwards.indptr.astype(np.int64)), shape=matrix.shape
    )
    before = odd.indices.copy()
    data = Interactions(odd, *(Ids.range(size) for size in matrix.shape))
    assert np.array_equal(small().fit(data).row_factors_, small().fit(matrix).row_factors_)
    assert np.array_equal(odd.indices, before)


def test_a_checkpoint_of_other_data_is_refused(matrix, tmp_path):
    point = tmp_path / "point"
    small(checkpoint=point).fit(matrix)
    with pytest.raises(InputError, match="other data or other parameters"):
        small(checkpoint=point).fit(planted(seed=5))


@pytest.mark.jit
@pytest.mark.slow
def test_same_bytes_from_fresh_and_cached_kernels_and_any_threads(tmp_path):
    program = (
        "import sys, numpy as np, scipy.sparse as sp, tacit\n"
        "x = sp.random_array((90, 70), density=0.2, rng=np.random.default_rng(0), format='csr', dtype=np.float32)\n"
        "tacit.FactorRecommender(factors=20, iterations=3, threads=int(sys.argv[2])).fit(x).save(sys.argv[1])\n"
    )
    files = []
    for name, threads in (("fresh", 1), ("cached", 2)):
        files.append(tmp_path / name)
        subprocess.run(
            [sys.executable, "-c", program, str(files[-1]), str(threads)],
            check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
        )
    assert files[0].read_bytes() == files[1].read_bytes()


def _fit_in_child(queue):
    queue.put(float(np.abs(small(threads=2).fit(planted()).row_factors_).sum()))


def test_forked_children_can_fit(model):
    """prange pools die in forked children; ours is made anew there."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    with np.errstate(all="ignore"):
        child = context.Process(target=_fit_in_child, args=(queue,))
        child.start()
        value = queue.get(timeout=60)
        child.join()
    assert value == pytest.approx(float(np.abs(model.row_factors_).sum()), rel=1e-6)


def test_values_weigh_by_their_logarithm_unless_told_otherwise():
    counts = np.array([[1.0, 100.0], [1.0, 1.0]])
    logarithm, value, one = (small(factors=1, positive_weight=how).fit(counts) for how in ("log", "value", "one"))
    assert logarithm.recipe_.smallest_value == 1.0
    assert not np.array_equal(logarithm.row_factors_, value.row_factors_)
    assert not np.array_equal(logarithm.row_factors_, one.row_factors_)


def test_one_row_one_column():
    model = small(factors=2).fit(np.ones((1, 1)))
    found = model.recommend([0], k=3)
    assert not found.filled.any()


def test_rows_without_positives_get_answers():
    matrix = np.zeros((4, 3))
    matrix[0, 0] = matrix[1, 1] = 1
    found = small(factors=2).fit(matrix).recommend([3], k=2)
    assert found.filled.all()
    assert np.isfinite(found.scores).all()


def test_weights_beyond_single_precision_are_told():
    """Squares of their gradients overflow: rows would silently stay at zero."""
    matrix = planted()
    model = FactorRecommender(40, iterations=1, positive_weight="value").fit(matrix)
    with pytest.raises(DivergedError, match="single precision"):
        model.fold_in(matrix[:2] * np.float32(1e37))


# -- sentences ---------------------------------------------------------------------------------------------------

BAD_FITS = [
    (lambda: np.array([[1.0, np.nan]]), {}, "NaN"),
    (lambda: np.array([[1.0, -1.0]]), {}, "below 0"),
    (lambda: np.ones(3), {}, "2 dimensions"),
    (lambda: sp.csr_array((3, 3)), {}, "empty"),
    (lambda: [["a", "b"]], {}, "numbers"),
    (lambda: pl.DataFrame({"a": [1]}), {}, "from_table"),
    (lambda: "ratings.csv", {}, "from_table"),
    (lambda: np.eye(3), {"factors": 0}, "factors must be a whole number of at least 1, not 0"),
    (lambda: np.eye(3), {"factors": 2.5}, "factors"),
    (lambda: np.eye(3), {"iterations": -1}, "iterations"),
    (lambda: np.eye(3), {"regularization": -0.1}, "regularization"),
    (lambda: np.eye(3), {"regularization": float("nan")}, "regularization"),
    (lambda: np.eye(3), {"unlabelled_weight": 0.0}, "unlabelled_weight must be a finite number above 0"),
    (lambda: np.eye(3), {"unlabelled_target": "zero"}, "unlabelled_target"),
    (lambda: np.eye(3), {"frequency_exponent": (1, 2, 3)}, "pair"),
    (lambda: np.eye(3), {"positive_weight": "sqrt"}, "positive_weight must be one of"),
    (lambda: np.eye(3), {"solver": "sgd"}, "solver must be one of"),
    (lambda: np.eye(3), {"held_out": 1.5}, "held_out"),
    (lambda: np.eye(3), {"random_state": -3}, "random_state"),
    (lambda: np.eye(3), {"threads": -2}, "threads"),
    (lambda: np.eye(3), {"frequency_exponent": float("nan")}, "frequency_exponent must be a finite number"),
    (lambda: np.eye(3), {"patience": 0}, "patience"),
    (lambda: np.eye(3), {"callback": 3}, "callback must be a function"),
    (lambda: np.eye(3), {"checkpoint": 3}, "checkpoint must be the path"),
    (lambda: np.eye(3), {"checkpoint": "no/such/folder/point"}, "checkpoint: the folder 'no/such/folder'"),
]


@pytest.mark.parametrize(("data", "parameters", "words"), BAD_FITS)
def test_bad_input_gets_one_sentence(data, parameters, words):
    with pytest.raises(InputError, match=words) as caught:
        small(**parameters).fit(data())
    assert "\n" not in str(caught.value)


def test_unknown_ids_are_named(model):
    with pytest.raises(UnknownIdError, match="999"):
        model.recommend([1, 999])
    with pytest.raises(UnknownIdError, match="'nobody'"):
        model.similar_rows("nobody")
    with pytest.raises(UnknownIdError, match="500"):
        model.recommend([1], include=[500])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda model: model.recommend([1], k=0), "k must be"),
        (lambda model: model.recommend([[1, 2]]), "unknown|one-dimensional|hashable"),
        (lambda model: model.recommend([1], include="abc"), "include"),
        (lambda model: model.score([1, 2], [1, 2, 3]), "as many"),
        (lambda model: model.fold_in(np.ones((2, 5))), "80 columns"),
        (lambda model: model.fold_in(np.ones((2, 80)), side="left"), "side"),
        (lambda model: model.partial_fit(np.eye(2), iterations=0), "iterations"),
    ],
)
def test_bad_questions_get_one_sentence(model, call, words):
    with pytest.raises(InputError, match=words) as caught:
        call(model)
    assert "\n" not in str(caught.value)


def test_movielens_1m_with_default_parameters(shared_data):
    """Good defaults, on real data: no parameter given, as accurate as the strongest peer tuned on this very set."""
    train, test = load_movielens_1m().positives(minimum=4).split(test=0.2, seed=0)
    assert evaluate(FactorRecommender().fit(train), train, test, k=10)["ndcg@10"] >= 0.335


@pytest.mark.parametrize("seed", range(3))
def test_small_data_with_too_many_factors_still_beat_popularity(seed):
    rng = np.random.default_rng(seed)
    tastes = rng.normal(size=(300, 4)) @ rng.normal(size=(120, 4)).T
    chance = 1 / (1 + np.exp(3 - 0.6 * tastes - 1.2 * rng.normal(size=120)))
    data = Interactions.from_matrix(sp.csr_array((rng.random(chance.shape) < chance).astype(np.float32)))
    train, test = data.split(test=0.2, seed=0)
    found, popular = (
        evaluate(model.fit(train), train, test, k=10)["ndcg@10"]
        for model in (FactorRecommender(progress=False), Popularity())
    )
    assert found > 1.1 * popular


# -- unknown ids, and scikit-learn's model selection ---------------------------------------------------------------


@pytest.fixture(scope="module")
def named_model():
    table = {"who": ["ann", "ann", "bob", "bob", "cy"], "what": ["tea", "jam", "tea", "bread", "jam"]}
    return FactorRecommender(factors=2).fit(Interactions.from_table(table, row="who", col="what"))


def test_unknown_rows_are_refused_skipped_or_answered_by_the_average(named_model):
    with pytest.raises(UnknownIdError, match="'zoe'"):
        named_model.recommend(["ann", "zoe"])
    known = named_model.recommend(["ann"], k=1)
    skipped = named_model.recommend(["zoe", "ann"], k=1, unknown="skip")
    assert skipped.queries.tolist() == ["ann"]
    np.testing.assert_array_equal(skipped.scores, known.scores)
    average = named_model.recommend(["zoe", "ann"], k=3, unknown="average")
    assert average.ids[1, 0] == known.ids[0, 0]
    mean = named_model.row_factors_.mean(axis=0) @ named_model.col_factors_.T
    np.testing.assert_allclose(average.scores[0], np.sort(mean)[::-1], rtol=1e-5)
    with pytest.raises(InputError, match="unknown"):
        named_model.recommend(["zoe"], unknown="popular")
    with pytest.raises(InputError, match="similar to an id that is unknown"):
        named_model.similar_cols(["milk"], unknown="average")


def test_excluding_what_the_model_does_not_know_changes_nothing(named_model):
    plain = named_model.recommend(["cy"], k=2)
    again = named_model.recommend(["cy"], k=2, exclude=["milk"])
    np.testing.assert_array_equal(plain.ids, again.ids)
    by_row = named_model.recommend(["cy"], k=2, exclude={"cy": ["milk", plain.ids[0, 0]]})
    assert by_row.ids[0, 0] == plain.ids[0, 1]
    with pytest.raises(UnknownIdError, match="include"):
        named_model.recommend(["cy"], include=["milk"])


def test_a_tuple_holds_several_ids(named_model):
    several = named_model.recommend(("ann", "bob"), k=1)
    assert several.queries.tolist() == ["ann", "bob"]
    pairs = Interactions.from_matrix(np.eye(2), row_ids=[("a", 1), ("b", 2)])
    model = FactorRecommender(factors=1).fit(pairs)
    with pytest.raises(InputError, match="give it in a list"):
        model.recommend(("a", 1))
    assert model.recommend([("a", 1)], k=1).queries.tolist() == [("a", 1)]


def test_an_error_never_shows_another_rows_id(named_model):
    with pytest.raises(UnknownIdError) as caught:
        named_model.recommend(["zoe"])
    assert not {"ann", "bob", "cy"} & set(str(caught.value).replace("'", " ").split())


def test_grid_search_picks_the_model_that_ranks_better():
    from sklearn.model_selection import GridSearchCV

    rng = np.random.default_rng(0)
    groups = np.kron(np.eye(4), np.ones((30, 12)))
    matrix = sp.csr_array((rng.random(groups.shape) < 0.05 + 0.6 * groups).astype(np.float32))
    search = GridSearchCV(FactorRecommender(factors=4, random_state=0), {"regularization": [0.1, 0.999]}, cv=3)
    search.fit(matrix)
    assert search.best_params_ == {"regularization": 0.1}
    scores = search.cv_results_["mean_test_score"]
    assert 0 <= scores[1] < scores[0] <= 1
