"""The benchmarks' own modules, which are not part of the package."""

import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def modules_of_the_benchmarks(monkeypatch):
    """Import as the programs do; forget the modules afterwards, whose names are short and common."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(FOLDER))
    yield
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and str(FOLDER) in str(sys.modules[name].__file__):
            del sys.modules[name]
