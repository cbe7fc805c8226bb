"""Parts of a table: numbers of ids and orders, by table where they are dense and by search where they are not."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.data.parts import Columns, events_of, stable_order
from tacit.errors import InputError

NUMBERS = st.one_of(st.integers(0, 20), st.integers(0, 2**17), st.integers(0, 2**40))


@given(st.lists(NUMBERS, max_size=60))
def test_places_are_those_of_a_stable_sort(numbers):
    given = np.array(numbers, dtype=np.int64)
    np.testing.assert_array_equal(stable_order(given), np.argsort(given, kind="stable"))


@pytest.mark.parametrize(
    ("kind", "ids"),
    [
        (pl.Int8, [-128, 127, 0, -1]),
        (pl.UInt8, [0, 255, 7, 7]),
        (pl.Int64, [-(2**63), 2**63 - 1, 5, 6]),
        (pl.Int64, [10**15 + 3, 10**15, 10**15 + 1, 10**15]),
        (pl.UInt64, [2**64 - 1, 2**64 - 2, 2**64 - 1, 2**64 - 3]),
    ],
)
def test_whole_numbers_of_every_kind_get_the_numbers_of_one_table(kind, ids, tmp_path):
    """The second part has a shorter type than the merged ids."""
    short = pl.UInt8 if kind == pl.UInt64 else pl.Int8
    pl.DataFrame({"who": ids, "what": ["a", "b", "c", "d"]}, schema_overrides={"who": kind}).write_parquet(
        tmp_path / "0.parquet"
    )
    pl.DataFrame({"who": [3, 100], "what": ["a", "b"]}, schema_overrides={"who": short}).write_parquet(
        tmp_path / "1.parquet"
    )
    data = tacit.Interactions.from_parquet(str(tmp_path / "*.parquet"), row="who", col="what", out_of_core=True)
    assert list(data.row_ids) == sorted({*ids, 3, 100})
    cells = {(data.row_ids[x], data.col_ids[y]) for x, y in zip(*data.matrix.tocsr().nonzero())}
    assert cells == {*zip(ids, "abcd"), (3, "a"), (100, "b")}


@pytest.mark.parametrize(
    ("known", "now"),
    [
        ([1, 2, 4], [1, 3]),
        ([1, 2, 4], [0, 2]),
        ([1, 2, 4], [2, 5]),
        ([1, 2, 10**12], [2, 7]),
        ([1, 2, 10**12], [10**13]),
        (["a", "c"], ["a", "b"]),
        ([1, 2, 4], ["a", "b"]),
    ],
)
def test_a_part_that_gained_ids_between_two_readings_is_refused(known, now, tmp_path):
    """A place outside the merged ids would be one outside the memory of a kernel."""
    pl.DataFrame({"who": now, "what": ["x"] * len(now)}).write_parquet(tmp_path / "0.parquet")
    with pytest.raises(InputError, match="did not hold when it was read first"):
        events_of(str(tmp_path / "0.parquet"), Columns("who", "what"), pl.Series(known), pl.Series(["x"]))
