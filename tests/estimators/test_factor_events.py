"""Events after the fit: one row grows, nobody else pays, and the same events lead to the same bits."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit import FactorRecommender, Interactions
from tacit.errors import InputError, UnsoundCombinationError
from tacit.estimators import concurrency


def cells(seed=0, n=40, m=30):
    return sp.csr_array((np.random.default_rng(seed).random((n, m)) < 0.2).astype(np.float32))


def fitted(**parameters):
    data = Interactions.from_matrix(cells(), row_ids=[f"r{x}" for x in range(40)], col_ids=[f"c{y}" for y in range(30)])
    return FactorRecommender(**{"factors": 6, "iterations": 3} | parameters).fit(data)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("events") / "model.tacit"
    fitted().save(path)
    return path


ROWS, COLS = ["r0", "r1", "r39", "new", "newer"], ["c0", "c5", "c29", "fresh", "young"]
EVENTS = st.lists(
    st.tuples(st.sampled_from(ROWS), st.sampled_from(COLS), st.sampled_from([1.0, 0.1, 3.0])), min_size=1, max_size=12
)


@settings(max_examples=25, deadline=None)
@given(events=EVENTS, cut=st.integers(0, 12))
def test_a_row_is_where_its_whole_history_would_be_folded_in(file, events, cut):
    model = tacit.load(file)
    history = {"r0": model.seen_[[0]].toarray()[0], "r1": model.seen_[[1]].toarray()[0]}
    for row, col, weight in events:
        model.add(row, col, weight)
    row = events[-1][0]
    number = model.row_ids_.numbers([row])[0]
    if model.joined_cols_ == 0:
        np.testing.assert_array_equal(model.fold_in(model.seen_[[number]])[0], model.row_factors_[number])
    if row in history:
        dense = np.zeros(len(model.col_ids_), dtype=np.float32)
        dense[:30] = history[row]
        for who, col, weight in events:
            dense[model.col_ids_.numbers([col])[0]] += np.float32(weight) * (who == row)
        np.testing.assert_array_equal(model.seen_[[number]].toarray()[0], dense)


@settings(max_examples=25, deadline=None)
@given(events=EVENTS, cut=st.integers(0, 12))
def test_saving_and_asking_in_between_changes_no_bit(file, events, cut, tmp_path_factory):
    path = tmp_path_factory.mktemp("cut") / "model.tacit"
    straight, broken = tacit.load(file), tacit.load(file)
    for event in events:
        straight.add(*event)
    for event in events[:cut]:
        broken.add(*event)
    broken.similar_rows(["r0"])
    broken.save(path)
    broken = tacit.load(path)
    for event in events[cut:]:
        broken.add(*event)
    ends = [tmp_path_factory.mktemp("end") / name for name in ("straight", "broken")]
    straight.save(ends[0])
    broken.save(ends[1])
    assert ends[0].read_bytes() == ends[1].read_bytes()


def saved(model, folder):
    model.save(folder / "model")
    return (folder / "model").read_bytes()


@pytest.mark.parametrize(
    "parameters",
    [{}, {"factors": 40}, {"factors": 4, "loss": "logistic"}, {"positive_weight": "value", "frequency_exponent": 0.3}],
    ids=["cholesky", "conjugate gradient", "logistic", "values"],
)
def test_together_and_one_by_one_give_the_same_bits(parameters, tmp_path):
    """However events are cut into groups; among them rows that come twice, and columns that join."""
    model = fitted(iterations=2, **parameters)
    model.save(tmp_path / "start")
    start = tmp_path / "start"

    @settings(max_examples=12, deadline=None)
    @given(events=st.lists(EVENTS, min_size=1, max_size=4))
    def check(events):
        alone, together = tacit.load(start), tacit.load(start)
        for group in events:
            for event in group:
                alone.add(*event)
            together.add_each(*zip(*group))
            together.recommend(["r0"], k=3)
        assert saved(alone, tmp_path) == saved(together, tmp_path)

    check()


def test_a_group_with_one_event_that_cannot_be_added_changes_nothing(tmp_path):
    model = fitted()
    model.add("r1", "young")
    before = saved(model, tmp_path)
    for rows, cols, weights in (
        (["r0", "new", 7], ["c0", "fresh", "c1"], 1.0),
        (["r0", "r1"], ["young", "young"], [1.0, -1.0]),
        (["r0", None], ["young", "c0"], 1.0),
    ):
        with pytest.raises(InputError):
            model.add_each(rows, cols, weights)
        assert saved(model, tmp_path) == before
    model.add_each(["r2", "r0"], ["young", "fresh"])
    straight = fitted()
    for row, col in (("r1", "young"), ("r2", "young"), ("r0", "fresh")):
        straight.add(row, col)
    assert saved(straight, tmp_path) == saved(model, tmp_path)


def test_a_view_is_not_reached_by_what_comes_later():
    model = fitted()
    model.add("r0", "c1")
    held = concurrency.view(model)
    before = held.row_factors_.copy(), held.seen_.toarray()
    model.add_each(["r0", "r1", "new"], ["c2", "fresh", "fresh"])
    np.testing.assert_array_equal(held.row_factors_, before[0])
    np.testing.assert_array_equal(held.seen_.toarray(), before[1])
    assert model.seen_.shape == (41, 31) and held.col_factors_.shape == (30, 6)


@pytest.mark.parametrize("kind", [tacit.LinearRecommender, tacit.BlendRecommender])
def test_other_recommenders_take_events_together_too(kind, tmp_path):
    data = Interactions.from_matrix(cells(), row_ids=[f"r{x}" for x in range(40)], col_ids=[f"c{y}" for y in range(30)])
    members = [("factors", tacit.FactorRecommender(4, iterations=2)), ("linear", tacit.LinearRecommender())]
    options = {"members": members, "weights": [0.5, 0.5]} if kind is tacit.BlendRecommender else {}
    kind(**options).fit(data).save(tmp_path / "start")
    alone, together = tacit.load(tmp_path / "start"), tacit.load(tmp_path / "start")
    events = [("r0", "c0", 0.1), ("new", "fresh", 0.3), ("r0", "c0", 0.7), ("r5", "fresh", 1.0), ("new", "c3", 2.0)]
    for event in events:
        alone.add(*event)
    together.add_each(*zip(*events))
    assert saved(alone, tmp_path) == saved(together, tmp_path)
    assert together.seen_[[0]].toarray()[0, 0] == np.float32(
        np.float32(cells()[0, 0] + np.float32(0.1)) + np.float32(0.7)
    )
    before = saved(together, tmp_path)
    with pytest.raises(InputError):
        together.add_each(["r1", 7], ["fresh", "c0"])
    assert saved(together, tmp_path) == before


def test_the_next_answer_knows_it():
    model = fitted()
    taken = model.recommend(["r3"], k=1).ids[0, 0]
    model.add("r3", taken)
    assert taken not in model.recommend(["r3"], k=30).ids[0].tolist()
    assert model.add("somebody", ["c1", "c2"], [1, 2]).recommend(["somebody"], k=3).filled.all()
    assert len(model.row_ids_) == 41 and model.row_factors_.shape == (41, 6)


def test_a_new_column_is_recommended_to_rows_like_those_that_took_it():
    likes = sp.csr_array(np.kron(np.eye(2), np.ones((8, 6))).astype(np.float32))
    model = FactorRecommender(factors=4, iterations=5).fit(likes)
    for row in range(7):
        model.add(row, 12)
    scores = model.score_pairs([7, 15], [12, 12])
    assert scores[0] > 0.3 and abs(scores[1]) < 0.1
    assert model.recommend([7], k=1).ids.tolist() == [[12]]


def test_a_known_row_is_merged_or_replaced_as_told():
    more = Interactions.from_table({"a": ["r0"], "b": ["c1"]}, row="a", col="b")
    merged, replaced = fitted(), fitted()
    before = set(merged.seen_[[0]].indices.tolist())
    merged.fold_in(more, add=True)
    assert set(merged.seen_[[0]].indices.tolist()) == before | {1}
    np.testing.assert_array_equal(merged.row_factors_[0], fitted().add("r0", "c1").row_factors_[0])
    replaced.fold_in(more, add=True, replace=True)
    assert replaced.seen_[[0]].indices.tolist() == [1]


def test_columns_known_by_features_alone_join_under_their_ids():
    rng = np.random.default_rng(1)
    features = rng.random((33, 4)).astype(np.float32)
    data = Interactions.from_matrix(cells(), col_ids=[f"c{y}" for y in range(30)], row_ids=[f"r{x}" for x in range(40)])
    model = FactorRecommender(factors=6, iterations=3).fit(data, col_features=features[:30])
    factors = model.fold_in(features=features[30:], side="cols", ids=["x", "y", "z"], add=True)
    np.testing.assert_array_equal(model.col_factors_[30:], factors)
    model.add("r0", "y")
    np.testing.assert_array_equal(model.col_factors_[31], factors[1])
    assert model.recommend(["r1"], k=33).ids[0].tolist().count("z") == 1


@pytest.mark.parametrize("solver", ["als", "newton", "adagrad"])
def test_rows_without_evidence_get_the_average_list(solver):
    likes = cells().toarray()
    likes[5:8] = 0
    graph = np.zeros((40, 40), dtype=np.float32)
    graph[[0, 1, 5, 6, 7, 3], [1, 0, 6, 5, 3, 7]] = 1
    model = FactorRecommender(factors=6, iterations=3, solver=solver).fit(sp.csr_array(likes), row_graph=graph)
    assert not model.row_factors_[5:7].any()
    assert model.row_factors_[7].any(), "its neighbour speaks for it"
    average = model.row_factors_.mean(axis=0, dtype=np.float64) @ model.col_factors_.T
    assert model.recommend([5], k=1).ids[0, 0] == np.argmax(average)


@pytest.mark.parametrize("context_model", ["additive", "pairwise", "product"])
@pytest.mark.parametrize("solver", ["als", "newton", "adagrad"])
def test_a_row_graph_beside_contexts_draws_rows_together(solver, context_model):
    """Friends end closer to each other than without the graph, and a row nobody knows lies where its friend lies."""
    rng = np.random.default_rng(3)
    plays = {"who": rng.integers(12, size=300), "what": rng.integers(9, size=300), "when": rng.integers(3, size=300)}
    plays["who"][plays["who"] == 5] = 4
    plays["who"][0], plays["what"][0] = 5, 8
    data = Interactions.from_table(plays, row="who", col="what", context="when")
    numbers = data.row_ids.numbers([0, 1, 4, 5])
    graph = np.zeros((12, 12))
    for one, other in ((numbers[0], numbers[1]), (numbers[2], numbers[3])):
        graph[one, other] = graph[other, one] = 1.0
    gaps = {}
    for weight in (0.0, 50.0):
        model = FactorRecommender(
            factors=3, solver=solver, context_model=context_model, graph_weight=weight, regularization=0.02,
            iterations=60, progress=False,
        ).fit(data, row_graph=graph)  # fmt: skip
        one, two, three, four = model.row_factors_[numbers]
        gaps[weight] = np.linalg.norm(one - two) + np.linalg.norm(three - four)
    assert gaps[50.0] < 0.5 * gaps[0.0]


def test_contexts_with_a_row_graph_and_row_features_are_refused_in_a_sentence():
    plays = {"who": [0, 1, 1], "what": [0, 1, 0], "when": ["a", "b", "a"]}
    data = Interactions.from_table(plays, row="who", col="what", context="when")
    with pytest.raises(UnsoundCombinationError, match="leave out row_graph or row_features"):
        FactorRecommender(factors=2).fit(data, row_graph=np.ones((2, 2)), row_features=np.ones((2, 1)))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda model: model.add("r0", []), "cols is empty"),
        (lambda model: model.add("r0", "c0", 0), "above 0"),
        (lambda model: model.add("r0", "c0", [1, 2]), "one for each of the 1 columns"),
        (lambda model: model.add("r0", "c0", float("nan")), "finite"),
        (lambda model: model.add(7, "c0"), "ids are like 'r0'"),
        (lambda model: model.add(None, "c0"), "cannot be an id"),
        (lambda model: model.add(["r0"], "c0"), "not hashable"),
        (lambda model: model.fold_in(cells()[:2], ids=["p", "q"]), "add=True"),
        (lambda model: model.fold_in(cells()[:2], ids=["p"], add=True), "1 ids for 2"),
    ],
)
def test_what_cannot_be_added_is_said_in_a_sentence(call, sentence):
    model = fitted()
    with pytest.raises(InputError, match=sentence):
        call(model)
    assert len(model.row_ids_) == 40 and len(model.col_ids_) == 30
