"""Models that are saved without ids of rows, without histories, or in half precision."""

import numpy as np
import pytest

import tacit
from tacit import model_file
from tacit.errors import InputError, ModelFileError

TABLE = {
    "who": ["ann", "ann", "bob", "bob", "cyd", "cyd", "dan"],
    "what": ["tea", "jam", "tea", "bread", "saw", "nail", "saw"],
}
DATA = tacit.Interactions.from_table(TABLE, row="who", col="what")
MODELS = {
    "factors": lambda: tacit.FactorRecommender(2, iterations=2, progress=False),
    "linear": lambda: tacit.LinearRecommender("dense", regularization=1.0, dense_exponents=(0.0, 0.0)),
    "blend": lambda: tacit.BlendRecommender(progress=False),
}


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param]().fit(DATA)


def test_without_ids_rows_are_numbers_and_no_name_is_in_the_file(model, tmp_path):
    model.save(tmp_path / "model.tacit", ids=False)
    back = tacit.load(tmp_path / "model.tacit")
    content = (tmp_path / "model.tacit").read_bytes()
    assert all(name.encode() not in content for name in ("ann", "bob", "cyd", "dan"))
    assert list(back.row_ids_) == [0, 1, 2, 3]
    known, numbered = model.recommend(["ann", "dan"], k=3), back.recommend([0, 3], k=3)
    assert known.ids.tolist() == numbered.ids.tolist()
    np.testing.assert_array_equal(known.scores, numbered.scores)
    assert list(model.row_ids_) == ["ann", "bob", "cyd", "dan"]


def test_without_histories_the_file_does_not_say_who_has_what(model, tmp_path):
    model.save(tmp_path / "model.tacit", histories=False)
    back = tacit.load(tmp_path / "model.tacit")
    assert back.seen_.nnz == 0
    assert all(member.seen_.nnz == 0 for member in getattr(back, "members_", []))
    assert model.seen_.nnz == len(TABLE["who"])
    eve = tacit.Interactions.from_table({"who": ["eve"], "what": ["tea"]}, row="who", col="what")
    np.testing.assert_array_equal(back.recommend(eve, k=2).ids, model.recommend(eve, k=2).ids)


def test_factors_still_rank_for_known_rows_without_histories(tmp_path):
    model = MODELS["factors"]().fit(DATA)
    model.save(tmp_path / "model.tacit", histories=False)
    asked = {"k": 3, "exclude_seen": False}
    found = tacit.load(tmp_path / "model.tacit").recommend(["ann"], **asked)
    assert found.ids.tolist() == model.recommend(["ann"], **asked).ids.tolist()


def lean(model, path):
    """The model as a file without histories gives it back."""
    model.save(path, histories=False)
    return tacit.load(path)


def through_file(model, path):
    model.save(path)
    return tacit.load(path)


@pytest.mark.parametrize("kind", ["linear", "blend"])
@pytest.mark.parametrize("in_file", [False, True])
def test_rows_without_histories_are_refused_after_events_of_others_too(kind, in_file, tmp_path):
    back = lean(MODELS[kind]().fit(DATA), tmp_path / "lean").add("bob", "tea").add("eve", "saw")
    if in_file:
        back = through_file(through_file(back, tmp_path / "grown"), tmp_path / "again")
    for ask in (back.recommend, lambda row: back.score_pairs(row, "jam"), lambda row: back.why(row, "jam")):
        with pytest.raises(InputError, match="saved without histories"):
            ask("ann")
        ask("bob")
        ask("eve")
    assert back.recommend(["nobody"], k=2, unknown="average").filled.all()
    # What comes later is not in this file either.
    with pytest.raises(InputError, match="saved without histories"):
        lean(back, tmp_path / "leaner").recommend("eve")


def test_rows_without_histories_stay_so_when_others_are_folded_in(tmp_path):
    eve = tacit.Interactions.from_table({"who": ["eve"], "what": ["tea"]}, row="who", col="what")
    linear = lean(MODELS["linear"]().fit(DATA), tmp_path / "linear")
    linear.fold_in(eve, add=True)
    with pytest.raises(InputError, match="saved without histories"):
        linear.recommend("ann")
    factors = lean(MODELS["factors"]().fit(DATA), tmp_path / "factors")
    factors.fold_in(eve, add=True)
    with pytest.raises(InputError, match="saved without histories"):
        factors.why("ann", "tea")
    assert factors.why("eve", "jam").ids.tolist() == ["tea"]


@pytest.mark.parametrize("in_file", [False, True])
def test_why_of_factors_without_histories_is_refused_after_events_of_others_too(in_file, tmp_path):
    back = lean(MODELS["factors"]().fit(DATA), tmp_path / "lean").add("bob", "tea")
    if in_file:
        back = through_file(through_file(back, tmp_path / "grown"), tmp_path / "again")
    with pytest.raises(InputError, match="saved without histories"):
        back.why("ann", "jam")
    assert back.why("bob", "jam").ids.tolist() == ["tea"]


