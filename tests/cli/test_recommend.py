"""``fit recommend``, ``recommend``, ``similar`` and ``evaluate`` as a user types them."""

import csv
import inspect
import io
import json
import re
import sqlite3

import numpy as np
import polars as pl
import pytest

from tacit import load
from tacit.cli.app import main
from tests.cli.conftest import FOOD, TOOLS


def test_fit_says_what_it_learned(shop, tmp_path, tacit_json):
    path = tmp_path / "m.tacit"
    outcome = tacit_json("fit", "recommend", shop, "-o", path, "--factors", 3, "--iterations", 4)
    assert (outcome["rows"], outcome["columns"], outcome["positives"]) == (40, 12, 160)
    assert (outcome["sweeps"], outcome["factors"], outcome["interrupted"]) == (4, 3, False)
    assert outcome["bytes"] == path.stat().st_size


def test_without_a_method_held_out_pairs_choose(shop, tmp_path, tacit_json, tacit, refused):
    outcome = tacit_json("fit", "recommend", shop, "-o", tmp_path / "m")
    assert outcome["method"] == "blend" and abs(sum(outcome["weights"].values()) - 1) < 1e-9
    assert len(outcome["tried"]) == 5 and "chosen" in outcome["sentence"]
    assert tacit_json("recommend", tmp_path / "m", "u0", "-k", 1)["recommended"]
    assert tacit_json("update", tmp_path / "m", shop, "-o", tmp_path / "more")["new_rows"] == 0
    linear = tacit("fit", "recommend", shop, "-o", tmp_path / "l", "--method", "linear")
    assert "weights, exponents" in linear
    assert "--factors" in refused("fit", "recommend", shop, "-o", tmp_path / "n", "--method", "linear", "--factors", 3)
    assert "--seconds" in refused("fit", "recommend", shop, "-o", tmp_path / "n", "--method", "linear", "--seconds", 9)
    assert "--seconds" in refused("fit", "recommend", shop, "-o", tmp_path / "n", "--factors", 3, "--seconds", 9)


def test_contexts_from_the_command_line(tmp_path, tacit_json):
    """The next song follows from the last one."""
    last = [k % 6 for k in range(240)]
    songs = pl.DataFrame({"user": [k % 10 for k in range(240)], "last": last, "song": [(2 * k + 1) % 6 for k in last]})
    songs.write_csv(tmp_path / "songs.csv")
    tacit_json(
        "fit", "recommend", tmp_path / "songs.csv", "-o", tmp_path / "m", "--row", "user", "--col", "song",
        "--context", "last", "--factors", 8, "--regularization", 0.01,
    )  # fmt: skip
    for k in range(6):
        found = tacit_json("recommend", tmp_path / "m", 0, "-k", 1, "--seen", "--context", f"last={k}")
        assert found["recommended"][0]["id"] == (2 * k + 1) % 6


def test_the_summary_of_a_fit_names_the_next_command(shop, tmp_path, tacit):
    printed = tacit("fit", "recommend", shop, "-o", tmp_path / "m.tacit", "--factors", 3, "--held-out", 0.2)
    assert "40 rows × 12 columns, 160 positives" in printed
    assert "held-out NDCG@10" in printed
    assert f"tacit recommend {tmp_path / 'm.tacit'} u0" in printed


def test_guessed_columns_are_said_and_named_ones_are_not(shop, tmp_path, capsys, tacit):
    from tacit.cli.app import main

    main(["fit", "recommend", str(shop), "-o", str(tmp_path / "m"), "--factors", "2"])
    assert "--row user --col item --weight rating" in capsys.readouterr().err
    main(["fit", "recommend", str(shop), "-o", str(tmp_path / "m"), "--factors", "2", "--row", "user", "--col", "item"])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("kind", ["tsv", "parquet", "jsonl", "csv.gz", "sqlite", "glob"])
