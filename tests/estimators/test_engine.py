"""FactorRecommender with every loss, solver, side and context: what works works, what does not says why."""

import numpy as np
import pytest
import scipy.sparse as sp

import tacit
from tacit import FactorRecommender, Interactions
from tacit.errors import InputError, UnsoundCombinationError
from tacit.estimators.recommend import side_gain
from tacit.estimators.recommend.side_gain import HELD_OUT
from tacit.metrics import Details, evaluate
from tacit.objective import formulations
from tacit.objective.losses import custom_loss
from tacit.solvers.registry import NAMES
from tacit.solvers.registry import WITH_AUTO as SOLVERS
from tests import naive

LOSSES = ("square", "logistic", "squared_hinge")
GROUPS = 4


@pytest.fixture(scope="module")
def planted():
    """Rows like the columns of their group; features and a graph that know the group."""
    rng = np.random.default_rng(0)
    row_group, col_group = rng.integers(0, GROUPS, 80), rng.integers(0, GROUPS, 60)
    likes = row_group[:, None] == col_group[None, :]
    matrix = sp.csr_array((likes & (rng.random((80, 60)) < 0.4)).astype(np.float32))
    features = sp.csr_array(np.eye(GROUPS, dtype=np.float32)[row_group])
    col_features = sp.csr_array(np.eye(GROUPS, dtype=np.float32)[col_group])
    graph = sp.csr_array((row_group[:, None] == row_group[None, :]).astype(np.float32) * (rng.random((80, 80)) < 0.2))
    return matrix, likes, features, col_features, graph


def hits(model, likes, rows=80):
    found = model.recommend(np.arange(rows), k=3).ids
    return np.take_along_axis(likes[:rows], found, axis=1).mean()


def options(solver):
    return {"adagrad": {"learning_rate": 0.1}, "gradient": {"learning_rate": 0.001}}.get(solver, {})


