"""Committed pages say what the committed results say."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import pages, results

ROOT = Path(__file__).parents[2]


def test_pages_match_the_results():
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.pages", "--check"], capture_output=True, text=True, cwd=ROOT
    )
    assert run.returncode == 0, run.stderr


def test_a_block_that_nothing_draws_is_refused_in_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "no-such-table.json").write_text("{}")
    monkeypatch.setattr(pages, "HERE", tmp_path)
    with pytest.raises(SystemExit, match="no-such-table, which nothing draws"):
        pages.render("no-such-table")


def test_pictures_of_the_docs_are_drawn_from_results_files_that_exist():

    for name, drawing in pages.DRAWINGS.items():
        assert (pages.FIGURES / f"{name}.svg").exists()
        drawing.draw(results.read(drawing.file)["figures"])


def test_a_picture_is_the_same_file_each_time(tmp_path):

    drawing = pages.DRAWINGS["words-curve"]
    paths = [tmp_path / f"{turn}.svg" for turn in range(2)]
    for path in paths:
        pages.save(drawing.draw(results.read(drawing.file)["figures"]), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert b"<dc:date>" not in paths[0].read_bytes()
