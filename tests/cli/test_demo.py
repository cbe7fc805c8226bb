"""``tacit demo`` on fewer packages: it reads well, its figures are sound, its page stands alone."""

import json
import re

import pytest

from tacit.cli.app import main
from tacit.cli.demo import SECTIONS


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What the demo prints, its figures, and its page."""
    import contextlib
    import io

    folder = tmp_path_factory.mktemp("demo")
    printed = {}
    for name, more in (("text", ["--only", "words", "--only", "stream"]), ("json", ["--json"])):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            main(["demo", "--packages", "1500", "-o", str(folder), *more])
        printed[name] = out.getvalue()
    return printed["text"], json.loads(printed["json"]), (folder / "index.html").read_text()


def test_every_part_is_shown_and_timed(shown):
    text, figures, page = shown
    assert set(SECTIONS) == figures["seconds"].keys()
    headings = re.findall(r"<h2>(.*?)</h2>", page)
    assert len(headings) == len(SECTIONS)
    assert {heading for heading in headings if heading in text} == {headings[2], headings[3]}
    assert text.splitlines()[-1].endswith("index.html")


def test_the_page_stands_alone(shown):
    page = shown[2]
    assert page.startswith("<!doctype html>")
    assert page.count("<svg") >= 1
    assert not re.search(r"https?://|src=|@import|url\(|nan", page)


def test_packages_beat_popularity(shown):
    ndcg = shown[1]["packages"]["ndcg@10"]
    assert ndcg["FactorRecommender"] > ndcg["popularity"]


def test_only_some_parts(tmp_path, tacit_json):
    figures = tacit_json("demo", "--packages", 500, "-o", tmp_path / "new" / "folder", "--only", "words")
    assert figures["seconds"].keys() == {"words"}
    assert (tmp_path / "new" / "folder" / "index.html").is_file()


def test_too_few_packages_are_refused(refused, tmp_path):
    assert "at least 500" in refused("demo", "--packages", 10, "-o", tmp_path)


def test_tags_beat_the_most_frequent_ones(shown):
    ndcg = shown[1]["tags"]["ndcg@5"]
    assert ndcg["NeighbourTagger"] > ndcg["most frequent tags"]
    assert len(shown[1]["tags"]["suggested"]) > 0


def test_the_stream_says_that_it_is_simulated_and_learns(shown):
    text, figures, page = shown
    assert "Simulated:" in text
    assert "Simulated:" in page
    error = figures["stream"]["mean_absolute_error"]
    assert error["RatingStream"] < error["mean so far"]


def test_grades_are_in_better_order_than_by_chance(shown):
    grades = shown[1]["grades"]
    assert grades["auc"]["OrdinalRanker"] > 0.55
    assert grades["graded"] < grades["packages"] / 3
