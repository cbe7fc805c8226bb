"""The page of all that was measured is complete in itself and says what the tables say."""

import re

from benchmarks import bench, results
from tests.report.pages import checked


def test_the_page_holds_every_table_that_the_results_give():

    page = bench.benchmark_page()
    text = checked(page)
    record = results.read("recommend")
    for data in record["figures"].values():
        for method, row in data["methods"].items():
            assert method in text
            assert f"{row['ndcg@10']:.4f}" in text
    assert "tacit bench fbgd-table4" in text
    assert len(re.findall("<img class", page)) >= 4


def test_every_table_module_of_a_results_file_is_shown():

    records = {path.stem: results.read(path.stem) for path in sorted(results.FOLDER.glob("*.json"))}
    shown = [block for job in (*bench.JOBS, bench.OTHERS) for block in bench._tables(job, records)]
    commands = {record["command"] for name, record in records.items()
                if name in bench.BLOCKS}  # fmt: skip
    said = " ".join(getattr(block, "text", "") for block in shown)
    assert [command for command in commands if command not in said] == []


def test_an_empty_folder_gives_a_page_that_says_what_is_missing(tmp_path, monkeypatch):

    monkeypatch.setattr(results, "FOLDER", tmp_path)
    text = checked(bench.benchmark_page())
    assert "What Tacit measures" in text
    assert "Not measured yet." in text
    assert "benchmarks.peers.recommend" not in text


def test_headings_and_links_to_pictures_are_not_shown_as_they_are_typed():

    assert not re.search(r"###|!\[", checked(bench.benchmark_page()))


def test_the_verb_writes_the_page(tmp_path, capsys):
    from tacit.cli.app import main

    main(["bench", "--html", str(tmp_path / "bench.html")])
    assert "wrote the page" in capsys.readouterr().err
    checked((tmp_path / "bench.html").read_text(encoding="utf-8"))
