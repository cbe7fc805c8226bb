"""Committed pages say what the committed results say."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_pages_match_the_results():
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.pages", "--check"], capture_output=True, text=True, cwd=ROOT
    )
    assert run.returncode == 0, run.stderr


def test_a_block_that_nothing_draws_is_refused_in_one_sentence(tmp_path, monkeypatch):
    pages = importlib.import_module("benchmarks.pages")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "no-such-table.json").write_text("{}")
    monkeypatch.setattr(pages, "HERE", tmp_path)
    with pytest.raises(SystemExit, match="no-such-table, which nothing draws"):
        pages.render("no-such-table")
