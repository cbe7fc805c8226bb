"""Ids that arrive over time against a plain dict."""

import datetime
import uuid

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.growing_ids import GrowingIds
from tacit.data.ids import Ids
from tacit.errors import InputError

whole = st.integers(-(2**63), 2**63 - 1)
tenths = st.floats(-3, 3).map(lambda x: round(x, 1))
pairs = st.tuples(st.integers(0, 2), st.text(max_size=1))
any_id = st.one_of(
    st.integers(-5, 5), whole, st.integers(2**63, 2**70), st.text(max_size=2), st.booleans(), tenths, pairs
)


def plain(values):
    numbers = {}
    return [numbers.setdefault(value, len(numbers)) for value in values], list(numbers)


@given(st.lists(any_id, max_size=40), st.integers(0, 40))
def test_numbers_are_those_of_a_dict_one_by_one_or_at_once(values, border):
    expected, order = plain(values)
    ids = GrowingIds()
    first = [ids.add(value) for value in values[:border]]
    rest = ids.numbers(values[border:], add=True).tolist()
    assert first + rest == expected
    assert ids.all().tolist() == order
    assert ids.numbers(values).tolist() == expected
    assert [ids.number(value) for value in values] == expected


@given(st.lists(any_id, max_size=40), st.lists(any_id, max_size=20))
def test_ids_that_are_looked_for_get_their_numbers_or_that_of_nobody(values, asked):
    ids = GrowingIds()
    ids.numbers(values, add=True)
    order = plain(values)[1]
    expected = [order.index(value) if value in order else 99 for value in asked]
    assert ids.find(asked, 99).tolist() == expected
    room = np.empty(len(asked), dtype=np.int64)
    assert ids.find(asked, 99, room) is room
    assert room.tolist() == expected
    nobody = None if ids.all().dtype == object else -1
    for length in (len(order) - 1, len(order) + 1):
        numbers = [-1, *range(len(order))][: max(length, 0)]
        assert ids.take(np.array([numbers], dtype=np.int64)).tolist() == [[nobody, *order][: len(numbers)]]


@given(st.lists(whole, max_size=200))
def test_whole_numbers_in_arrays(values):
    expected, order = plain(values)
    ids = GrowingIds()
    assert ids.numbers(np.array(values, dtype=np.int64), add=True).tolist() == expected
    assert ids.all().tolist() == order


def test_many_whole_numbers_grow_the_table(rng):
    values = rng.integers(-(2**62), 2**62, 50_000)
    ids = GrowingIds()
    ids.numbers(values, add=True)
    assert ids.numbers(values[::-1]).tolist() == list(range(len(values) - 1, -1, -1))
    assert ids.number(int(values[7])) == 7
    assert ids.number(3) == -1


@pytest.mark.parametrize(
    "values",
    [
        np.array([3, 1, 3], dtype=np.uint8),
        np.array(["b", "a", "b"]),
        pl.Series(["b", "a", "b"]),
        pl.Series([3, 1, 3]),
        [uuid.UUID(int=3), uuid.UUID(int=1), uuid.UUID(int=3)],
        [datetime.date(2020, 1, 3), datetime.date(2020, 1, 1), datetime.date(2020, 1, 3)],
    ],
    ids=["uint8", "numpy text", "polars text", "polars ints", "uuid", "dates"],
)
def test_any_kind_of_column_is_kept_and_saved(values):
    ids = GrowingIds()
    assert ids.numbers(values, add=True).tolist() == [0, 1, 0]
    again = GrowingIds.of(Ids.from_arrays(ids.to_arrays(), ids.name))
    assert again.all().tolist() == ids.all().tolist()
    assert again.numbers(values).tolist() == [0, 1, 0]


def test_take_marks_what_is_missing():
    ids = GrowingIds()
    ids.add(10)
    assert ids.take(np.array([0, -1])).tolist() == [10, -1]
    ids.add("x")
    assert ids.take(np.array([[1, -1]])).tolist() == [["x", None]]


@pytest.mark.parametrize("value", [None, float("nan")])
def test_missing_ids_are_refused(value):
    with pytest.raises(InputError, match="missing"):
        GrowingIds("users").add(value)


def test_unhashable_ids_are_refused():
    with pytest.raises(InputError, match="hashable"):
        GrowingIds("users").add([1])
    with pytest.raises(InputError, match="hashable"):
        GrowingIds("users").numbers([[1], [2]], add=True)
