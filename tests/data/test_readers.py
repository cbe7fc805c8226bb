"""Readers: the same table from every source, and one sentence for what cannot be read."""

import gzip
import lzma
import re
import sqlite3
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tacit import Interactions
from tacit.errors import InputError

EVENTS = {"user": ["eve", "bob", "eve"], "item": [7, 7, 9], "count": [3.0, 1.0, 2.0], "day": [1, 2, 3]}
NAMES = {"row": "user", "col": "item", "weight": "count", "time": "day"}


def load(source, **options):
    return Interactions.from_table(source, **{**NAMES, **options})


def same(made):
    assert made.row_ids.all().tolist() == ["bob", "eve"] and made.col_ids.all().tolist() == [7, 9]
    assert made.matrix.toarray().tolist() == [[1, 0], [3, 2]] and made.times.tolist() == [2, 1, 3]


@pytest.mark.parametrize(
    "make",
    [
        dict,
        pl.DataFrame,
        pl.LazyFrame,
        pd.DataFrame,
        pa.table,
        lambda table: pa.table(table).to_batches()[0],
        lambda table: pd.DataFrame(table).astype({"user": "category", "item": "Int64"}),
        lambda table: pd.DataFrame(table).astype({"user": object, "count": np.float32}),
        lambda table: pl.DataFrame(table).with_columns(pl.col("user").cast(pl.Categorical)),
        lambda table: {name: np.array(column) for name, column in table.items()},
    ],
    ids=["dict", "polars", "lazy", "pandas", "arrow", "batch", "pandas-types", "objects", "categories", "numpy"],
)
def test_tables_in_memory(make):
    same(load(make(EVENTS)))


def write(folder, kind):
    """A file of this kind, written by somebody else's library where there is one."""
    frame, path = pl.DataFrame(EVENTS), folder / f"events{kind}"
    base = kind.removesuffix(".gz").removesuffix(".xz").removesuffix(".zst")
    plain = folder / f"plain{base}"
    if base in {".csv", ".tsv"}:
        frame.write_csv(plain, separator="," if base == ".csv" else "\t")
    elif base in {".jsonl", ".ndjson"}:
        frame.write_ndjson(plain)
    else:
        frame.write_parquet(plain)
    if kind.endswith(".zst"):
        sink = frame.lazy().sink_csv if base == ".csv" else frame.lazy().sink_ndjson
        sink(path, compression="zstd")
    elif kind.endswith((".gz", ".xz")):
        with (gzip.open if kind.endswith(".gz") else lzma.open)(path, "wb") as file:
            file.write(plain.read_bytes())
    else:
        plain.rename(path)
    return path


TEXT_KINDS = [base + packed for base in (".csv", ".tsv", ".jsonl", ".ndjson") for packed in ("", ".gz", ".xz")]
KINDS = [*TEXT_KINDS, ".csv.zst", ".jsonl.zst", ".parquet", ".pq", ".CSV"]


@pytest.mark.parametrize("kind", KINDS)
def test_files(tmp_path, kind):
    path = write(tmp_path, ".csv").rename(tmp_path / "events.CSV") if kind == ".CSV" else write(tmp_path, kind)
    same(load(path))
    same(load(str(path)))


@pytest.mark.parametrize("kind", [".csv", ".parquet", ".jsonl.gz", ".tsv.xz"])
def test_globs_read_all_files_as_one_table(tmp_path, kind):
    write(tmp_path, kind).rename(tmp_path / f"b{kind}")
    write(tmp_path, kind).rename(tmp_path / f"a{kind}")
    made = load(str(tmp_path / f"[ab]{kind}"))
    assert made.matrix.toarray().tolist() == [[2, 0], [6, 4]]


