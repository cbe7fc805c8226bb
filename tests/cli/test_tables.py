"""Answers as tables in files, titles beside ids, ``tacit tune`` and ``tacit info``."""

import hashlib
import json

import polars as pl
import pytest

import tacit as library
from tacit.cli.app import main

READERS = {".csv": pl.read_csv, ".parquet": pl.read_parquet, ".jsonl": pl.read_ndjson}


@pytest.mark.parametrize("kind", READERS)
def test_every_answer_can_be_a_table(kind, model, tacit, tmp_path):
    path = tmp_path / f"lists{kind}"
    lines = tacit("recommend", model, "u0", "u1", "-k", 3, "--csv", "--save-table", path).splitlines()
    table = READERS[kind](path)
    assert table.columns[:4] == ["row", "rank", "column", "score"]
    assert [",".join(map(str, row[:3])) for row in table.iter_rows()] == [line.rpartition(",")[0] for line in lines[1:]]
    near = tmp_path / f"near{kind}"
    tacit("similar", model, "tea", "-k", 2, "--save-table", near)
    assert READERS[kind](near).height == 2


def test_measures_and_grades_can_be_tables(shop, tacit, tmp_path):
    tacit("evaluate", shop, "--factors", 2, "--save-table", tmp_path / "measures.csv")
    measures = pl.read_csv(tmp_path / "measures.csv")
    assert measures.columns == ["method", "metric", "value"] and "ndcg@10" in measures["metric"].to_list()
    rows = [f"{n % 7},{n % 5},{n % 7 // 3 if n < 40 else ''}" for n in range(60)]
    (tmp_path / "wines.csv").write_text("\n".join(["sugar,acid,grade", *rows]))
    tacit("fit", "grade", tmp_path / "wines.csv", "-o", tmp_path / "g", "--kernel", "linear")
    tacit("grade", tmp_path / "g", tmp_path / "wines.csv", "--save-table", tmp_path / "graded.parquet")
    assert pl.read_parquet(tmp_path / "graded.parquet").height == 60


def test_a_table_of_another_kind_and_one_that_exists_are_refused(model, refused, tmp_path):
    assert "must end in one of .csv" in refused("recommend", model, "u1", "--save-table", tmp_path / "x.xlsx")
    (tmp_path / "mine.csv").write_text("mine")
    assert "--force" in refused("recommend", model, "u1", "--save-table", tmp_path / "mine.csv")


def test_titles_stand_beside_ids(model, tacit, tacit_json, refused, tmp_path):
    (tmp_path / "titles.csv").write_text("item,name,price\ntea,Green tea,3\njam,Jam,\n")
    said = tacit("recommend", model, "u0", "--seen", "-k", 99, "--titles", tmp_path / "titles.csv")
    assert "Green tea, 3" in said
    found = tacit_json("similar", model, "tea", "--titles", tmp_path / "titles.csv")
    assert {one["title"] for one in found["tea"]} >= {""}
    (tmp_path / "bare.csv").write_text("item\ntea\n")
    assert "only one column" in refused("recommend", model, "u0", "--titles", tmp_path / "bare.csv")


@pytest.mark.parametrize("verb", [("recommend", "u0", "--seen", "-k", 99), ("similar", "jam")])
def test_titles_of_a_spreadsheet_are_read_as_the_sentence_says(verb, model, tacit, refused, tmp_path):
    (tmp_path / "titles.csv").write_bytes("item;name\ntea;Thé\n".encode("latin-1"))
    asked = verb[0], model, *verb[1:], "--titles", tmp_path / "titles.csv"
    assert "say --encoding latin-1" in refused(*asked)
    assert "Thé" in tacit(*asked, "--encoding", "latin-1")
    (tmp_path / "titles.csv").write_text("item;name\ntea;a; b\n")
    assert "say another --separator" in refused(*asked)


def test_texts_of_a_table_are_tagged(tacit, refused, tmp_path):
    lines = ["a red ball,red", "red apples,red", "a blue ball,blue", "the blue sea,blue"] * 3
    (tmp_path / "tagged.csv").write_text("\n".join(["text,labels", *lines]))
    tacit("fit", "tag", tmp_path / "tagged.csv", "--text", "text", "--labels", "labels", "-o", tmp_path / "m",
          "--tagger", "factor", "--factors", 2)  # fmt: skip
    (tmp_path / "new.csv").write_text("name;words\nn1;a red thing\nn2;blue\n")
    options = ["--table", tmp_path / "new.csv", "--text", "words", "--id", "name", "-k", 1]
    said = tacit("tag", tmp_path / "m", *options, "--csv", "--save-table", tmp_path / "out.csv")
    assert [line.split(",")[0::2] for line in said.splitlines()] == [["id", "label"], ["n1", "red"], ["n2", "blue"]]
    assert pl.read_csv(tmp_path / "out.csv")["label"].to_list() == ["red", "blue"]
    assert "needs --text" in refused("tag", tmp_path / "m", "--table", tmp_path / "new.csv")
    assert "in one way" in refused("tag", tmp_path / "m", "red", *options)


