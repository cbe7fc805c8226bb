"""Interactions: what goes in comes out, under every policy, and splits lose nothing."""

import datetime

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from tacit import Interactions
from tacit.errors import InputError
from tests.strategies import any_format, event_tables

PLAYS = {
    "user": ["eve", "bob", "eve", "eve"],
    "song": [7, 7, 9, 7],
    "count": [3.0, 1.0, 2.0, 5.0],
    "when": [30, 10, 20, 5],
}


def make(table, **options):
    return Interactions.from_table(table, row="row", col="col", weight="weight", **options)


def cells(interactions):
    """{(row id, column id): weight} as the caller would write it."""
    coo = interactions.matrix.tocoo()
    rows, cols = interactions.row_ids.take(coo.coords[0]), interactions.col_ids.take(coo.coords[1])
    return {(r, c): w for r, c, w in zip(rows.tolist(), cols.tolist(), coo.data.tolist())}


def expected(table, duplicates):
    """The obvious loop."""
    found = {}
    for row, col, weight, _ in sorted(zip(*table.values()), key=lambda line: line[3]):
        old = found.get((row, col))
        if old is None or duplicates == "last":
            found[row, col] = weight
        elif duplicates == "sum":
            found[row, col] = old + weight
        elif duplicates == "max":
            found[row, col] = max(old, weight)
    return found


@given(event_tables(), st.sampled_from(["sum", "last", "first", "max"]))
def test_every_policy_agrees_with_the_obvious_loop_for_every_kind_of_id(table, duplicates):
    made = make(table, time="time", duplicates=duplicates)
    assert cells(made) == expected(table, duplicates)
    matrix = made.matrix
    assert matrix.has_canonical_format and matrix.indptr.dtype == np.int64 and matrix.indices.dtype == np.int32
    assert matrix.dtype == np.float32 and len(made.times) == made.nnz


@given(event_tables(), st.randoms(use_true_random=False))
def test_order_of_lines_does_not_matter_for_sums(table, random):
    order = list(range(len(table["row"])))
    random.shuffle(order)
    shuffled = {name: [column[k] for k in order] for name, column in table.items()}
    one, other = make(table), make(shuffled)
    assert one.row_ids == other.row_ids and one.col_ids == other.col_ids
    np.testing.assert_array_equal(one.matrix.toarray(), other.matrix.toarray())


def test_a_sorted_table_gives_arrays_that_can_be_written():
    made = Interactions.from_table(
        pl.DataFrame({"u": [1, 2], "i": [1, 1], "w": [1.0, 2.0]}), row="u", col="i", weight="w"
    )
    assert made.matrix.data.flags.writeable and made.matrix.indices.flags.writeable


def test_times_are_the_latest_of_a_cell_and_the_first_under_first():
    options = {"row": "user", "col": "song", "weight": "count", "time": "when"}
    assert Interactions.from_table(PLAYS, **options).times.tolist() == [10, 30, 20]
    assert Interactions.from_table(PLAYS, duplicates="first", **options).times.tolist() == [10, 5, 20]


def test_ids_keep_their_python_type():
    day = datetime.date(2024, 2, 29)
    made = Interactions.from_table({"a": [day], "b": [3]}, row="a", col="b")
    assert made.row_ids.all()[0] == day and type(made.row_ids.all()[0]) is datetime.date
    assert made.col_ids.all().dtype == np.int64


def test_min_weight_then_binary_turn_ratings_into_positives():
    made = Interactions.from_table(
        {"u": [1, 1, 2, 3], "i": [1, 2, 1, 2], "r": [5, 3, 4, 1]},
        row="u",
        col="i",
        weight="r",
        min_weight=4,
        binary=True,
    )
    assert cells(made) == {(1, 1): 1.0, (2, 1): 1.0}
    assert made.shape == (2, 1)


def test_min_weight_judges_the_merged_cell():
    table = {"u": [1, 1], "i": [1, 1], "r": [5.0, 2.0]}
    options = {"row": "u", "col": "i", "weight": "r", "min_weight": 4}
    with pytest.raises(InputError, match="nothing is left"):
        Interactions.from_table(table, duplicates="last", **options)
    assert Interactions.from_table(table, **options).matrix.data.tolist() == [7.0]


