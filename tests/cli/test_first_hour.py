"""What newcomers stumbled over: nothing that changes an answer happens without a sentence about it."""

import json

import pytest

import tacit as library
from tacit.cli.app import main

MESSY = (
    b"user,item,times,when\n"
    b"ann,tea,3,2024-01-05\n"
    b"bob,jam,two,2024-01-05\n"
    b"eve,caf\xe9,1,2024-01-06\n"
    b"eve,jam,1\n"
    b",tea,1,2024-01-06\n"
    b"\n"
    b'eve,"jam,1,2024-01-06\n'
    b"bob,tea,-2,2024-01-06\n"
    b"eve,tea,1,yesterday\n"
    b"bob,bread,2,2024-01-07\n"
)


def said(capsys, *arguments):
    main([str(argument) for argument in arguments])
    return capsys.readouterr().err


# -- lines that cannot be read -------------------------------------------------------------------------------------


def test_skip_bad_leaves_out_what_cannot_be_read_and_counts_it(tmp_path, capsys):
    (tmp_path / "messy.csv").write_bytes(MESSY)
    model = tmp_path / "m.tacit"
    options = ("--row", "user", "--col", "item", "--weight", "times", "--time", "when", "--factors", 2)
    told = said(capsys, "fit", "recommend", tmp_path / "messy.csv", *options, "--skip-bad", "-o", model)
    assert "7 of 9 lines cannot be read and were left out; first, line 3 of " in told
    assert "has 'two' under 'times', which is no number from 0 on" in told
    back = library.load(model)
    assert list(back.row_ids_) == ["ann", "bob"]
    assert back.positives_of("ann") == (["tea"], [3.0])


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("semi.csv", b"user;item;n\n7;tea;1,5\n8;jam;x\n", ("--decimal", ",")),
        ("latin.csv", "user,item,n\n7,café,1.5\n8,jam,x\n".encode("latin-1"), ("--encoding", "latin-1")),
        ("wide.csv", "user,item,n\n7,tea,1.5\n8,jam,x\n".encode("utf-16"), ("--encoding", "utf-16")),
        ("lines.jsonl", b'{"user": 7, "item": "tea", "n": 1.5}\n{"user": 8, "item"\n', ()),
    ],
)
def test_skip_bad_reads_every_form_of_text(tmp_path, capsys, name, content, options):
    (tmp_path / name).write_bytes(content)
    columns = ("--row", "user", "--col", "item", "--weight", "n", "--factors", 1)
    model = tmp_path / "m"
    told = said(capsys, "fit", "recommend", tmp_path / name, *columns, *options, "--skip-bad", "-o", model)
    assert "1 of 2 lines cannot be read" in told
    assert library.load(model).positives_of(7)[1] == [1.5]


def test_skip_bad_is_for_text_and_needs_a_sound_line(tmp_path, refused):
    (tmp_path / "t.csv").write_text("user,item\nann\n")
    columns = ("--row", "user", "--col", "item", "--skip-bad", "-o", tmp_path / "m")
    assert "none of the 1 lines of " in refused("fit", "recommend", tmp_path / "t.csv", *columns)
    (tmp_path / "t.csv").write_text("user,item\n")
    assert "holds no lines of data; give at least one." in refused("fit", "recommend", tmp_path / "t.csv", *columns)
    import polars as pl

    pl.DataFrame({"user": [1], "item": [2]}).write_parquet(tmp_path / "t.parquet")
    assert "--skip-bad is for lines of text files" in refused("fit", "recommend", tmp_path / "t.parquet", *columns)


def test_skip_bad_keeps_lines_with_a_quote_inside_a_value(tmp_path, capsys):
    table, model = tmp_path / "t.csv", tmp_path / "m"
    table.write_text('user,item,note\nann,5" disk,a\nbob\nbob,"3"" disk",b\nann,"tea, hot",c\n')
    told = said(capsys, "fit", "recommend", table, "--factors", 1, "--skip-bad", "-o", model)
    assert "1 of 4 lines cannot be read" in told
    assert sorted(library.load(model).col_ids_) == ['3" disk', '5" disk', "tea, hot"]


def test_what_is_wrong_with_sound_lines_is_said_of_the_table_that_was_given(tmp_path, refused):
    table = tmp_path / "t.jsonl"
    table.write_text('{"user": 7, "item"\n{"user": 7, "item": "tea"}\n{"user": "7", "item": "jam"}\n')
    told = refused("fit", "recommend", table, "--row", "user", "--col", "item", "--skip-bad", "-o", tmp_path / "m")
    assert f"7 in line 1 of '{table}' and '7' in line 2 of '{table}'" in told
    assert "(lines are counted without those left out)." in told


