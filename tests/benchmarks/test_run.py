"""``make bench`` calls every program as it wants to be called."""

import ast
import os
import re
import subprocess
import sys

from benchmarks import processes, results, run
from tests.benchmarks.conftest import FOLDER

APART = {"machine.check", "machine.quick_times"}
"""`make bench-check` runs the first; the second runs the programs themselves."""


def source(module):
    return (FOLDER / f"{module.replace('.', '/')}.py").read_text("utf-8")


def test_every_program_is_declared():
    files = [path for folder in ("papers", "peers", "machine") for path in (FOLDER / folder).glob("*.py")]
    programs = {
        f"{path.parent.name}.{path.stem}" for path in files if '__name__ == "__main__"' in path.read_text("utf-8")
    }
    assert programs == {one.module for one in run.PROGRAMS.values()} | APART


def test_the_head_of_a_program_says_its_command_and_what_it_writes():
    for program in run.PROGRAMS.values():
        head = ast.get_docstring(ast.parse(source(program.module)))
        assert f"python -m benchmarks.{program.module}" in head, program.module
        assert re.search(r"[\w-]\.json", head), program.module


def test_programs_know_their_parts_and_the_quick_ones_are_quick():
    for program in run.PROGRAMS.values():
        text = source(program.module)
        assert all(f'"{part}"' in text for part in program.parts if part)
        assert ('"--quick"' in text) == bool(program.quick)
        assert set(program.quick) <= set(program.parts)


def test_commands_of_results_files_and_programs_that_pages_name_exist():
    said = []
    for path in sorted(results.FOLDER.glob("*.json")):
        record = results.read(path.stem)
        said += [record["command"], *(part["command"] for part in record.get("parts", {}).values())]
    pages = [FOLDER.parent / "README.md", *sorted((FOLDER.parent / "docs").rglob("*.md"))]
    text = "\n".join([*said, *(page.read_text("utf-8") for page in pages)])
    modules = set(re.findall(r"python -m benchmarks\.([\w.]+\w)", text))
    named = {f"{module.replace('.', '/')}.py" for module in modules} | set(re.findall(r"benchmarks/([\w/]+\.py)", text))
    assert len(modules) > 20
    assert [file for file in sorted(named) if not (FOLDER / file).exists()] == []


def test_programs_are_called_as_they_want():
    assert run.commands(["recommend", "first_use"], True) == [["peers.recommend", "--quick"]]
    assert run.commands(["recommend", "first_use"], False) == [["peers.recommend"], ["machine.first_use"]]
    assert ["papers.words", "output", "--quick"] in run.commands(["words"], True)
    assert ["papers.words", "quality", "--quick"] not in run.commands(["words"], True)


def test_absent_data_are_one_sentence_and_no_failure(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.processes", "peers.recommend", "--quick"],
        cwd=FOLDER.parent, env=os.environ | {"TACIT_DATA": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == processes.ABSENT
    assert done.stderr.startswith("peers.recommend: left out, ml-1m/")
    assert "Traceback" not in done.stderr
