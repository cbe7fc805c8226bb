"""``tacit stream`` and ``tacit fit rate`` from the outside."""

import gzip
import io
import json
import lzma
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.cli.app import main
from tacit.data.rating_lines import LineFormat, read_ratings
from tacit.errors import DivergedError, InputError


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    users = [f"user {u}" for u in rng.integers(0, 30, 900)]
    return pl.DataFrame({"user": users, "item": rng.integers(0, 20, 900), "rating": rng.integers(1, 6, 900)})


def run(*arguments):
    main([str(argument) for argument in arguments])


def answers(model):
    return model.n_ratings_, model.predict([f"user {u}" for u in range(30)], np.arange(30) % 20).tolist()


def predictions(path):
    return answers(tacit.load(path))


def test_a_file_gives_what_the_library_gives(table, tmp_path, capsys):
    table.write_csv(tmp_path / "ratings.csv")
    run("stream", tmp_path / "ratings.csv", "-o", tmp_path / "model", "--every", 400, "--json", "--clip", 1, 5)
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [report["ratings"] for report in reports] == [400, 800, 900]
    model = tacit.ExpertRatingStream(clip=(1, 5))
    errors = np.abs(model.predict_then_learn(table) - table["rating"].to_numpy())
    assert [report["mae"] for report in reports] == pytest.approx(
        [errors[:n].mean() for n in (400, 800, 900)], abs=1e-6
    )
    assert reports[-1]["recent_mae"] == pytest.approx(errors[800:].mean(), abs=1e-6)
    assert predictions(tmp_path / "model") == answers(model)


def test_options_of_a_stream_that_goes_on_must_be_its_own(table, tmp_path, capsys, refused):
    """Others would do nothing; the same command again is fine."""
    table.write_csv(tmp_path / "ratings.csv")
    asked = "stream", tmp_path / "ratings.csv", "-o", tmp_path / "model"
    for _ in range(2):
        run(*asked, "--factors", 3, "--clip", 1, 5)
    capsys.readouterr()
    assert "--delta does not change a model that goes on learning" in refused(*asked, "--factors", 3, "--delta", 0.5)
    assert "has 3; leave it out" in refused(*asked, "--factors", 4)
    assert "without it" in refused(*asked, "--experts", "paper")


def test_no_clip_leaves_predictions_as_they_are(table, tmp_path, capsys):
    table.write_csv(tmp_path / "ratings.csv")
    run("fit", "rate", tmp_path / "ratings.csv", "-o", tmp_path / "model", "--factors", 3, "--no-clip")
    assert tacit.load(tmp_path / "model").clip is None


def test_a_file_that_grew_is_read_from_where_it_was_left(table, tmp_path, capsys):
    table.write_csv(tmp_path / "whole.csv")
    lines = (tmp_path / "whole.csv").read_text().splitlines(keepends=True)
    growing = tmp_path / "growing.csv"
    for stop in (300, 301, 901):
        growing.write_text("".join(lines[:stop]))
        run("stream", growing, "-o", tmp_path / "parts", "--factors", 3)
    assert "going on from there" in capsys.readouterr().err
    run("stream", tmp_path / "whole.csv", "-o", tmp_path / "whole", "--factors", 3)
    assert predictions(tmp_path / "parts") == predictions(tmp_path / "whole")
    parts, whole = (tacit.load(tmp_path / name).journal_ for name in ("parts", "whole"))
    assert [entry["count"] for entry in (*parts.values(), *whole.values())] == [900, 900]
    run("stream", growing, "-o", tmp_path / "parts")
    assert "no new ratings" in capsys.readouterr().err
    run("stream", growing, "-o", tmp_path / "parts", "--restart")
    assert tacit.load(tmp_path / "parts").n_ratings_ == 1800


def test_json_lines_from_standard_input(table, tmp_path, monkeypatch):
    text = "".join(json.dumps(row) + "\n" for row in table.iter_rows(named=True))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    run("stream", "-o", tmp_path / "model", "--format", "json", "--factors", 3)
    expected = tacit.RatingStream(3).partial_fit(table)
    loaded = tacit.load(tmp_path / "model")
    assert np.array_equal(loaded.predict(table["user"], table["item"]), expected.predict(table["user"], table["item"]))