def test_text_files_have_no_types(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text("user,item\n17,1\n7,2\n")
    assert Interactions.from_table(path, row="user", col="item").row_ids.all().tolist() == [7, 17]
    kept = Interactions.from_table(path, row="user", col="item", text_ids=True)
    assert kept.row_ids.all().tolist() == ["17", "7"]


def test_a_column_that_only_begins_like_numbers_is_text(tmp_path):
    path = tmp_path / "events.csv"
    lines = [f"{k},{k}" for k in range(12_000)] + ["anna,5"]
    path.write_text("user,item\n" + "\n".join(lines) + "\n")
    made = Interactions.from_table(path, row="user", col="item")
    assert "anna" in made.row_ids and "11999" in made.row_ids


def test_weights_that_only_begin_like_whole_numbers_have_decimals(tmp_path):
    path = tmp_path / "events.csv"
    lines = [f"{k},{k},1" for k in range(12_000)] + ["anna,5,2.5"]
    path.write_text("user,item,count\n" + "\n".join(lines) + "\n")
    made = Interactions.from_table(path, row="user", col="item", weight="count")
    assert made.matrix.data.max() == 2.5 and "anna" in made.row_ids and 11_999 in made.col_ids
    path.write_text(path.read_text() + "bert,5,many\n")
    with pytest.raises(InputError, match=r"line 12003 of '.*events.csv' has 'many'; fix it"):
        Interactions.from_table(path, row="user", col="item", weight="count")


def test_dates_as_times(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text("user,item,when\n1,1,2024-03-01T10:00:00\n1,2,2024-02-01T10:00:00\n")
    made = Interactions.from_table(path, row="user", col="item", time="when")
    assert made.times.dtype == np.dtype("datetime64[us]")
    assert made.split(by="last")[1].matrix.toarray().tolist() == [[1, 0]]
    zoned = pl.read_csv(path).with_columns(pl.col("when").str.to_datetime(time_zone="Asia/Tokyo"))
    assert Interactions.from_table(zoned, row="user", col="item", time="when").times[0] == np.datetime64(
        "2024-03-01T01"
    )


# -- databases -------------------------------------------------------------------------------------------------


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE clicks (user TEXT, item INTEGER, count REAL, day INTEGER)")
        database.executemany("INSERT INTO clicks VALUES (?, ?, ?, ?)", list(zip(*EVENTS.values())))
    database.close()
    return path


def test_sqlite(shop):
    same(load(f"sqlite:///{shop}", query="SELECT * FROM clicks"))
    made = load(f"sqlite:///{shop}", query="SELECT * FROM clicks WHERE user = 'eve'")
    assert made.shape == (1, 2)


@pytest.mark.parametrize(
    ("change", "options", "sentence"),
    [
        ("", {}, "query is missing: a database URI needs one"),
        ("", {"query": "SELECT * FROM sales"}, "the sqlite database answered: .*no such table: sales"),
        ("x", {"query": "SELECT 1"}, "there is no SQLite file"),
    ],
)
def test_database_errors(shop, change, options, sentence):
    with pytest.raises(InputError, match=sentence):
        load(f"sqlite:///{shop}{change}", **options)


# -- one sentence for what cannot be used ----------------------------------------------------------------------

BAD_TABLES = {
    "unknown column": (
        {},
        {"row": "users"},
        "row='users' is not a column of table, .*; did you mean 'user'",
    ),
    "nothing like it": ({}, {"weight": "zzz"}, r"weight='zzz' is not a column of table, which has .*'day'\.$"),
    "null id": (
        {"user": ["eve", None, "bob"]},
        {},
        "row: the column 'user' has no value in 1 of 3 lines, .* row 1 ",
    ),
    "NaN id": ({"item": [7.0, float("nan"), 8.0]}, {}, "col: the column 'item' has no value in 1 of 3 lines"),
    "NaN weight": (
        {"count": [1.0, 2.0, float("nan")]},
        {},
        "weight: the column 'count' has no value .* row 2 ",
    ),
    "infinite weight": ({"count": [1.0, float("inf"), 1.0]}, {}, "weight: the column 'count' is infinite in row 1"),
    "negative weight": ({"count": [1.0, 1.0, -2.0]}, {}, "weight: the column 'count' is negative in row 2"),
    "text weight": (
        {"count": ["a", "b", "c"]},
        {},
        "weight: the column 'count' must hold numbers, but row 0 .* has 'a'",
    ),
    "text time": (
        {"day": ["soon", "later", "now"]},
        {},
        "time: the column 'day' has 'soon' in row 0 .* does not read as a date",
    ),
    "true time": ({"day": [True, False, True]}, {}, "time: the column 'day' must hold dates or numbers, not Boolean"),
    "no lines": ({"user": [], "item": [], "count": [], "day": []}, {}, "table holds no lines of data"),
    "mixed ids": ({"user": ["eve", 1, "1"]}, {}, "row: the column 'user' mixes ids of the types int and str"),
    "lists as ids": ({"user": [[1], [2], [1]]}, {}, "row: the column 'user' holds lists, which cannot be ids"),
    "lengths": ({"user": ["eve"]}, {}, "table: the columns have different lengths"),
    "duplicates": (
        {},
        {"duplicates": "mean"},
        "duplicates must be one of 'sum', 'last', 'first', 'max', 'error', not 'mean'",
    ),
    "missing": ({}, {"missing": "fill"}, "missing must be one of 'error', 'drop', not 'fill'"),
    "counts": ({}, {"min_row_count": 0}, "min_row_count=0 must be a whole number from 1 on"),
    "too strict": ({}, {"min_col_count": 5}, "nothing is left of 3 events: none .* with min_col_count=5; lower it"),
    "query": ({}, {"query": "SELECT 1"}, "query is only for database URIs"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_tables_get_one_sentence(case):
    change, options, sentence = BAD_TABLES[case]
    with pytest.raises(InputError, match=sentence) as caught:
        load({**EVENTS, **change}, **options)
    assert "\n" not in str(caught.value)


def test_missing_lines_are_dropped_on_request():
    table = {"user": ["eve", None, "bob"], "item": [1, 2, 3], "count": [1.0, 1.0, float("nan")], "day": [1, 2, 3]}
    assert load(table, missing="drop").shape == (1, 1)
    with pytest.raises(InputError, match="table lacks a value in each of its 3 lines"):
        load({**table, "user": [None] * 3}, missing="drop")


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical, pl.Object])
@pytest.mark.parametrize("blank", ["", "  ", "\t\u00a0"])
def test_a_blank_id_is_a_missing_one(kind, blank):
    users = pl.Series("user", ["eve", blank, "bob"], dtype=kind)
    table = pl.DataFrame([users, pl.Series("item", [1, 2, 3])])
    with pytest.raises(InputError, match="row: the column 'user' has no value in 1 of 3 lines, first in row 1"):
        Interactions.from_table(table, row="user", col="item")
    made = Interactions.from_table(table, row="user", col="item", missing="drop")
    assert sorted(made.row_ids.all().tolist()) == ["bob", "eve"] and made.reading.lacking == {"user": 1}


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("absent.csv", "there is no file"),
        ("*.jsonl", "no file matches the glob"),
        ("notes.docx", "the extension of 'notes.docx' is not one of .csv, .tsv"),
        ("table.parquet.gz", "the extension of 'table.parquet.gz' is not one of"),
        ("empty.csv", "is empty; it should hold a header line and data"),
        ("empty.ndjson", "is empty; it should hold one object of JSON in each line"),
        ("empty.parquet", "is empty; it should hold a table"),
        ("", "is a folder; give a file or a glob"),
        ("mixed.*", "the files of one table must be of one kind"),
        ("ragged.csv", "line 3 of .*ragged.csv' has 5 values where line 1 names 4 columns: '1,2,3,4,5'"),
        ("liar.parquet", "could not be read: .*PAR1"),
    ],
)
def test_bad_files_get_one_sentence(tmp_path, source, sentence):
    for name in ("notes.docx", "table.parquet.gz", "mixed.csv", "mixed.tsv", "liar.parquet"):
        (tmp_path / name).write_text("user,item\n1,2\n")
    for kind in ("csv", "ndjson", "parquet"):
        (tmp_path / f"empty.{kind}").write_text("")
    (tmp_path / "ragged.csv").write_text("user,item,count,day\n1,2,3,4\n1,2,3,4,5\n")
    with pytest.raises(InputError, match=sentence) as caught:
        load(str(tmp_path / source) if source else str(tmp_path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [".csv.gz", ".csv.xz", ".csv.zst", ".jsonl.gz", ".parquet"])
def test_a_file_cut_in_half_is_refused(tmp_path, kind):
    path = write(tmp_path, kind)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(
        InputError, match=r"is cut short: it could not be decompr|is it cut short or of another"
    ) as caught:
        load(path)
    assert "\n" not in str(caught.value)


def test_what_polars_gives_up_on_is_refused_in_one_sentence(tmp_path, monkeypatch):
    """A damaged Parquet file may end in a panic of polars, which is no ``Exception``."""
    path = write(tmp_path, ".parquet")

    def panic(*_, **__):
        raise pl.exceptions.PanicException("assertion failed: start + length <= self.bytes.len()")

    monkeypatch.setattr(pl.LazyFrame, "collect", panic)
    with pytest.raises(InputError, match="could not be read: assertion failed"):
        load(path)


def test_a_near_miss_of_a_file_name_is_suggested(tmp_path):
    (tmp_path / "events.csv").write_text("user,item\n1,2\n")
    with pytest.raises(InputError, match=r"there is no file '.*event\.csv'; did you mean 'events\.csv'"):
        load(tmp_path / "event.csv")


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (42, "table must be a pandas, polars or Arrow table, a path or a database URI, not int"),
        (np.eye(3), "for a matrix use Interactions.from_matrix"),
        ("http://example.org/x.csv", "the URI scheme 'http' is not supported"),
    ],
)
def test_what_is_no_table(source, sentence):
    with pytest.raises(InputError, match=sentence):
        load(source)


