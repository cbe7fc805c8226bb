"""Explore in a real browser: search, neighbours, why, what-if users, words, two models, hostile names, late answers."""

import re

import numpy as np
import pytest

import tacit
from tacit.estimators.tag.text_tagger import TextTagger
from tests.service.conftest import make_shop, make_tagger, make_words
from tests.service.pages.conftest import DESK, LOOKS, PHONE, Held, fits, running, wrong
from tests.service.pages.hostile import HOSTILE, LONG


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explored")
    make_shop().save(folder / "shop.tacit")
    make_words().save(folder / "words.tacit")
    make_tagger().save(folder / "tags.tacit")
    rng = np.random.default_rng(1)
    data = tacit.Interactions.from_matrix(
        (rng.random((32, 28)) < 0.3).astype(np.float32),
        row_ids=[*HOSTILE, *(f"r{n}" for n in range(24))],
        col_ids=[*HOSTILE, *(f"c{n}" for n in range(20))],
    )
    tacit.FactorRecommender(factors=4, iterations=2, progress=False, threads=1).fit(data).save(folder / "odd.tacit")
    tacit.LinearRecommender().fit(data).save(folder / "linear.tacit")
    sentences = [[one, "cat", HOSTILE[(n + 1) % len(HOSTILE)]] for n, one in enumerate(HOSTILE)] * 10
    tacit.WordVectors(factors=4, min_count=1, iterations=2, progress=False).fit(sentences).save(folder / "ugly.tacit")
    texts = [f"{word} thing" for word in ("red", "green", "blue", "grey", "pink", "teal", "gold", "mint")] * 3
    TextTagger(min_count=1, progress=False).fit(texts, [[one] for one in HOSTILE] * 3).save(folder / "marks.tacit")
    titles = {
        "shop": {f"c{n}": f"Item number {n} of the shop" for n in range(25)},
        "odd": {HOSTILE[0]: LONG, HOSTILE[1]: HOSTILE[0], HOSTILE[2]: HOSTILE[4]},
    }
    models = [folder / f"{name}.tacit" for name in ("shop", "words", "odd", "linear", "tags", "ugly", "marks")]
    with running(models, folder / "store", titles=titles) as found:
        yield found


def drawn(page):
    """All that was asked for stands."""
    page.locator('.beside[aria-busy="false"]').wait_for()


def search(page, text, choice):
    page.get_by_role("searchbox").fill(text)
    page.locator(".found button").filter(has_text=choice).first.click()


def best(page):
    return page.locator(".panel", has_text="Best for").locator("li bdi.id").all_inner_texts()


def test_search_neighbours_why_and_take_one_away(address, page, open_page, look, axe):
    page.goto(address + '/explore?model="shop"')
    search(page, "number 7", "Item number 7")
    page.get_by_text("Nearest in shop").wait_for()
    assert page.locator(".panel .list li").count() == 12
    page.get_by_label("Search").select_option("rows")
    search(page, "r1", "r1")
    page.get_by_text("History of r1").wait_for()
    page.get_by_role("button", name=re.compile("^why ")).first.click()
    page.locator(".why").wait_for()
    before = best(page)
    assert len(before) == 10 and "object" not in page.locator("main").inner_text()
    page.locator(".why button").first.click()
    page.get_by_role("button", name="put back").first.wait_for()
    drawn(page)
    after = best(page)
    assert after != before or page.locator(".up, .down").count()
    assert wrong(page, axe) == []
    # The link is the state.
    other = open_page(*LOOKS[look])
    other.goto(page.url)
    other.get_by_role("button", name="put back").first.wait_for()
    assert best(other) == after
    page.go_back()
    page.get_by_role("button", name="put back").wait_for(state="detached")


def test_a_what_if_user_is_built_by_clicking_and_two_models_stand_side_by_side(address, page, axe):
    page.goto(address + '/explore?model="odd"&beside="linear"')
    for item in ("c3", "c5"):
        search(page, item, item)
        page.locator(".panel h2 > .id", has_text=item).wait_for()
        drawn(page)
        page.get_by_role("button", name=f"add {item} to the what-if user").first.click()
        page.get_by_role("button", name=f"take away {item}").first.wait_for()
    assert page.get_by_role("heading", name="Best for the what-if user").count() == 2
    page.get_by_role("button", name=re.compile("^why ")).first.click()
    page.locator(".why").nth(1).wait_for()
    assert wrong(page, axe) == []
    page.get_by_role("button", name="leave out").first.click()
    page.get_by_text("No longer in the list").first.wait_for()
    page.locator(".history").get_by_role("button", name="take away c3").click()
    page.get_by_role("button", name="take away c3").first.wait_for(state="detached")


def test_words_analogies_and_a_map(address, page, axe):
    page.goto(address + '/explore?model="words"')
    search(page, "ca", "cat")
    page.get_by_role("button", name="subtract").first.click()
    page.get_by_role("button", name="remove: −").wait_for()
    page.get_by_role("button", name="Draw a map").click()
    page.locator("svg.map").wait_for()
    assert wrong(page, axe) == []


