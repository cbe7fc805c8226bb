"""Feature tables: what a column becomes, what later tables become, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data import FeatureEncoder, Ids
from tacit.errors import InputError

FILMS = {
    "id": [3, 1, 2],
    "genres": [["Drama", "Comedy"], ["Drama"], None],
    "country": ["fr", None, "de"],
    "year": [1990.0, 2000.0, None],
    "colour": [True, False, True],
}
IDS = Ids([1, 2, 3])


def dense(table, ids=IDS, id="id", **options):
    encoder = FeatureEncoder(id, **options)
    return encoder, encoder.fit_transform(table, ids).toarray()


@pytest.mark.parametrize("make", [dict, pl.DataFrame, pl.LazyFrame, pd.DataFrame, lambda t: pl.DataFrame(t).to_arrow()])
def test_each_kind_of_column(make):
    encoder, X = dense(make(FILMS))
    assert encoder.names_ == [
        "genres=Comedy", "genres=Drama", "country=de", "country=fr", "year", "colour=False", "colour=True",
    ]  # fmt: skip
    expected = [[0, 1, 0, 0, 1, 1, 0], [0, 0, 1, 0, 0, 0, 1], [1, 1, 0, 1, -1, 0, 1]]
    np.testing.assert_allclose(X, expected)


def test_fields_are_contiguous_blocks():
    encoder, X = dense(FILMS)
    assert [(f.name, f.kind, f.start, f.stop) for f in encoder.fields_] == [
        ("genres", "multi", 0, 2),
        ("country", "categorical", 2, 4),
        ("year", "numeric", 4, 5),
        ("colour", "categorical", 5, 7),
    ]
    assert encoder.borders.tolist() == [0, 2, 4, 5, 7] and encoder.borders[-1] == X.shape[1]


@given(st.floats(-1e3, 1e3), st.lists(st.one_of(st.none(), st.floats(-1e3, 1e3)), max_size=11))
def test_standard_scaling_has_mean_zero_and_deviation_one(first, rest):
    values = [first, *rest]
    known = np.array([value for value in values if value is not None])
    table = pl.DataFrame({"id": range(len(values)), "x": values}, schema={"id": pl.Int64, "x": pl.Float64})
    _, X = dense(table, Ids.range(len(values)))
    found = X[[value is not None for value in values], 0]
    if known.std() > 1e-6:
        np.testing.assert_allclose(found, (known - known.mean()) / known.std(), rtol=1e-4, atol=1e-4)
    assert np.all(X[[value is None for value in values], 0] == 0)


def test_other_scalings():
    table = {"id": [1, 2, 3], "x": [0, -4, 2]}
    assert dense(table, scaling="largest")[1].ravel().tolist() == [0, -1, 0.5]
    assert dense(table, scaling="none")[1].ravel().tolist() == [0, -4, 2]


def test_later_tables_have_the_same_columns_and_scale():
    encoder, _ = dense(FILMS)
    later = {"id": ["new"], "genres": [["Western", "Drama"]], "country": ["it"], "year": [2010.0], "colour": [None]}
    X = encoder.transform(later, Ids(["new", "unseen"])).toarray()
    np.testing.assert_allclose(X, [[0, 1, 0, 0, 3, 0, 0], [0] * 7])


def test_rare_categories_get_no_column():
    encoder, X = dense(FILMS, min_count=2, columns=["genres"])
    assert encoder.names_ == ["genres=Drama"] and X.ravel().tolist() == [1, 0, 1]


def test_separators_and_kinds_override_the_type():
    table = {"id": [1, 2, 3], "tags": ["a b", "b b", ""], "code": [7, 8, 7]}
    encoder, X = dense(table, separators={"tags": " "}, kinds={"code": "categorical"})
    assert encoder.names_ == ["tags=a", "tags=b", "code=7", "code=8"]
    assert X.tolist() == [[1, 1, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]


def test_lines_of_other_ids_do_not_count():
    table = {"id": [1, 99], "country": ["fr", "xx"]}
    assert dense(table)[0].names_ == ["country=fr"]


def test_from_a_file(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("id,team\n1,red\n2,blue\n")
    assert dense(path)[0].names_ == ["team=blue", "team=red"]


@pytest.mark.parametrize(
    ("ids", "written"), [([1.0, 2.0], "1.0"), ([1.0, 2.0], "1"), ([True, False], "true"), (["7", "x"], "7")]
)
def test_a_file_is_read_with_ids_of_the_kind_that_it_stands_beside(ids, written, tmp_path):
    (tmp_path / "people.csv").write_text(f"id,team\n{written},red\n")
    assert dense(tmp_path / "people.csv", Ids(ids))[1].tolist() == [[1.0], [0.0]]


BAD = {
    "unknown id column": (FILMS, {"id": "film"}, "id='film' is not a column of features"),
    "unknown column": (FILMS, {"columns": ["gender"]}, r"columns\[0\]='gender' is not a column of features.*'genres'"),
    "twice": ({"id": [1, 1], "x": [1, 2]}, {}, "id: 1 has 2 lines in features"),
    "no known id": ({"id": [8], "x": [1]}, {}, "none of the ids in the column 'id' of features is among"),
    "no column": ({"id": [1]}, {}, "no column besides its ids"),
    "infinity": ({"id": [1], "x": [float("inf")]}, {}, "column 'x' of features holds infinity"),
    "dates": (pl.DataFrame({"id": [1]}).with_columns(d=pl.date(2024, 1, 1)), {}, "'d' of features holds Date"),
    "not numeric": ({"id": [1], "x": ["a"]}, {"kinds": {"x": "numeric"}}, r"kinds\['x'\]='numeric', but"),
    "not multi": ({"id": [1], "x": ["a"]}, {"kinds": {"x": "multi"}}, r"kinds\['x'\]='multi', but"),
    "no text": ({"id": [1], "x": [1]}, {"separators": {"x": "|"}}, "the column must be text"),
    "kind": (FILMS, {"kinds": {"year": "date"}}, r"kinds\['year'\]='date' is not one of"),
    "scaling": (FILMS, {"scaling": "log"}, "scaling='log' is not one of standard, largest, none"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_sentence(case):
    table, options, sentence = BAD[case]
    with pytest.raises(InputError, match=sentence):
        dense(table, **options)


def test_transform_refuses_other_tables():
    with pytest.raises(InputError, match="not fitted yet"):
        FeatureEncoder("id").transform(FILMS, IDS)
    encoder, _ = dense({"id": [1, 2], "x": ["a", "b"]}, unknown="error")
    with pytest.raises(InputError, match="holds 'c', which the encoder does not know"):
        encoder.transform({"id": [1], "x": ["c"]}, IDS)
    with pytest.raises(InputError, match="has no column 'x'"):
        encoder.transform({"id": [1], "y": ["a"]}, IDS)
    with pytest.raises(InputError, match="was categorical at fit and is numeric now"):
        encoder.transform({"id": [1], "x": [3]}, IDS)


def test_transform_takes_any_list_of_ids():
    encoder = FeatureEncoder("id").fit({"id": ["a", "b"], "size": [1.0, 3.0]}, Ids(["a", "b"]))
    table = {"id": ["x", "y"], "size": [3.0, 1.0]}
    assert encoder.transform(table, ["y", "x"]).toarray().tolist() == [[-1.0], [1.0]]
    assert encoder.transform(table, np.array(["y"])).shape == (1, 1)
    with pytest.raises(InputError, match="must be a list of ids, not 'x'"):
        encoder.transform(table, "x")
