"""Every command that a how-to page, a tutorial or the front page prints works as it is printed."""

import lzma
import re
import shlex
from pathlib import Path

import polars as pl
import pytest

from tacit.cli.app import main

ROOT = Path(__file__).parents[1]
PAGES = [
    "docs/index.md",
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs" / "tutorials").glob("*.md")),
    *(f"docs/howto/{name}.md" for name in ("grade", "pages", "streams", "tagging", "words")),
]


def commands(page):
    """Lines that begin with ``tacit`` in blocks that are not Python; pipes and services are run elsewhere."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    lines = [line for language, block in fenced if language in ("", "sh") for line in block.splitlines()]
    typed = [shlex.split(line, comments=True) for line in lines if line.startswith("tacit ")]
    return [words for words in typed if words[1] != "serve"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with the files that the pages speak of."""
    monkeypatch.chdir(tmp_path)
    pairs = [
        ("ripit", "perl"),
        ("ripit", "lame"),
        ("abcde", "lame"),
        ("abcde", "flac"),
        ("sox", "flac"),
        ("sox", "perl"),
    ]
    pl.DataFrame(pairs, schema=["package", "needs"], orient="row").write_csv("relations.csv")
    pl.DataFrame({"user": ["eve", "eve", "bob", "bob", "ann"], "song": ["a", "b", "a", "c", "b"]}).write_csv(
        "plays.csv"
    )
    texts = [("a red ball", "red"), ("red apples", "red"), ("a blue ball", "blue"), ("the blue sea", "blue")] * 5
    tagged = pl.DataFrame({"name": [f"n{place}" for place in range(20)], "description": [text for text, _ in texts],
                           "tags": [tag for _, tag in texts]})  # fmt: skip
    for name in ("tagged.csv", "packages.csv"):
        tagged.write_csv(name)
    Path("reviewed.csv").write_text("row,label,accept\nn0,round,yes\n")
    grades = ["poor", "fair", "good"]
    wines = {"sugar": [n % 7 for n in range(60)], "acid": [n % 5 for n in range(60)]}
    known = {"grade": [grades[n % 7 // 3] if n < 45 else None for n in range(60)]}
    pl.DataFrame(wines | known | {"quality": known["grade"]}).write_csv("wines.csv")
    pl.DataFrame({"name": [f"w{n}" for n in range(60)]} | wines).write_csv("new.csv")
    ratings = {"user": ["eve", "bob", "eve", "bob"], "item": [1, 1, 2, 2], "rating": [5, 4, 1, 2], "when": [1, 2, 3, 4]}
    pl.DataFrame(ratings).write_csv("ratings.csv")
    pl.DataFrame(ratings).write_parquet("ratings.parquet")
    pl.DataFrame({"item": [1, 2], "title": ["One", "Two"]}).write_csv("films.csv")
    text = "the king and the queen\na man and a woman\nthe king is a man the queen a woman with a compiler\n" * 20
    Path("text.txt").write_text(text)
    Path("articles.txt.xz").write_bytes(lzma.compress(text.encode()))
    Path("questions-words.txt").write_text(": family\nking queen man woman\n")


@pytest.mark.jit
@pytest.mark.parametrize("page", PAGES)
def test_what_the_page_prints_can_be_typed(page, files, capsys):
    typed = commands(page)
    assert typed
    for words in typed:
        main(words[1:])


PYTHON = """
import numpy as np
rng = np.random.default_rng(0)
kind = rng.integers(0, 3, 90)
X = np.eye(3)[kind] + rng.random((90, 3)) / 9
X_new, names, words = X[:4], [f"r{n}" for n in range(90)], ["one", "two", "three"]
rows, accepted = [0, 1], None
"""


@pytest.mark.jit
@pytest.mark.parametrize(
    ("page", "more"),
    [
        ("engine", ""),
        ("grade", 'y = [["poor", "fair", "good"][k] if n < 60 else None for n, k in enumerate(kind)]'),
        ("tagging", 'Y = [[f"tag{k}", "all"] for k in kind]; descriptions = [f"a {words[k]} thing" for k in kind]; '
         'tags = Y; accepted = [["tag0"], ["tag1"]]'),
    ],
)  # fmt: skip
def test_python_of_the_howto_runs(page, more, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(PYTHON + more, names)
    text = (ROOT / "docs" / "howto" / f"{page}.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        exec(compile(block, page, "exec"), names)
