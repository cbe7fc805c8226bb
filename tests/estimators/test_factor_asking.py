"""What a fitted FactorRecommender answers: lists, filters, ids, neighbours, unknown rows."""

import numpy as np
import pytest
import scipy.sparse as sp

import tacit
from tacit import FactorRecommender, Interactions
from tacit.errors import InputError, UnknownIdError
from tacit.metrics.evaluation import evaluate
from tests import naive
from tests.estimators.planted import named, small


def test_recommend_leaves_out_what_is_seen(model, matrix):
    found = model.recommend([3], k=80)
    seen = set(matrix[[3]].indices.tolist())
    ids = found.ids[0][found.filled[0]].tolist()
    assert not seen & set(ids)
    assert len(ids) == 80 - len(seen)
    assert (found.ids[0][~found.filled[0]] == -1).all()
    assert np.isnan(found.scores[0][~found.filled[0]]).all()
    assert len(set(model.recommend([3], k=80, exclude_seen=False).ids[0])) == 80


def test_a_row_without_positives_gets_what_is_popular(matrix):
    popular = sp.csr_array(matrix.toarray() + (np.arange(80) == 57))
    popular.data[:] = 1
    model = small().fit(sp.vstack([popular, sp.csr_array((1, 80))], format="csr"))
    assert not model.row_factors_[120].any()
    votes = naive.nearest_scores(model.col_factors_, naive.votes(popular.toarray()))
    found = model.recommend([120], k=3)
    assert found.ids[0, 0] == 57
    assert np.array_equal(found.ids[0], np.argsort(-votes)[:3])
    new = model.recommend(sp.csr_array((1, 80)), k=3)
    assert np.array_equal(new.ids, found.ids)
    asked = sp.csr_array((np.ones(3), ([120] * 3, found.ids[0])), shape=(121, 80))
    assert evaluate(model, model.seen_, asked, k=3)["ndcg@3"] == 1.0


def test_a_few_events_since_histories_were_left_out_do_not_say_what_is_popular(model, tmp_path):
    model.save(tmp_path / "lean", histories=False)
    lean = tacit.load(tmp_path / "lean")
    before = lean.recommend([999], k=5, unknown="average")
    lean.add(0, [70, 71])
    lean.save(tmp_path / "again")
    after = tacit.load(tmp_path / "again").recommend([999], k=5, unknown="average")
    np.testing.assert_array_equal(after.ids, before.ids)
    with pytest.raises(InputError, match="was saved without histories"):
        tacit.load(tmp_path / "lean").why(1, 2)


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


def test_recommend_for_rows_never_seen(model, matrix):
    found = model.recommend(matrix[:2], k=5)
    known = model.recommend([0, 1], k=5)
    assert found.ids.tolist() == known.ids.tolist()


def test_rows_that_include_does_not_name_get_any_column(model):
    """And cost nothing: a list of all columns for each of them would be rows times columns."""
    free, narrowed = model.recommend([0, 1], k=5), model.recommend([0, 1], k=5, include={1: [3]})
    assert np.array_equal(narrowed.ids[0], free.ids[0])
    assert narrowed.filled[1].sum() <= 1


def test_rows_without_positives_get_answers():
    matrix = np.zeros((4, 3))
    matrix[0, 0] = matrix[1, 1] = 1
    found = small(factors=2).fit(matrix).recommend([3], k=2)
    assert found.filled.all()
    assert np.isfinite(found.scores).all()


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


@pytest.fixture(scope="module")
def named_model():
    table = {"who": ["ann", "ann", "bob", "bob", "cy"], "what": ["tea", "jam", "tea", "bread", "jam"]}
    return FactorRecommender(factors=2).fit(Interactions.from_table(table, row="who", col="what"))


def test_unknown_rows_are_refused_skipped_or_answered_by_what_is_popular(named_model):
    with pytest.raises(UnknownIdError, match="'zoe'"):
        named_model.recommend(["ann", "zoe"])
    known = named_model.recommend(["ann"], k=1)
    skipped = named_model.recommend(["zoe", "ann"], k=1, unknown="skip")
    assert skipped.queries.tolist() == ["ann"]
    np.testing.assert_array_equal(skipped.scores, known.scores)
    average = named_model.recommend(["zoe", "ann"], k=3, unknown="average")
    assert average.ids[1, 0] == known.ids[0, 0]
    popular = naive.nearest_scores(named_model.col_factors_, naive.votes(named_model.seen_.toarray()))
    np.testing.assert_allclose(average.scores[0], np.sort(popular)[::-1], rtol=1e-5)
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
