"""Ids: out as they went in, through a model file and back, and damaged ones refused."""

import datetime
import decimal
import uuid

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import model_file
from tacit.data.ids import Ids
from tacit.errors import InputError, ModelFileError, UnknownIdError

plain = st.one_of(
    st.text(max_size=6), st.integers(-(2**70), 2**70), st.binary(max_size=4), st.none(), st.uuids(), st.dates(),
    st.datetimes(timezones=st.none() | st.just(datetime.UTC)), st.times(), st.floats(allow_nan=False),
    st.decimals(allow_nan=False),
)  # fmt: skip
kinds = st.one_of(
    st.lists(st.text(max_size=6), unique=True, max_size=8),
    st.lists(st.integers(-(2**63), 2**63 - 1), unique=True, max_size=8),
    st.lists(st.tuples(plain, plain), unique=True, max_size=8),
    st.lists(plain | st.tuples(plain), unique=True, max_size=8),
)


@given(values=kinds)
def test_ids_come_back_as_they_went_in(values, tmp_path_factory):
    ids = Ids(values)
    path = tmp_path_factory.mktemp("ids") / "m"
    model_file.write(path, "Example", {}, ids.to_arrays())
    back = Ids.from_arrays(model_file.read(path)[2])
    for found in (ids, back):
        assert found.all().tolist() == values
        assert [type(value) for value in found.all().tolist()] == [type(value) for value in values]
        assert found.numbers(values).tolist() == list(range(len(values)))
        assert found.take(np.arange(len(values))).tolist() == values
        if {type(value) for value in values} in ({str}, {int}):
            assert found.few(values[::-1]) == list(range(len(values)))[::-1]
    assert back == ids


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.array([5, 3], dtype=np.uint8), [5, 3]),
        (np.array([2**64 - 1, 2**63], dtype=np.uint64), [2**64 - 1, 2**63]),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.array([1.5, 2.5]), [1.5, 2.5]),
        (np.array(["2024-01-02T03:04:05.000000006"], dtype="datetime64[ns]"), [datetime.datetime(2024, 1, 2, 3, 4, 5)]),
        (np.array(["2024-01-02"], dtype="datetime64[D]"), [datetime.datetime(2024, 1, 2)]),
    ],
)
def test_arrays_of_every_type(array, expected):
    assert Ids(array).all().tolist() == expected


def test_ranges_are_their_own_ids():
    ids = Ids.range(3)
    back = Ids.from_arrays(ids.to_arrays())
    assert back.is_range
    assert back == ids == Ids([0, 1, 2])
    assert ids.numbers([0, 2, 3, -1, "0", True]).tolist() == [0, 2, -1, -1, -1, -1]
    assert ids.take([[2, -1]]).tolist() == [[2, -1]]


def test_empty_places_are_marked():
    assert Ids(["a", "b"]).take([1, -1]).tolist() == ["b", None]
    assert Ids([10, 20]).take([1, -1]).tolist() == [20, -1]


def test_unknown_ids_are_named():
    with pytest.raises(
        UnknownIdError, match=r"rows: 'x' \(and 1 more\) is unknown to this model, which knows 1 ids; check"
    ):
        Ids(["a"], "rows").require(["a", "x", "y"])
    with pytest.raises(UnknownIdError, match=r"7 is unknown .* \(0 to 2\)"):
        Ids.range(3).require(np.array([1, 7]))
    with pytest.raises(InputError, match="not hashable"):
        Ids(["a"]).numbers([["a"]])


def test_doubled_ids_are_named():
    with pytest.raises(InputError, match="must be distinct, but 'b' occurs more than once"):
        Ids(["a", "b", "b"])
    with pytest.raises(InputError, match="must be distinct"):
        Ids(["a"]).extended(["a"])


def test_ids_without_a_place_in_a_file_are_named():
    with pytest.raises(InputError, match=r"ids of type frozenset .* cannot be saved"):
        Ids([frozenset()]).to_arrays()


@pytest.mark.parametrize("values", [[1, 2], ["a", "b"], [(1, "a"), (2, "b")], []])
def test_new_ids_follow_the_old_ones(values):
    new = [uuid.UUID(int=5), decimal.Decimal("1.10")]
    longer = Ids(values).extended(new)
    assert longer.all().tolist() == [*values, *new]


def text(content, offsets):
    return {"text": np.frombuffer(content, dtype=np.uint8), "offsets": np.array(offsets, dtype=np.int64)}


def tagged(content):
    return {"tagged": np.frombuffer(content, dtype=np.uint8)}


@pytest.mark.parametrize(
    "arrays",
    [
        {},
        {"range": np.array([-1])},
        {"range": np.array([2**60])},
        {"range": np.array([1, 2])},
        {"range": np.array([1.0])},
        {"range": np.array(3)},
        {"whole": np.array([1.5])},
        {"whole": np.array([[1], [2]])},
        {"whole": np.array([4, 4])},
        {"text": np.zeros(3, dtype=np.uint8)},
        text(b"abc", [0, 2]),
        text(b"abc", [0, 9]),
        text(b"abc", [1, 3]),
        text(b"abc", [0, 2, 1, 3]),
        text(b"abc", [0, -1, 3]),
        text(b"abc", []),
        text(b"\xff\xfe", [0, 1, 2]),
        tagged(b"not json"),
        tagged(b"3"),
        tagged(b"[[1, 2]]"),
        tagged(b"[" * 100_000),
        tagged(b'[{"decimal": "x"}]'),
        tagged(b'[{"uuid": 3}]'),
        tagged(b'[{"date": "yesterday"}]'),
        tagged(b'[{"bytes": "*"}]'),
        tagged(b'[{"os.system": "true"}]'),
        tagged(b'[{"tuple": 3}]'),
        tagged(b'[{"tuple": [], "bytes": ""}]'),
        tagged(b"[1, 1]"),
    ],
    ids=str,
)
def test_damaged_ids_are_refused(arrays):
    with pytest.raises(ModelFileError, match="these ids are damaged"):
        Ids.from_arrays(arrays)


@given(
    st.lists(st.integers(-(2**40), 2**40), unique=True, max_size=12),
    st.lists(st.integers(-(2**40), 2**40), max_size=12),
)
def test_arrays_and_lists_of_whole_numbers_are_looked_up_alike(known, asked):
    ids = Ids(np.array(known, dtype=np.int64))
    asked = known + asked
    expected = [known.index(value) if value in known else -1 for value in asked]
    assert ids.numbers(np.array(asked, dtype=np.int64)).tolist() == expected
    assert ids.numbers(asked).tolist() == expected
    assert Ids.range(5).numbers(np.array([-1, 0, 4, 5])).tolist() == [-1, 0, 4, -1]


def test_ids_are_a_sequence_that_can_be_looked_at():
    for ids, values in ((Ids(["a", "b", "c"]), ["a", "b", "c"]), (Ids.range(3), [0, 1, 2]), (Ids([7, 5]), [7, 5])):
        assert list(ids) == values
        assert [ids[place] for place in range(len(ids))] == values
        assert ids[-1] == values[-1]
        assert list(ids[1:]) == values[1:]
        with pytest.raises(InputError, match="no place 9"):
            ids[9]
    assert repr(Ids([], "words")) == "Ids of words: 0"
    assert repr(Ids.range(1_000_000, "row")) == "Ids of row: 1,000,000, 0, 1, 2, …, 999999"
