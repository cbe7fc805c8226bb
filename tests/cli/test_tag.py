"""``tacit fit tag``, ``tacit tag`` and ``tacit audit`` as a user types them."""

import itertools
import json
import re

import numpy as np
import polars as pl
import pytest

import tacit as library
from tacit.cli.app import main
from tacit.estimators.tag.neighbour_tagger import NeighbourTagger
from tacit.estimators.tag.text_tagger import TextTagger


@pytest.fixture
def things(tmp_path):
    """Sixty things in three colours and two shapes, a third of their labels left out."""
    rows = []
    for number in range(60):
        colour, shape = ("red", "green", "blue")[number % 3], ("round", "square")[number % 2]
        given = [label for place, label in enumerate((colour, shape)) if (number // 6 + 2 * place) % 3]
        rows.append({"name": f"thing{number}", "about": f"a {colour} and {shape} thing", "tags": "; ".join(given)})
    path = tmp_path / "things.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


OPTIONS = ("--text", "about", "--labels", "tags", "--id", "name", "--separator", ";")


@pytest.fixture
def tagger(things, tmp_path, tacit):
    path = tmp_path / "things.tacit"
    tacit("fit", "tag", things, *OPTIONS, "-o", path, "--factors", 4)
    return path


def test_fit_and_tag(things, tagger, tacit, tacit_json, tmp_path):
    said = tacit_json("fit", "tag", things, *OPTIONS, "-o", tmp_path / "other", "--tagger", "factor", "--factors", 4)
    assert (said["texts"], said["labels"]) == (60, 5)
    for model in (tagger, tmp_path / "other"):
        assert {one["id"] for one in tacit_json("tag", model, "round and blue", "-k", 2)["labels"]} == {"round", "blue"}
    assert "round" in tacit("tag", tagger, "something round")
    (tmp_path / "texts").write_text("red\nsquare and green\n")
    lines = tacit("tag", tagger, "--texts-from", tmp_path / "texts", "-k", 1, "--csv").splitlines()
    assert lines[0] == "text,rank,label,score"
    assert lines[1].startswith("red,1,red,")


@pytest.mark.parametrize("method", ["neighbour", "factor", "kernel"])
def test_why_adds_up_to_the_score_of_a_label(things, tacit, tacit_json, tmp_path, method):
    model = tmp_path / "model"
    tacit("fit", "tag", things, *OPTIONS, "-o", model, "--tagger", method)
    best = tacit_json("tag", model, "a round thing", "-k", 1)["labels"][0]
    found = tacit_json("why", model, "a round thing", best["id"])
    assert (found["text"], found["label"]) == ("a round thing", best["id"])
    assert abs(found["score"] - best["score"]) < 1e-5
    assert abs(sum(part["contribution"] for part in found["because"]) + found["remainder"] - found["score"]) < 1e-9
    table = tmp_path / "why.csv"
    told = tacit("why", model, "a round thing", best["id"], "--save-table", table).splitlines()
    assert table.read_text().splitlines()[0] == "id,contribution" and table.read_text().splitlines()[1][:6] == "round,"
    assert told[0] == f"{found['score']:.4f} is the sum of" and told[1].split()[0] == best["id"] == "round"
    if method == "factor":
        assert found["because"][0]["id"] == "round" and "words" not in found
    else:
        assert found["words"][0]["word"] == "round"
        assert "the same by training rows, numbered from 0" in told


def test_why_of_a_text_without_known_words_is_one_line(tagger, tacit):
    assert tacit("why", tagger, "zzz", "round") == "0.0000, for which nothing speaks\n"


def test_why_says_what_it_cannot_explain(tagger, tmp_path, refused):
    assert "did you mean 'round'" in refused("why", tagger, "a round thing", "rund")
    library.KernelTagger().fit([[1.0, 0.0], [0.0, 1.0]], [["a"], ["b"]]).save(tmp_path / "plain")
    assert "reads features, not text" in refused("why", tmp_path / "plain", "0", "a")


def test_audit_finds_what_was_left_out(things, tacit, tmp_path):
    found = [
        json.loads(line) for line in tacit("audit", things, *OPTIONS, "-n", 20, "--factors", 4, "--json").splitlines()
    ]
    texts = dict(pl.read_csv(things).select("name", "about").rows())
    tags = dict(pl.read_csv(things).select("name", "tags").rows())
    assert len(found) == 20
    for one in found:
        assert one["label"] in texts[one["row"]].split()
        assert one["label"] not in (tags[one["row"]] or "")
        assert one["features"]
    assert "thing" in tacit("audit", things, *OPTIONS, "-n", 3, "--factors", 4)


def test_accepted_labels_come_back(things, tacit, tacit_json, tmp_path):
    report = tmp_path / "audit.csv"
    tacit("audit", things, *OPTIONS, "-n", 10, "--factors", 4, "-o", report)
    reviewed = pl.read_csv(report).with_columns(accept=pl.lit("yes"))
    reviewed.write_csv(report)
    before = tacit_json("fit", "tag", things, *OPTIONS, "-o", tmp_path / "a", "--factors", 4)["known"]
    after = tacit_json("fit", "tag", things, *OPTIONS, "-o", tmp_path / "b", "--factors", 4, "--accepted", report)
    assert after["known"] == before + 10
    applied = tacit_json("audit", things, *OPTIONS, "--accepted", report, "--apply", "-o", tmp_path / "complete.csv")
    assert applied["joined"] == 10
    tacit("audit", things, *OPTIONS, "-n", 5, "--factors", 4, "-o", tmp_path / "audit.html")
    assert (tmp_path / "audit.html").read_text().count("<article") == 5


def test_a_graph_of_labels_from_a_table(things, tacit, tmp_path):
    """The table's third column counts, labels that nobody carries are left out, and the model is that of Python."""
    (tmp_path / "pairs.csv").write_text("one,other,times\nred,round,9\nblue,square,4\nred,red,20\nred,huge,7\n")
    joint = ("--method", "joint", "--factors", 4)
    tacit("fit", "tag", things, *OPTIONS, "-o", tmp_path / "m", *joint, "--label-graph", tmp_path / "pairs.csv")
    model = library.load(tmp_path / "m")
    table = pl.read_csv(things)
    tags = [[tag.strip() for tag in cell.split(";")] if cell else [] for cell in table["tags"].to_list()]
    place = {label: number for number, label in enumerate(model.classes_.tolist())}
    graph = np.zeros((5, 5))
    for one, other, times in (("red", "round", 9), ("blue", "square", 4), ("red", "red", 20)):
        graph[place[one], place[other]] = graph[place[other], place[one]] = times
    ours = TextTagger(NeighbourTagger("joint", factors=4)).fit(table["about"].to_list(), tags, graph)
    asked = ["a red thing", "a square"]
    np.testing.assert_array_equal(model.decision_function(asked), ours.decision_function(asked))


def test_a_graph_of_labels_that_cannot_be_used(things, refused, tmp_path):
    fit = ("fit", "tag", things, *OPTIONS, "-o", tmp_path / "m")
    (tmp_path / "pairs.csv").write_text("one,other\nred,round\n")
    assert "method='joint' only" in refused(*fit, "--label-graph", tmp_path / "pairs.csv")
    assert "method='joint') only" in refused(*fit, "--tagger", "factor", "--label-graph", tmp_path / "pairs.csv")
    (tmp_path / "pairs.csv").write_text("one,other\nhot,cold\n")
    assert "no pair of" in refused(*fit, "--method", "joint", "--label-graph", tmp_path / "pairs.csv")
    (tmp_path / "pairs.csv").write_text("one\nhot\n")
    assert "has only the column 'one'" in refused(*fit, "--method", "joint", "--label-graph", tmp_path / "pairs.csv")


def test_what_cannot_be_done_is_said(things, tagger, refused, tmp_path):
    assert "about2" in refused("fit", "tag", things, "--text", "about2", "--labels", "tags", "-o", tmp_path / "m")
    assert "--method belongs to" in refused(
        "fit", "tag", things, *OPTIONS, "-o", tmp_path / "m", "--tagger", "factor", "--method", "joint"
    )
    assert "in one way" in refused("tag", tagger)
    (tmp_path / "reviewed.csv").write_text("row,label,accept\nnobody,red,yes\n")
    assert "'nobody' is not in TABLE" in refused(
        "fit", "tag", things, *OPTIONS, "-o", tmp_path / "m", "--accepted", tmp_path / "reviewed.csv"
    )


def test_a_text_tagger_grows_and_is_one_file(tmp_path):
    texts, tags = ["red ball", "red apple", "blue sea", "blue sky"], [["red"], ["red"], ["blue"], ["blue"]]
    model = TextTagger(NeighbourTagger(factors=3, neighbours=2), min_count=1).fit(texts, tags)
    model.partial_fit(["green leaf", "green grass"], [["green"], ["green"]])
    assert "green" in model.words_
    assert model.predict_topk(["green tree"], 1).tolist() == [["green"]]
    model.save(tmp_path / "model")
    again = library.load(tmp_path / "model")
    assert (
        again.predict_topk(["a red green thing"], 2).tolist() == model.predict_topk(["a red green thing"], 2).tolist()
    )
    assert again.predict(["blue"]) == [["blue"]]


def test_labels_split_by_the_wrong_sign_are_noticed(tmp_path, refused, tacit, capsys):
    path = tmp_path / "tagged.csv"
    path.write_text("text,labels\n" + "".join(f"a {w} ball,{w};round\n" for w in ("red", "blue", "green")))
    said = refused("fit", "tag", path, "--text", "text", "--labels", "labels", "-o", tmp_path / "m")
    assert "3 of 3 hold ';', such as 'red;round' in line 2" in said and "say --separator ';'" in said
    tacit("fit", "tag", path, "--text", "text", "--labels", "labels", "--separator", ";", "-o", tmp_path / "m",
          "--tagger", "factor", "--min-count", 1)  # fmt: skip
    words = ["red", "blue", "green", "round", "old", "big"]
    lines = [f"text {n},{a} {b} {c}" for n, (a, b, c) in enumerate(itertools.permutations(words, 3))]
    path.write_text("\n".join(["text,labels", *lines]))
    main([*map(str, ("fit", "tag", path, "--text", "text", "--labels", "labels", "-o", tmp_path / "m", "--tagger")),
          "factor", "--factors", "2"])  # fmt: skip
    assert "if blanks stand between labels, say --separator ' '" in capsys.readouterr().err


def test_few_joined_labels_are_noticed(tmp_path, capsys):
    path = tmp_path / "tagged.csv"
    lines = [f"a {word} ball,{word}" for word in ("red", "blue", "green", "red", "blue") * 4]
    path.write_text("\n".join(["text,labels", *lines, "a red and blue ball,red |blue"]))
    asked = ["fit", "tag", path, "--text", "text", "--labels", "labels", "-o", tmp_path / "m", "--tagger", "factor"]
    main([*map(str, asked), "--factors", "2"])
    said = capsys.readouterr().err
    assert "'labels' holds 'red |blue', whose parts other rows carry alone" in said and "--separator '|'" in said
    path.write_text("\n".join(["text,labels", *lines, "a red and old ball,red | old"]))
    main([*map(str, asked), "--factors", "2"])
    assert "carry alone" not in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["audit", "fit tag"])
def test_ids_that_name_no_row_or_two_are_refused_where_decisions_go_by_them(verb, tmp_path, refused):
    path, reviewed = tmp_path / "tagged.csv", tmp_path / "reviewed.csv"
    reviewed.write_text("row,label,accept\na,red,yes\n")
    options = ["--text", "text", "--labels", "labels", "--id", "id", "--accepted", reviewed, "-o", tmp_path / "m.csv"]
    path.write_text("id,text,labels\na,red ball,red\nb,blue sea,blue\na,green sea,green\n")
    said = refused(*verb.split(), path, *options)
    assert "--id: 'a' names line 2 of" in said and "and line 4 of" in said and "leave --id out" in said
    path.write_text("id,text,labels\na,red ball,red\n,blue sea,blue\n")
    assert "--id: line 3 of" in refused(*verb.split(), path, *options)
    path.write_text("id,text,labels\na,red, ball,red\n")
    assert "say another --column-separator" in refused(*verb.split(), path, *options)


@pytest.mark.parametrize("sign", [";", "\t"])
def test_decisions_come_back_from_a_spreadsheet_with_other_separators(sign, tmp_path):
    from tacit.estimators.tag.audit_report import read_decisions

    lines = [("row", "label", "score", "accept"), ("a", '"red; big"', "0,5", "yes"), ("b", "blue, sad", "0,4", "no")]
    (tmp_path / "reviewed.csv").write_text("\r\n".join(sign.join(line) for line in lines), encoding="utf-8-sig")
    found = read_decisions(tmp_path / "reviewed.csv")
    assert (found.accepted, found.rejected) == ([("a", "red; big")], [("b", "blue, sad")])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"row,label,accept\n0,red,perhaps\n", "line 2 of .* says 'perhaps' under accept, which is neither yes nor no"),
        (b"row,label\n0,red\n", "lacks the column 'accept'"),
        (b"row,label,accept\n0,r\xe9d,yes\n", "is not UTF-8"),
        (b"row,label,accept\n99,red,yes\n", "the row '99' is not in TABLE"),
    ],
)
def test_a_reviewed_audit_with_other_values_is_refused(content, sentence, tmp_path, refused):
    (tmp_path / "tagged.csv").write_text("text,labels\na red ball,red\nthe blue sea,blue\n")
    (tmp_path / "reviewed.csv").write_bytes(content)
    options = ["--text", "text", "--labels", "labels", "--accepted", tmp_path / "reviewed.csv", "-o", tmp_path / "m"]
    assert re.search(sentence, refused("fit", "tag", tmp_path / "tagged.csv", *options))
    assert "there is no file" in refused(
        "fit", "tag", tmp_path / "tagged.csv", *options[:5], tmp_path / "no", *options[6:]
    )