def test_every_kind_of_table_gives_the_same_model(kind, shop, tmp_path, tacit):
    table, more = pl.read_csv(shop), []
    source = tmp_path / f"table.{kind}"
    if kind == "tsv":
        table.write_csv(source, separator="\t")
    elif kind == "parquet":
        table.write_parquet(source)
    elif kind == "jsonl":
        table.write_ndjson(source)
    elif kind == "csv.gz":
        import gzip

        source.write_bytes(gzip.compress(shop.read_bytes()))
    elif kind == "sqlite":
        with sqlite3.connect(source) as database:
            database.execute("create table buys (user text, item text, rating real, time integer)")
            database.executemany("insert into buys values (?, ?, ?, ?)", table.rows())
        source, more = f"sqlite:///{source}", ["--query", "select * from buys"]
    else:
        table[:80].write_csv(tmp_path / "part-1.csv")
        table[80:].write_csv(tmp_path / "part-2.csv")
        source = tmp_path / "part-*.csv"
    options = ["--factors", 2, "--iterations", 2]
    tacit("fit", "recommend", shop, "-o", tmp_path / "a", *options)
    tacit("fit", "recommend", source, "-o", tmp_path / "b", *options, *more)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_svmlight_lines_are_rows(tmp_path, tacit_json):
    path = tmp_path / "baskets.svm"
    path.write_text("0 3:1 5:2\n0 3:1 7:1\n0 5:1 7:1\n")
    tacit_json("fit", "recommend", path, "-o", tmp_path / "m", "--factors", 2)
    found = tacit_json("recommend", tmp_path / "m", 0, "-k", 5)
    assert [one["id"] for one in found["recommended"]] == [7]


def test_features_and_graphs_stand_beside_the_table(shop, tmp_path, tacit_json, tacit, refused):
    items = pl.DataFrame({"name": [*FOOD, *TOOLS], "shelf": ["food"] * 6 + ["tools"] * 6})
    items.write_csv(tmp_path / "items.csv")
    friends = pl.DataFrame({"a": [f"u{n}" for n in range(38)], "b": [f"u{n + 2}" for n in range(38)]})
    friends.write_csv(tmp_path / "friends.csv")
    given = ["--col-features", tmp_path / "items.csv", "--row-graph", tmp_path / "friends.csv", "--report-gain"]
    fit = ["fit", "recommend", shop, "-o", tmp_path / "m", "--factors", 2]
    outcome = tacit_json(*fit, *given)
    assert {"with", "without", "gain"} <= outcome["gain"].keys()
    assert "95 % interval" in tacit(*fit, *given)
    assert len(tacit_json("recommend", tmp_path / "m", "u1", "-k", 2)["recommended"]) == 2
    assert "give some" in refused(*fit, "--report-gain")
    assert "none of the ids in the column 'name'" in refused(*fit, "--row-features", tmp_path / "items.csv")
    assert "no edge" in refused(*fit, "--col-graph", tmp_path / "friends.csv")


def test_weights_and_targets_in_tables_are_those_of_python(shop, tmp_path, tacit_json, refused):
    """The model that the command line makes is the one that ``fit`` makes of the same arrays."""
    from tacit import FactorRecommender, Interactions

    data = Interactions.from_table(shop, row="user", col="item")
    users, items = data.row_ids.all(), data.col_ids.all()
    p, q = 0.1 + np.arange(len(users)) / 100, 0.2 + np.arange(len(items)) / 10
    r = data.matrix.copy()
    r.data = 0.5 + np.arange(data.nnz) / data.nnz
    at = r.tocoo()
    # In another order than the table's, and with an id that it does not have.
    pl.DataFrame({"who": [*users[::-1], "zoe"], "p": [*p[::-1], 9.0]}).write_csv(tmp_path / "p.csv")
    pl.DataFrame({"what": items[::-1], "q": q[::-1]}).write_csv(tmp_path / "q.csv")
    cells = pl.DataFrame({"u": users[at.coords[0]], "i": items[at.coords[1]], "r": at.data.astype(float)})
    cells.reverse().write_csv(tmp_path / "r.csv")
    fit = ["fit", "recommend", shop, "--row", "user", "--col", "item", "-o", tmp_path / "m", "--factors", 2]
    tables = ["--row-weights", tmp_path / "p.csv", "--col-weights", tmp_path / "q.csv"]
    assert tacit_json(*fit, *tables, "--targets", tmp_path / "r.csv")["method"] == "factors"
    model = FactorRecommender(2, progress=False).fit(data, row_weight=p, col_weight=q, targets=r)
    np.testing.assert_array_equal(load(tmp_path / "m").col_factors_, model.col_factors_)
    other = FactorRecommender(2, progress=False).fit(data)
    assert not np.allclose(other.col_factors_, model.col_factors_)
    pl.read_csv(tmp_path / "p.csv").slice(1).write_csv(tmp_path / "p.csv")
    assert "no number for 'u9'" in refused(*fit, *tables[:2])
    pl.read_csv(tmp_path / "r.csv").slice(2).write_csv(tmp_path / "r.csv")
    typed = ["--targets", tmp_path / "r.csv"]
    assert "and none for 1 others" in refused(*fit, *typed)
    assert "--targets is for --method factors" in refused(*fit[:-2], "--method", "linear", *typed)


