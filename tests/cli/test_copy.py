"""``tacit copy``: what the copy holds no more, and that it answers."""

import numpy as np
import pytest

import tacit as library

TABLE = {"who": ["ann", "ann", "bob", "bob", "cyd"], "what": ["tea", "jam", "tea", "bread", "jam"]}


@pytest.fixture
def path(tmp_path):
    data = library.Interactions.from_table(TABLE, row="who", col="what")
    library.FactorRecommender(2, iterations=2, progress=False).fit(data).save(tmp_path / "m", notes="plays of May")
    return tmp_path / "m"


def test_a_copy_goes_without_ids_and_histories_and_answers_alike(path, tmp_path, tacit, tacit_json):
    before = path.read_bytes()
    said = tacit("copy", path, "-o", tmp_path / "public", "--without-ids", "--without-histories")
    assert "a FactorRecommender without ids of rows, without histories" in said
    model, copy = library.load(path), library.load(tmp_path / "public")
    assert copy.seen_.nnz == 0 and list(copy.row_ids_) == [0, 1, 2]
    assert b"ann" not in (tmp_path / "public").read_bytes()
    np.testing.assert_array_equal(copy.row_factors_, model.row_factors_)
    assert tacit_json("info", tmp_path / "public")["notes"] == "plays of May"
    assert path.read_bytes() == before


def test_half_precision_halves_the_factors(path, tmp_path, tacit_json):
    found = tacit_json("copy", path, "-o", tmp_path / "small", "--half-precision")
    assert found["bytes"] == (tmp_path / "small").stat().st_size
    assert found["bytes_before"] == path.stat().st_size
    model, copy = library.load(path), library.load(tmp_path / "small")
    np.testing.assert_array_equal(copy.col_factors_, model.col_factors_.astype(np.float16).astype(np.float32))
    assert list(copy.row_ids_) == ["ann", "bob", "cyd"] and copy.seen_.nnz == 5


def test_what_cannot_be_is_told(path, tmp_path, refused):
    assert "cp copies a file as it is" in refused("copy", path, "-o", tmp_path / "same")
    assert "MODEL itself" in refused("copy", path, "-o", path, "--without-ids")
    library.RatingStream(2).partial_fit(["a"], ["x"], [1.0]).save(tmp_path / "stream")
    asked = ("copy", tmp_path / "stream", "-o", tmp_path / "no")
    said = refused(*asked, "--without-histories")
    assert said.startswith("tacit: --without-histories: a RatingStream holds no histories of rows")
    assert "--half-precision: a RatingStream holds no factors" in refused(*asked, "--half-precision")
    library.WordVectors(2, min_count=1, iterations=1, progress=False).fit(["tea and jam"] * 5).save(tmp_path / "words")
    assert "--without-ids: a WordVectors" in refused("copy", tmp_path / "words", *asked[2:], "--without-ids")
    assert not (tmp_path / "no").exists()