def test_info_says_what_a_file_holds(shop, tacit, tacit_json, tmp_path):
    path = tmp_path / "m"
    tacit("fit", "recommend", shop, "-o", path, "--factors", 2, "--notes", "May, without \x1b[2J returns")
    found = tacit_json("info", path)
    model = library.load(path)
    assert (found["kind"], found["version"]) == ("FactorRecommender", library.__version__)
    assert found["sizes"] == {
        "rows": len(model.row_ids_), "columns": len(model.col_ids_), "positives": model.seen_.nnz,
    }  # fmt: skip
    assert found["parameters"] == {"factors": 2}
    assert found["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest() and found["bytes"] == path.stat().st_size
    assert found["notes"] == "May, without \x1b[2J returns"
    said = tacit("info", path)
    assert "May, without \\x1b[2J returns" in said and "factors 2" in said


def test_notes_outlive_a_stream_and_are_bounded(tacit, tacit_json, refused, tmp_path):
    (tmp_path / "r.csv").write_text("user,item,rating\nann,tea,3\n")
    tacit("stream", tmp_path / "r.csv", "-o", tmp_path / "m", "--factors", 2, "--notes", "ours")
    tacit("stream", tmp_path / "r.csv", "-o", tmp_path / "m", "--restart")
    assert tacit_json("info", tmp_path / "m")["notes"] == "ours"
    long = "x" * 20_000
    assert "at most 10,000 characters" in refused(
        "fit", "rate", tmp_path / "r.csv", "-o", tmp_path / "n", "--notes", long
    )


def test_tune_keeps_the_best_of_its_trials(shop, tacit_json, refused, tmp_path):
    path = tmp_path / "m"
    found = tacit_json("tune", shop, "-o", path, "--trials", 3, "--fixed", "factors", "--factors", 4,
                       "--save-table", tmp_path / "trials.csv")  # fmt: skip
    trials = pl.read_csv(tmp_path / "trials.csv")
    assert trials.height == 3 and found["held_out_ndcg"] == trials["score"].max()
    assert library.load(path).factors == 4
    assert json.loads(json.dumps(found["best"]))["factors"] == 4
    assert "needs a budget" in refused("tune", shop, "-o", path)
    assert "fixed must be one of" in refused("tune", shop, "-o", path, "--trials", 1, "--fixed", "colour")


def test_columns_of_titles_can_be_chosen_and_ids_are_found(model, tacit, refused, tmp_path, capsys):
    titles = tmp_path / "titles.csv"
    titles.write_text("name,maker,item\nGreen tea,Ito,tea\nJam,Bon,jam\n")
    found = tacit("recommend", model, "u0", "--seen", "-k", 99, "--titles", titles, "--title", "name")
    assert [line.split(maxsplit=2)[2] for line in found.splitlines() if line.split()[0] == "tea"] == ["Green tea"]
    assert "--title 'nam' is not a column of" in refused("similar", model, "tea", "--titles", titles, "--title", "nam")
    assert "give --titles TABLE too" in refused("recommend", model, "u0", "--title", "name")


def test_titles_of_something_else_are_noticed(model, tmp_path, capsys):
    (tmp_path / "titles.csv").write_text("who,name\nann,Anna\n")
    main(["recommend", str(model), "u0", "--titles", str(tmp_path / "titles.csv")])
    said = capsys.readouterr().err
    assert "has no title for any id that is shown" in said and "'who' should hold ids and has 'ann'" in said


@pytest.mark.parametrize("method", ["linear", "blend"])
def test_info_says_what_was_chosen_and_why(method, shop, tacit, tacit_json, tmp_path):
    path = tmp_path / "m"
    told = tacit_json("fit", "recommend", shop, "-o", path, "--method", method)["sentence"]
    assert tacit_json("info", path)["chosen"] == told and "NDCG@10" in told
    assert "chosen " in tacit("info", path)
