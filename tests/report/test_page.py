"""The page is one well-formed file that asks nobody for anything; charts put things where their numbers say."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from tacit.report import svg
from tacit.report.blocks import (
    Bars,
    Case,
    Columns,
    Dots,
    Lines,
    Paragraph,
    Picture,
    Section,
    Table,
    Terms,
    Tiles,
)
from tacit.report.page import render
from tests.report.pages import checked

BLOCKS = [
    Paragraph("Some `code` & <b>no markup</b>."),
    Table(("name", "value"), [("<a>", "1"), ("b", "2")], caption="A & B"),
    Bars("Bars", {"ours": 0.5, "theirs": 0.25}, marked="ours"),
    Lines("Lines", [0, 1, 2], {"down": [3.0, 2.0, 1.0], "up": [1.0, 2.0, 3.0]}, "time", "error"),
    Dots("Dots", {"one": [("a", 0.0, 0.0), ("b", 1.0, 1.0)], "two": [("c", 0.5, 0.2)]}),
    Columns("Columns", ["low", "high"], {"ours": [1.0, 2.0], "theirs": [2.0, 4.0]}, "size", "count"),
]
OTHERS = [
    Tiles([("NDCG", "0.5", "of <1>")]),
    Terms("Terms", {"a & b": "meaning"}),
    Case("<case>", "note", {"list": [("<hit>", True), ("miss", False)]}),
    Picture("Picture", '<svg xmlns="http://www.w3.org/2000/svg"><rect width="1" height="1"/></svg>'),
    Table(("", "x"), [("y", "1")], shades=[(0.0, 0.5)]),
]


@pytest.fixture
def page():
    return render("Title", "Lead", [Section("First & last", BLOCKS), Section("Others", OTHERS)], "made by `hand`")


def test_the_page_needs_nothing_else(page):
    checked(page)
    assert "prefers-color-scheme: dark" in page
    assert 'name="viewport"' in page


def test_what_was_given_is_text_not_markup(page):
    assert "&lt;b&gt;no markup&lt;/b&gt;" in page
    assert "<code>code</code>" in page
    assert ">&lt;a&gt;</td>" in page
    assert '<a href="#1-first-last">First &amp; last</a>' in page


@pytest.mark.parametrize("block", BLOCKS[2:])
def test_charts_are_well_formed_and_have_a_name(block):
    drawn = {Bars: svg.bars, Columns: svg.columns, Lines: svg.lines, Dots: svg.dots}[type(block)](block)
    root = ElementTree.fromstring(drawn)
    assert root.attrib["aria-label"] == block.title
    assert root.attrib["role"] == "img"


def test_bars_are_as_long_as_their_values():
    root = ElementTree.fromstring(svg.bars(BLOCKS[2]))
    widths = [float(bar.attrib["width"]) for bar in root.iter("rect")]
    assert widths[0] == pytest.approx(2 * widths[1], abs=0.1)
    assert [bar.attrib["class"] for bar in root.iter("rect")] == ["fill-a", "fill-other"]


def test_a_falling_curve_goes_down_the_page():
    root = ElementTree.fromstring(svg.lines(BLOCKS[3]))
    down, up = (
        [float(point.split(",")[1]) for point in line.attrib["points"].split()] for line in root.iter("polyline")
    )
    assert down == sorted(down)
    assert up == sorted(up, reverse=True)
    assert up == down[::-1]


def test_names_at_the_ends_of_curves_do_not_overlap():
    same = Lines("x", [0, 1], {"one": [1.0, 2.0], "two": [1.0, 2.0], "three": [0.0, 2.0]}, "x", "y")
    root = ElementTree.fromstring(svg.lines(same))
    places = sorted(float(t.attrib["y"]) for t in root.iter("text") if t.attrib.get("class", "").startswith("name"))
    assert all(b - a >= 15 for a, b in pairwise(places))


def test_values_that_are_not_numbers_leave_gaps():
    assert "nan" not in svg.bars(Bars("b", {"a": float("nan"), "b": 1.0}))
    assert "nan" not in svg.lines(Lines("l", [0, 1, 2], {"a": [float("nan"), 1.0, 2.0]}, "x", "y"))


def test_a_flat_curve_and_an_empty_map_can_be_drawn():
    ElementTree.fromstring(svg.lines(Lines("l", [0, 1], {"a": [2.0, 2.0]}, "x", "y")))
    ElementTree.fromstring(svg.dots(Dots("d", {})))


def test_names_on_a_map_do_not_cover_each_other():
    crowd = Dots("d", {"one": [(f"name{n}", 0.5 + n / 1000, 0.5) for n in range(6)], "two": [("x", 0, 0), ("y", 1, 1)]})
    root = ElementTree.fromstring(svg.dots(crowd))
    heights = sorted(float(t.attrib["y"]) for t in root.iter("text") if t.text.startswith("name"))
    assert all(b - a >= 13.9 for a, b in pairwise(heights))


def test_a_hit_is_said_in_words_and_not_by_colour_alone(page):
    assert '<li class="chip hit"><span class="sign" title="hit">✓<span class="unseen"> hit: </span></span>' in page
    assert "&lt;hit&gt;" in page
    assert "<hit>" not in page


def test_columns_are_as_high_as_their_values():
    root = ElementTree.fromstring(svg.columns(BLOCKS[5]))
    heights = {}
    for bar in root.iter("rect"):
        if bar.find("title") is not None:
            heights[bar.find("title").text] = float(bar.attrib["height"])
    assert heights["theirs, high: 4"] == pytest.approx(4 * heights["ours, low: 1"], abs=0.2)
    assert heights["ours, high: 2"] == pytest.approx(heights["theirs, low: 2"], abs=0.11)


def test_a_logarithmic_axis_spaces_powers_evenly():
    chart = Lines("l", [1, 10, 100], {"a": [1.0, 2.0, 3.0]}, "x", "y", log_x=True)
    (line,) = ElementTree.fromstring(svg.lines(chart)).iter("polyline")
    first, second, third = (float(point.split(",")[0]) for point in line.attrib["points"].split())
    assert second - first == pytest.approx(third - second, abs=0.2)


def test_long_names_stand_above_their_bars():
    root = ElementTree.fromstring(svg.bars(Bars("b", {"a name that is much too long to stand beside": 1.0, "b": 0.5})))
    assert [float(bar.attrib["x"]) for bar in root.iter("rect")] == [0.0, 0.0]


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_words_can_be_told_from_what_they_stand_on(page, scheme):
    """WCAG 2: 4.5 to 1 for text, of every colour that text has on both grounds."""
    roots = re.findall(r":root \{(.*?)\}", page, re.DOTALL)
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", roots[scheme]))
    for ground in ("paper", "card"):
        for ink in ("ink", "soft", *"abcdef"):
            bright, dark = sorted((luminance(colours[ink]), luminance(colours[ground])), reverse=True)
            assert (bright + 0.05) / (dark + 0.05) >= 4.5, (ink, ground)