def test_an_audit_with_formulas_comes_back_as_it_was(tmp_path):
    from tacit.estimators.tag.audit_report import MissingLabels, Suggestion, read_decisions

    found = MissingLabels((Suggestion("=1+1", "@x", 0.9, "-cmd", (), (), ()),))
    found.write(tmp_path / "audit.csv")
    text = (tmp_path / "audit.csv").read_text()
    assert "'=1+1,'@x,0.9,,'-cmd" in text
    (tmp_path / "audit.csv").write_text(text.replace("0.9,,", "0.9,yes,"))
    assert read_decisions(tmp_path / "audit.csv").accepted == [("=1+1", "@x")]


_MESSY = (
    '\ufeffid;Preis;text;tags;note\r\n0042;3,50;"a red; ball";red, round;"He said ""hi"""\r\n'
    '0007;1.234,00;blue sea;;x\r\n=1;0;green tree;"green";"two\r\nlines"\r\n0100;;short\r\n'
)


@pytest.mark.parametrize("encoding", [None, "latin-1"])
def test_applied_labels_leave_every_other_sign_as_it_stands(encoding, tmp_path, tacit_json):
    text = _MESSY if encoding is None else _MESSY.removeprefix("\ufeff").replace("sea", "Ärmel")
    (tmp_path / "texts.csv").write_bytes(text.encode(encoding or "utf-8"))
    (tmp_path / "reviewed.csv").write_text(
        'row,label,accept\n0042,toy,yes\n0042,round,yes\n7,wet,yes\n\'=1,"a ""b""",yes\n0100,tall,yes\n0042,sad,no\n'
    )
    options = ["--text", "text", "--labels", "tags", "--id", "id", "--accepted", tmp_path / "reviewed.csv", "--apply"]
    options += [] if encoding is None else ["--encoding", encoding]
    done = tacit_json("audit", tmp_path / "texts.csv", *options, "-o", tmp_path / "new.csv")
    assert (done["rows"], done["joined"]) == (4, 4)
    wanted = text.replace("red, round", "red, round, toy").replace("sea;;", "sea;wet;").replace("Ärmel;;", "Ärmel;wet;")
    wanted = wanted.replace('"green"', '"green, a ""b"""').replace(";short\r\n", ";short;tall\r\n")
    assert (tmp_path / "new.csv").read_bytes().decode(encoding or "utf-8") == wanted
    tacit_json("audit", tmp_path / "texts.csv", *options, "-o", tmp_path / "new.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "new.jsonl").read_text().splitlines()]
    assert [(line["id"], line["Preis"]) for line in lines][:2] == [("0042", "3,50"), ("0007", "1.234,00")]
    assert lines[1]["tags"] == "wet"


def test_labels_are_applied_behind_a_mark_and_to_long_texts(tmp_path, tacit):
    table, reviewed = tmp_path / "texts.csv", tmp_path / "reviewed.csv"
    long = "sea " * 50_000
    table.write_text(f'\ufeff"tags","id","text"\n"blue","a","{long}"\n,"b","ball"\n', encoding="utf-8")
    reviewed.write_text("row,label,accept\nb,round,yes\n")
    options = ["--text", "text", "--labels", "tags", "--id", "id", "--accepted", reviewed, "--apply"]
    tacit("audit", table, *options, "-o", tmp_path / "new.csv")
    wanted = table.read_text(encoding="utf-8").replace('\n,"b"', '\nround,"b"')
    assert (tmp_path / "new.csv").read_text(encoding="utf-8") == wanted


def test_a_label_that_the_encoding_lacks_is_said(tmp_path, refused):
    (tmp_path / "texts.csv").write_bytes("id,text,tags\na,café,red\n".encode("latin-1"))
    (tmp_path / "reviewed.csv").write_text("row,label,accept\na,€,yes\n", encoding="utf-8")
    options = ["--text", "text", "--labels", "tags", "--id", "id", "--encoding", "latin-1", "--apply"]
    said = refused("audit", tmp_path / "texts.csv", *options, "--accepted", tmp_path / "reviewed.csv", "-o",
                   tmp_path / "new.csv")  # fmt: skip
    assert "'€' cannot be written in latin-1" in said and not (tmp_path / "new.csv").exists()


def test_decisions_about_named_rows_are_not_applied_to_rows_by_their_numbers(tmp_path, refused, capsys):
    table, reviewed = tmp_path / "texts.csv", tmp_path / "reviewed.csv"
    table.write_text("id,text,tags\n02,red ball,red\n00,blue sea,blue\n01,a red sea,red\n")
    options = ["--text", "text", "--labels", "tags", "--accepted", reviewed, "--apply", "-o"]
    reviewed.write_text("row,label,accept\n02,round,yes\n")
    said = refused("audit", table, *options, tmp_path / "new.csv")
    assert said.endswith("'02' is not the number of a row; say --id as at the audit.")
    assert not (tmp_path / "new.csv").exists()
    # Where the names are numbers too, labels that rows have already give the mistake away.
    reviewed.write_text("row,label,accept\n0,red,yes\n1,wet,yes\n")
    main([*map(str, ["audit", table, *options, tmp_path / "wrong.csv"])])
    assert "1 of 2 accepted labels are in TABLE already" in capsys.readouterr().err
    main([*map(str, ["audit", table, *options, tmp_path / "new.csv", "--id", "id"])])
    assert "already" not in capsys.readouterr().err
    assert (tmp_path / "new.csv").read_text().splitlines()[2:] == ['00,blue sea,"blue,red"', '01,a red sea,"red,wet"']


@pytest.mark.parametrize("other", ["00314", "314"])
def test_decisions_that_contradict_each_other_are_refused(other, tmp_path, refused):
    table, reviewed = tmp_path / "texts.csv", tmp_path / "reviewed.csv"
    table.write_text("id,text,tags\n00314,red ball,red\n00315,blue sea,blue\n")
    reviewed.write_text(f"row,label,accept\n00315,wet,yes\n{other},round,no\n00315,wet,yes\n00314,round,yes\n")
    options = ["--text", "text", "--labels", "tags", "--id", "id", "--accepted", reviewed, "--apply"]
    said = refused("audit", table, *options, "-o", tmp_path / "new.csv")
    assert f"line 5 accepts 'round' for the row '00314', and line 3 rejects it for '{other}'" in said
    assert not (tmp_path / "new.csv").exists()


def test_texts_without_a_known_word_are_said(things, tmp_path, tacit, capsys):
    tacit("fit", "tag", things, *OPTIONS, "-o", tmp_path / "m")
    assert tacit("tag", tmp_path / "m", "xyzzy").endswith("(no label; perhaps the model knows none of its words)\n")
    (tmp_path / "new.csv").write_text("nr,text\n07,red ball\n08,xyzzy plugh\n09,\n")
    main([*map(str, ["tag", tmp_path / "m", "--table", tmp_path / "new.csv", "--text", "text", "--id", "nr", "--csv"])])
    said = capsys.readouterr()
    assert {line.split(",")[0] for line in said.out.splitlines()} == {"id", "07"}
    assert "2 texts are not in the table, first '08': no label" in said.err


def test_rows_that_are_gone_are_named_and_left_out(tmp_path, capsys):
    (tmp_path / "texts.csv").write_text("id,text,tags\na,red ball,Red\nb,blue sea,blue\nc,a red sea,red\n")
    (tmp_path / "reviewed.csv").write_text("row,label,accept\na,round,yes\nz,red,yes\ny,red,no\n")
    options = ["--text", "text", "--labels", "tags", "--id", "id", "--accepted", tmp_path / "reviewed.csv", "--apply"]
    main([*map(str, ["audit", tmp_path / "texts.csv", *options, "-o", tmp_path / "new.csv"])])
    said = capsys.readouterr().err
    assert "--accepted: 2 rows are not in TABLE any more and left out: 'z', 'y'." in said
    assert "different labels: 'Red' (1 row) and 'red' (1 row)" in said
    assert (tmp_path / "new.csv").read_text().splitlines()[1] == 'a,red ball,"Red,round"'
