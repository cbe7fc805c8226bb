"""``tacit fit words`` and ``tacit similar`` as a user types them."""

import json

import pytest

from tacit.cli.app import main

LINES = ["bread and cheese and soup", "iron and zinc and copper", "soup with bread", "copper with iron"] * 10


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(LINES))
    return path


def run(capsys, *arguments):
    main([str(argument) for argument in arguments])
    return capsys.readouterr().out


def test_fit_then_similar(capsys, text, tmp_path):
    model, vectors = tmp_path / "m.tacit", tmp_path / "v.txt"
    options = ("--factors", 4, "--window", 4, "--json", "--word2vec", vectors)
    outcome = json.loads(run(capsys, "fit", "words", text, "-o", model, *options))
    assert outcome["words"] == 8
    (found,) = json.loads(run(capsys, "similar", model, "iron", "zinc", "-m", "bread", "-k", 3, "--json")).values()
    assert found[0]["id"] == "copper"
    assert len(found) == 3
    printed = run(capsys, "similar", vectors, "iron", "-k", 2)
    assert printed.splitlines()[0] == "iron"
    assert len(printed.splitlines()) == 3


def test_questions_and_a_map_on_the_way(capsys, text, tmp_path):
    pytest.importorskip("matplotlib")
    questions, picture = tmp_path / "questions", tmp_path / "map.png"
    questions.write_text(": metals\niron zinc copper iron\niron zinc copper gold\n")
    options = ("--factors", 4, "--questions", questions, "--map", picture)
    printed = run(capsys, "fit", "words", text, "-o", tmp_path / "m", *options)
    assert printed.splitlines()[2].split()[:4] == ["metals", "0", "1", "2"]
    assert picture.stat().st_size > 1000
    found = json.loads(run(capsys, "fit", "words", text, "-o", tmp_path / "m", *options, "--force", "--json"))
    assert found["analogies"][-1]["asked"] == 2


def test_numbers_are_found(capsys, tmp_path):
    from tacit import WordVectors

    WordVectors(factors=2, min_count=1, progress=False).fit([[1, 2, 3], [3, 4], [1, 2]]).save(tmp_path / "m")
    assert "2" in run(capsys, "similar", tmp_path / "m", "1")
    with pytest.raises(SystemExit) as stopped:
        main(["similar", str(tmp_path / "m"), "one"])
    assert stopped.value.code == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("fit", "words", "/no/such/text", "-o", "m"), "no file"),
        (("similar", "/no/such/model", "x"), "no model file"),
        (("similar", "TEXT", "x"), "not a Tacit model"),
    ],
)
def test_what_users_can_mend_is_one_sentence_and_exit_code_2(capsys, text, arguments, says):
    with pytest.raises(SystemExit) as stopped:
        main([str(text) if part == "TEXT" else part for part in arguments])
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == 1
