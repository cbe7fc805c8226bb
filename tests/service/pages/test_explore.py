"""Explore in a real browser: search, neighbours, why, what-if users, words, two models, hostile names."""

import re

import numpy as np
import pytest

import tacit
from tests.service.conftest import make_shop, make_tagger, make_words
from tests.service.pages.conftest import DESK, PHONE, fits, in_every_look, running

HOSTILE = [
    "<script>document.title='taken'</script>", '"><img src=x onerror=alert(1)>', "\u202eabc\u202c שלום", "x" * 990,
    "a&b=c#d?e/../f", "{{7*7}}",
]  # fmt: skip
LONG = "very long title " * 625


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explored")
    make_shop().save(folder / "shop.tacit")
    make_words().save(folder / "words.tacit")
    make_tagger().save(folder / "tags.tacit")
    rng = np.random.default_rng(1)
    data = tacit.Interactions.from_matrix(
        (rng.random((30, 26)) < 0.3).astype(np.float32),
        row_ids=[*HOSTILE, *(f"r{n}" for n in range(24))],
        col_ids=[*HOSTILE, *(f"c{n}" for n in range(20))],
    )
    tacit.FactorRecommender(factors=4, iterations=2, progress=False, threads=1).fit(data).save(folder / "odd.tacit")
    tacit.LinearRecommender().fit(data).save(folder / "linear.tacit")
    titles = {"shop": {f"c{n}": f"Item number {n} of the shop" for n in range(25)}, "odd": {HOSTILE[0]: LONG}}
    models = [folder / f"{name}.tacit" for name in ("shop", "words", "odd", "linear", "tags")]
    with running(models, folder / "store", titles=titles) as found:
        yield found


def search(page, text, choice):
    page.get_by_role("searchbox").fill(text)
    page.locator(".found button").filter(has_text=choice).first.click()


@pytest.mark.parametrize(("viewport", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_search_neighbours_why_and_take_one_away(address, open_page, axe, viewport, scheme):
    page = open_page(viewport, scheme)
    page.goto(address + '/explore?model="shop"')
    search(page, "number 7", "Item number 7")
    page.get_by_text("Nearest in shop").wait_for()
    assert page.locator(".panel .list li").count() == 12
    page.get_by_label("Search").select_option("rows")
    search(page, "r1", "r1")
    page.get_by_text("History of r1").wait_for()
    page.get_by_role("button", name=re.compile("^why ")).first.click()
    page.locator(".why").wait_for()
    best = page.locator(".panel", has_text="Best for").locator("li bdi.id")
    before = best.all_inner_texts()
    assert len(before) == 10 and "object" not in page.locator("main").inner_text()
    page.locator(".why button").first.click()
    page.get_by_role("button", name="put back").first.wait_for()
    page.locator(".why").wait_for()
    assert best.all_inner_texts() != before or page.locator(".up, .down").count()
    assert in_every_look(page, axe) == []
    page.set_viewport_size(viewport)
    # The link is the state.
    other = open_page(viewport, scheme)
    other.goto(page.url)
    other.get_by_role("button", name="put back").first.wait_for()
    other.locator(".why").wait_for()
    assert other.locator(".panel", has_text="Best for").locator("li bdi.id").all_inner_texts() == best.all_inner_texts()
    page.go_back()
    page.get_by_role("button", name="put back").wait_for(state="detached")


def test_a_what_if_user_is_built_by_clicking_and_two_models_stand_side_by_side(address, open_page, axe):
    page = open_page()
    page.goto(address + '/explore?model="odd"&beside="linear"')
    for item in ("c3", "c5"):
        search(page, item, item)
        page.get_by_role("button", name=f"add {item} to the what-if user").click()
        page.get_by_role("heading", name="What-if user", exact=True).wait_for()
    assert page.get_by_role("heading", name="Best for the what-if user").count() == 2
    page.get_by_role("button", name=re.compile("^why ")).first.click()
    page.locator(".why").nth(1).wait_for()
    assert in_every_look(page, axe) == []
    page.set_viewport_size(DESK)
    page.get_by_role("button", name="leave out").first.click()
    page.get_by_text("No longer in the list").first.wait_for()
    page.get_by_role("button", name="take away c3").first.click()
    page.get_by_role("button", name="take away c3").wait_for(state="detached")


def test_words_analogies_and_a_map(address, open_page, axe):
    page = open_page(PHONE)
    page.goto(address + '/explore?model="words"')
    search(page, "ca", "cat")
    page.get_by_role("button", name="subtract").first.click()
    page.get_by_role("button", name="Draw a map").click()
    page.locator("svg.map").wait_for()
    assert in_every_look(page, axe) == []


def test_a_text_is_tagged_and_its_words_speak(address, open_page, axe):
    page = open_page()
    page.goto(address + '/explore?model="tags"')
    page.get_by_label("Text").fill("a red apple <b>fruit</b>")
    page.get_by_role("button", name="Tag it").click()
    page.get_by_role("button", name="why fruit").click()
    page.locator(".why").wait_for()
    assert in_every_look(page, axe) == []
    page.get_by_role("button", name="take away apple").click()
    page.get_by_role("button", name="take away apple").wait_for(state="detached")
    assert page.get_by_label("Text").input_value() == "a red <b>fruit</b>"


def test_the_home_page_leads_to_all_others(address, open_page, axe):
    page = open_page()
    page.goto(address)
    page.get_by_role("row", name=re.compile("^shop FactorRecommender")).wait_for()
    assert in_every_look(page, axe) == []
    for name in ("Explore", "Review", "Watch", "Grade"):
        page.locator(".doors").get_by_role("link", name=name).press("Enter")
        page.wait_for_url(f"**/{name.lower()}")
        page.go_back()


def test_everything_works_by_keyboard(address, open_page):
    page = open_page()
    page.goto(address + '/explore?model="shop"')
    page.get_by_role("searchbox").fill("number 1")
    page.locator(".found button").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_text("Nearest in shop").wait_for()
    page.goto(address + '/explore?model="shop"&side="rows"')
    page.locator(".list a").first.press("Enter")
    page.get_by_role("button", name=re.compile("^why ")).first.press("Enter")
    page.locator(".why button").first.press("Enter")
    page.get_by_role("button", name="put back").first.press("Enter")
    page.get_by_role("button", name="put back").wait_for(state="detached")


def test_hostile_names_are_text(address, open_page):
    page = open_page(PHONE)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    for side in ("cols", "rows"):
        for name in HOSTILE[:4]:
            page.goto(address + f'/explore?model="odd"&side="{side}"')
            page.get_by_role("searchbox").fill(name)
            page.locator(".found button").first.click()
            page.locator(".panel").nth(1).wait_for()
            assert name in page.locator("bdi").all_text_contents()
            assert page.title() == "Explore · Tacit" and fits(page)
