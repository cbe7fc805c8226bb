"""A few known rows without wishes take a short path, to the bits of the long one; what it cannot answer goes there."""

import threading

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit import FactorRecommender, Interactions
from tacit.errors import InputError
from tacit.estimators.recommend import few_rows

N, M = 40, 30
IDS = {
    "range": (None, None),
    "whole": ([7 * x + 3 for x in range(N)], [5 * y - 2 for y in range(M)]),
    "text": ([f"r{x}" for x in range(N)], [f"c{y}" for y in range(M)]),
}


def fitted(kind):
    """A model of which row 4 has no positives."""
    cells = (np.random.default_rng(0).random((N, M)) < 0.2).astype(np.float32)
    cells[4] = 0
    rows, cols = IDS[kind]
    return FactorRecommender(factors=6, iterations=3).fit(
        Interactions.from_matrix(sp.csr_array(cells), row_ids=rows, col_ids=cols)
    )


def grown(kind):
    """The same after events: of known rows and a new one, of known columns and a new one."""
    model = fitted(kind)
    new_row, new_col = ("new", "fresh") if kind == "text" else (N, M) if kind == "range" else (-1, -7)
    rows, cols = model.row_ids_.all().tolist(), model.col_ids_.all().tolist()
    model.add_each([rows[0], rows[1], new_row], [cols[3], cols[9], cols[3]])
    return model.add(rows[1], new_col)


@pytest.fixture(scope="module")
def models():
    return {(kind, late): (grown if late else fitted)(kind) for kind in IDS for late in (False, True)}


@pytest.fixture
def short(monkeypatch):
    """What the short path has said: True where it answered."""
    said = []
    answer = few_rows.top_k_of_rows

    def noted(*arguments, **options):
        found = answer(*arguments, **options)
        said.append(found is not None)
        return found

    monkeypatch.setattr(few_rows, "top_k_of_rows", noted)
    return said


def same(one, other):
    for name in ("queries", "ids", "scores", "filled"):
        mine, its = getattr(one, name), getattr(other, name)
        assert mine.dtype == its.dtype and mine.shape == its.shape
        assert mine.tolist() == its.tolist() if mine.dtype == object else mine.tobytes() == its.tobytes()


@given(
    kind=st.sampled_from(list(IDS)), late=st.booleans(), k=st.integers(1, M), exclude_seen=st.booleans(),
    numbers=st.lists(st.sampled_from([n for n in range(N) if n != 4]), min_size=1, max_size=16),
)  # fmt: skip
def test_the_bits_are_those_of_the_long_path(models, kind, late, k, exclude_seen, numbers):
    model = models[kind, late]
    rows = model.row_ids_.take(np.array(numbers)).tolist()
    if late:
        rows[-1] = model.row_ids_[N]  # the row that has joined
    long = model.recommend(rows, k=k, exclude_seen=exclude_seen, search="exact")
    same(model.recommend(rows, k=k, exclude_seen=exclude_seen), long)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("kind", IDS)
def test_known_rows_are_answered_by_the_short_path(models, short, kind, late):
    model = models[kind, late]
    rows = model.row_ids_.all().tolist()[:3]
    model.recommend(rows, k=5)
    model.recommend(rows[:1], k=M, exclude_seen=False)
    assert short == [True, True]
    model.recommend(rows, k=5, exclude=[model.col_ids_[0]])
    model.recommend(rows[0], k=5)
    assert short == [True, True]


def test_a_row_without_positives_and_more_places_than_columns_go_the_long_way(models, short):
    model = models["range", False]
    average = model.recommend([3, 4], k=5)
    assert short == [False]
    same(average, model.recommend([3, 4], k=5, search="exact"))
    same(model.recommend([3], k=M + 2), model.recommend([3], k=M + 2, search="exact"))
    assert short == [False, False]


@pytest.mark.jit
def test_items_beyond_the_first_tiles_are_left_to_threads(short, monkeypatch):
    rng = np.random.default_rng(0)
    model = FactorRecommender(factors=4, iterations=1).fit(sp.csr_array(np.ones((3, 5_000), dtype=np.float32)))
    model.col_factors_ = rng.standard_normal((5_000, 4)).astype(np.float32)
    model.col_factors_ /= np.linalg.norm(model.col_factors_, axis=1, keepdims=True)
    monkeypatch.setattr("tacit.neighbours.few_queries.TILES_AT_FIRST", 1)
    found = model.recommend([0, 2], k=7, exclude_seen=False)
    assert short == [False]
    same(found, model.recommend([0, 2], k=7, exclude_seen=False, search="exact"))


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("rows", [[10**30], [-1], [N + 50], ["nobody"], [None], [1.5], [[1]], [0, "nobody"]], ids=repr)
def test_rows_that_are_not_known_get_the_same_sentence(models, kind, rows):
    model = models[kind, False]
    with pytest.raises(InputError) as long:
        model.recommend(rows, search="exact")
    with pytest.raises(InputError) as told:
        model.recommend(rows)
    assert str(told.value) == str(long.value)


@pytest.mark.parametrize("options", [{"k": 0}, {"k": True}, {"k": 2.5}, {"exclude_seen": 1}], ids=repr)
def test_bad_options_get_the_same_sentence(models, options):
    with pytest.raises(InputError) as long:
        models["range", False].recommend([1], **options, search="exact")
    with pytest.raises(InputError) as told:
        models["range", False].recommend([1], **options)
    assert str(told.value) == str(long.value)


@pytest.mark.parametrize("option", ["unknown", "search"])
@pytest.mark.parametrize("value", [np.array(["error", "auto"]), pd.DataFrame({"a": [1, 2]}), pd.NA], ids=repr)
def test_what_cannot_be_compared_is_refused(models, option, value):
    with pytest.raises(InputError, match=option):
        models["range", False].recommend([1], **{option: value})


def test_a_loaded_model_takes_the_short_path(models, short, tmp_path):
    models["whole", True].save(tmp_path / "model.tacit")
    loaded = tacit.load(tmp_path / "model.tacit")
    same(loaded.recommend([3, 10, -1], k=6), models["whole", True].recommend([3, 10, -1], k=6))
    assert short == [True, True]


@pytest.mark.jit
def test_readers_see_the_model_before_or_after_a_call_that_learns_and_nothing_between():
    """Two models that disagree in everything take turns; every list belongs to one of them, ids, scores and all."""
    kinds = ("whole", "text")
    data = [Interactions(one.seen_, one.row_ids_, one.col_ids_) for one in map(fitted, kinds)]
    model = FactorRecommender(factors=6, iterations=1, progress=False)
    lists = []
    for part in data:
        model.fit(part)
        lists.append(model.recommend(part.row_ids.all().tolist()[:3], k=5))
    done, wrong = threading.Event(), []

    def read():
        while not done.is_set():
            for part, expected in zip(data, lists):
                try:
                    same(model.recommend(part.row_ids.all().tolist()[:3], k=5), expected)
                except InputError:
                    continue  # the other model's turn
                except Exception as error:
                    wrong.append(error)
                    return

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(60):
        for part in data:
            model.fit(part)
    done.set()
    for reader in readers:
        reader.join()
    assert not wrong