def test_the_shown_defaults_are_those_of_the_estimator(tacit):
    from tacit import FactorRecommender

    defaults = {name: parameter.default for name, parameter in inspect.signature(FactorRecommender).parameters.items()}
    shown = " ".join(tacit("fit", "recommend", "--help").split())
    for name in ("factors", "threads", "patience"):
        (found,) = re.findall(rf"--{name} \S+ [^\[]*\[default: ([^\]]+)\]", shown)
        assert found == str(defaults[name])


def test_recommend_gives_what_the_row_has_not(model, shop, tacit_json):
    has = set(pl.read_csv(shop).filter(pl.col("user") == "u1")["item"])
    found = tacit_json("recommend", model, "u1", "-k", 2)
    assert found["row"] == "u1"
    assert {one["id"] for one in found["recommended"]} == set(FOOD) - has


def test_recommend_reads_ids_from_a_file_and_from_standard_input(model, tmp_path, monkeypatch, tacit_json):
    (tmp_path / "who").write_text("u1\nu2\n")
    from_file = tacit_json("recommend", model, "--rows-from", tmp_path / "who")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"u1\nu2\n")))
    assert tacit_json("recommend", model, "--rows-from", "-") == from_file
    assert [line["row"] for line in from_file] == ["u1", "u2"]


def test_recommend_to_all_goes_on_over_batches(model, monkeypatch, tacit_json, tacit):
    whole = tacit_json("recommend", model, "--all", "-k", 2)
    monkeypatch.setattr("tacit.cli.recommend.BATCH", 7)
    parts = tacit_json("recommend", model, "--all", "-k", 2)
    assert len(whole) == len(parts) == 40
    for line, again in zip(whole, parts):
        assert line["row"] == again["row"]
        assert [one["id"] for one in line["recommended"]] == [one["id"] for one in again["recommended"]]
        # Few rows are multiplied one by one and many as a block, which rounds in another order.
        scores = [[one["score"] for one in some["recommended"]] for some in (line, again)]
        assert scores[0] == pytest.approx(scores[1], abs=1e-6)
    rows = list(csv.reader(io.StringIO(tacit("recommend", model, "--all", "-k", 2, "--csv"))))
    assert rows[0] == ["row", "rank", "column", "score"]
    assert [(row[0], row[2]) for row in rows[1:]] == [
        (line["row"], one["id"]) for line in whole for one in line["recommended"]
    ]


def test_recommend_filters(model, tmp_path, tacit_json):
    (tmp_path / "some").write_text("saw\nglue\ntea\n")
    included = tacit_json("recommend", model, "u1", "--include", tmp_path / "some", "--seen")
    assert {one["id"] for one in included["recommended"]} == {"saw", "glue", "tea"}
    excluded = tacit_json("recommend", model, "u1", "--exclude", tmp_path / "some", "--seen", "-k", 12)
    assert {one["id"] for one in excluded["recommended"]} == {*FOOD, *TOOLS} - {"saw", "glue", "tea"}


def test_somebody_new_is_recommended_what_goes_with_what_they_have(model, tacit_json, tacit):
    found = tacit_json("recommend", model, "--having", "tea", "--having", "jam", "-k", 4)
    assert {one["id"] for one in found["recommended"]} == set(FOOD) - {"tea", "jam"}
    assert tacit("recommend", model, "--having", "saw", "-k", 1).splitlines()[0] == "saw"


def test_a_list_that_cannot_be_filled_says_so(model, tmp_path, tacit):
    (tmp_path / "none").write_text("")
    assert "nothing" in tacit("recommend", model, "u1", "--include", tmp_path / "none")


