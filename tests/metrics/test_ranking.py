"""Ranking metrics against loops over lists, scikit-learn, and trec_eval."""

import numpy as np
import pytest
import pytrec_eval
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score

from tacit import FactorRecommender
from tacit.data.interactions import Interactions
from tacit.errors import InputError
from tacit.metrics import evaluate, evaluate_factors, evaluate_lists
from tacit.metrics.ranking import METRICS
from tacit.neighbours.filters import Filters
from tacit.neighbours.topk import top_k
from tests import naive


def whole_problem(seed, n, m, density=0.3):
    """Factors with exact inner products and many ties, train and test cells that may overlap."""
    rng = np.random.default_rng(seed)
    factors = [rng.integers(-2, 3, size=(rows, 3)).astype(np.float32) for rows in (n, m)]
    return *factors, rng.random((n, m)) < density, rng.random((n, m)) < density


def smooth_problem(seed, n=60, m=50):
    """Factors without ties; train and test are disjoint and every user has test items."""
    rng = np.random.default_rng(seed)
    rows, cols = (rng.standard_normal((size, 5)).astype(np.float32) for size in (n, m))
    cells = rng.random((n, m))
    train, test = cells < 0.2, (cells >= 0.2) & (cells < 0.4)
    test[:, 0] |= ~train[:, 0] & ~test.any(axis=1)
    return rows, cols, train, test & test.any(axis=1, keepdims=True)


@given(seed=st.integers(0, 2**16), n=st.integers(1, 12), m=st.integers(1, 15), k=st.integers(1, 20))
def test_every_metric_agrees_with_loops_over_lists(seed, n, m, k):
    rows, cols, train, test = whole_problem(seed, n, m)
    found = evaluate_factors(rows, cols, train.astype(float), test.astype(float), k=k, metrics=METRICS, threads=1)
    expected = naive.ranking_metrics(rows.astype(float) @ cols.T, train, test, k)
    for name in METRICS:
        key = name if name == "auc" else f"{name}@{k}"
        np.testing.assert_allclose(found[key], expected[name], rtol=1e-12, err_msg=name)
    with_items = (test & ~train).any(axis=1).sum()
    assert (found.users, found.left_out) == (with_items, n - with_items)


def test_several_cutoffs_are_those_of_single_calls():
    rows, cols, train, test = smooth_problem(1)
    together = evaluate_factors(rows, cols, train, test, k=(10, 1, 5))
    for k in (1, 5, 10):
        alone = evaluate_factors(rows, cols, train, test, k=k)
        assert dict(alone) == {name: value for name, value in together.items() if name.endswith(f"@{k}")}


def test_agrees_with_trec_eval():
    """Means of trec_eval's own program; its map divides by R, ours by min(k, R)."""
    rows, cols, train, test = smooth_problem(2)
    k = 10
    numbers, _ = top_k(rows, cols, k, Filters(seen=(sp.csr_array(train).indptr, sp.csr_array(train).indices)))
    judged = {f"u{u}": {f"i{i}": 1 for i in np.flatnonzero(test[u])} for u in range(len(test)) if test[u].any()}
    run = {user: {f"i{i}": float(k - j) for j, i in enumerate(numbers[int(user[1:])])} for user in judged}
    measures = {f"P.{k}", f"recall.{k}", f"ndcg_cut.{k}", f"map_cut.{k}", f"success.{k}", "recip_rank"}
    per_user = pytrec_eval.RelevanceEvaluator(judged, measures).evaluate(run)

    def mean(measure, scale=lambda held_out: 1.0):
        return np.mean([result[measure] * scale(len(judged[user])) for user, result in per_user.items()])

    found = evaluate_factors(rows, cols, train, test, k=k)
    assert found.users == len(judged)
    assert found[f"precision@{k}"] == pytest.approx(mean(f"P_{k}"), rel=1e-6)
    assert found[f"recall@{k}"] == pytest.approx(mean(f"recall_{k}"), rel=1e-6)
    assert found[f"ndcg@{k}"] == pytest.approx(mean(f"ndcg_cut_{k}"), rel=1e-6)
    assert found[f"mrr@{k}"] == pytest.approx(mean("recip_rank"), rel=1e-6)
    assert found[f"hit_rate@{k}"] == pytest.approx(mean(f"success_{k}"), rel=1e-6)
    assert found[f"map@{k}"] == pytest.approx(mean(f"map_cut_{k}", lambda r: r / min(k, r)), rel=1e-6)


def test_agrees_with_scikit_learn():
    rows, cols, train, test = smooth_problem(3)
    m = len(cols)
    scores = np.where(train, -1e9, rows.astype(float) @ cols.T)
    users = np.flatnonzero(test.any(axis=1))
    found = evaluate_factors(rows, cols, train, test, k=(7, m), metrics=("ndcg", "auc", "map"))
    assert found["ndcg@7"] == pytest.approx(ndcg_score(test[users], scores[users], k=7))
    open_cells = [(test[u, ~train[u]], scores[u, ~train[u]]) for u in users]
    assert found["auc"] == pytest.approx(np.mean([roc_auc_score(*cells) for cells in open_cells]))
    assert found[f"map@{m}"] == pytest.approx(np.mean([average_precision_score(*cells) for cells in open_cells]))