@given(event_tables(max_size=40), st.integers(1, 3), st.integers(1, 3))
def test_counts_are_a_fixpoint_and_the_largest_one(table, rows, cols):
    pairs = set(zip(table["row"], table["col"]))
    while True:  # the obvious loop
        kept = {
            (r, c) for r, c in pairs if sum(p[0] == r for p in pairs) >= rows and sum(p[1] == c for p in pairs) >= cols
        }
        if kept == pairs:
            break
        pairs = kept
    if not pairs:
        with pytest.raises(InputError, match="nothing is left"):
            make(table, min_row_count=rows, min_col_count=cols)
        return
    made = make(table, min_row_count=rows, min_col_count=cols)
    assert set(cells(made)) == pairs
    assert np.diff(made.matrix.indptr).min() >= rows and np.bincount(made.matrix.indices).min() >= cols


def test_weight_zero_is_no_positive():
    made = Interactions.from_table({"u": [1, 2], "i": [1, 1], "n": [0, 2]}, row="u", col="i", weight="n")
    assert cells(made) == {(2, 1): 2.0}


# -- contexts --------------------------------------------------------------------------------------------------

SONGS = {
    "user": [1, 1, 1, 2],
    "song": ["a", "a", "a", "b"],
    "before": ["x", "y", "x", "x"],
    "n": [1, 2, 4, 8],
}


def test_a_pair_in_two_contexts_is_two_events_and_one_cell():
    made = Interactions.from_table(SONGS, row="user", col="song", weight="n", context="before")
    assert cells(made) == {(1, "a"): 7.0, (2, "b"): 8.0}
    assert made.to_polars().rows() == [(1, "a", 5.0, "x"), (1, "a", 2.0, "y"), (2, "b", 8.0, "x")]
    ids, numbers = made.context["before"]
    assert ids.take(numbers).tolist() == ["x", "y", "x"]


def test_only_the_same_context_is_a_duplicate():
    with pytest.raises(InputError, match=r"the pair \(1, 'a'\) occurs more than once"):
        Interactions.from_table(SONGS, row="user", col="song", context="before", duplicates="error")
    table = {name: column[1:] for name, column in SONGS.items()}
    assert Interactions.from_table(table, row="user", col="song", context="before", duplicates="error").nnz == 2


def test_events_with_contexts_split_and_filter_together():
    made = Interactions.from_table(SONGS, row="user", col="song", context=["before", "n"])
    train, test = made.split(test=1, seed=3)
    assert len(train.events) == 3 and len(test.events) == 1
    assert sorted(train.to_polars().rows() + test.to_polars().rows()) == sorted(made.to_polars().rows())
    assert set(made.filtered(min_col_count=2).context_ids["n"].all().tolist()) == {1, 2, 4}


# -- matrices --------------------------------------------------------------------------------------------------


@given(any_format())
def test_from_matrix_takes_any_format_and_changes_nothing(matrix):
    before = matrix.toarray().copy()
    made = Interactions.from_matrix(matrix)
    np.testing.assert_array_equal(made.matrix.toarray(), before)
    np.testing.assert_array_equal(matrix.toarray(), before)
    assert made.row_ids.is_range and made.shape == before.shape


def test_from_matrix_wants_one_id_for_each():
    with pytest.raises(InputError, match="row_ids has 2 ids, but the matrix has 3"):
        Interactions.from_matrix(sp.eye_array(3), row_ids=["a", "b"])


def test_sides_are_checked_and_follow_filters():
    made = Interactions.from_matrix(np.array([[1, 1], [1, 0], [0, 0]]), row_ids=["a", "b", "c"])
    graph = sp.csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    made = made.with_sides(row_features=np.arange(6).reshape(3, 2), row_graph=graph)
    small = made.filtered(min_row_count=2)
    assert small.row_features.toarray().tolist() == [[0, 1]] and small.row_graph.shape == (1, 1)
    assert made.split(test=1)[1].row_graph.shape == (3, 3)
    with pytest.raises(InputError, match="col_features must have 2 rows"):
        made.with_sides(col_features=np.ones((3, 1)))


def test_aligned_moves_cells_to_other_ids():
    made = Interactions.from_table(PLAYS, row="user", col="song", weight="count")
    other = Interactions.from_table({"u": ["zoe", "eve"], "i": [9, 7]}, row="u", col="i")
    moved = made.aligned(other.row_ids, other.col_ids)
    assert moved.shape == other.shape and cells(moved) == {("eve", 7): 8.0, ("eve", 9): 2.0}


def test_repr_says_what_is_inside():
    made = Interactions.from_table(PLAYS, row="user", col="song", time="when")
    assert repr(made) == "Interactions(2 rows × 2 columns, 3 positives, with times)"


def test_lazy_frames_and_frames_agree():
    frame = pl.DataFrame(PLAYS)
    one = Interactions.from_table(frame, row="user", col="song")
    two = Interactions.from_table(frame.lazy().filter(pl.col("song") > 0), row="user", col="song")
    assert cells(one) == cells(two)
