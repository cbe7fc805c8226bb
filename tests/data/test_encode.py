"""Encoding: ascending distinct ids and one number per place, by table, by hash or by Python objects alike."""

import uuid

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.encode import encode
from tacit.errors import InputError
from tests.strategies import ID_KINDS


@given(st.sampled_from(sorted(ID_KINDS)).flatmap(lambda kind: st.lists(ID_KINDS[kind], min_size=1, max_size=20)))
def test_every_kind_of_id_agrees_with_the_obvious_loop(values):
    as_objects = isinstance(values[0], tuple | uuid.UUID)
    column = pl.Series("x", values, dtype=pl.Object if as_objects else None)
    ids, numbers = encode(column, "row")
    expected = sorted(set(values))
    assert ids.all().tolist() == expected and numbers.dtype == np.int32
    assert numbers.tolist() == [expected.index(value) for value in values]


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"])
@pytest.mark.parametrize("dense", [True, False])
def test_whole_numbers_of_every_width(dtype, dense):
    ends = np.iinfo(dtype)
    values = [0, 100, 7, 100] if dense else [ends.min, ends.max, 0, ends.min]
    # 100 repeats of the ends of int8 are dense enough for the table, whose places must not overflow.
    for repeated in (values, values * 100):
        ids, numbers = encode(pl.Series("x", np.array(repeated, dtype=dtype)), "row")
        assert ids.all().tolist() == sorted(set(values))
        assert ids.take(numbers).tolist() == repeated


def test_the_largest_unsigned_numbers_stay_themselves():
    ids, _ = encode(pl.Series("x", [2**64 - 1, 0], dtype=pl.UInt64), "row")
    assert ids.all().tolist() == [0, 2**64 - 1]


def test_moments_that_python_cannot_tell_apart_are_refused():
    close = pl.Series("x", [1, 2]).cast(pl.Datetime("ns"))
    with pytest.raises(InputError, match="row must be distinct"):
        encode(close, "row")
