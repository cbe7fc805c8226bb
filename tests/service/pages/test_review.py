"""Review by keys in a real browser, served and from a file: undo, reload, export, audit again."""

import csv
import json

import numpy as np
import polars as pl
import pytest

from tacit.cli.app import main
from tacit.estimators.tag.audit_report import MissingLabels, Suggestion, read_suggestions
from tacit.estimators.tag.text_tagger import TextTagger
from tacit.service.pages.review import Review, ReviewQueue
from tests.service.pages.conftest import DESK, PHONE, fits, in_every_look, running
from tests.service.pages.test_explore import HOSTILE

COLOURS, FORMS = ["red", "green", "blue", "grey"], ["round", "square", "flat", "long"]
OPTIONS = ["--text", "text", "--labels", "tags", "--id", "name", "--tagger", "factor", "--factors", "4"]

MOVED = """([row, label]) => {
  const card = document.querySelector(".slot article");
  return card.querySelector("h2")?.innerText !== row || card.querySelector(".new").innerText !== label;
}"""


def make_table(path):
    """Texts that say their tags, of which a third is missing."""
    rng = np.random.default_rng(0)
    lines = []
    for n in range(120):
        said = [COLOURS[n % 4], FORMS[n // 4 % 4]]
        kept = [tag for tag in said if rng.random() > 0.33]
        lines.append({"name": f"n{n}", "text": f"the {' '.join(said)} thing", "tags": ",".join(kept), "price": n})
    pl.DataFrame(lines).write_csv(path)


def run(*arguments):
    """The command line, in this process; it raises where it fails."""
    main([str(one) for one in arguments])


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audited")
    make_table(folder / "table.csv")
    for kind in ("json", "html"):
        run("audit", folder / "table.csv", *OPTIONS, "-n", 60, "-o", folder / f"audit.{kind}")
    table = pl.read_csv(folder / "table.csv")
    texts, tags = table["text"].to_list(), [(one or "").split(",") for one in table["tags"]]
    TextTagger(min_count=1, progress=False).fit(texts, [[t for t in row if t] for row in tags]).save(
        folder / "tags.tacit"
    )
    return folder


def decide(page, count):
    """Accept what the text says, reject what it does not, by keys; what was decided."""
    said = {}
    for _ in range(count):
        card = page.locator(".slot article")
        row, label = card.locator("h2").inner_text(), card.locator(".new").inner_text().removeprefix("+ ")
        right = label in card.locator("p").first.inner_text().split()
        said[row, label] = "yes" if right else "no"
        page.keyboard.press("a" if right else "x")
        page.wait_for_function(MOVED, arg=[row, f"+ {label}"])
    return said


def saved(page, tmp_path, button="Save decisions"):
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    download.value.save_as(tmp_path / "saved.csv")
    with (tmp_path / "saved.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def check_what_came_of_it(folder, tmp_path, said):
    """The saved decisions are those made; a copy of the table has the accepted; no rejected one comes again."""
    (tmp_path / "reviewed.csv").write_bytes((tmp_path / "saved.csv").read_bytes())
    before = (folder / "table.csv").read_bytes()
    options = [folder / "table.csv", *OPTIONS, "--accepted", tmp_path / "reviewed.csv"]
    run("audit", *options, "--apply", "-o", tmp_path / "patched.csv")
    assert (folder / "table.csv").read_bytes() == before
    old, new = pl.read_csv(folder / "table.csv"), pl.read_csv(tmp_path / "patched.csv")
    assert new.drop("tags").equals(old.drop("tags"))
    tags = dict(zip(new["name"], new["tags"]))
    for (row, label), choice in said.items():
        assert (label in (tags[row] or "").split(",")) == (choice == "yes")
    run("audit", *options, "-n", 300, "-o", tmp_path / "again.json")
    assert not set(said) & set(read_suggestions(tmp_path / "again.json").cells())


def test_fifty_by_keys_with_undo_reload_export_and_a_second_audit(audited, open_page, axe, tmp_path):
    with running([audited / "tags.tacit"], tmp_path / "store", reviews={"tags": audited / "audit.json"}) as address:
        page = open_page(DESK, "dark")
        page.goto(address + "/review")
        page.locator(".slot article h2").wait_for()
        assert in_every_look(page, axe) == []
        said = decide(page, 20)
        first, last = next(iter(said)), list(said)[-1]
        for _ in range(20):
            page.keyboard.press("Backspace")
        page.get_by_text("0 accepted, 0 rejected, 60 open").wait_for()
        assert (page.locator(".slot h2").inner_text(), page.locator(".slot .new").inner_text()) == (
            first[0],
            f"+ {first[1]}",
        )
        said = decide(page, 20)
        page.get_by_text("40 open · ").wait_for()
        page.reload()
        page.get_by_text("40 open").wait_for()
        page.keyboard.press("Backspace")
        page.get_by_text("41 open").wait_for()
        assert page.locator(".slot h2").inner_text() == list(said)[-1][0]
        assert last in said
        page.keyboard.press(" ")
        said.popitem()
        said |= decide(page, 31)
        assert len(said) == 50 and "yes" in said.values() and "no" in said.values()
        page.get_by_text("10 open").wait_for()
        page.get_by_text("all saved").wait_for()
        found = saved(page, tmp_path)
        assert {(one["row"], one["label"]): one["accept"] for one in found} == said
        yes = sum(choice == "yes" for choice in said.values())
        assert f"{round(100 * yes / 50)} % right" in page.locator(".counts").inner_text()
    check_what_came_of_it(audited, tmp_path, said)


def test_a_page_in_a_file_keeps_decisions_over_a_reload(audited, open_page, axe, tmp_path):
    page = open_page(PHONE, "light")
    page.goto((audited / "audit.html").as_uri())
    page.locator(".slot article h2").wait_for()
    assert in_every_look(page, axe) == []
    said = decide(page, 12)
    page.reload()
    page.get_by_text("48 open").wait_for()
    page.keyboard.press("Backspace")
    page.get_by_text("49 open").wait_for()
    said.popitem()
    page.get_by_label("Order").select_option("label")
    said |= decide(page, 30)
    found = saved(page, tmp_path)
    assert {(one["row"], one["label"]): one["accept"] for one in found} == said
    check_what_came_of_it(audited, tmp_path, said)
    changed = saved(page, tmp_path, "Save changed rows")
    assert {one["row"] for one in changed} == {row for (row, _), choice in said.items() if choice == "yes"}


def test_keys_can_be_changed_and_are_kept(audited, open_page):
    page = open_page()
    page.goto((audited / "audit.html").as_uri())
    page.get_by_text("Change keys").click()
    page.get_by_role("textbox", name="accept").press("j")
    page.reload()
    page.get_by_role("button", name="accept j").wait_for()
    page.keyboard.press("a")
    page.keyboard.press("j")
    page.get_by_text("1 accepted, 0 rejected").wait_for()


def test_two_people_never_hold_the_same_suggestion():
    queue = ReviewQueue([Suggestion(f"r{n}", "a", 1 - n / 100, "", (), (), ()) for n in range(20)])
    ann, bob = (queue.next({}, Review(who=who, n=8)) for who in ("ann", "bob"))
    assert not {one.row for one in ann} & {one.row for one in bob}
    assert [one.row for one in queue.next({("r0", "a"): False}, Review(who="ann", n=3))] == ["r1", "r2", "r3"]


def test_hostile_rows_and_tags_are_text(audited, open_page, tmp_path):
    found = MissingLabels(tuple(
        Suggestion(name, f"tag {name}", 0.5, name * 10, (name,), ((name, 0.5, name),), (name,)) for name in HOSTILE
    ))  # fmt: skip
    found.write(tmp_path / "audit.json")
    assert json.loads((tmp_path / "audit.json").read_text())["row"] == HOSTILE
    found.write(tmp_path / "audit.html")
    with running([audited / "tags.tacit"], tmp_path / "store", reviews={"tags": tmp_path / "audit.json"}) as address:
        for url in (address + "/review", (tmp_path / "audit.html").as_uri()):
            page = open_page(PHONE, "dark")
            page.on("dialog", lambda dialog: pytest.fail(dialog.message))
            page.goto(url)
            title = page.title()
            for n, _ in enumerate(HOSTILE):
                page.locator(".slot article h2").wait_for()
                assert fits(page)
                page.keyboard.press("x")
                page.get_by_text(f"{n + 1} rejected").wait_for()
            assert page.title() == title
