"""``doctor`` and ``warm``."""

import json
import os
import subprocess
import sys

import pytest

import tacit as package


def test_doctor_reports_what_a_bug_report_needs(tacit_json, tacit, monkeypatch):
    monkeypatch.setenv("TACIT_DATA", "/no/such/folder")
    report = tacit_json("doctor")
    assert report["tacit"] == package.__version__
    assert {"numpy", "numba", "polars"} <= report["libraries"].keys()
    assert report["cores"]["for_this_process"] >= 1
    assert report["blas"]
    assert {"sql", "viz"} <= report["extras"].keys()
    assert report["data"] == {"TACIT_DATA": "/no/such/folder", "exists": False}
    printed = tacit("doctor")
    assert "/no/such/folder (does not exist)" in printed
    assert "may be used" in printed


def test_doctor_says_when_nothing_can_be_cached(tacit, monkeypatch):
    monkeypatch.setattr("tacit.kernels._jit.cache_folder", lambda: None)
    assert "set NUMBA_CACHE_DIR" in tacit("doctor")


def test_every_estimator_has_a_step_in_warm(monkeypatch, tacit_json):
    """A tiny fit of each public estimator happens in some step."""
    from tacit.estimators.model import Model

    estimators = {name: getattr(package, name) for name in package.__all__ if isinstance(getattr(package, name), type)}
    estimators = {name: kind for name, kind in estimators.items() if issubclass(kind, Model)}
    fitted = set()
    for name, kind in estimators.items():
        for method in ("fit", "partial_fit"):
            if hasattr(kind, method):
                monkeypatch.setattr(kind, method, _noting(getattr(kind, method), name, fitted))
    outcome = tacit_json("warm")
    assert fitted == set(estimators), "give the new estimator a step in tacit/cli/warm.py"
    assert outcome["removed"] == 0


def _noting(method, name, fitted):
    def noted(self, *arguments, **options):
        fitted.add(type(self).__name__)
        return method(self, *arguments, **options)

    return noted


@pytest.mark.jit
def test_clear_removes_only_compiled_kernels(tmp_path):
    """In a folder of its own, with nothing to compile after the clearing."""
    code = """
import sys
from tacit.cli import warm
warm.STEPS.clear()
from tacit.cli.app import main
main(["warm", "--json", *sys.argv[1:]])
"""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}

    def run(*more):
        done = subprocess.run([sys.executable, "-c", code, *more], env=environment, capture_output=True, text=True)
        return json.loads(done.stdout)

    from pathlib import Path

    folder = Path(run()["folder"])
    assert folder.is_relative_to(tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("a.nbi", "a.1.nbc", "kept.txt"):
        (folder / name).write_text("x")
    assert run("--clear")["removed"] == 2
    assert [file.name for file in folder.iterdir()] == ["kept.txt"]