# -- data as it comes ------------------------------------------------------------------------------------------


def read(path, **options):
    return Interactions.from_table(path, row="user", col="item", weight="count", **options)


@pytest.mark.parametrize("sign", [";", "\t", "|"])
def test_other_separators_are_found_and_can_be_said(tmp_path, sign):
    path = tmp_path / "events.csv"
    path.write_text(f"user{sign}item{sign}count\nann{sign}tea, black{sign}2\n")
    for made in (read(path), read(path, separator=sign)):
        assert list(made.col_ids) == ["tea, black"]
    with pytest.raises(InputError, match="row='user' is not a column"):
        read(path, separator=",")


@pytest.mark.parametrize("wrong", [";;", "", '"', "\n", "é"])
def test_separators_that_cannot_be(tmp_path, wrong):
    path = tmp_path / "events.csv"
    path.write_text("user,item,count\nann,tea,2\n")
    with pytest.raises(InputError, match="separator must"):
        read(path, separator=wrong)


def test_the_mark_of_utf8_before_another_encoding_is_no_part_of_a_name(tmp_path):
    """Some programs write it before everything; in front of real UTF-8 it contradicts the encoding that was given."""
    path = tmp_path / "shop.csv"
    path.write_bytes(b"\xef\xbb\xbf" + "user,item\nann,th\xe9\n".encode("cp1252"))
    data = Interactions.from_table(path, row="user", col="item", encoding="cp1252")
    assert (data.row_ids.all().tolist(), data.col_ids.all().tolist()) == (["ann"], ["th\xe9"])
    path.write_text("user,item\nann,th\xe9\n", encoding="utf-8-sig")
    for right in (None, "utf-8-sig"):
        assert Interactions.from_table(path, row="user", col="item", encoding=right).col_ids.all().tolist() == [
            "th\xe9"
        ]
    with pytest.raises(InputError, match="is UTF-8, as its first bytes say, and not cp1252; leave encoding out"):
        Interactions.from_table(path, row="user", col="item", encoding="cp1252")


