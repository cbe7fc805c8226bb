"""FactorRecommender.fit: what it finds, checkpoints, threads, bits, and the sentences it says."""

import multiprocessing

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

from tacit import FactorRecommender, Interactions
from tacit.baselines import Popularity
from tacit.data import load_movielens_1m
from tacit.data.ids import Ids
from tacit.errors import InputError
from tacit.metrics.evaluation import evaluate, evaluate_factors
from tests.estimators.planted import planted, small


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
    (lambda: np.eye(3), {"unlabelled_weight": np.ones(3)}, "as row_weight and col_weight of fit"),
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
