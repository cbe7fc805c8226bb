"""The home page, reports, and every page by keyboard alone."""

import re
from json import dumps
from urllib.parse import urlencode

import numpy as np
import polars as pl
import pytest

from tacit.cli.app import main
from tacit.errors import InputError
from tacit.estimators.tag.audit_report import MissingLabels, Suggestion
from tacit.service.pages.reports import Reports
from tests.service.conftest import make_grades, make_ratings, make_shop, make_tagger, make_words
from tests.service.pages.conftest import PHONE, Held, post, running, wrong
from tests.service.pages.hostile import HOSTILE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of each kind, something to review and to grade, and two reports, one of them on hostile names."""
    folder = tmp_path_factory.mktemp("home")
    makers = {"shop": make_shop, "words": make_words, "tags": make_tagger, "stars": make_ratings, "grades": make_grades}
    for name, make in makers.items():
        make().save(folder / f"{name}.tacit")
    MissingLabels(
        tuple(
            Suggestion(f"row {n}", "fruit", 1 - n / 300, f"text {n}", ("red",), (("row 1", 0.5, "other"),), ("text",))
            for n in range(200)  # each visitor of the review has eight in hand, which nobody else gets for two minutes
        )
    ).write(folder / "audit.json")
    rng = np.random.default_rng(0)
    features = {"size": rng.random(20), "age": rng.random(20)}
    pl.DataFrame({"name": [f"row {n}" for n in range(20)], **features}).write_csv(folder / "rows.csv")
    for name, ids in (("report", [f"item {n}" for n in range(20)]), ("hostile", [*HOSTILE, *"abcdefghijkl"])):
        cells = np.argwhere(rng.random((30, 20)) < 0.4)
        table = {"who": [ids[row % 20] + str(row) for row, _ in cells], "what": [ids[col] for _, col in cells]}
        pl.DataFrame(table).write_csv(folder / f"{name}.csv")
        page = str(folder / f"{name}.html")
        main(["evaluate", str(folder / f"{name}.csv"), "--factors", "2", "-k", "4", "--html", page])
    return folder


@pytest.fixture(scope="module")
def address(folder):
    models = [folder / f"{name}.tacit" for name in ("shop", "words", "tags", "stars", "grades")]
    options = {
        "reviews": {"tags": folder / "audit.json"},
        "rows": {"grades": folder / "rows.csv"},
        "reports": [folder / "report.html", folder / "hostile.html"],
    }
    with running(models, folder / "store", **options) as found:
        rng = np.random.default_rng(0)
        ratings = [{"row": f"u{n % 9}", "col": f"i{n % 7}", "weight": float(1 + rng.integers(5))} for n in range(500)]
        post(found, "/v1/models/stars/events", {"events": ratings})
        yield found


def test_the_home_page_leads_to_all_others_and_to_reports(address, page, axe):
    page.goto(address)
    page.get_by_role("row", name=re.compile("shop")).wait_for()
    assert wrong(page, axe) == []
    for name in ("Explore", "Review", "Watch", "Grade"):
        page.locator(".doors").get_by_role("link", name=name).press("Enter")
        page.wait_for_url(f"**/{name.lower()}")
        page.get_by_role("heading", name=name).first.wait_for()
        page.go_back()
    page.get_by_role("link", name="Recommendations from report.csv").press("Enter")
    page.get_by_role("heading", name="Recommendations from report.csv").wait_for()
    assert wrong(page, axe) == []


def test_a_report_on_hostile_names_is_text(address, open_page, axe):
    page = open_page(PHONE, "dark")
    page.goto(address + "/reports/hostile")
    page.get_by_role("heading", name="A few examples").wait_for()
    assert wrong(page, axe) == [] and page.title() == "Recommendations from hostile.csv"


def test_what_is_no_report_is_refused(folder, tmp_path):
    (tmp_path / "page.html").write_text("<!doctype html><title>mine</title>")
    MissingLabels(()).write(tmp_path / "audit.html")
    for path, what in (("page.html", "is not a page"), ("audit.html", "--review"), ("nowhere.html", "no file")):
        with pytest.raises(InputError, match=what):
            Reports([tmp_path / path])
    with pytest.raises(InputError, match="two pages"):
        Reports([folder / "report.html", folder / "report.html"])


def state(path, **fields):
    return f"/{path}?{urlencode({name: dumps(value) for name, value in fields.items()})}"


STATES = {
    "/": "table",
    state("explore", model="shop"): ".list",
    state("explore", model="shop", id="c3"): ".list",
    state("explore", model="shop", side="rows", id="r1", without=["c0"], why="c7", exclude=["c9"]): ".why",
    state("explore", model="shop", history=["c1", "c2"], why="c5"): ".why",
    state("explore", model="words", plus=["cat"], minus=["dog"]): ".list",
    state("explore", model="tags", text="a red apple", why="fruit"): ".why",
    "/review": ".slot h2",
    "/watch": "svg.curve",
    "/grade": "#asked h2",
    "/reports/report": "h1",
}
CONTROLS = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
  .filter((one) => !one.disabled && one.checkVisibility())"""