def test_packed_files_and_other_columns(table, tmp_path):
    text = table.rename({"user": "who"}).write_csv(separator="\t")
    with gzip.open(tmp_path / "ratings.tsv.gz", "wt") as file:
        file.write(text)
    run(
        "stream",
        tmp_path / "ratings.tsv.gz",
        "-o",
        tmp_path / "m",
        "--user",
        "who",
        "--separator",
        "\\t",
        "--factors",
        2,
    )
    assert tacit.load(tmp_path / "m").n_ratings_ == 900


def test_a_bad_line_is_named_and_what_came_before_is_kept(table, tmp_path, capsys):
    lines = table.write_csv().splitlines()
    lines[1500 // 2] = "somebody,something,many"
    (tmp_path / "ratings.csv").write_text("\n".join(lines))
    options = ["stream", tmp_path / "ratings.csv", "-o", tmp_path / "model", "--factors", 2, "--save-every", 100]
    with pytest.raises(SystemExit) as ended:
        run(*options)
    assert ended.value.code == 2
    assert "has the rating 'many', which is no number" in capsys.readouterr().err
    run(*options, "--skip-bad")
    assert tacit.load(tmp_path / "model").n_ratings_ == 899


def test_other_models_and_missing_columns_are_refused(table, tmp_path, capsys):
    table.write_csv(tmp_path / "ratings.csv")
    tacit.FactorRecommender(2, iterations=1).fit(np.eye(4)).save(tmp_path / "other")
    for arguments, named in (
        ([tmp_path / "ratings.csv", "-o", tmp_path / "other"], "FactorRecommender"),
        ([tmp_path / "ratings.csv", "-o", tmp_path / "m", "--user", "who"], "--user who"),
        ([tmp_path / "nowhere.csv", "-o", tmp_path / "m"], "nowhere"),
    ):
        with pytest.raises(SystemExit) as ended:
            run("stream", *arguments)
        assert ended.value.code == 2
        assert named in capsys.readouterr().err


def test_fit_rate_in_order_of_time_with_topics(table, tmp_path, capsys):
    timed = table.with_columns(time=pl.int_range(pl.len(), 0, -1))
    timed.write_parquet(tmp_path / "ratings.parquet")
    pl.DataFrame({"id": range(20), "title": [f"film {n}" for n in range(20)], "genre": "Drama"}).write_csv(
        tmp_path / "films.csv"
    )
    run("fit", "rate", tmp_path / "ratings.parquet", "-o", tmp_path / "model", "--time", "time", "--factors", 2,
        "--topics", 3, "--titles", tmp_path / "films.csv", "--json")  # fmt: skip
    outcome = json.loads(capsys.readouterr().out)
    expected = tacit.RatingStream(2)
    backwards = table.reverse()
    errors = expected.predict_then_learn(backwards) - backwards["rating"].to_numpy()
    assert outcome["mae"] == pytest.approx(np.abs(errors).mean())
    assert outcome["topics"][0] == [f"film {n}, Drama" for n in expected.topics(3).ids[0]]
    run("fit", "rate", tmp_path / "ratings.parquet", "-o", tmp_path / "model", "--factors", 2, "--topics", 1)
    assert "topic 2" in capsys.readouterr().out


def test_fit_rate_looks_twice_when_asked(table, tmp_path, capsys):
    table.write_csv(tmp_path / "ratings.csv")
    run("fit", "rate", tmp_path / "ratings.csv", "-o", tmp_path / "model", "--factors", 3, "--passes", 2)
    assert f"{len(table)} ratings" in (said := capsys.readouterr().out)
    assert "2 times" in said
    assert predictions(tmp_path / "model") == answers(tacit.RatingStream(3).fit(table, passes=2))


def test_lines_of_every_kind():
    plain = LineFormat(header=False)
    lines = [b"7,007,3\n", b"\n", b'"a,b",-4,2.5\n']
    assert list(read_ratings(lines, plain)) == [(1, 7, "007", 3.0), (3, "a,b", -4, 2.5)]
    assert list(read_ratings([b"1,2,3", b"4,5,6"], plain, skip=1)) == [(2, 4, 5, 6.0)]
    form = LineFormat(kind="json", item="film")
    assert list(read_ratings([b'{"user": 1.5, "film": "x", "rating": 1}'], form)) == [(1, 1.5, "x", 1.0)]
    for line, sentence in (
        (b'{"user": 1, "rating": 1}', "line 1 of the stream lacks 'film'"),
        (b'{"user": null, "film": "x", "rating": 1}', "has None under 'user', which cannot be an id"),
        (b'{"user": [1], "film": "x", "rating": 1}', "cannot be an id"),
        (b"[" * 5000, "cannot be read"),
        (b"7", "is not an object of JSON"),
    ):
        with pytest.raises(InputError, match=sentence):
            list(read_ratings([line], form))
    with pytest.raises(InputError, match="has no item"):
        list(read_ratings([b"1,,3"], plain))
    with pytest.raises(InputError, match="'who'"):
        list(read_ratings([b"who,what", b"1,2"], LineFormat()))
    with pytest.raises(InputError, match="say --separator ';'"):
        list(read_ratings([b"user;item;rating", b"1;2;3"], LineFormat()))
    assert list(read_ratings([b"a;b;3,5"], LineFormat(header=False, separator=";", decimal=","))) == [
        (1, "a", "b", 3.5)
    ]


BAD = {
    "undecodable": (b"caf\xe9,tea,3", "is not UTF-8 near 'café,tea,3'"),
    "too short": (b"ann,tea", "has only 2 values"),
    "no number": (b"ann,tea,many", "has the rating 'many', which is no number"),
    "decimal comma": (b'ann,tea,"3,5"', "--decimal , reads a decimal comma"),
    "nan": (b"ann,tea,nan", "which is not finite"),
    "infinite": (b"ann,tea,-inf", "which is not finite"),
    "huge": (b"ann,tea,1e39", "which is too large"),
    "negative": (b"ann,tea,-1", "which is below 0, the least that this model can learn"),
    "endless": (b"x" * 3_000_000, "is longer than 1048576 bytes"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_lines_are_named_by_file_and_line_and_lose_nothing(case, table, tmp_path, capsys):
    line, sentence = BAD[case]
    lines = table.write_csv().encode().splitlines()
    (tmp_path / "ratings.csv").write_bytes(b"\n".join([*lines[:500], line, *lines[500:]]))
    options = ["stream", tmp_path / "ratings.csv", "-o", tmp_path / "model", "--factors", 2]
    # Only non-negative factors without biases cannot learn from a negative rating.
    bounded = {"biases": None, "nonnegative": True} if case == "negative" else {}
    options += ["--biases", "none", "--nonnegative"] if bounded else []
    with pytest.raises(SystemExit) as ended:
        run(*options)
    assert ended.value.code == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert f"line 501 of '{tmp_path}/ratings.csv'" in said and sentence in said and "--skip-bad" in said
    assert tacit.load(tmp_path / "model").n_ratings_ == 499
    run(*options, "--skip-bad")
    assert "1 line was left out; line 501" in capsys.readouterr().err
    assert predictions(tmp_path / "model") == answers(tacit.RatingStream(2, **bounded).partial_fit(table))


@pytest.mark.parametrize("kind", ["gz", "xz", "zst"])
def test_a_cut_archive_says_so_and_keeps_what_came(kind, tmp_path, capsys):
    pyarrow = pytest.importorskip("pyarrow")
    text = "user,item,rating\n" + "".join(f"u{n * 7919 % 1009},i{n * 31 % 211},{n % 5}\n" for n in range(60_000))
    path = tmp_path / f"ratings.csv.{kind}"
    if kind == "zst":
        with pyarrow.output_stream(str(path), compression="zstd") as file:
            file.write(text.encode())
    else:
        path.write_bytes({"gz": gzip.compress, "xz": lzma.compress}[kind](text.encode()))
    run("stream", path, "-o", tmp_path / "whole", "--factors", 2, "--json")
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 3 // 4])
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        run("stream", path, "-o", tmp_path / "model", "--factors", 2, "--json")
    assert ended.value.code == 2
    assert "is cut short: it could not be decompressed to its end; copy it again." in capsys.readouterr().err
    assert tacit.load(tmp_path / "whole").n_ratings_ == 60_000


def test_a_diverged_stream_is_never_saved(table, tmp_path, capsys, monkeypatch):
    table.write_csv(tmp_path / "ratings.csv")
    options = ["stream", tmp_path / "ratings.csv", "-o", tmp_path / "model", "--factors", 2]
    run(*options)
    before = (tmp_path / "model").read_bytes()

    def diverge(self, *columns):
        raise DivergedError("the stream diverged.")

    monkeypatch.setattr(tacit.RatingStream, "predict_then_learn", diverge)
    with pytest.raises(SystemExit) as ended:
        run(*options, "--restart")
    assert ended.value.code == 2
    assert "is as it was, without what came after line 901" in capsys.readouterr().err
    assert (tmp_path / "model").read_bytes() == before


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signals_save_every_rating_that_came_and_say_one_true_sentence(name, table, tmp_path):
    """Lines come through a pipe that stays open; the signal arrives while the program waits for more."""
    number = getattr(signal, name)
    source = ["-"] if name == "SIGINT" else []  # which is the default
    command = [sys.executable, "-c", "from tacit.cli.app import main; main()", "stream", *source, "--every", "450",
               "--factors", "3", "-o", str(tmp_path / "model")]  # fmt: skip
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdin.write("".join(table.write_csv().splitlines(keepends=True)[:451]))
    process.stdin.flush()
    assert "450 ratings" in process.stdout.readline()
    time.sleep(0.2)
    process.send_signal(number)
    _, remarks = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert remarks.splitlines() == [f"tacit: interrupted; saved to {tmp_path}/model after line 451."]
    assert tacit.load(tmp_path / "model").n_ratings_ == 450
    assert predictions(tmp_path / "model") == answers(tacit.RatingStream(3).partial_fit(table[:450]))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "no header"])
def test_columns_and_separators_are_found_as_by_fit(kind, tmp_path, capsys):
    """A table with other names and a semicolon is read like the plain one, also where it goes on."""
    rows = [(f"k{n % 7}", n % 5, 1 + n % 5) for n in range(60)]
    plain, other = tmp_path / "plain.csv", tmp_path / f"other.{'jsonl' if kind == 'jsonl' else 'csv'}"
    plain.write_text("user,item,rating\n" + "".join(f"{u},{i},{r}\n" for u, i, r in rows))
    if kind == "jsonl":
        lines = ["[1, 2]\n"] + [json.dumps({"Kunde": u, "Film": i, "Sterne": r}) + "\n" for u, i, r in rows]
    else:
        lines = ["Kunde;Film;Sterne\n"] + [f"{u};{i};{r}\n" for u, i, r in rows]
    lines = lines[1:] if kind == "no header" else lines
    other.write_text("".join(lines[:31]))
    options = ["--no-header"] if kind == "no header" else ["--skip-bad"]
    for made, table, more in (("plain", plain, []), ("other", other, options)):
        main(["stream", str(table), "-o", str(tmp_path / made), *more])
        if table is other:
            said = capsys.readouterr().err
            told = "columns guessed by their names: --user Kunde --item Film --rating Sterne."
            assert (told in said) == (kind != "no header")
            with other.open("a") as file:
                file.writelines(lines[31:])
            main(["stream", str(table), "-o", str(tmp_path / made), *more])
    assert tacit.load(tmp_path / "other").predict(["k1"] * 5, range(5)).tolist() == (
        tacit.load(tmp_path / "plain").predict(["k1"] * 5, range(5)).tolist()
    )


def test_a_decimal_comma_is_no_separator_where_no_header_tells_them_apart(tmp_path):
    (tmp_path / "plain.csv").write_text("user,item,rating\nann,tea,3.5\nbob,jam,2\n")
    (tmp_path / "comma.csv").write_text("ann;tea;3,5\nbob;jam;2\n")
    main(["stream", str(tmp_path / "plain.csv"), "-o", str(tmp_path / "plain")])
    main(["stream", str(tmp_path / "comma.csv"), "-o", str(tmp_path / "comma"), "--no-header", "--decimal", ","])
    assert predictions(tmp_path / "comma") == predictions(tmp_path / "plain")


def test_a_column_that_is_not_there_is_said_also_with_skip_bad(tmp_path, refused):
    (tmp_path / "odd.csv").write_text("Who is it;Which one;Stars\nann;tea;3\n")
    said = refused("fit", "rate", tmp_path / "odd.csv", "-o", tmp_path / "m", "--skip-bad")
    assert "has no column 'user', but 'Who is it', 'Which one', 'Stars'; say which of them is meant" in said
