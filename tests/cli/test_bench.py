"""``tacit bench``: names, tables from results, and one sentence where there is no checkout."""

import pytest

from tacit.cli import bench
from tacit.cli.app import main


def test_names_are_listed(tacit, tacit_json):
    assert "fbgd-table4" in tacit("bench", "--list")
    assert "nn-apa-table2" in tacit_json("bench", "--list")


def test_what_was_measured_last_is_shown_beside_the_paper(tacit, tacit_json):
    shown = tacit("bench", "nn-apa-table2", "--show")
    assert "paper test MAE" in shown
    assert "0.7663" in shown
    document = tacit_json("bench", "nn-apa-table2", "--show")
    assert document["tables"][0]["rows"][0][0] == "SGD"
    assert document["sources"][0]["command"].startswith("python ")


def test_data_that_are_absent_are_named_and_no_empty_table_is_shown(monkeypatch, capfd):
    monkeypatch.delenv("TACIT_DATA", raising=False)
    main(["bench", "nn-apa-table2", "--quick"])
    shown, said = capfd.readouterr()
    assert "ml-100k" in said and "TACIT_DATA is not set" in said and "did not measure: its data are not here" in said
    assert "--show" not in said and "not measured yet" not in shown


def test_an_unknown_name_is_refused_with_those_that_are_close(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["bench", "fbgd-table99"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "no table 'fbgd-table99'" in said
    assert "fbgd-table4" in said
    assert "ocmf" not in said


def test_without_the_checkout_one_sentence_says_how_to_get_it(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench, "__file__", str(tmp_path / "lib" / "tacit" / "cli" / "bench.py"))
    with pytest.raises(SystemExit) as ended:
        main(["bench", "--list"])
    assert ended.value.code == 2
    assert "get the source of Tacit" in capsys.readouterr().err
