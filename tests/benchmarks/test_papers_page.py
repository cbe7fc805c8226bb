"""docs/papers/index.md names only what exists: functions, calls with their parameters, and tables of tacit bench."""

import ast
import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tacit

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "papers" / "index.md").read_text(encoding="utf-8")
QUOTED = re.findall(r"`([^`]+)`", PAGE)
PLACES = sorted({one for one in QUOTED if re.fullmatch(r"tacit(\.\w+)+", one)})
CALLS = sorted({one for one in QUOTED if re.match(r"[A-Z]\w+[.(]", one) and "…" not in one})
TABLES = sorted({one.split()[2] for one in QUOTED if re.fullmatch(r"tacit bench [a-z][a-z0-9-]+", one)})


@pytest.mark.parametrize("place", PLACES)
def test_a_place_exists(place):
    module, _, name = place.rpartition(".")
    assert hasattr(importlib.import_module(module), name)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_can_be_made_with_these_parameters(call):
    """Constructors are run as they are written; names that stand for data are left out."""
    made = ast.parse(call, mode="eval").body
    while isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr == "fit":
        known = inspect.signature(getattr(tacit, made.func.value.func.id).fit).parameters
        assert {keyword.arg for keyword in made.keywords} <= set(known)
        made = made.func.value
    eval(compile(ast.Expression(made), call, "eval"), {name: getattr(tacit, name) for name in tacit.__all__})


def test_tacit_bench_names_every_table():
    listed = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench", "--list"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    known = set(json.loads(listed))
    assert set(TABLES) <= known
    papers = {name for name in known if name.startswith(("fbgd-", "nn-apa-", "qs3orao-", "exmlds-", "ocmf-"))}
    assert papers == set(TABLES)
