"""Rows graded by keys in a real browser, and learned from."""

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.errors import InputError
from tacit.service.pages.grading import read_rows
from tests.service.pages.conftest import DESK, in_every_look, running
from tests.service.pages.test_watch import post


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graded")
    rng = np.random.default_rng(0)
    X = rng.random((80, 2))
    y = np.digitize(X.sum(axis=1), [0.7, 1.3])
    table = pl.DataFrame({"name": [f"<b>row {n}</b>" for n in range(80)], "size": X[:, 0], "age": X[:, 1],
                          "grade": [int(g) if n < 30 else None for n, g in enumerate(y)]})  # fmt: skip
    table.write_csv(folder / "rows.csv")
    start = table.head(30)
    model = tacit.OrdinalRanker(n_components=16, progress=False).fit(start.select("size", "age"), start["grade"])
    model.save(folder / "grades.tacit")
    return folder


def test_rows_are_graded_by_keys_and_learned_from(graded, open_page, axe, tmp_path):
    with running([graded / "grades.tacit"], tmp_path / "store", rows={"grades": graded / "rows.csv"}) as address:
        page = open_page(DESK, "dark")
        page.goto(address + "/grade")
        heading = page.locator("#asked h2")
        heading.wait_for()
        first = heading.inner_text()
        assert first.startswith("<b>row")
        for n, key in enumerate("1321"):
            page.keyboard.press(key)
            page.get_by_text(f"{n + 1} graded here").wait_for()
        page.keyboard.press("Backspace")
        page.get_by_text("3 graded here, 3 learned, 47 open").wait_for()
        assert in_every_look(page, axe) == [] and page.locator("svg .cut").count() == 2
        given = {one["row"]: one["given"] for one in post(address, "/v1/models/grades/grading", {})["rows"]}
        assert given[first] == "0" and sum(one is not None for one in given.values()) == 3
    with running([graded / "grades.tacit"], tmp_path / "store", rows={"grades": graded / "rows.csv"}) as address:
        page = open_page()
        page.goto(address + "/grade")
        page.get_by_text("3 graded here").wait_for()


def test_what_cannot_be_graded_is_said(graded, tmp_path):
    pl.DataFrame({"name": ["a"], "size": [1.0]}).write_csv(tmp_path / "lacks.csv")
    with pytest.raises(InputError, match="lacks the column 'age'"):
        read_rows(tmp_path / "lacks.csv", tacit.load(graded / "grades.tacit"))
    pl.DataFrame({"name": ["a", "a"], "size": [1.0, 2.0], "age": [1.0, 2.0]}).write_csv(tmp_path / "twice.csv")
    with pytest.raises(InputError, match="must differ"):
        read_rows(tmp_path / "twice.csv", tacit.load(graded / "grades.tacit"))
