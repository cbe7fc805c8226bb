"""Rows graded by keys in a real browser, and learned from."""

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.errors import InputError
from tacit.service.pages.grading import read_rows
from tests.service.pages.conftest import LOOKS, PHONE, fits, post, running, wrong
from tests.service.pages.hostile import HOSTILE

NAMES = [f"grades-{one}" for one in (*LOOKS, "restart", "keys", "stays")]


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A table, and a ranker for each look, because grades are kept."""
    folder = tmp_path_factory.mktemp("graded")
    rng = np.random.default_rng(0)
    X = rng.random((80, 2))
    y = np.digitize(X.sum(axis=1), [0.7, 1.3])
    table = pl.DataFrame({"name": [f"<b>row {n}</b>" for n in range(80)], "size": X[:, 0], "age": X[:, 1],
                          "grade": [int(g) if n < 30 else None for n, g in enumerate(y)]})  # fmt: skip
    table.write_csv(folder / "rows.csv")
    start = table.head(30)
    model = tacit.OrdinalRanker(n_components=16, progress=False).fit(start.select("size", "age"), start["grade"])
    for name in NAMES:
        model.save(folder / f"{name}.tacit")
    # Rows, columns and grades that are markup, from right to left, or long.
    names = [*HOSTILE, *(f"{one[:9000]} {n}" for n, one in enumerate(HOSTILE))]
    features = {one[:5000]: rng.random(len(names)) for one in HOSTILE}
    given = [HOSTILE[1:5][n % 4] for n in range(len(names))]
    hostile = tacit.OrdinalRanker(n_components=8, progress=False, classes=HOSTILE[1:5])
    hostile.fit(pl.DataFrame(features), given).save(folder / "hostile.tacit")
    pl.DataFrame({"name": names, **features}).write_parquet(folder / "hostile.parquet")
    return folder


@pytest.fixture(scope="module")
def address(graded):
    rows = dict.fromkeys(NAMES, graded / "rows.csv") | {"hostile": graded / "hostile.parquet"}
    with running([graded / f"{name}.tacit" for name in rows], graded / "store", rows=rows) as found:
        yield found


def test_rows_are_graded_by_keys_and_learned_from(address, page, look, axe):
    page.goto(f'{address}/grade?model="grades-{look}"')
    heading = page.locator("#asked h2")
    heading.wait_for()
    first = heading.inner_text()
    assert first.startswith("<b>row")
    for n, key in enumerate("1321"):
        last = heading.inner_text()
        page.keyboard.press(key)
        page.get_by_text(f"{n + 1} graded here").wait_for()
    page.keyboard.press("Backspace")
    page.get_by_text("3 graded here, 3 learned, 47 open").wait_for()
    assert heading.inner_text() == last
    assert wrong(page, axe) == [] and page.locator("svg .cut").count() == 2
    given = {one["row"]: one["given"] for one in post(address, f"/v1/models/grades-{look}/grading", {})["rows"]}
    assert given[first] == "0" and sum(one is not None for one in given.values()) == 3


def test_grades_are_there_after_a_restart(graded, open_page, tmp_path):
    where = [graded / "grades-restart.tacit"], tmp_path / "store"
    rows = {"grades-restart": graded / "rows.csv"}
    with running(*where, rows=rows) as address:
        page = open_page()
        page.goto(address + "/grade")
        page.locator("#asked h2").wait_for()
        page.keyboard.press("1")
        page.get_by_text("1 graded here").wait_for()
        page.goto("about:blank")
    with running(*where, rows=rows) as address:
        page.goto(address + "/grade")
        page.get_by_text("1 graded here").wait_for()


def test_every_control_works_by_keyboard(address, open_page):
    page = open_page()
    page.goto(address + '/grade?model="grades-keys"')
    heading = page.locator("#asked h2")
    heading.wait_for()
    first = heading.inner_text()
    page.get_by_role("button", name="skip").press("Enter")
    page.wait_for_function("(name) => document.querySelector('#asked h2').innerText !== name", arg=first)
    second = heading.inner_text()
    page.get_by_role("button", name="0 1").press("Enter")
    page.get_by_text("1 graded here").wait_for()
    # The row has the focus again: the space bar skips, whatever was pressed before.
    assert page.evaluate("document.activeElement.id") == "asked"
    page.get_by_role("button", name="undo").press(" ")
    page.get_by_text("0 graded here").wait_for()
    assert heading.inner_text() == second


def test_the_row_that_is_looked_at_stays_while_the_ranker_learns(address, open_page):
    """What was learned meanwhile is drawn around it: a grade never lands on a row that came a moment ago."""
    page = open_page()
    counts = {"graded": 1, "learned": 0}

    def answered(route):
        answer = route.fetch()
        found = answer.json() | counts
        rows = found["rows"][:: -1 if counts["learned"] else 1]
        route.fulfill(response=answer, json=found | {"rows": rows})

    page.route("**/grading", answered)
    page.goto(address + '/grade?model="grades-stays"')
    page.get_by_text("1 graded here, 0 learned").wait_for()
    before = page.locator("#asked h2").inner_text()
    page.get_by_role("button", name="skip").focus()
    counts |= {"graded": 7, "learned": 7}
    page.get_by_text("7 graded here, 7 learned").wait_for()
    assert page.locator("#asked h2").inner_text() == before
    assert page.locator("tr.asked td").first.inner_text() == before
    assert page.evaluate("document.activeElement.textContent") == "skip space"


def test_hostile_rows_columns_and_grades_are_text(address, open_page, axe):
    page = open_page(PHONE, "dark")
    page.goto(address + '/grade?model="hostile"')
    page.locator("#asked h2").wait_for()
    seen = set()
    for n in range(16):
        assert fits(page) and page.title() == "Grade · Tacit"
        # Asked in one breath: the page is drawn anew while the ranker learns.
        assert page.evaluate("document.getElementById('asked').getBoundingClientRect().height") < 1500
        seen.add(page.locator("#asked h2").text_content())
        if n == 0:
            assert wrong(page, axe) == []
        page.keyboard.press(str(n % 4 + 1))
        page.get_by_text(f"{n + 1} graded here").wait_for()
    assert len(seen) == 16 and set(HOSTILE) < seen
    page.get_by_text("Every row is graded").wait_for()
    assert fits(page)


def test_what_cannot_be_graded_is_said(graded, tmp_path):
    pl.DataFrame({"name": ["a"], "size": [1.0]}).write_csv(tmp_path / "lacks.csv")
    with pytest.raises(InputError, match="lacks the column 'age'"):
        read_rows(tmp_path / "lacks.csv", tacit.load(graded / "grades-keys.tacit"))
    pl.DataFrame({"name": ["a", "a"], "size": [1.0, 2.0], "age": [1.0, 2.0]}).write_csv(tmp_path / "twice.csv")
    with pytest.raises(InputError, match="must differ"):
        read_rows(tmp_path / "twice.csv", tacit.load(graded / "grades-keys.tacit"))
