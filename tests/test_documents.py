"""What the README and the how-to pages tell people to type works, in the order in which they read it."""

import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest

from tacit.cli.app import main

ROOT = Path(__file__).parents[1]


def blocks(page, language):
    return re.findall(
        rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


def make_files():
    """The files that the pages speak of, in the current folder."""
    heard = {"eve": "blue red gold", "bob": "blue red", "ann": "green 7 grey", "dan": "green 7", "kim": "blue gold",
             "lee": "grey 7 blue", "sue": "red gold green", "tom": "grey green"}  # fmt: skip
    pairs = [(user, song) for user, songs in heard.items() for song in songs.split()]
    users, songs = zip(*pairs)
    count = [1 + place * 5 % 7 for place in range(len(pairs))]
    plays = pl.DataFrame({"user": users, "song": songs, "plays": count, "when": range(len(pairs))})
    plays.write_csv("plays.csv")
    pl.DataFrame({"user": ["dan", "bob"], "song": ["grey", "gold"], "plays": [1, 1]}).write_csv("new-plays.csv")
    Path("who.txt").write_text("eve\nbob\n")
    Path("sold-out.txt").write_text("red\n")
    Path("text.txt").write_text("the king and the queen\na man and a woman\nthe king is a man the queen a woman\n" * 20)
    tagged = ["a red ball,red", "red apples,red", "a blue ball,blue", "the blue sea,blue", "a red sea,"] * 4
    Path("tagged.csv").write_text("\n".join(["text,labels", *tagged]))
    wines = [f"{n % 7},{n % 5},{(n % 7) // 3 if n < 40 else ''}" for n in range(80)]
    Path("wines.csv").write_text("\n".join(["sugar,acid,grade", *wines]))
    Path("ratings.csv").write_text("user,item,rating\neve,blue,5\nbob,blue,4\neve,red,1\n")
    Path("songs.csv").write_text("song,title,year\nblue,Kind of Blue,1959\ngreen,Green Onions,1962\nred,Red,1974\n")
    Path("export.csv").write_bytes(
        "user;song;plays;when\neve;Café;3,5;05/01/2024\nbob;Café;1;06/01/2024\n".encode("latin-1")
    )
    Path("questions-words.txt").write_text(": family\nking queen man woman\n")
    Path("new-texts.csv").write_text("name,text\nn1,a red boat\nn2,the blue ball\n")


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder of its own with the files that the pages speak of."""
    monkeypatch.chdir(tmp_path)
    make_files()
    return tmp_path


@pytest.mark.parametrize("page", ["README.md", "docs/howto/recommend.md"])
def test_python_of_the_page_runs(page, elsewhere, capsys):
    names = {}
    for block in blocks(page, "python"):
        exec(compile(block, page, "exec"), names)
    assert names["model"].row_ids_


def test_python_of_the_stream_page_runs(elsewhere):
    names = {}
    for block in blocks("docs/howto/streams.md", "python"):
        exec(compile(block, "streams.md", "exec"), names)
    assert names["model"].n_ratings_ == 7


def test_the_quick_start_is_short_and_beats_popularity(elsewhere, capsys):
    (start, *_) = blocks("README.md", "python")
    assert len(start.splitlines()) <= 15
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 150
    exec(compile(start, "README.md", "exec"), {})
    ours, popularity = map(float, re.findall(r"NDCG@10 (\S+)", capsys.readouterr().out))
    assert ours > popularity


def test_commands_of_the_readme_run_on_the_table_it_shows(elsewhere, capsys):
    plays = {"who": ["eve", "bob", "eve", "ann"], "song": [7, 7, 9, 9], "times": [3, 1, 2, 5]}
    assert str(plays).replace("'", '"') in (ROOT / "README.md").read_text(encoding="utf-8")
    pl.DataFrame(plays).write_csv("plays.csv")
    lines = [line for block in blocks("README.md", "sh") for line in block.splitlines() if "plays" in line]
    assert len(lines) == 4
    for line in lines:
        main(shlex.split(line)[1:])
    said = capsys.readouterr().out
    assert "bob\n  9 " in said
    assert "nothing that is allowed" not in said
    assert Path("report.html").exists()


def test_commands_of_the_page_run_and_print_what_it_shows():
    script = ROOT / "scripts" / "command_line.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_verb_has_an_example_on_the_page():
    from tacit.cli.app import VERBS
    from tacit.cli.evaluate import JOBS as MEASURED
    from tacit.cli.fit import JOBS as FITTED

    typed = "\n".join(blocks("docs/howto/command-line.md", "sh"))
    verbs = [*VERBS, *(f"fit {job}" for job in FITTED), *(f"evaluate {job}" for job in MEASURED if job != "recommend")]
    assert [verb for verb in verbs if f"tacit {verb}" not in typed and verb not in ELSEWHERE] == []


ELSEWHERE = {"serve", "retrain", "events"}
"""Verbs whose examples are on a page of their own, docs/howto/serve.md."""


def test_links_of_the_root_pages_lead_somewhere():
    for page in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        links = re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text(encoding="utf-8"))
        assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []


@pytest.mark.parametrize("module", ["tacit", "tacit.data", "tacit.metrics", "tacit.baselines"])
def test_every_public_name_is_in_the_reference(module):
    named = import_module(module)
    told = re.findall(r"^::: ([\w.]+)$", (ROOT / "docs/reference.md").read_text(encoding="utf-8"), re.MULTILINE)
    homes = dict(reversed(path.rsplit(".", 1)) for path in told)
    assert len(homes) == len(told)
    public = [name for name in named.__all__ if name != "__version__"]
    assert [name for name in public if getattr(import_module(homes[name]), name) is not getattr(named, name)] == []