def test_a_header_in_another_encoding_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("kunde;größe\nann;tee\n".encode("latin-1"))
    with pytest.raises(InputError, match="line 1 reads 'kunde;größe' in latin-1; if that is right, pass encoding"):
        Interactions.from_table(path, row="kunde", col="größe")
    assert Interactions.from_table(path, row="kunde", col="größe", encoding="latin-1").nnz == 1


@pytest.mark.parametrize(("encoding", "told"), [("latin-1", "latin-1"), ("cp1252", "latin-1"), ("utf-16", "utf-16")])
def test_other_encodings_are_named_and_read(tmp_path, encoding, told):
    path = tmp_path / "events.csv"
    path.write_bytes("user,item,count\nann,tea,1\nann,café,2\n".encode(encoding))
    with pytest.raises(InputError, match=f"not UTF-8.*pass encoding='{told}'"):
        read(path)
    assert "café" in read(path, encoding=encoding).col_ids
    with pytest.raises(InputError, match="encoding='klingon' is unknown"):
        read(path, encoding="klingon")


def test_decimal_commas(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text("user;item;count\nann;tea;1\nann;jam;3,5\n")
    with pytest.raises(InputError, match=r"line 3 of '.*' has '3,5'; if its comma is a decimal sign, pass decimal=','"):
        read(path)
    assert read(path, decimal=",").matrix.data.tolist() == [3.5, 1.0]
    path.write_text("user;item;count\nann;tea;1\nann;jam;3,5\nann;rye;1.00,5\n")
    with pytest.raises(InputError, match=r"line 4 of '.*' has '1.00,5'"):
        read(path, decimal=",")


def test_lines_are_counted_as_an_editor_does(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text('user,item,count\n"an\nn",tea,1\n\nbob,"jam, red",-1\n')
    with pytest.raises(InputError, match=r"negative in line 5 of '.*events.csv', -1"):
        read(path, missing="drop")
    with pytest.raises(InputError, match=r"no value in 1 of 3 lines, first in line 4"):
        read(path)
    for name, lines in (("a.jsonl", ['{"user": 1, "item": 1, "count": 1}', ""]), ("b.jsonl", ["oh"])):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=r"line 1 of '.*b.jsonl' is not an object of JSON: 'oh'"):
        read(tmp_path / "*.jsonl")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('user,item,count\n"ann,tea,1\n', "line 2 of .* opens a quote"),
        ("user,user,item,count\na,b,c,1,2\n", "two columns named 'user'"),
    ],
)
def test_what_polars_refuses_is_explained(tmp_path, text, sentence):
    path = tmp_path / "events.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence):
        read(path)


