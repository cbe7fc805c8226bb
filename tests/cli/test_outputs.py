"""What a command may write over, and strangers' text on its way to a terminal, a page or a spreadsheet."""

import os
from pathlib import Path

import pytest

import tacit as library
from tacit.cli.app import main


def test_an_output_never_replaces_an_input(shop, refused, tmp_path):
    before = shop.read_bytes()
    for options in ((), ("--force",)):
        assert "is what this command reads" in refused("fit", "recommend", shop, "-o", shop, *options)
        assert "is what this command reads" in refused("evaluate", shop, "--html", shop, *options)
    link = tmp_path / "link.csv"
    link.symlink_to(shop)
    assert "is what this command reads" in refused("fit", "recommend", shop, "-o", link, "--force")
    pattern = str(shop.with_name("sh*.csv"))
    assert "is what this command reads" in refused("fit", "recommend", pattern, "-o", shop, "--force")
    assert shop.read_bytes() == before


def test_a_file_that_is_not_ours_is_kept_unless_forced(shop, model, refused, tacit, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    assert "exists and is no model that Tacit wrote" in refused("fit", "recommend", shop, "-o", notes)
    assert "exists and is no page that Tacit wrote" in refused("evaluate", shop, "--html", notes, "--factors", 2)
    assert "exists and is no page that Tacit wrote" in refused("evaluate", shop, "--html", model, "--factors", 2)
    assert notes.read_text() == "mine"
    library.load(model)
    tacit("fit", "recommend", shop, "-o", notes, "--factors", 2, "--force")
    assert library.load(notes).factors == 2


def test_our_own_models_and_pages_are_replaced(shop, model, tacit, tmp_path):
    tacit("fit", "recommend", shop, "-o", model, "--factors", 3)
    assert library.load(model).factors == 3
    for _ in range(2):
        tacit("evaluate", shop, "--html", tmp_path / "page.html", "--factors", 2)


def test_devices_pipes_and_dead_links_are_never_written_to(shop, refused, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for target in ("/dev/null", pipe):
        assert "is a device or a pipe" in refused("fit", "recommend", shop, "-o", target, "--force")
    assert Path("/dev/null").is_char_device()
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert "symbolic link that leads nowhere" in refused("fit", "recommend", shop, "-o", loop)


def test_two_outputs_cannot_be_one_file(tmp_path, refused):
    (tmp_path / "text.txt").write_text("to be or not to be\n" * 9)
    (tmp_path / "m").write_text("")
    sentence = refused(
        "fit", "words", tmp_path / "text.txt", "-o", tmp_path / "m", "--word2vec", tmp_path / "m", "--force"
    )
    assert "is given twice to write to" in sentence


ESCAPES = "\x1b[2Jred\x07\u202e"


def test_control_characters_never_reach_the_terminal(tmp_path, tacit, capsys):
    (tmp_path / "plays.csv").write_text(f"user,item\nann,{ESCAPES}\nbob,tea\nbob,{ESCAPES}\n")
    tacit("fit", "recommend", tmp_path / "plays.csv", "-o", tmp_path / "m", "--factors", 1)
    said = tacit("recommend", tmp_path / "m", "--all", "--seen") + tacit("similar", tmp_path / "m", ESCAPES)
    said += tacit("recommend", tmp_path / "m", "ann", "--seen", "--json")
    with pytest.raises(SystemExit):
        main(["similar", str(tmp_path / "m"), "\x1b[2J"])
    said += capsys.readouterr().err
    assert "red" in said and not set("\x1b\x07\u202e") & set(said)


def test_formulas_are_text_in_csv(tmp_path, tacit):
    (tmp_path / "plays.csv").write_text('user,item\n=1+1,"@SUM(1,2)"\nbob,-5\nbob,"@SUM(1,2)"\n')
    tacit("fit", "recommend", tmp_path / "plays.csv", "-o", tmp_path / "m", "--factors", 1)
    lines = tacit("recommend", tmp_path / "m", "--all", "--seen", "--csv").splitlines()
    assert any(line.startswith("'=1+1,") for line in lines) and any('"\'@SUM(1,2)"' in line for line in lines)
    assert any(",-5," in line for line in lines)


def test_suggestions_never_show_another_persons_id(model, refused):
    assert "check its spelling" in refused("recommend", model, "u00")
    with pytest.raises(KeyError) as caught:
        library.load(model).recommend("u00")
    assert "'u0'" not in str(caught.value)


def test_what_was_not_foreseen_is_one_sentence_and_another_exit_code(monkeypatch, model, capsys):
    monkeypatch.setattr(library.FactorRecommender, "recommend", lambda *a, **k: 1 / 0)
    with pytest.raises(SystemExit) as stopped:
        main(["recommend", str(model), "u1"])
    assert stopped.value.code == 70
    assert "fault of Tacit and not yours (ZeroDivisionError" in capsys.readouterr().err
    monkeypatch.setenv("TACIT_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        main(["recommend", str(model), "u1"])