HERE = """() => {
  const held = document.activeElement, seen = getComputedStyle(held), box = held.getBoundingClientRect();
  return [window.controls.indexOf(held), seen.outlineStyle !== "none", box.width > 0 && box.left > -9];
}"""


@pytest.mark.parametrize("path", STATES, ids=[path.split("&")[0] for path in STATES])
def test_the_tabulator_reaches_every_control_and_shows_where_it_is(address, open_page, path):
    page = open_page()
    page.goto(address + path)
    page.locator(STATES[path]).first.wait_for()
    if path.startswith("/explore"):
        page.locator('.beside[aria-busy="false"]').wait_for()
    page.evaluate("document.activeElement.blur()")
    # Pages that watch draw anew: their controls do not change.
    page.evaluate(f"window.controls = ({CONTROLS})()")
    expected, reached = set(range(page.evaluate("window.controls.length"))), set()
    for _ in range(2 * len(expected) + 5):
        page.keyboard.press("Tab")
        place, ringed, visible = page.evaluate(HERE)
        if place >= 0:
            assert ringed and visible
            reached.add(place)
        if reached == expected:
            break
    assert reached == expected


def test_a_slow_answer_loses_nothing_that_was_typed(address, open_page):
    """Each letter in the list of models chooses one; the box below takes what is typed before its answer is here."""
    page = open_page()
    page.goto(address + '/explore?model="shop"')
    page.get_by_role("heading", name="Items that occur most often").wait_for()
    held = Held(page, "**/v1/models/words/about")
    page.get_by_label("Model").focus()
    for letter in "words":
        page.keyboard.press(letter)
    page.get_by_role("searchbox").press_sequentially("ca")
    page.locator(".found button").first.wait_for()
    held.wait(page)
    page.keyboard.press("t")
    held.release(page)
    box = page.get_by_role("searchbox", name="Word")
    box.wait_for()
    assert (box.input_value(), page.get_by_label("Model").input_value()) == ("cat", "words")
    assert page.evaluate("document.activeElement.name") == "search"


def test_explore_by_keyboard_alone(address, open_page):
    page = open_page()
    page.goto(address + '/explore?model="shop"')
    page.get_by_role("searchbox").fill("c1")
    page.locator(".found button").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.get_by_text("Nearest in shop").wait_for()
    page.get_by_role("button", name="add c1 to the what-if user").press("Enter")
    page.get_by_role("heading", name="Best for the what-if user").wait_for()
    page.goto(address + '/explore?model="shop"&side="rows"')
    page.locator(".list a").first.press("Enter")
    why = page.get_by_role("button", name=re.compile("^why ")).first
    why.press("Enter")
    page.locator(".why").wait_for()
    # Whoever works by keyboard is where they were, though the list was drawn anew.
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("why ")
    page.locator(".why button").first.press("Enter")
    page.get_by_role("button", name="put back").first.press("Enter")
    page.get_by_role("button", name="put back").wait_for(state="detached")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("take away ")
    page.get_by_role("button", name=re.compile("^leave out ")).first.press("Enter")
    page.get_by_role("button", name=re.compile("^left out; allow it again")).press("Enter")
    page.get_by_role("button", name=re.compile("^left out")).wait_for(state="detached")
    page.get_by_label("also list what they have").press(" ")
    page.wait_for_function("() => location.search.includes('seen=true')")
    page.get_by_label("Model").focus()
    page.keyboard.type("words")
    page.get_by_role("searchbox", name="Word").fill("cat")
    page.locator(".found button").first.press("Enter")
    page.get_by_role("button", name="subtract").first.press("Enter")
    page.get_by_role("button", name="remove: −").press("Enter")
    page.get_by_role("button", name="remove: −").wait_for(state="detached")
    page.get_by_role("button", name="Draw a map").press("Enter")
    page.locator("svg.map").wait_for()