def test_a_command_without_text_ids_does_not_offer_them(tmp_path, refused):
    table = tmp_path / "t.jsonl"
    table.write_text('{"user": 7, "item": 1, "rating": 3}\n{"user": "7", "item": 2, "rating": 4}\n')
    told = refused("fit", "rate", table, "-o", tmp_path / "m")
    assert "'user' holds numbers and text" in told and told.rstrip().endswith("write them alike.")


@pytest.mark.parametrize("lines", [[("ann", "tea"), (7, "jam")], [(7, "tea"), ("7", "jam")]])
def test_numbers_and_text_under_one_name_of_json_lines_are_refused(tmp_path, refused, capsys, lines):
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps({"user": user, "item": item}) + "\n" for user, item in lines))
    columns = ("--row", "user", "--col", "item", "--factors", 1, "-o", tmp_path / "m")
    told = refused("fit", "recommend", path, *columns)
    assert "'user' holds numbers and text" in told
    assert "7 in line" in told
    said(capsys, "fit", "recommend", path, *columns, "--text-ids")
    assert "7" in library.load(tmp_path / "m").row_ids_


def test_the_same_name_inside_another_object_is_another_thing(tmp_path, capsys):
    path = tmp_path / "t.jsonl"
    path.write_text('{"user": "ann", "item": "tea", "more": {"user": 7}}\n')
    said(capsys, "fit", "recommend", path, "--row", "user", "--col", "item", "--factors", 1, "-o", tmp_path / "m")


def test_ids_of_one_table_that_are_spelt_in_two_ways_are_pointed_out(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("user,item\nann,Tea\nAnn ,tea\nbob,jam\n")
    told = said(capsys, "fit", "recommend", tmp_path / "t.csv", "--factors", 1, "-o", tmp_path / "m")
    assert "1 of 3 rows have the id of another but for capitals or blanks; each" in told
    assert "1 of 3 columns have the id of another but for capitals or blanks, such as 'tea' beside 'Tea'; each" in told


def test_lines_that_all_fail_alike_are_refused_with_the_option_that_reads_them(tmp_path, refused):
    (tmp_path / "t.csv").write_text("user;item;n;when\nann;tea;1,5;05.01.2024\n")
    columns = ("--row", "user", "--col", "item", "--skip-bad", "-o", tmp_path / "m")
    assert "(--decimal , reads a decimal comma)" in refused(
        "fit", "recommend", tmp_path / "t.csv", *columns, "--weight", "n"
    )
    assert "(--time-format says how)" in refused("fit", "recommend", tmp_path / "t.csv", *columns, "--time", "when")


# -- models and what they are told -----------------------------------------------------------------------------------


@pytest.fixture
def plays(tmp_path):
    path = tmp_path / "plays.csv"
    lines = [f"{user},{song},{1 + (place % 3)}" for place, user in enumerate(["ann", "bob", "eve", "dan"])
             for song in ("Blue", "Green", "Red")[: 2 + place % 2]]  # fmt: skip
    path.write_text("\n".join(["user,song,times", *lines]) + "\n")
    return path


def fitted(plays, tmp_path, capsys, *options):
    model = tmp_path / "plays.tacit"
    columns = ("--row", "user", "--col", "song", "--weight", "times")
    said(capsys, "fit", "recommend", plays, *columns, "-o", model, *options)
    return model


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["Ann,Blue,2"], "1 of 1 new rows are ids of known rows but for capitals or blanks; they join as new ones"),
        (
            ["ann,blue ,2"],
            "new columns are ids of known columns but for capitals or blanks, such as 'blue ' for 'Blue'",
        ),
        (["ann,Blue,900", "bob,Red,700"], "the weights of TABLE (median 800) are of another kind than those of MODEL"),
        (["ann,Blue,1"], ""),
        (["zoe,White,2"], ""),
    ],
)
def test_update_points_at_other_spellings_and_other_weights(plays, tmp_path, capsys, lines, sentence):
    model = fitted(plays, tmp_path, capsys, "--factors", 2)
    (tmp_path / "new.csv").write_text("\n".join(["user,song,times", *lines]) + "\n")
    columns = ("--row", "user", "--col", "song", "--weight", "times")
    told = said(capsys, "update", model, tmp_path / "new.csv", *columns, "-o", tmp_path / "newer.tacit")
    assert sentence in told
    assert bool(sentence) == ("capitals" in told or "another kind" in told)


def test_a_model_without_histories_says_so_or_refuses(plays, tmp_path, capsys, refused):
    factors, linear = fitted(plays, tmp_path, capsys, "--factors", 2), tmp_path / "linear.tacit"
    lean = tmp_path / "lean.tacit"
    said(capsys, "copy", factors, "-o", lean, "--without-histories")
    assert "was saved without histories: lists may hold what a row has already" in said(
        capsys, "recommend", lean, "ann"
    )
    assert "without histories" not in said(capsys, "recommend", lean, "ann", "--seen")
    assert "without histories" not in said(capsys, "recommend", factors, "ann")
    columns = ("--row", "user", "--col", "song")
    said(capsys, "fit", "recommend", plays, *columns, "--method", "linear", "-o", linear)
    said(capsys, "copy", linear, "-o", lean, "--without-histories", "--force")
    assert "was saved without histories, by which it ranks" in refused("recommend", lean, "ann")
    said(capsys, "recommend", lean, "--having", "Blue")