@pytest.mark.parametrize("sides", ["ids", "features", "graph", "both"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_loss_solver_and_side_finds_the_groups(planted, solver, loss, sides):
    matrix, likes, features, col_features, graph = planted
    given = {
        "ids": {},
        "features": {"row_features": features, "col_features": col_features},
        "graph": {"row_graph": graph},
        "both": {"row_features": features, "row_graph": graph},
    }[sides]
    model = FactorRecommender(factors=6, loss=loss, solver=solver, **options(solver)).fit(matrix, **given)
    # One rate for all parameters gets plain gradient descent nowhere in its iterations: fBGD's Figure 3.
    assert solver == "gradient" or hits(model, likes) > 0.9
    assert model.solver_ == ("als" if solver == "auto" else solver)
    assert model.history_[-1]["objective"] < model.history_[0]["objective"]


def test_rows_known_by_features_alone(planted):
    matrix, likes, features, _, _ = planted
    model = FactorRecommender(factors=6).fit(matrix[:60], row_features=features[:60])
    found = model.recommend(features=features[60:], k=3)
    assert np.take_along_axis(likes[60:], found.ids, axis=1).mean() > 0.9


def test_columns_known_by_features_alone(planted):
    matrix, likes, _, col_features, _ = planted
    model = FactorRecommender(factors=6).fit(matrix[:, :50], col_features=col_features[:50])
    new = model.fold_in(features=col_features[50:], side="cols")
    scores = model.row_factors_ @ new.T
    assert scores[likes[:, 50:]].mean() > 2 * scores[~likes[:, 50:]].mean()


@pytest.mark.parametrize("loss", LOSSES)
def test_folding_in_a_training_row_gives_back_its_factor(planted, loss):
    matrix, _, features, _, _ = planted
    plain = FactorRecommender(factors=6, loss=loss).fit(matrix)
    np.testing.assert_allclose(plain.fold_in(matrix[:9]), plain.row_factors_[:9], atol=2e-3)
    model = FactorRecommender(factors=6, loss=loss).fit(matrix, row_features=features)
    again = model.fold_in(matrix[:9], features=features[:9])
    np.testing.assert_allclose(again, model.row_factors_[:9], atol=2e-3)


@pytest.mark.parametrize("name", formulations.BY_NAME)
def test_formulations_by_name(planted, name):
    matrix, likes, *_ = planted
    # As many unlabelled cells as positives, so they should weigh as much together.
    even = {"unlabelled_weight": matrix.nnz / (80 * 60)} if "(S)" in name else {}
    if name == "LR-wLR (S)":
        # Few cells separate well, and without curvature beyond them only the ridge keeps scores from growing.
        even["regularization"] = 1.0
    model = FactorRecommender(factors=6, **formulations.BY_NAME[name], **even).fit(matrix)
    assert hits(model, likes) > 0.8


def test_biases_join_and_fixed_ones_stay(planted):
    matrix, likes, features, *_ = planted
    model = FactorRecommender(factors=6, biases=True).fit(matrix, row_features=features)
    assert model.row_factors_.shape == (80, 8)
    np.testing.assert_array_equal(model.row_factors_[:, 7], 1.0)
    np.testing.assert_array_equal(model.col_factors_[:, 6], 1.0)
    assert hits(model, likes) > 0.9


def test_nonnegative_factors(planted):
    matrix, likes, *_ = planted
    model = FactorRecommender(factors=6, nonnegative=True).fit(matrix)
    assert model.solver_ == "adagrad"
    assert model.row_factors_.min() >= 0 and model.col_factors_.min() >= 0
    assert hits(model, likes) > 0.9


def test_a_loss_of_ones_own(planted):
    matrix, likes, *_ = planted
    own = custom_loss(
        "pseudo_huber",
        value=lambda r, s: np.sqrt(1 + (r - s) ** 2) - 1,
        first=lambda r, s: (s - r) / np.sqrt(1 + (r - s) ** 2),
        second=lambda r, s: (1 + (r - s) ** 2) ** -1.5,
        curvature_bound=1.0,
    )
    assert hits(FactorRecommender(factors=6, loss=own).fit(matrix), likes) > 0.9


# -- contexts ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def next_songs():
    """The next song follows from the last one, and only for some from the user."""
    rng = np.random.default_rng(1)
    users, last = rng.integers(0, 30, 1500), rng.integers(0, 25, 1500)
    following = (last * 7 + (users % 2)) % 25
    table = {"user": [f"u{k}" for k in users], "last": [f"s{k}" for k in last], "song": [f"s{k}" for k in following]}
    return Interactions.from_table(table, row="user", col="song", context="last")


@pytest.mark.parametrize("context_model", ["additive", "pairwise", "product"])
@pytest.mark.parametrize("solver", ["als", "newton", "adagrad"])
def test_contexts_decide_what_comes_next(next_songs, context_model, solver):
    model = FactorRecommender(
        factors=16, context_model=context_model, solver=solver, iterations=400 if solver == "adagrad" else 30,
        regularization=0.02, **options(solver),
    ).fit(next_songs)  # fmt: skip
    last = [f"s{k}" for k in range(25)]
    found = model.recommend(["u0"] * 25, k=2, exclude_seen=False, context={"last": last}).ids
    right = [f"s{k * 7 % 25}" in row for k, row in enumerate(found)]
    assert np.mean(right) > 0.9


@pytest.mark.parametrize("context_model", ["additive", "pairwise", "product"])
def test_scores_are_those_of_the_lists_in_a_context(next_songs, context_model):
    model = FactorRecommender(factors=4, iterations=1, context_model=context_model).fit(next_songs)
    found = model.recommend("u1", k=3, context={"last": "s3"})
    scores = model.score("u1", found.ids[0], context={"last": "s3"})
    np.testing.assert_allclose(scores, found.scores[0], rtol=1e-5)
    with pytest.raises(InputError, match="context must name 'last'"):
        model.score("u1", "s2")
    with pytest.raises(InputError, match="evaluate knows no contexts"):
        evaluate(model, next_songs, next_songs)


def test_more_data_does_not_silently_leave_a_graph_behind(planted, tmp_path):
    matrix = planted[0]
    chain = sp.diags_array([np.ones(matrix.shape[0] - 1)], offsets=[1], shape=(matrix.shape[0],) * 2)
    FactorRecommender(factors=2, iterations=1).fit(matrix, row_graph=chain).save(tmp_path / "model")
    with pytest.raises(InputError, match="has a row_graph; call fit"):
        tacit.load(tmp_path / "model").partial_fit(matrix)


def test_contexts_survive_a_file(next_songs, tmp_path):
    model = FactorRecommender(factors=4, iterations=2).fit(next_songs)
    model.save(tmp_path / "next.tacit")
    again = tacit.load(tmp_path / "next.tacit")
    ask = {"rows": ["u1", "u2"], "k": 3, "context": {"last": ["s3", "nobody knows it"]}}
    np.testing.assert_array_equal(model.recommend(**ask).scores, again.recommend(**ask).scores)


def test_features_survive_a_file(planted, tmp_path):
    matrix, _, features, *_ = planted
    model = FactorRecommender(factors=4, iterations=2, loss="logistic").fit(matrix, row_features=features)
    model.save(tmp_path / "model.tacit")
    again = tacit.load(tmp_path / "model.tacit")
    np.testing.assert_array_equal(
        model.recommend(features=features[:4]).scores, again.recommend(features=features[:4]).scores
    )


# -- gain, resume, refusals ----------------------------------------------------------------------------------------


def test_gain_says_whether_features_help(planted):
    matrix, _, features, *_ = planted
    # Three thin draws of every row: with 80 rows alone chance may hide the gain.
    kept = np.random.default_rng(2).random((240, 60)) < 0.3
    sparse = sp.vstack([matrix] * 3).multiply(sp.csr_array(kept)).tocsr()
    model = FactorRecommender(factors=4).fit(sparse, row_features=sp.vstack([features] * 3), report_gain=True)
    assert model.gain_["verdict"] == "helps" and "row_features help" in model.gain_["sentence"]
    assert model.gain_["low"] > 0
    noise = sp.csr_array(np.random.default_rng(3).random((80, 40)))
    model.fit(matrix, row_features=noise, report_gain=True)
    assert model.gain_["gain"] == pytest.approx(model.gain_["with"] - model.gain_["without"])
    assert model.gain_["verdict"] != "helps"


def test_gain_is_measured_as_evaluate_measures_rows_without_evidence():
    """A row whose only positive is held out gets what is popular in both fits, as it does from recommend."""
    rng = np.random.default_rng(6)
    matrix = sp.csr_array((rng.random((60, 30)) < 0.15) * rng.random(30)[None, :] > 0.05, dtype=np.float32)
    graph = sp.csr_array(np.eye(60)[rng.permutation(60)])
    model = FactorRecommender(factors=4).fit(matrix, row_graph=graph + graph.T, report_gain=True)
    bare = FactorRecommender(factors=4)
    total, rows = 0.0, 0
    for seed in range(model.gain_["splits"]):
        train, test = tacit.Interactions.from_matrix(matrix).split(test=HELD_OUT, seed=seed)
        found = evaluate(bare.fit(train), train, test, metrics=("ndcg",), details=(details := Details(10)))
        assert found.users == len(details.rows)
        total += details.scores["ndcg"].sum()
        rows += len(details.rows)
    assert model.gain_["without"] == pytest.approx(total / rows)


def test_the_interval_of_a_gain_draws_rows_with_all_their_splits():
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 9, 400).astype(float)
    sums = counts * (0.02 + 0.1 * rng.standard_normal(400))
    found = side_gain._mean_of_pairs(sums, counts)
    draws = rng.integers(400, size=(4000, 400))
    ratios = sums[draws].sum(axis=1) / counts[draws].sum(axis=1)
    assert found.mean == pytest.approx(sums.sum() / counts.sum())
    np.testing.assert_allclose((found.low, found.high), np.quantile(ratios, [0.025, 0.975]), atol=0.1 * ratios.std())


@pytest.mark.parametrize("sides", ["ids", "features"])
@pytest.mark.parametrize("solver", NAMES)
def test_an_interrupted_fit_of_every_solver_resumes_to_the_same_bits(planted, solver, sides, tmp_path):
    matrix, _, features, *_ = planted
    given = {"row_features": features} if sides == "features" else {}
    path = tmp_path / "checkpoint"
    rate = {"learning_rate": 1e-3} if solver == "gradient" else {}
    whole = FactorRecommender(factors=4, solver=solver, iterations=6, **rate).fit(matrix, **given)
    FactorRecommender(factors=4, solver=solver, iterations=3, checkpoint=path, **rate).fit(matrix, **given)
    rest = FactorRecommender(factors=4, solver=solver, iterations=6, checkpoint=path, **rate).fit(matrix, **given)
    assert rest.row_factors_.tobytes() == whole.row_factors_.tobytes()
    assert rest.col_factors_.tobytes() == whole.col_factors_.tobytes()
    assert [one["objective"] for one in rest.history_] == [one["objective"] for one in whole.history_]


REFUSED = [
    ({"nonnegative": True, "solver": "als"}, {}, "can be projected"),
    ({"nonnegative": True, "solver": "newton"}, {}, "can be projected"),
    ({"loss": custom_loss("e", lambda r, s: np.exp(-s), lambda r, s: -np.exp(-s), lambda r, s: np.exp(-s)),
      "solver": "als"}, {}, "curvature_bound"),
    ({"context_model": "product"}, {"row_features": sp.eye_array(30)}, "row_features have no place"),
    ({"context_model": "pairwise", "biases": True}, {}, "has no biases"),
    ({"held_out": 0.1}, {}, "held_out does not know contexts"),
]  # fmt: skip


@pytest.mark.parametrize("parameters, sides, sentence", REFUSED, ids=[row[2] for row in REFUSED])
def test_unsound_combinations_are_refused_with_the_reason(next_songs, parameters, sides, sentence):
    with pytest.raises(InputError, match=sentence):
        FactorRecommender(factors=4, iterations=1, **parameters).fit(next_songs, **sides)


def test_calls_that_need_plain_ids_say_so(planted, next_songs):
    matrix, _, features, *_ = planted
    model = FactorRecommender(factors=4, iterations=1).fit(matrix, row_features=features)
    with pytest.raises(InputError, match="has features"):
        model.partial_fit(matrix)
    with pytest.raises(InputError, match="trained without col_features"):
        model.fold_in(features=features, side="cols")
    contextual = FactorRecommender(factors=4, iterations=1).fit(next_songs)
    with pytest.raises(InputError, match="has contexts"):
        contextual.fold_in(next_songs)
    with pytest.raises(InputError, match="context must name 'last'"):
        contextual.recommend("u1")
    with pytest.raises(InputError, match="trained without contexts"):
        model.recommend([1], context={"last": "s1"})
    assert issubclass(UnsoundCombinationError, InputError)


def test_early_stopping_keeps_the_best_sweep_of_features_too(planted):
    data, _, row_features, _, _ = planted
    fits = {"factors": 8, "held_out": 0.2, "solver": "adagrad", "learning_rate": 0.5, "progress": False}
    model = FactorRecommender(**fits, iterations=60, patience=4).fit(data, row_features=row_features)
    best = int(np.argmax([record["held_out_ndcg"] for record in model.history_])) + 1
    assert best < len(model.history_)
    again = FactorRecommender(**fits, iterations=best, patience=60).fit(data, row_features=row_features)
    assert model.row_feature_factors_.tobytes() == again.row_feature_factors_.tobytes()
    assert model.col_factors_.tobytes() == again.col_factors_.tobytes()


# -- what the papers let a caller state --------------------------------------------------------------------------------


def dense_parts(matrix, a, b, targets=None):
    """The arguments of the dense oracles for positives of weight one."""
    dense = matrix.toarray() > 0
    return dense, np.ones(dense.shape), np.ones(dense.shape) if targets is None else targets, a, b, 0.0


def test_given_weights_targets_and_ridges_are_those_of_the_objective():
    """J as reported, and every row the minimiser of its own part, against the dense oracles."""
    rng = np.random.default_rng(4)
    matrix = sp.csr_array((rng.random((12, 9)) < 0.4).astype(np.float32))
    a, b = rng.uniform(0.1, 1.0, 12), rng.uniform(0.05, 0.3, 9)
    targets = rng.uniform(-1.0, 3.0, (12, 9)).astype(np.float32)
    stated = matrix.copy()
    stated.data = targets[matrix.nonzero()]
    model = FactorRecommender(
        3, regularization=(0.3, 0.05), ridge_exponent=0.0, iterations=4, solver="newton", trust_steps=3, tolerance=0.0
    ).fit(matrix, row_weight=a, col_weight=b, targets=stated)
    row_ridge, col_ridge = model.recipe_.rows.ridge, model.recipe_.cols.ridge
    mean_row, mean_col = matrix.nnz / 12, matrix.nnz / 9
    assert (row_ridge, col_ridge) == pytest.approx((0.3 * mean_row, 0.05 * mean_col))
    parts = dense_parts(matrix, a, b, targets)
    Q = model.col_factors_.astype(np.float64)
    best = [naive.best_row(x, Q, *parts, np.full(12, row_ridge)) for x in range(12)]
    np.testing.assert_allclose(model.row_factors_, best, atol=1e-5)
    np.testing.assert_allclose(model.row_weight_, a, rtol=1e-6)
    np.testing.assert_allclose(model.col_weight_, b, rtol=1e-6)
    raw = FactorRecommender(**model.get_params() | {"exact_rows": False}).fit(
        matrix, row_weight=a, col_weight=b, targets=stated
    )
    value = naive.whole_data_value(
        raw.row_factors_, raw.col_factors_, *parts, np.full(12, row_ridge), np.full(9, col_ridge)
    )
    assert raw.history_[-1]["objective"] == pytest.approx(value, rel=1e-5)


def test_exact_rows_is_the_last_solve_and_nothing_else(planted):
    matrix = planted[0]
    fits = {"factors": 4, "solver": "adagrad", "iterations": 6}
    steps, solved = (FactorRecommender(**fits, exact_rows=exact).fit(matrix) for exact in (False, True))
    np.testing.assert_array_equal(steps.col_factors_, solved.col_factors_)
    assert steps.history_[-1]["objective"] == solved.history_[-1]["objective"]
    assert not np.allclose(steps.row_factors_, solved.row_factors_, atol=1e-3)
    np.testing.assert_allclose(steps.fold_in(matrix), solved.row_factors_, atol=1e-5)


@pytest.mark.parametrize("solver", ["als", "newton", "adagrad"])
def test_without_ids_rows_are_their_features_alone(planted, tmp_path, solver):
    matrix, likes, features, col_features, _ = planted
    model = FactorRecommender(4, ids=False, solver=solver).fit(matrix, row_features=features)
    np.testing.assert_allclose(model.row_factors_, features @ model.row_feature_factors_, atol=1e-6)
    assert hits(model, likes) > 0.9
    np.testing.assert_array_equal(model.fold_in(features=features[:5]), model.row_factors_[:5])
    with pytest.raises(InputError, match=r"fold_in places rows by their own positives.*makes rows of their features"):
        model.fold_in(matrix[:2])
    model.fold_in(matrix[:, :2], side="cols")
    model.save(tmp_path / "model")
    assert not tacit.load(tmp_path / "model").ids
    both = FactorRecommender(4, ids=False).fit(matrix, row_features=features, col_features=col_features)
    np.testing.assert_allclose(both.col_factors_, col_features @ both.col_feature_factors_, atol=1e-6)


@pytest.mark.parametrize("loss", ["square", "logistic"])
def test_without_ids_and_with_counts_as_weights_the_objective_is_that_of_every_cell(loss):
    """J as reported where rows and columns are features alone and each positive weighs its own count."""
    rng = np.random.default_rng(6)
    counts = sp.csr_array(rng.integers(1, 5, (12, 9)) * (rng.random((12, 9)) < 0.4).astype(np.float32))
    a, b = rng.uniform(0.1, 1.0, 12), rng.uniform(0.05, 0.3, 9)
    rows, cols = (rng.normal(size=(size, 3)).astype(np.float32) for size in (12, 9))
    model = FactorRecommender(
        2, loss=loss, ids=False, positive_weight="value", regularization=0.2, ridge_exponent=0.0, iterations=3,
        exact_rows=False, tolerance=0.0, solver="newton", trust_steps=2,
    ).fit(counts, row_features=rows, col_features=cols, row_weight=a, col_weight=b)  # fmt: skip
    V, W = model.row_feature_factors_.astype(np.float64), model.col_feature_factors_.astype(np.float64)
    dense = counts.toarray()
    parts = dense > 0, dense, np.ones(dense.shape), a, b, 0.0
    value = naive.whole_data_value(rows @ V, cols @ W, *parts, np.zeros(12), np.zeros(9), loss)
    value += model.recipe_.rows.ridge * (V**2).sum() + model.recipe_.cols.ridge * (W**2).sum()
    assert model.history_[-1]["objective"] == pytest.approx(value, rel=1e-5)


def test_what_was_given_is_remembered_and_what_cannot_be_placed_is_refused(planted, tmp_path):
    matrix = planted[0]
    n, m = matrix.shape
    model = FactorRecommender(4).fit(matrix, col_weight=np.full(m, 0.1))
    model.fold_in(matrix[:2])
    with pytest.raises(InputError, match="was trained with col_weight that new cols have none of"):
        model.fold_in(matrix[:, :2], side="cols")
    model.save(tmp_path / "model")
    assert tacit.load(tmp_path / "model").given_ == ["col_weight"]
    with pytest.raises(InputError, match="was trained with row_weight"):
        FactorRecommender(4).fit(matrix, row_weight=np.ones(n)).add(0, 1)


@pytest.mark.parametrize(
    ("parameters", "given", "words"),
    [
        ({}, {"row_weight": [1.0]}, "row_weight must have 80 numbers"),
        ({}, {"row_weight": -np.ones(80)}, "row_weight must be finite and not negative"),
        ({}, {"col_weight": ["a"] * 60}, "col_weight must be numbers"),
        ({"unlabelled_weight": 0.1}, {"col_weight": np.ones(60)}, "col_weight says .* and so does unlabelled_weight"),
        ({}, {"targets": sp.csr_array(np.eye(80, 60))}, "targets must store exactly the cells"),
        ({"loss": "logistic"}, {"targets": "same"}, "targets are numbers .* use loss='square'"),
        ({"held_out": 0.2}, {"targets": "same"}, "targets .* do not go with held_out"),
        ({"ids": False}, {}, "ids=False leaves only features"),
        ({"context_model": "product"}, {}, "context_model='product' is of no use without contexts"),
        ({"learning_rate": 0.1}, {}, "learning_rate=0.1 is of no use to solver='als'"),
        ({"trust_steps": 2, "solver": "adagrad"}, {}, "trust_steps=2 is of no use to solver='adagrad'"),
        ({"trust_radius": 0.0, "solver": "newton"}, {}, "trust_radius must be"),
        ({"regularization": (0.1, 0.2, 0.3)}, {}, "regularization must be a number or a pair"),
    ],
)
def test_what_would_be_ignored_or_cannot_be_read_is_refused(planted, parameters, given, words):
    if isinstance(given.get("targets"), str):
        given = {"targets": planted[0]}
    with pytest.raises(InputError, match=words):
        FactorRecommender(4, **parameters).fit(planted[0], **given)