def test_similar_among_columns_and_rows(model, tacit_json):
    columns = tacit_json("similar", model, "tea", "saw", "-k", 5)
    assert {one["id"] for one in columns["tea"]} == set(FOOD) - {"tea"}
    assert {one["id"] for one in columns["saw"]} == set(TOOLS) - {"saw"}
    (rows,) = tacit_json("similar", model, "--rows", "u3", "-k", 5).values()
    assert all(int(one["id"][1:]) % 2 for one in rows)


@pytest.mark.parametrize("method", ["blend", "linear"])
def test_without_factors_neighbours_of_rows_are_refused(method, shop, tmp_path, tacit, refused):
    tacit("fit", "recommend", shop, "-o", tmp_path / "m", "--method", method)
    said = refused("similar", tmp_path / "m", "--rows", "u3")
    assert "no neighbours of rows" in said and "FactorRecommender" in said and "--method factors" in said


def test_why_adds_up_to_the_score(model, tacit_json, tacit):
    row = tacit_json("recommend", model, "u0", "-k", 1)["recommended"][0]
    found = tacit_json("why", model, "u0", row["id"])
    assert abs(found["score"] - row["score"]) < 1e-5
    assert abs(sum(part["contribution"] for part in found["because"]) + found["remainder"] - found["score"]) < 1e-9
    assert "is the sum of" in tacit("why", model, "u0", row["id"])


def test_whole_number_ids_are_found_as_numbers(tmp_path, tacit_json):
    (tmp_path / "t.csv").write_text("user,item\n1,10\n1,20\n2,10\n3,20\n")
    tacit_json("fit", "recommend", tmp_path / "t.csv", "-o", tmp_path / "m", "--factors", 2)
    assert tacit_json("recommend", tmp_path / "m", "2")["recommended"][0]["id"] == 20


def test_evaluate_beats_popularity_where_tastes_differ(shop, tacit_json, tacit):
    outcome = tacit_json("evaluate", shop, "--factors", 4, "-k", 2, "-k", 5)
    assert outcome["model"]["ndcg@2"] > outcome["popularity"]["ndcg@2"]
    assert outcome["train"] + outcome["test"] == 160
    assert {"ndcg@2", "ndcg@5"} <= outcome["model"].keys()
    assert "popularity" in tacit("evaluate", shop, "--factors", 4, "--split", "last")


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ([], "BlendRecommender"),
        (["--factors", 2], "FactorRecommender"),
        (["--method", "linear", "--seed", 1], "LinearRecommender"),
    ],
)
def test_evaluate_measures_the_kind_of_model_that_fit_makes(options, kind, shop, tmp_path, tacit, tacit_json):
    assert tacit_json("evaluate", shop, *options)["kind"] == kind
    tacit("fit", "recommend", shop, "-o", tmp_path / "m", *options)
    assert type(load(tmp_path / "m")).__name__ == kind


def test_evaluate_refuses_options_that_contradict_each_other(shop, tmp_path, tacit, refused):
    assert "--factors is for --method factors" in refused("evaluate", shop, "--method", "linear", "--factors", 2)
    tacit("fit", "recommend", shop, "-o", tmp_path / "m", "--factors", 2)
    said = refused("evaluate", shop, "--model", tmp_path / "m", "--method", "blend")
    assert "--method has no effect with --model" in said


def test_evaluate_a_saved_model_on_what_it_has_not_seen(shop, tmp_path, capsys, tacit):
    from tacit.cli.app import main

    table = pl.read_csv(shop)
    table[::2].write_csv(tmp_path / "train.csv")
    new = pl.DataFrame({"user": ["u1", "nobody"], "item": ["tea", "tea"], "rating": [5, 5], "time": [1, 1]})
    pl.concat([table[1::2], table[:1], new[1:]]).write_csv(tmp_path / "test.csv")
    tacit("fit", "recommend", tmp_path / "train.csv", "-o", tmp_path / "m", "--factors", 4)
    main(["evaluate", str(tmp_path / "test.csv"), "--model", str(tmp_path / "m"), "--json"])
    said = capsys.readouterr()
    outcome = json.loads(said.out)
    assert outcome["rows"] > 0
    assert "1 of 82 pairs have ids" in said.err
    assert "1 of 81 pairs are what the model was trained on" in said.err
    assert outcome["test"] == 80
    table[1::2].write_csv(tmp_path / "test.csv")
    main(["evaluate", str(tmp_path / "test.csv"), "--model", str(tmp_path / "m"), "--json"])
    alone = json.loads(capsys.readouterr().out)
    assert all(alone[name] == outcome[name] for name in ("model", "popularity", "lead", "rows", "test"))


