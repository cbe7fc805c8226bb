"""A row that shares no column with another gets what is popular: its own positives say nothing of others."""

import numpy as np
import pytest
import scipy.sparse as sp

import tacit
from tacit import BlendRecommender, FactorRecommender, Interactions, LinearRecommender, model_file
from tacit.data.matrix import as_csr
from tacit.estimators.recommend.recent_rows import alone


def shop():
    """Groups of taste with a popular item each, a newcomer with an item of its own, and a row without anything."""
    rng = np.random.default_rng(0)
    rows, cols = [], []
    for row in range(90):
        for item in np.unique((rng.random(6) ** 3 * 12).astype(int) + 12 * (row % 3)):
            rows.append(f"u{row}")
            cols.append(f"i{item}")
    return Interactions.from_table({"who": [*rows, "new"], "what": [*cols, "own"]}, row="who", col="what")


MODELS = {
    "factors": lambda: FactorRecommender(8, progress=False),
    "linear": lambda: LinearRecommender(),
    "dense": lambda: LinearRecommender("dense"),
    "sparse": lambda: LinearRecommender("sparse"),
    "blend": lambda: BlendRecommender(progress=False),
}


@pytest.mark.parametrize("name", MODELS)
def test_it_gets_the_list_of_a_row_that_nobody_knows(name):
    model = MODELS[name]().fit(shop())
    nobody = model.recommend("who is this", k=12, unknown="average")
    listed = [one for one in nobody.ids[0].tolist() if one != "own"][:10]
    # One row, several at once, and through a filter: three ways through the code.
    for found in (
        model.recommend(["new"], k=10),
        model.recommend(["u1"] * 30 + ["new"], k=10),
        model.recommend(["new"], k=10, exclude=["nothing"]),
    ):
        assert found.ids[-1].tolist()[:10] == listed
    assert model.recommend(["u1"], k=3).ids[0].tolist() == model.recommend(["u1"] * 30, k=3).ids[7].tolist()


@pytest.mark.parametrize("name", MODELS)
def test_why_says_so_and_sums_to_the_score(name):
    model = MODELS[name]().fit(shop())
    ranked = model.recommend(["new"], k=3)
    for ident, score in zip(ranked.ids[0].tolist(), ranked.scores[0].tolist()):
        told = model.why("new", ident)
        assert told.total == pytest.approx(score, abs=1e-5)
        assert "popularity" in str(told)


@pytest.mark.parametrize("name", MODELS)
def test_scores_of_pairs_are_those_of_the_lists(name):
    """For a row alone, one without positives, one that came later and any other."""
    data = shop()
    ids = [*data.row_ids.all().tolist(), "empty"]
    cells = sp.vstack([data.matrix, sp.csr_array((1, data.shape[1]))])
    model = MODELS[name]().fit(Interactions.from_matrix(cells, row_ids=ids, col_ids=data.col_ids.all()))
    model.add("later", "i13")
    for row in ("new", "empty", "later", "u1"):
        ranked = model.recommend([row], k=12, exclude_seen=False)
        assert ranked.scores[0, 0] > ranked.scores[0, -1]
        scores = model.score_pairs(row, ranked.ids[0])
        np.testing.assert_allclose(scores, ranked.scores[0], atol=1e-5)
        for place in (0, 11):
            assert model.why(row, ranked.ids[0, place]).total == pytest.approx(scores[place], abs=1e-4)


def test_a_row_of_which_features_and_graphs_say_nothing_has_the_scores_of_its_list():
    data, graph = shop(), sp.lil_array((92, 92))
    graph[0, 1] = graph[1, 0] = 1
    cells = sp.vstack([data.matrix, sp.csr_array((1, data.shape[1]))])
    model = FactorRecommender(8, progress=False).fit(cells, row_graph=graph.tocsr())
    ranked = model.recommend([91], k=5)
    assert ranked.scores[0, 0] > ranked.scores[0, -1]
    np.testing.assert_allclose(model.score_pairs(91, ranked.ids[0]), ranked.scores[0], atol=1e-5)
    assert model.why(91, ranked.ids[0, 0]).total == pytest.approx(ranked.scores[0, 0], abs=1e-5)