@pytest.mark.parametrize(
    ("dates", "sentence"),
    [
        (
            ["05/01/2024", "06/01/2024"],
            "'05/01/2024' in row 0 .* begin with the day or the month; pass time_format='%d/%m/%Y' if the day does",
        ),
        (
            ["2024-01-05", "05/01/2024"],
            "'05/01/2024' in row 1 .* where row 0 .* '2024-01-05', which is of another form",
        ),
    ],
)
def test_dates_of_other_and_of_mixed_forms(dates, sentence):
    table = {"user": [1, 2], "item": [1, 2], "count": [1, 1], "day": dates}
    with pytest.raises(InputError, match=sentence):
        read(table, time="day")
    table["day"] = ["05/01/2024", "06/01/2024"]
    made = read(table, time="day", time_format="%d/%m/%Y")
    assert [str(time)[:10] for time in made.times] == ["2024-01-05", "2024-01-06"]


def test_how_many_lines_were_taken_away():
    table = {"user": [1, 1, None, 2], "item": [1, 1, 1, 2], "count": [1, 1, 1, 1]}
    made = read(table, missing="drop")
    assert (made.reading.lines, made.reading.missing, made.reading.merged) == (4, 1, 1)
    assert "1 of 4 lines lacked a value" in str(made)


def test_packed_files_that_unfold_without_end_are_stopped(tmp_path, monkeypatch):
    path = tmp_path / "events.csv.gz"
    path.write_bytes(gzip.compress(b"user,item,count\n" + b" " * 10_000_000))
    monkeypatch.setenv("TACIT_UNPACKED_GB", "0.005")
    with pytest.raises(InputError, match=r"unpacks to more than 0.005 GB; .* TACIT_UNPACKED_GB"):
        read(path)