def test_a_rating_stream_recommends_too(tmp_path, tacit_json, refused):
    from tacit import RatingStream

    users, items, ratings = ["ann", "bob", "ann", "bob"], [1, 1, 2, 3], [5.0, 4.0, 1.0, 5.0]
    model = RatingStream(2).partial_fit(users, items, ratings)
    model.save(tmp_path / "m")
    found = tacit_json("recommend", tmp_path / "m", "ann", "-k", 3)
    assert [one["id"] for one in found["recommended"]] == model.recommend("ann", k=3).ids[0].tolist()
    assert "do not apply" in refused("recommend", tmp_path / "m", "--having", 1)


def test_update_takes_in_new_lines_without_training(shop, tmp_path, tacit_json, tacit):
    path = tmp_path / "m.tacit"
    tacit_json("fit", "recommend", shop, "-o", path, "--factors", 3, "--row", "user", "--col", "item")
    trained = path.read_bytes()
    news = tmp_path / "news.csv"
    news.write_text("user,item\nu0,novelty\nstranger,novelty\nstranger,tea\n")
    outcome = tacit_json("update", path, news, "-o", tmp_path / "grown", "--row", "user", "--col", "item")
    assert (outcome["events"], outcome["new_rows"], outcome["new_columns"]) == (3, 1, 1)
    assert path.read_bytes() == trained
    found = tacit_json("recommend", tmp_path / "grown", "stranger", "-k", 12)
    assert {"novelty", "tea"}.isdisjoint(one["id"] for one in found["recommended"])
    assert outcome["known_events"] == 0
    assert "1 row and 1 column joined" in tacit("update", path, news, "--row", "user", "--col", "item")
    assert path.read_bytes() == (tmp_path / "grown").read_bytes()
    again = tacit_json("update", path, news, "--row", "user", "--col", "item")
    assert (again["known_events"], again["new_rows"], again["new_columns"]) == (3, 0, 0)


def test_titles_stand_beside_what_speaks_for_a_score_and_on_the_page(shop, model, tacit, tacit_json, refused, tmp_path):
    titles = tmp_path / "titles.csv"
    titles.write_text(
        "id;name\n" + "".join(f"{item};the {item}\n" for item in ("tea", "jam", "toast", "hammer", "nail"))
    )
    had = [line.split(",")[1] for line in shop.read_text().splitlines() if line.startswith("u1,")]
    wanted = next(item for item in FOOD if item not in had)
    found = tacit_json("why", model, "u1", wanted, "--titles", titles)["because"]
    assert {one["id"]: one["title"] for one in found} == {
        item: f"the {item}" if item in ("tea", "jam", "toast") else "" for item in had
    }
    shown = tacit("why", model, "u1", wanted, "--titles", titles)
    assert all(f"  {item}  the {item} " in shown for item in had if item in ("tea", "jam", "toast"))
    assert "give both" in refused("evaluate", shop, "--titles", titles)
    tacit("evaluate", shop, "--factors", 2, "--titles", titles, "--html", tmp_path / "page.html")
    assert "the hammer" in (tmp_path / "page.html").read_text()


def test_ids_that_begin_with_zero_are_updated_and_titled(tmp_path, tacit, tacit_json):
    first, later, titles = tmp_path / "first.csv", tmp_path / "later.csv", tmp_path / "titles.csv"
    first.write_text("Kunde;Artikel\n" + "".join(f"{n % 4:04d};{n % 3:03d}\n" for n in range(12)))
    later.write_text("Kunde;Artikel\n1042;111\n")
    titles.write_text("nr;name\n001;Brot\n111;Tee\n")
    tacit("fit", "recommend", first, "-o", tmp_path / "m", "--factors", 1)
    done = tacit_json("update", tmp_path / "m", later)
    assert (done["new_rows"], done["new_columns"]) == (1, 1)
    found = tacit_json("recommend", tmp_path / "m", "1042", "-k", 3, "--titles", titles)["recommended"]
    assert {one["id"]: one["title"] for one in found} == {"000": "", "001": "Brot", "002": ""}


