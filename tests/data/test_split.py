"""Splits: nothing lost, nothing twice, same seed same parts."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Interactions
from tacit.errors import InputError
from tests.strategies import event_tables

LOG = {"u": [1, 1, 1, 2, 2, 3], "i": [1, 2, 3, 1, 2, 1], "t": [1, 2, 3, 9, 8, 5]}


def log():
    return Interactions.from_table(LOG, row="u", col="i", time="t")


def pairs(part):
    coo = part.matrix.tocoo()
    return set(zip(part.row_ids.take(coo.coords[0]).tolist(), part.col_ids.take(coo.coords[1]).tolist()))


@given(event_tables(min_size=2), st.sampled_from(["random", "last", "time", "user"]), st.integers(0, 5))
def test_parts_are_disjoint_and_make_up_the_whole(table, by, seed):
    whole = Interactions.from_table(table, row="row", col="col", weight="weight", time="time")
    try:
        train, test = whole.split(0.3, seed, by)
    except InputError as error:
        assert any(reason in str(error) for reason in ("at least two", "only one moment", "no row with two"))
        return
    assert train.nnz and test.nnz
    assert train.shape == test.shape == whole.shape
    assert train.row_ids is whole.row_ids and test.col_ids is whole.col_ids
    assert not np.any((train.matrix.toarray() != 0) & (test.matrix.toarray() != 0))
    np.testing.assert_array_equal((train.matrix + test.matrix).toarray(), whole.matrix.toarray())
    again = whole.split(0.3, seed, by)[1]
    np.testing.assert_array_equal(test.matrix.toarray(), again.matrix.toarray())


def test_random_holds_out_the_share_and_depends_on_the_seed():
    whole = Interactions.from_matrix(np.ones((20, 50)))
    train, test = whole.split(test=0.2, seed=0)
    assert (train.nnz, test.nnz) == (800, 200)
    assert (whole.split(seed=1)[1].matrix != test.matrix).nnz > 0


def test_last_holds_out_the_latest_of_each_row_and_never_empties_one():
    train, test = log().split(by="last")
    assert pairs(test) == {(1, 3), (2, 1)}
    assert pairs(train) == {(1, 1), (1, 2), (2, 2), (3, 1)}
    assert pairs(log().split(test=2, by="last")[1]) == {(1, 2), (1, 3), (2, 1)}


def test_time_cuts_at_one_moment():
    assert pairs(log().split(test=0.34, by="time")[1]) == {(2, 1), (2, 2)}
    tied = Interactions.from_table({**LOG, "t": [1, 1, 1, 1, 2, 2]}, row="u", col="i", time="t")
    assert pairs(tied.split(test=1, by="time")[1]) == {(2, 2), (3, 1)}


def test_user_holds_out_whole_rows():
    train, test = log().split(test=1, by="user", seed=2)
    counts = np.diff(train.matrix.indptr), np.diff(test.matrix.indptr)
    assert np.all((counts[0] == 0) != (counts[1] == 0)) and (counts[1] > 0).sum() == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"by": "week"}, "by must be one of 'random', 'last', 'time', 'user', not 'week'"),
        ({"test": 0}, "must be a share between 0 and 1"),
        ({"test": 1.5}, "must be a share between 0 and 1"),
        ({"test": 6}, "would hold out all 6 events"),
        ({"test": 3, "by": "user"}, "would hold out all 3 rows"),
    ],
)
def test_what_cannot_be_split_is_said(options, sentence):
    with pytest.raises(InputError, match=sentence):
        log().split(**options)


def test_last_and_time_need_times():
    for by in ("last", "time"):
        with pytest.raises(InputError, match="needs times; name their column with time="):
            Interactions.from_matrix(np.ones((3, 3))).split(by=by)


def test_by_time_from_a_moment_on():
    table = {"u": [1, 2, 3], "i": [1, 2, 3], "t": ["2024-10-30", "2024-11-01", "2024-11-02"]}
    data = Interactions.from_table(table, row="u", col="i", time="t")
    for moment in ("2024-11-01", datetime.date(2024, 11, 1), np.datetime64("2024-11-01"), "2024-11-01T01:00:00+01:00"):
        train, test = data.split(by="time", test=moment)
        assert (train.nnz, test.nnz) == (1, 2)
    for wrong, options, sentence in (
        ("2024-11-01", {"by": "random"}, "splits by='time' only"),
        ("soon", {"by": "time"}, "does not read as a date"),
        ("2030-01-01", {"by": "time"}, "leaves nothing to test: the times run from 2024-10-30"),
        ("2020-01-01", {"by": "time"}, "leaves nothing to train on"),
    ):
        with pytest.raises(InputError, match=sentence):
            data.split(test=wrong, **options)
    with pytest.raises(InputError, match="times that are numbers"):
        Interactions.from_table({**table, "t": [1, 2, 3]}, row="u", col="i", time="t").split(by="time", test="2024")