def test_ids_and_times_of_unusual_kinds():
    big = read({"user": [2**63 + 1, 5], "item": [1, 1], "count": [1, 1]})
    assert list(big.row_ids) == [5, 2**63 + 1]
    seconds = pd.Series(pd.to_datetime(["2024-01-01", "2024-01-02"])).astype("datetime64[s]")
    frame = pd.DataFrame({"user": [1, 2], "item": [1, 2], "count": [1, 1], "day": seconds})
    assert str(read(frame, time="day").times[1]) == "2024-01-02T00:00:00.000000"
    for nothing in (pd.NA, pd.NaT, Decimal("NaN"), Decimal("sNaN"), None):
        with pytest.raises(InputError, match="has no value in 1 of 2 lines"):
            read({"user": [nothing, 7], "item": [1, 2], "count": [1, 1]})
    assert list(read({"user": [Decimal("1.5"), Decimal(1)], "item": [1, 2], "count": [1, 1]}).row_ids) == [1, 1.5]
    odd = read({"user": [Decimal("1e300"), Decimal("Infinity")], "item": [1, 2], "count": [1, 1]})
    assert list(odd.row_ids) == [Decimal("1e300"), Decimal("Infinity")]
    with pytest.raises(InputError, match="beyond 2\\*\\*63"):
        read({"user": [1], "item": [1], "count": [1], "day": [2**63 + 9]}, time="day")


@pytest.mark.parametrize("packed", [False, True])
def test_a_value_too_many_in_a_column_that_is_not_read_is_noticed(packed, tmp_path):
    path = tmp_path / ("shop.csv.gz" if packed else "shop.csv")
    text = b"user,name,item\nann,Tea, green,t1\nbob,Jam,t2\n"
    path.write_bytes(gzip.compress(text) if packed else text)
    with pytest.raises(InputError, match=r"line 2 of .* has 4 values where line 1 names 3 columns"):
        Interactions.from_table(path, row="user", col="item")


def test_a_column_that_is_not_read_may_hold_anything(tmp_path):
    lines = [f"u{n % 7},{n % 5},{n}" for n in range(12_000)]
    (tmp_path / "shop.csv").write_text("\n".join(["user,item,price", *lines, "u1,2,on request"]))
    assert Interactions.from_table(tmp_path / "shop.csv", row="user", col="item").shape == (7, 5)


def test_ids_that_begin_with_zero_stay_text(tmp_path):
    path = tmp_path / "zeros.csv"
    path.write_text("user,item,n\n0042,7,01\n42,8,2\n")
    read = Interactions.from_table(path, row="user", col="item", weight="n")
    assert list(read.row_ids.all()) == ["0042", "42"]
    assert read.col_ids.all().tolist() == [7, 8]
    assert read.matrix.sum() == 3


def test_marks_of_thousands_are_read_beside_decimal_commas(tmp_path):
    path = tmp_path / "german.csv"
    path.write_text("user;item;n\na;x;1.234,5\nb;x;1.234\nc;x;7\nd;x;2 000\n", encoding="utf-8")
    read = Interactions.from_table(path, row="user", col="item", weight="n", decimal=",")
    assert read.matrix.data.tolist() == [1234.5, 1234.0, 7.0, 2000.0]


@pytest.mark.parametrize(
    ("value", "decimal", "sentence"),
    [
        ("1,234", ".", "if its comma is a decimal sign, pass decimal=','; if it marks thousands, write 1234."),
        ("1,234,567", ".", "write 1234567, without marks of thousands"),
        ("1,234.50", ".", "write 1234.50, without marks of thousands"),
        ("1 234", ".", "write 1234, without marks of thousands"),
        ("1.234.567", ".", "write 1234567, without marks of thousands"),
        ("1.234,50", ".", "if its comma is a decimal sign, pass decimal=','."),
        ("12.5", ",", "write it with a decimal comma, as 3,5."),
    ],
)
def test_marks_of_thousands_get_a_remedy(value, decimal, sentence, tmp_path):
    (tmp_path / "sums.csv").write_text(f"user;item;n\na;x;3\nb;x;{value}\n")
    with pytest.raises(InputError, match=re.escape(sentence)):
        Interactions.from_table(tmp_path / "sums.csv", row="user", col="item", weight="n", decimal=decimal)
