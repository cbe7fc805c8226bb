"""Positives on disk: the matrix, the model and the errors that memory gives."""

import gc
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data import stored
from tacit.data.matrix import transpose
from tacit.errors import InputError

COLUMNS = {"row": "who", "col": "what", "weight": "times"}


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """Three files with repeated pairs, cut into a dozen ranges."""
    monkeypatch.setattr(stored, "LINES", 500)
    rng = np.random.default_rng(1)
    for place in range(3):
        who, what = rng.integers(0, 300, 2000) - 7, (rng.pareto(1.0, 2000) * 9).astype(int) % 80
        table = {"who": who, "what": [f"t{n}" for n in what], "times": rng.integers(1, 4, 2000) * 0.1}
        pl.DataFrame(table).write_parquet(tmp_path / f"{place}.parquet")
    return str(tmp_path / "*.parquet")


@pytest.mark.parametrize("duplicates", ["sum", "last", "first", "max"])
def test_both_orders_are_those_of_memory(parts, duplicates):
    here = tacit.Interactions.from_parquet(parts, duplicates=duplicates, **COLUMNS)
    there = tacit.Interactions.from_parquet(parts, duplicates=duplicates, out_of_core=True, **COLUMNS)
    assert here.row_ids == there.row_ids and here.col_ids == there.col_ids
    for name in ("indptr", "indices", "data"):
        assert getattr(here.matrix, name).tobytes() == getattr(there.matrix, name).tobytes()
        assert getattr(here.matrix, name).dtype == getattr(there.matrix, name).dtype
    moved = transpose(here.matrix)
    for name in ("indptr", "indices"):
        np.testing.assert_array_equal(getattr(moved, name), getattr(there.matrix, f"col_{name}"))
    np.testing.assert_array_equal(moved.data, there.matrix.col_values)


@pytest.mark.parametrize("positive_weight", ["log", "value", "one"])
def test_training_gives_the_same_file(parts, tmp_path, positive_weight):
    files = []
    for out_of_core in (False, True):
        data = tacit.Interactions.from_parquet(parts, out_of_core=out_of_core, **COLUMNS)
        model = tacit.FactorRecommender(6, iterations=2, positive_weight=positive_weight).fit(data)
        model.save(tmp_path / "model")
        files.append((tmp_path / "model").read_bytes())
    assert files[0] == files[1]


def test_a_folder_is_opened_again_and_belongs_to_its_parts(parts, tmp_path, monkeypatch):
    folder = tmp_path / "sorted"
    first = tacit.Interactions.from_parquet(parts, out_of_core=True, folder=folder, **COLUMNS)
    monkeypatch.setattr(stored, "_build", lambda *_: pytest.fail("built again"))
    again = tacit.Interactions.from_parquet(parts, out_of_core=True, folder=folder, **COLUMNS)
    assert (first.matrix != again.matrix).nnz == 0
    with pytest.raises(InputError, match="was made from other parts or columns"):
        tacit.Interactions.from_parquet(parts, out_of_core=True, folder=folder, row="who", col="what")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="holds other files"):
        tacit.Interactions.from_parquet(parts, out_of_core=True, folder=tmp_path / "mine", **COLUMNS)


def test_what_was_cut_short_is_begun_anew(parts, tmp_path, monkeypatch):
    folder = tmp_path / "sorted"
    write = stored._write
    monkeypatch.setattr(stored, "_write", lambda folder, side, *a: write(folder, side, *a) if side == "row" else 1 / 0)
    with pytest.raises(ZeroDivisionError):
        tacit.Interactions.from_parquet(parts, out_of_core=True, folder=folder, **COLUMNS)
    monkeypatch.setattr(stored, "_write", write)
    there = tacit.Interactions.from_parquet(parts, out_of_core=True, folder=folder, **COLUMNS)
    assert (there.matrix != tacit.Interactions.from_parquet(parts, **COLUMNS).matrix).nnz == 0


def test_a_temporary_folder_disappears(parts):
    data = tacit.Interactions.from_parquet(parts, out_of_core=True, **COLUMNS)
    folder = data.matrix.folder
    assert folder.exists()
    del data
    gc.collect()
    assert not folder.exists()


def test_bad_parts_are_named(parts, tmp_path):
    for arguments, sentence in (
        ({"duplicates": "error"}, "occurs more than once"),
        ({"weight": "when"}, "weight='when' is not a column"),
        ({"out_of_core": False, "folder": tmp_path}, "folder is for out_of_core=True"),
    ):
        with pytest.raises(InputError, match=sentence):
            tacit.Interactions.from_parquet(parts, **({"out_of_core": True} | COLUMNS | arguments))
    pl.DataFrame({"who": ["x"], "what": ["y"], "times": [1.0]}).write_parquet(tmp_path / "3.parquet")
    with pytest.raises(InputError, match="types Int64 and String in different parts"):
        tacit.Interactions.from_parquet(parts, out_of_core=True, **COLUMNS)
    pl.DataFrame({"who": [1], "what": ["y"], "times": [0.0]}).write_parquet(tmp_path / "3.parquet")
    with pytest.raises(InputError, match="weights above zero only"):
        tacit.Interactions.from_parquet(parts, out_of_core=True, **COLUMNS)


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="needs Linux's list of mapped memory")
def test_memory_of_mapped_arrays_is_given_back(parts):
    data = tacit.Interactions.from_parquet(parts, out_of_core=True, **COLUMNS)
    before = data.matrix.indices.copy()

    def resident():
        maps = Path("/proc/self/smaps").read_text().split("\n")
        at = next(i for i, line in enumerate(maps) if line.endswith("row_indices"))
        return int(next(line for line in maps[at:] if line.startswith("Rss")).split()[1])

    assert resident() > 0
    data.matrix.let_go()
    assert resident() == 0
    np.testing.assert_array_equal(data.matrix.indices, before)