def test_update_says_what_it_had_and_ids_that_lost_their_zeros(tmp_path, tacit, capsys):
    first, later = tmp_path / "first.csv", tmp_path / "later.csv"
    first.write_text("Kunde;Artikel\n" + "".join(f"{n % 4:04d};{n % 3:03d}\n" for n in range(12)))
    later.write_text("Kunde;Artikel\n1;2\n3;1\n")
    tacit("fit", "recommend", first, "-o", tmp_path / "m", "--factors", 1)
    capsys.readouterr()
    main(["update", str(tmp_path / "m"), str(later)])
    said = capsys.readouterr().err
    assert "2 of 2 new rows are ids of known rows but for zeros before them; did a spreadsheet" in said
    assert "2 of 2 new columns are ids of known columns but for zeros before them, such as '1' for '001'" in said
    main(["update", str(tmp_path / "m"), str(later)])
    assert "all of them were known before, and weigh that much more now; if TABLE was taken" in capsys.readouterr().err
    assert load(tmp_path / "m").positives_of("1") == (["2"], [2.0])
    later.write_text("Kunde;Artikel\n1;2\n3;2\n")
    main(["update", str(tmp_path / "m"), str(later)])
    assert "1 of them was known before, and weighs that much more now." in capsys.readouterr().err


def test_a_model_of_numbers_knows_ids_that_begin_with_zero(tmp_path, tacit, tacit_json):
    first, later = tmp_path / "first.csv", tmp_path / "later.csv"
    first.write_text("user,item\n" + "".join(f"{n % 4},{n % 3}\n" for n in range(9)))
    later.write_text("user,item\n003,7\n11,0\n")
    tacit("fit", "recommend", first, "-o", tmp_path / "m", "--factors", 1)
    tested = tmp_path / "tested.csv"
    tested.write_text("user,item\n003,2\n001,0\n")
    assert tacit_json("evaluate", tested, "--model", tmp_path / "m")["rows"] == 2
    done = tacit_json("update", tmp_path / "m", later)
    assert (done["new_rows"], done["new_columns"]) == (1, 1)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_tables_beside_one_with_text_ids_have_text_ids_too(kind, tmp_path, tacit_json):
    def written(name, frame):
        path = tmp_path / f"{name}.{kind}"
        (frame.write_csv if kind == "csv" else frame.write_ndjson)(path)
        return path

    rng = np.random.default_rng(0)
    pairs = pl.DataFrame({"user": rng.integers(0, 30, 200), "item": rng.integers(0, 20, 200)})
    table = written("plays", pairs)
    people = written("people", pl.DataFrame({"user": range(30), "age": [20 + n % 7 for n in range(30)]}))
    friends = written("friends", pl.DataFrame({"one": range(29), "other": range(1, 30)}))
    fit = ("fit", "recommend", table, "--text-ids", "--factors", "2", "--iterations", "1", "--method", "factors")
    for option, beside in (("--row-features", people), ("--row-graph", friends)):
        tacit_json(*fit, option, beside, "-o", tmp_path / "beside.tacit")
        model = load(tmp_path / "beside.tacit")
        assert "7" in model.row_ids_.all().tolist()
        assert model.row_feature_factors_ is not None or model.graphs_ == ["row_graph"]


def test_advice_where_popularity_ranks_better_names_options_of_the_method(tmp_path, capsys):
    rng = np.random.default_rng(0)
    pairs = {"user": rng.integers(0, 60, 400), "item": (rng.random(400) ** 3 * 30).astype(int)}
    pl.DataFrame(pairs).write_csv(tmp_path / "noise.csv")
    for method, named in (("linear", False), ("factors", True)):
        main(["evaluate", "recommend", str(tmp_path / "noise.csv"), "--method", method])
        said = capsys.readouterr().err
        assert "ranks worse than popularity" in said and ("--factors" in said) == named
