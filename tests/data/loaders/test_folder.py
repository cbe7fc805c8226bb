"""Looking up files: as published or compressed, and one sentence when they are absent or cut short."""

import bz2
import gzip
import lzma

import pytest

from tacit import data
from tacit.errors import InputError, MissingDataError

RATINGS = b"1::10::5::978300760\n1::20::3::978302109\n2::10::4::978301968\n"
FILMS = b"10::Caf\xe9 (1999)::Drama|Comedy\n20::Plain (2000)::Drama\n"
USERS = b"1::F::1::10::48067\n2::M::56::16::70072\n"


def put(folder, suffix="", opener=open):
    for name, content in {"ratings.dat": RATINGS, "movies.dat": FILMS, "users.dat": USERS}.items():
        with opener(folder / (name + suffix), "wb") as file:
            file.write(content)


@pytest.fixture
def ml_1m(tmp_path, monkeypatch):
    monkeypatch.setenv("TACIT_DATA", str(tmp_path))
    (tmp_path / "ml-1m").mkdir()
    return tmp_path / "ml-1m"


@pytest.mark.parametrize(("suffix", "opener"), [("", open), (".gz", gzip.open), (".xz", lzma.open), (".bz2", bz2.open)])
def test_published_names_plain_or_compressed(ml_1m, suffix, opener):
    put(ml_1m, suffix, opener)
    loaded = data.load_movielens_1m()
    assert loaded.ratings["time"].to_list() == [978300760, 978302109, 978301968]
    assert loaded.items["title"].to_list() == ["Café (1999)", "Plain (2000)"]
    assert loaded.items["genres"].to_list()[0] == ["Drama", "Comedy"]
    assert loaded.users["age"].to_list() == ["under 18", "56 and over"]
    assert loaded.positives().row_ids.all().tolist() == [1, 2]


def test_absent_data_say_where_to_get_them(ml_1m, monkeypatch):
    with pytest.raises(MissingDataError, match=r"ml-1m/ratings\.dat .* grouplens\.org/datasets/movielens/1m"):
        data.load_movielens_1m()
    monkeypatch.delenv("TACIT_DATA")
    with pytest.raises(MissingDataError, match="the variable TACIT_DATA is not set"):
        data.load_movielens_1m()


@pytest.mark.parametrize(("suffix", "opener"), [(".gz", gzip.open), (".xz", lzma.open)])
def test_a_file_cut_short_is_refused(ml_1m, suffix, opener):
    put(ml_1m, suffix, opener)
    path = ml_1m / f"ratings.dat{suffix}"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="could not be decompressed"):
        data.load_movielens_1m()
