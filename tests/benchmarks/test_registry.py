"""Every table of the papers has a name, a program that exists, what the paper reports, and a view that copes."""

import json
import re

import pytest

from benchmarks import papers, registry, render, results, run
from tests.benchmarks.conftest import FOLDER

ASKED = {
    "fbgd": ["table1", "table3", "table4", "table5", "table6", "table7", "table8", "figure3", "figure4", "figure5"],
    "nn-apa": ["table1", "table2", "table3", "table4", "figure1", "figure2", "figure3", "figure4"],
    "qs3orao": ["table1", "table2", "figure1", "figure2"],
    "exmlds": ["table1", "table2", "table3", "table4", "table5"],
    "ocmf": ["table2", "table3", "figure1", "figure2", "figure3"],
}
PEERS = {"recommend", "tag", "words", "stream", "grade", "full-rank", "gowalla"}


def all_names():
    return [f"{paper}-{part}" for paper, parts in ASKED.items() for part in parts]


def source(program):
    return (FOLDER / f"{program.replace('.', '/')}.py").read_text("utf-8")


def test_the_registry_has_every_name():
    assert set(all_names()) | PEERS == set(registry.names())
    assert len(set(registry.names())) == len(registry.names())


def test_programs_exist_know_their_arguments_and_have_a_quick_version():
    for name in registry.names():
        assert len(registry.entry(name).calls) > 0
        for program, *arguments in registry.commands(name, quick=False):
            text = source(program)
            assert '__name__ == "__main__"' in text
            for argument in arguments:
                assert re.search(rf'"{argument}"', text), f"{program} does not know {argument}"
        for program, *_, last in registry.commands(name, quick=True):
            assert last == "--quick"
            assert '"--quick"' in source(program), f"{program} has no quick version"


def test_make_bench_quick_makes_every_table():
    made = run.commands([*run.PROGRAMS], quick=True)
    for name in registry.names():
        for program, *arguments in registry.commands(name, quick=True):
            # A program that takes the names of its parts makes all of them when it gets none.
            assert [program, *arguments] in made or [program, "--quick"] in made, name


def test_what_the_papers_report_has_as_many_values_as_measures():
    for path in sorted(papers.FOLDER.glob("*.json")):
        found = papers.read(path.stem)
        assert found.pop("paper")
        for part in found.values():
            assert part["caption"]
            assert ("claim" in part) != ("sets" in part)
            for methods in part.get("sets", {}).values():
                for values in methods.values():
                    nested = values if isinstance(values[0], list) else [values]
                    assert all(len(row) == len(part["measures"]) for row in nested)


def test_every_table_can_be_drawn_without_any_results(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    for name in registry.names():
        assert registry.title(name)
        tables = registry.tables(name, quick=True)
        assert tables
        for table in tables:
            assert all(len(row) == len(table.headings) for row in table.rows), (name, table.title)


@pytest.mark.parametrize("quick", [False, True])
def test_every_table_can_be_drawn_from_the_committed_results(quick):
    for name in registry.names():
        for table in registry.tables(name, quick):
            assert all(len(row) == len(table.headings) for row in table.rows), (name, table.title)
            assert all(isinstance(cell, str) for row in table.rows for cell in row), (name, table.title)


def test_quick_results_have_files_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    (tmp_path / "stream-quick.json").write_text(json.dumps({"figures": {"curves": {}}}))
    assert registry.records("nn-apa-figure1", quick=False) == [None]
    assert registry.records("nn-apa-figure1", quick=True) == [{"figures": {"curves": {}}}]


def test_paper_and_ours_stand_side_by_side():
    table = render.beside(
        "t", ["P@1"], {"theirs": [0.5], "both": [0.25]}, {"both": [0.75], "ours": [1.0]}, digits=2,
        missing={"theirs": "no code"},
    )  # fmt: skip
    assert list(table.headings) == ["method", "paper P@1", "here P@1", ""]
    assert table.rows == [
        ["theirs", "0.50", "–", "no code"], ["both", "0.25", "0.75", ""], ["ours", "–", "1.00", ""],
    ]  # fmt: skip
    complete = render.beside("t", ["s"], {"a": [None]}, {"a": [2]}, digits=0)
    assert list(complete.headings) == ["method", "paper s", "here s"]
    assert complete.rows == [["a", "–", "2"]]


def test_a_part_of_a_results_file_keeps_its_own_command(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "FOLDER", tmp_path / "benchmarks" / "results")
    results.FOLDER.mkdir(parents=True)
    results.write("runtime", {"table7": {}}, "table7", command="the first")
    results.write("runtime", {"table7": {}, "figure5": {}}, "figure5", command="the second")
    commands = [registry.records(name, quick=False)[0]["command"] for name in ("fbgd-table7", "fbgd-figure5")]
    assert commands == ["the first", "the second"]