def test_lists_and_models_that_recommend_give_the_same():
    rows, cols, train, test = smooth_problem(4)
    seen = sp.csr_array(train)

    class Recommender:
        def recommend(self, users, k):
            part = seen[users]
            ids, _ = top_k(rows[users], cols, k, Filters(seen=(part.indptr, part.indices)))
            return type("Answer", (), {"ids": ids})()

    class Factors:
        row_factors_, col_factors_ = rows, cols

    numbers = Recommender().recommend(np.arange(len(rows)), 8).ids
    expected = dict(evaluate(Factors(), train, test, k=8))
    assert dict(evaluate(Recommender(), train, test, k=8)) == expected
    assert dict(evaluate_lists(numbers, test, k=8, train=train)) == expected


def test_interactions_with_ids_of_their_own():
    rows, cols, train, test = smooth_problem(6, n=20, m=15)
    users, items = [f"user {u}" for u in range(20)], [f"item {i}" for i in range(15)]
    named = [Interactions.from_matrix(sp.csr_array(cells), users, items) for cells in (train, test)]
    seen = sp.csr_array(train)

    class Recommender:
        def recommend(self, wanted, k):
            numbers = [users.index(user) for user in wanted]
            part = seen[numbers]
            found, _ = top_k(rows[numbers], cols, k, Filters(seen=(part.indptr, part.indices)))
            return type("Answer", (), {"ids": np.array([*items, None], dtype=object)[found]})()

    expected = evaluate_factors(rows, cols, train, test, k=15)
    assert dict(evaluate(Recommender(), *named, k=15)) == dict(expected)


@pytest.mark.parametrize("form", [sp.coo_array, sp.csc_array, np.asarray])
def test_training_cells_of_any_form_say_what_is_popular(form):
    """The first row has no positives, so its list comes from those of the others."""
    cells = np.random.default_rng(0).random((30, 20)) < 0.2
    cells[0] = False
    train, test = sp.csr_array(cells.astype(np.float32)), sp.csr_array(np.roll(cells, 1).astype(np.float32))
    model = FactorRecommender(factors=3).fit(train)
    assert evaluate(model, form(train.toarray()), test) == evaluate(model, train, test)
    with pytest.raises(InputError, match="col_factors"):
        evaluate(model, sp.csr_array((30, 21)), test)


def test_shorter_lists_count_their_empty_places_as_misses():
    found = evaluate_lists(np.array([[1, -1, -1, -1]]), np.array([[0, 1, 0]]), k=4, metrics=("precision", "recall"))
    assert dict(found) == {"precision@4": 0.25, "recall@4": 1.0}


@pytest.mark.jit
def test_same_numbers_at_any_number_of_threads():
    rng = np.random.default_rng(5)
    rows, cols = (rng.standard_normal((size, 8)).astype(np.float32) for size in (600, 300))
    train, test = (sp.random_array((600, 300), density=0.03, rng=rng, format="csr") for _ in range(2))
    one, three = (evaluate_factors(rows, cols, train, test, metrics=METRICS, threads=t) for t in (1, 3))
    assert dict(one) == dict(three)


def test_nobody_has_held_out_items():
    found = evaluate_factors(np.ones((2, 1)), np.ones((3, 1)), np.zeros((2, 3)), np.zeros((2, 3)), metrics=METRICS)
    assert (found.users, found.left_out, found["coverage@10"]) == (0, 2, 0.0)
    assert np.isnan(found["ndcg@10"])
    assert np.isnan(found["auc"])


ONE, TWO = np.ones((2, 1)), np.eye(2)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: evaluate_factors(ONE, ONE, TWO, TWO, metrics=("ndgc",)), "metrics must be among .* not 'ndgc'"),
        (lambda: evaluate_factors(ONE, ONE, TWO, TWO, metrics=()), "metrics must be among .* not none"),
        (lambda: evaluate_factors(ONE, ONE, TWO, TWO, k=0), "k must be a positive whole number"),
        (lambda: evaluate_factors(ONE, ONE, TWO, np.eye(3)), "test must have 2 rows"),
        (lambda: evaluate_factors(np.ones((3, 1)), ONE, TWO, TWO), "row_factors must have 2 rows"),
        (lambda: evaluate_factors(ONE * 3e38, ONE * 10, TWO, 1 - TWO, metrics="auc"), "NaN or infinite"),
        (lambda: evaluate(object(), TWO, TWO), "neither factors nor recommend"),
        (lambda: evaluate_lists(np.array([[0], [5]]), TWO, k=1), "numbers must be between -1 and 1"),
        (lambda: evaluate_lists(np.array([[0], [1]]), TWO, k=2), "more places than the 1"),
        (lambda: evaluate_lists(np.array([[0.5], [1]]), TWO, k=1), "numbers must be whole numbers"),
        (lambda: evaluate_lists(np.array([[0], [1]]), TWO, k=1, metrics="auc"), "cannot be had from lists"),
    ],
)
def test_bad_input_gets_a_sentence(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call()


def test_tables_under_other_ids_are_refused():
    """Two tables read one by one number their ids each in its own way; by number they would meet the wrong rows."""
    first, other = ({"who": ["ann", name], "what": ["tea", "jam"]} for name in ("bob", "cyd"))
    train, test = (Interactions.from_table(table, row="who", col="what") for table in (first, other))
    model = FactorRecommender(2, iterations=1).fit(train)
    with pytest.raises(InputError, match=r"test has other ids than train.*test\.aligned"):
        evaluate(model, train, test)
    with pytest.raises(InputError, match="train has other ids than the model"):
        evaluate(model, test, test)
    assert evaluate(model, train, test.aligned(train.row_ids, train.col_ids)).users == 0