def test_a_text_is_tagged_and_its_words_speak(address, page, axe):
    page.goto(address + '/explore?model="tags"')
    page.get_by_label("Text").fill("a red apple <b>fruit</b>")
    page.get_by_role("button", name="Tag it").click()
    page.get_by_role("button", name="why fruit").click()
    page.locator(".why").wait_for()
    assert wrong(page, axe) == []
    page.get_by_role("button", name="take away apple").click()
    page.get_by_role("button", name="take away apple").wait_for(state="detached")
    assert page.get_by_label("Text").input_value() == "a red <b>fruit</b>"


def test_a_late_answer_is_not_drawn_over_a_newer_one(address, open_page):
    page = open_page()
    page.goto(address + '/explore?model="shop"')
    drawn(page)
    held = Held(page, "**/similar", lambda body: body["ids"] == ["c7"])
    search(page, "number 7", "Item number 7")
    held.wait(page)
    search(page, "number 9", "Item number 9")
    heading = page.get_by_role("heading", name="c9 Item number 9 of the shop")
    heading.wait_for()
    drawn(page)
    held.release(page)
    assert heading.count() == 1 and page.locator(".beside[aria-busy=false]").count() == 1


def test_a_late_search_is_dropped_when_something_was_picked(address, open_page):
    page = open_page()
    page.goto(address + '/explore?model="shop"')
    page.get_by_role("searchbox").fill("number 1")
    page.locator(".found button").nth(1).wait_for()
    held = Held(page, "**/search", lambda body: body["q"] == "number 12")
    page.get_by_role("searchbox").fill("number 12")
    held.wait(page)
    page.locator(".found button").first.click()
    page.get_by_text("Nearest in shop").wait_for()
    held.release(page)
    assert page.locator(".found button").count() == 0


def test_what_cannot_be_shown_is_said_and_leaves_nothing_old(address, open_page):
    page = open_page()
    page.goto(address + '/explore?model="shop"&id="c3"')
    page.get_by_text("Nearest in shop").wait_for()
    page.route("**/similar", lambda route: route.fulfill(status=200, json={"results": "not what was promised"}))
    search(page, "number 9", "Item number 9")
    page.locator("#trouble:not(:empty)").wait_for()
    assert page.locator(".panel").count() == 0


@pytest.mark.parametrize("side", ["cols", "rows"])
def test_hostile_names_are_text(address, open_page, axe, side):
    page = open_page(PHONE, "dark")
    for name in HOSTILE:
        page.goto(address + f'/explore?model="odd"&side="{side}"')
        page.get_by_role("searchbox").fill(name)
        page.locator(".found button").first.click()
        page.locator(".panel").nth(1).wait_for()
        drawn(page)
        assert name in page.locator("bdi").all_text_contents()
        assert page.title() == "Explore · Tacit" and fits(page)
    assert wrong(page, axe) == []


def test_hostile_users_words_and_tags_are_text(address, open_page, axe):
    """Lists and reasons that are full of such names."""
    page = open_page(PHONE, "dark")
    page.goto(address + '/explore?model="odd"&side="rows"&id="r3"&beside="linear"')
    page.get_by_role("button", name="why").first.click()
    page.locator(".why").nth(1).wait_for()
    while page.get_by_role("button", name="leave out").count() and page.locator("#gone").count() == 0:
        page.get_by_role("button", name="leave out").first.click()
        page.get_by_text("No longer in the list").first.wait_for()
    assert wrong(page, axe) == [] and page.title() == "Explore · Tacit"
    page.goto(address + '/explore?model="ugly"')
    for name in HOSTILE[:5]:
        search(page, name[:300], name[:5])
        page.get_by_role("button", name=f"remove: + {name[:20]}").wait_for()
    page.get_by_role("button", name="Draw a map").click()
    page.locator("svg.map").wait_for()
    assert wrong(page, axe) == [] and page.title() == "Explore · Tacit"
    page.goto(address + '/explore?model="marks"')
    page.get_by_label("Text").fill("red thing " + LONG)
    page.get_by_role("button", name="Tag it").click()
    page.get_by_role("button", name="why").first.click()
    page.locator(".why").wait_for()
    assert wrong(page, axe) == [] and page.title() == "Explore · Tacit"


def test_a_long_name_is_folded_and_opens(address, open_page):
    page = open_page(PHONE)
    page.goto(address + '/explore?model="odd"')
    page.get_by_role("searchbox").fill("x" * 10_000)
    page.locator(".found button").first.click()
    heading = page.locator(".panel h2").first
    page.get_by_role("button", name="show all").wait_for()
    low = heading.bounding_box()["height"]
    page.get_by_role("button", name="show all").press("Enter")
    page.get_by_role("button", name="show less").wait_for()
    assert low < 300 < 2000 < heading.bounding_box()["height"] and fits(page)
    # The whole name is in the link.
    page.reload()
    page.get_by_role("button", name="show all").wait_for()
    assert page.locator(".panel h2 .id").first.inner_text() == "x" * 10_000


def test_desk_has_room(address, open_page):
    """Two models stand beside each other where there is room."""
    page = open_page(DESK)
    page.goto(address + '/explore?model="odd"&beside="linear"&id="c3"')
    page.get_by_text("Nearest in linear").wait_for()
    places = [panel.bounding_box() for panel in page.locator(".panel").all()]
    assert places[1]["y"] == places[2]["y"] and places[1]["x"] < places[2]["x"]