def test_a_row_that_was_heard_of_since_is_ranked_without_the_others(plays, tmp_path, capsys):
    model = library.LinearRecommender("dense").fit(
        library.Interactions.from_table(plays, row="user", col="song", weight="times")
    )
    model.save(tmp_path / "lean", histories=False)
    back = library.load(tmp_path / "lean")
    back.add("ann", ["Blue"])
    assert back.recommend(["ann"], k=1).ids.shape == (1, 1)
    with pytest.raises(library.errors.InputError, match="saved without histories"):
        back.recommend(["bob"], k=1)
    with pytest.raises(library.errors.InputError, match="saved without histories"):
        back.score_pairs("bob", "Blue")


# -- tags ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def tagged(tmp_path):
    path = tmp_path / "tagged.csv"
    rows = [f"n{n},a {'red' if n % 2 else 'blue'} ball,{'crimson' if n % 2 else 'Ocean'}" for n in range(60)]
    rows += ["x1,a red ball,crimsen", "x2,a blue ball,ocean", "x3,a red apple,crimsons"]
    path.write_text("\n".join(["name,text,labels", *rows]) + "\n")
    return path


@pytest.mark.parametrize("verb", [("fit", "tag"), ("audit",)])
def test_tags_that_are_misspelt_are_pointed_out(tagged, tmp_path, capsys, verb):
    told = said(capsys, *verb, tagged, "--text", "text", "--labels", "labels", "-o", tmp_path / "out.html")
    assert "different labels: 'Ocean' (30 rows) and 'ocean' (1 row); write each in one way" in told
    assert "one letter away from a frequent one: 'crimsen' (1 row) for 'crimson' (30); correct them" in told
    assert "crimsons" not in told


def test_why_names_training_rows_where_the_table_names_them(tagged, tmp_path, tacit, tacit_json, refused):
    model = tmp_path / "tags.tacit"
    tacit("fit", "tag", tagged, "--text", "text", "--labels", "labels", "-o", model)
    asked = ("why", model, "a red ball", "crimson")
    assert "training rows, numbered from 0" in tacit(*asked)
    named = tacit(*asked, "--rows", tagged, "--id", "name")
    assert "the same by training rows\n" in named
    assert "  n1 " in named
    by_number = [one["id"] for one in tacit_json(*asked)["because"]]
    names = [f"n{n}" for n in range(60)] + ["x1", "x2", "x3"]
    assert [one["id"] for one in tacit_json(*asked, "--rows", tagged, "--id", "name")["because"]] == [
        names[number] for number in by_number
    ]
    assert "--rows and --id go together" in refused(*asked, "--rows", tagged)
    (tmp_path / "short.csv").write_text("name\nn0\n")
    wrong = refused(*asked, "--rows", tmp_path / "short.csv", "--id", "name")
    assert "has 1 rows, but the model learned from 63" in wrong


# -- ratings and grades ----------------------------------------------------------------------------------------------


def test_ratings_under_other_names_are_found_and_bad_lines_left_out(tmp_path, capsys, refused):
    table = tmp_path / "stars.csv"
    lines = [f"u{n % 4},{n % 3},{n % 5 - 2}" for n in range(20)]
    table.write_text("\n".join(["Kunde,Film,Sterne", *lines, "u1,2,ten", ",1,3"]) + "\n")
    told = refused("fit", "rate", table, "-o", tmp_path / "m")
    assert "or leave such lines out with --skip-bad." in told
    told = said(capsys, "fit", "rate", table, "--skip-bad", "-o", tmp_path / "m")
    assert "columns guessed by their names: --user Kunde --item Film --rating Sterne." in told
    assert "2 of 22 lines cannot be read and were left out; first, line 22 of " in told
    assert library.load(tmp_path / "m").n_ratings_ == 20


def test_a_grade_in_other_capitals_is_refused_with_the_right_one(tmp_path, refused):
    rows = [f"{n},{['poor', 'good'][n % 2]}" for n in range(20)]
    (tmp_path / "g.csv").write_text("\n".join(["size,grade", *rows, "3,Good"]) + "\n")
    told = refused("fit", "grade", tmp_path / "g.csv", "--order", "poor,good", "-o", tmp_path / "m")
    assert "y holds 'Good', which is not among the classes ['poor', 'good']; write it as 'good'." in told
