"""The page on how it is built shows the files that really run, and a walk is short."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_spec = importlib.util.spec_from_file_location("architecture", ROOT / "scripts" / "architecture.py")
architecture = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(architecture)


@pytest.fixture(scope="module")
def walks():
    return architecture.walks()


def test_a_walk_is_at_most_ten_files_and_enters_none_twice(walks):
    for call, files in walks.items():
        assert len(files) <= architecture.MOST_FILES, call
        assert len(set(files)) == len(files), call
        assert files[-1].startswith("kernels/"), call


def test_the_page_and_the_picture_are_what_runs(walks):
    for file, text in architecture.written(walks).items():
        assert file.read_text(encoding="utf-8") == text, f"run python scripts/architecture.py, which writes {file.name}"


def test_the_page_names_no_file_that_is_not_there():
    page = architecture.PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", page))
    places = (architecture.PACKAGE, ROOT, architecture.PACKAGE / "estimators")
    assert not [file for file in named if not any((place / file).exists() for place in places)]


def test_estimators_have_a_random_state_and_functions_a_seed():
    wrong = []
    for path in (ROOT / "src").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constructors = {
            id(method): any(getattr(one, "name", "") in ("fit", "partial_fit") for one in owner.body)
            for owner in ast.walk(tree) if isinstance(owner, ast.ClassDef)
            for method in owner.body if getattr(method, "name", "") == "__init__"
        }  # fmt: skip
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                names = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
                learns = constructors.get(id(function))
                if ("random_state" in names and learns is None) or ("seed" in names and learns):
                    wrong.append(f"{path.name}: {function.name}")
    assert not wrong