def test_what_it_does_next_is_heard():
    model = FactorRecommender(8, progress=False).fit(shop())
    before = model.recommend(["new"], k=5).ids.tolist()
    model.add("new", ["i13", "i14"])
    after = model.recommend(["new"], k=5).ids
    assert after.tolist() != before and sum(one in {f"i{n}" for n in range(12, 24)} for one in after[0]) >= 4
    assert after.tolist() == model.recommend(["new"], k=5, exclude=["nothing"]).ids.tolist()


def test_events_saving_and_loading_change_neither_its_list_nor_that_of_newcomers(tmp_path):
    model = FactorRecommender(8, progress=False).fit(shop())

    def lists(model):
        return model.recommend(["new", "who is this"], k=10, exclude_seen=False, unknown="average").ids.tolist()

    before = lists(model)
    # The item of "new" is shared from now on, and others become popular.
    for row in range(40):
        model.add(f"u{row}", ["own", "i30"])
    assert lists(model) == before
    model.save(tmp_path / "model")
    assert lists(model) == lists(tacit.load(tmp_path / "model")) == before
    model.add("u50", "i30")
    assert lists(model) == before
    model.add("new", "i30")
    model.save(tmp_path / "model")
    after = lists(model)
    assert after[0] != before[0] and lists(tacit.load(tmp_path / "model")) == after


def test_a_file_without_these_parts_says_them_by_its_histories(tmp_path):
    model = FactorRecommender(8, progress=False).fit(shop())
    model.save(tmp_path / "model")
    kind, state, arrays = model_file.read(tmp_path / "model")
    assert arrays.pop("popular_row").any() and len(arrays.pop("rows_alone")) == 1
    model_file.write(tmp_path / "old", kind, state, arrays)
    rows = ["new", "u1", "who is this"]
    expected, found = (one.recommend(rows, k=10, unknown="average") for one in (model, tacit.load(tmp_path / "old")))
    assert found.ids.tolist() == expected.ids.tolist()


def test_features_say_something_of_a_row():
    data = shop()
    features = sp.csr_array(np.ones((data.shape[0], 1)))
    model = FactorRecommender(4, progress=False).fit(data, row_features=features)
    assert not model._ids_alone


def test_numbers_of_rows_alone():
    cells = np.random.default_rng(1).random((60, 40)) < 0.03
    truth = {row for row in range(60) if cells[row].any() and not (np.delete(cells, row, axis=0)[:, cells[row]]).any()}
    assert alone(as_csr(sp.csr_array(cells.astype(np.float32)), "positives")) == truth and truth


@pytest.mark.parametrize("side", ["rows", "cols"])
def test_rows_that_join_a_model_without_histories_are_heard_and_those_alone_stay_so(side, tmp_path):
    """Nobody's history is known beside theirs: that does not make them alone."""
    model = FactorRecommender(8, progress=False).fit(shop())
    model.save(tmp_path / "lean", histories=False)
    lean = tacit.load(tmp_path / "lean")
    before = lean.recommend(["new", "u1"], k=5).ids.tolist()
    if side == "rows":
        later = Interactions.from_table({"who": ["later"] * 2, "what": ["i13", "i14"]}, row="who", col="what")
    else:
        later = Interactions.from_table({"who": ["u4"], "what": ["i99"]}, row="who", col="what")
    for one in (model, lean):
        one.fold_in(later, side=side, add=True)
    assert lean.recommend(["new", "u1"], k=5).ids.tolist() == before
    if side == "rows":
        assert lean.recommend(["later"], k=5).ids.tolist() == model.recommend(["later"], k=5).ids.tolist()
    else:
        everyone = {"k": 5, "exclude_seen": False}
        np.testing.assert_array_equal(lean.recommend(["u4"], **everyone).ids, model.recommend(["u4"], **everyone).ids)
