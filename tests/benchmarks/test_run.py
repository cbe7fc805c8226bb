"""``make bench`` finds the benchmarks and calls them as they want to be called."""

import importlib
import os
import runpy
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "benchmarks"


def test_programs_are_found_and_called_as_they_want():
    run = vars(importlib.import_module("run"))
    measuring, pictures = run["programs"]()
    assert {"recommend", "sweep", "words", "load_csv"} <= set(measuring)
    assert "words_figures" in pictures
    assert run["commands"](["recommend", "load_csv"], True) == [["recommend.py", "--quick"]]
    assert run["commands"](["recommend", "load_csv"], False) == [["recommend.py"], ["load_csv.py"]]
    for name, tables in run["ARGUMENTS"].items():
        text = (FOLDER / f"{name}.py").read_text("utf-8")
        assert all(f'"{table}"' in text for table in tables)
        assert [f"{name}.py", tables[-1], "--quick"] in run["commands"]([name], True)


def test_absent_data_are_one_sentence_and_no_failure(tmp_path):
    environment = os.environ | {"TACIT_DATA": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(FOLDER / "launch.py"), "recommend.py", "--quick"],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == runpy.run_path(str(FOLDER / "launch.py"))["ABSENT"]
    assert done.stderr.startswith("recommend.py: left out, ml-1m/")
    assert "Traceback" not in done.stderr