def test_training_on_without_histories_is_refused_and_a_new_fit_starts_afresh(tmp_path):
    back = lean(MODELS["factors"]().fit(DATA), tmp_path / "lean").add("bob", "tea")
    with pytest.raises(InputError, match="partial_fit trains on what all rows have"):
        back.partial_fit(DATA)
    assert back.fit(DATA).forgotten_rows_ == 0
    back.partial_fit(DATA)


def test_a_file_that_says_nothing_of_forgotten_rows_is_read(model, tmp_path):
    model.save(tmp_path / "model.tacit")
    kind, state, arrays = model_file.read(tmp_path / "model.tacit")
    for facts in (state["facts"], *state["facts"].get("members", [])):
        assert facts.pop("forgotten_rows") == 0
    model_file.write(tmp_path / "old.tacit", kind, state, arrays, "")
    assert (
        tacit.load(tmp_path / "old.tacit").recommend("ann", k=2).ids.tolist()
        == model.recommend("ann", k=2).ids.tolist()
    )
    state["facts"]["forgotten_rows"] = 5
    model_file.write(tmp_path / "forged.tacit", kind, state, arrays, "")
    with pytest.raises(ModelFileError, match="more rows are forgotten than there are"):
        tacit.load(tmp_path / "forged.tacit")


def test_a_stream_without_ids_predicts_by_number(tmp_path):
    stream = tacit.RatingStream(2).fit(["ann", "bob", "ann"], ["tea", "tea", "jam"], [5.0, 4.0, 1.0])
    stream.save(tmp_path / "stream.tacit", ids=False)
    assert b"ann" not in (tmp_path / "stream.tacit").read_bytes()
    back = tacit.load(tmp_path / "stream.tacit")
    assert back.predict([0, 1], ["jam", "jam"]).tolist() == stream.predict(["ann", "bob"], ["jam", "jam"]).tolist()


def test_a_model_that_holds_neither_says_so(tmp_path):
    words = tacit.WordVectors(2, min_count=1, iterations=1, progress=False).fit(["tea and jam", "jam and bread"] * 5)
    with pytest.raises(InputError, match="ids=False: a WordVectors holds no ids of rows"):
        words.save(tmp_path / "words.tacit", ids=False)
    stream = tacit.RatingStream(2).fit(["ann"], ["tea"], [5.0])
    with pytest.raises(InputError, match="histories=False: a RatingStream holds no histories of rows"):
        stream.save(tmp_path / "stream.tacit", histories=False)
    assert not list(tmp_path.iterdir())


def test_half_precision_halves_the_factors_and_keeps_the_lists(tmp_path):
    rng = np.random.default_rng(0)
    cells = np.stack([rng.integers(0, 200, 3000), (rng.pareto(1.0, 3000) * 5).astype(int) % 80])
    data = tacit.Interactions.from_table({"who": cells[0], "what": cells[1]}, row="who", col="what")
    model = tacit.FactorRecommender(32, iterations=3, progress=False).fit(data)
    model.save(tmp_path / "single")
    model.save(tmp_path / "half", half_precision=True)
    back = tacit.load(tmp_path / "half")
    spared = (tmp_path / "single").stat().st_size - (tmp_path / "half").stat().st_size
    numbers = model.row_factors_.size + model.col_factors_.size
    # The header is padded to eight bytes.
    assert abs(spared - 2 * numbers) < 16
    assert back.row_factors_.dtype == back.col_factors_.dtype == np.float32
    np.testing.assert_array_equal(back.row_factors_, model.row_factors_.astype(np.float16).astype(np.float32))
    np.testing.assert_array_equal(back.col_factors_, model.col_factors_.astype(np.float16).astype(np.float32))
    back.save(tmp_path / "again", half_precision=True)
    assert (tmp_path / "again").read_bytes() == (tmp_path / "half").read_bytes()


def test_a_blend_in_half_precision_halves_the_factors_of_its_members(tmp_path):
    members = [("factors", MODELS["factors"]()), ("linear", MODELS["linear"]())]
    model = tacit.BlendRecommender(members, weights=[1, 1], progress=False).fit(DATA)
    model.save(tmp_path / "half", half_precision=True)
    factors, linear = tacit.load(tmp_path / "half").members_
    for name in ("row_factors_", "col_factors_"):
        single = getattr(model.members_[0], name)
        np.testing.assert_array_equal(getattr(factors, name), single.astype(np.float16).astype(np.float32))
    eve = tacit.Interactions.from_table({"who": ["eve"], "what": ["tea"]}, row="who", col="what")
    np.testing.assert_array_equal(linear.recommend(eve, k=2).scores, model.members_[1].recommend(eve, k=2).scores)


def test_half_precision_is_refused_where_it_cannot_be(tmp_path):
    linear = MODELS["linear"]().fit(DATA)
    with pytest.raises(InputError, match="holds no factors that could be stored in half precision"):
        linear.save(tmp_path / "model", half_precision=True)
    model = MODELS["factors"]().fit(DATA)
    model.col_factors_ = model.col_factors_ * np.float32(1e8)
    with pytest.raises(InputError, match="half_precision=True: col_factors holds values beyond 65504; leave it away"):
        model.save(tmp_path / "model", half_precision=True)
