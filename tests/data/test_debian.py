"""The bundled index: small, well tagged, consistent, and rebuilt by the script in the repo."""

import importlib.util
from importlib.resources import files
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tacit.data import load_debian
from tacit.errors import InputError

SCRIPT = Path(__file__).parents[2] / "scripts" / "build_debian.py"

DUMP = """Package: editor
Version: 1.0
Pre-Depends: base (>= 2)
Depends: toolkit (>= 3) | other-toolkit, nowhere, editor-data:any
Recommends: speller
Description: edits text
Tag: interface::x11, role::program, use::editing,
 works-with::text, works-with::TODO
Section: editors

Package: toolkit
Description: draws windows
Tag: devel::lang:TODO, devel::library, role::shared-lib, role::special:todo
Section: libs

Package: speller
Description: finds mistakes
Tag: use::checking
Section: text

Package: editor-old
Description: goes away
Tag: role::dummy, use::editing, works-with::text
Section: oldlibs

Package: bird
Description: is not free
Tag: game::arcade, role::program, use::gameplaying
Section: contrib/games

Package: naked
Description: has no tags
Section: misc
"""


@pytest.fixture(scope="module")
def debian():
    return load_debian()


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("build_debian", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_is_small_and_about_ten_thousand(debian):
    assert len((files("tacit.data") / "bundled" / "debian.parquet").read_bytes()) <= 2_000_000
    assert debian.table.height == 10_000 and debian.release.startswith("Debian")
    assert debian.table["name"].is_unique().all() and not debian.table["description"].str.contains("\n").any()
    assert debian.table["tags"].list.len().min() >= 3


def test_tags_are_about_content(debian):
    tags = debian.tags.col_ids.all()
    assert not [tag for tag in tags if tag.endswith("TODO") or "special:" in tag or "::" not in tag]
    assert debian.tags.nnz == debian.table["tags"].list.len().sum()


def test_relations_stay_among_the_packages(debian):
    names = set(debian.table["name"])
    for relation in ("depends", "suggests"):
        assert set(debian.table[relation].explode().drop_nulls()) <= names
    assert debian.dependencies.nnz == debian.table["depends"].list.len().sum() > 5000
    graph = debian.tags.row_graph
    assert (graph != graph.T).nnz == 0 and np.all(graph.diagonal() == 0) and graph.nnz > 10_000


def test_descriptions_follow_the_rows(debian):
    row = debian.tags.row_ids.numbers(["gimp"])[0]
    assert "GNU Image Manipulation" in debian.descriptions()[row]


def test_the_script_keeps_what_it_says(script):
    table = script.build(DUMP, packages=3)
    assert table["name"].to_list() == ["editor", "speller", "toolkit"]
    editor, _, toolkit = table.iter_rows(named=True)
    assert editor["tags"] == ["interface::x11", "role::program", "use::editing", "works-with::text"]
    assert editor["depends"] == ["toolkit"] and editor["suggests"] == ["speller"]
    assert toolkit["tags"] == ["devel::library", "role::shared-lib"]


def test_the_best_tagged_come_first_and_ties_go_by_name(script):
    assert script.build(DUMP, packages=2)["name"].to_list() == ["editor", "toolkit"]


def test_relations_are_what_packages_depend_on_and_suggest(debian):
    pairs = set(debian.relations.to_polars().select("row", "col").iter_rows())
    needed = set(debian.dependencies.to_polars().select("row", "col").iter_rows())
    assert needed < pairs
    assert set(debian.relations.matrix.data.tolist()) == {1.0}


def test_the_first_packages_relate_to_each_other_alone(debian):
    few = debian.first(800)
    names = set(few.table["name"])
    assert len(names) == 800
    assert set(few.relations.col_ids.all()) <= names
    inside = {(a, b) for a, b in debian.relations.to_polars().select("row", "col").iter_rows() if {a, b} <= names}
    assert set(few.relations.to_polars().select("row", "col").iter_rows()) == inside


def test_a_damaged_or_foreign_table_is_refused(tmp_path):
    from tacit.data import debian as module

    (tmp_path / "cut").write_bytes(b"PAR1" + b"\0" * 50)
    with pytest.raises(InputError, match="is damaged"):
        module._read(tmp_path / "cut")
    pl.DataFrame({"name": ["a"]}).write_parquet(tmp_path / "foreign", metadata={"release": "x"})
    with pytest.raises(InputError, match="not the one that came with Tacit"):
        module._read(tmp_path / "foreign")
