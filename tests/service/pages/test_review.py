"""Review by keys in a real browser, served and from a file: undo, reload, export, audit again."""

import csv
import json

import numpy as np
import polars as pl
import pytest

from tacit.cli.app import main
from tacit.estimators.tag.audit_report import MissingLabels, Suggestion, read_suggestions
from tacit.estimators.tag.text_tagger import TextTagger
from tacit.report.plain import visible
from tacit.service.pages.review import Review, ReviewQueue
from tests.service.pages.conftest import LOOKS, PHONE, Held, fits, post, running, wrong
from tests.service.pages.hostile import HOSTILE, LONG

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
    """A table, what its audit suggests, and a tagger for each look, because decisions are kept."""
    folder = tmp_path_factory.mktemp("audited")
    make_table(folder / "table.csv")
    for kind in ("json", "html"):
        run("audit", folder / "table.csv", *OPTIONS, "-n", 60, "-o", folder / f"audit.{kind}")
    hostile = MissingLabels(tuple(
        Suggestion(name, name, 0.5, name * 10, (name,), ((name, 0.5, name),), (name,)) for name in HOSTILE
    ))  # fmt: skip
    hostile.write(folder / "hostile.json")
    assert json.loads((folder / "hostile.json").read_text())["row"] == HOSTILE
    hostile.write(folder / "hostile.html", title=LONG)
    table = pl.read_csv(folder / "table.csv")
    texts, tags = table["text"].to_list(), [(one or "").split(",") for one in table["tags"]]
    tagger = TextTagger(min_count=1, progress=False).fit(texts, [[t for t in row if t] for row in tags])
    for name in (*LOOKS, "hostile", "held", "keys"):
        tagger.save(folder / f"{name}.tacit")
    return folder


@pytest.fixture(scope="module")
def address(audited):
    names = (*LOOKS, "hostile", "held", "keys")
    audits = {name: audited / ("hostile.json" if name == "hostile" else "audit.json") for name in names}
    with running([audited / f"{name}.tacit" for name in names], audited / "store", reviews=audits) as found:
        yield found


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


def card(page):
    return page.locator(".slot h2").inner_text(), page.locator(".slot .new").inner_text().removeprefix("+ ")


def test_fifty_by_keys_with_undo_reload_export_and_a_second_audit(address, audited, page, look, axe, tmp_path):
    page.goto(f'{address}/review?model="{look}"')
    page.locator(".slot article h2").wait_for()
    assert wrong(page, axe) == []
    said = decide(page, 20)
    first = next(iter(said))
    for _ in range(20):
        page.keyboard.press("Backspace")
    page.get_by_text("0 accepted, 0 rejected, 60 open · all saved").wait_for()
    assert card(page) == first
    said = decide(page, 20)
    page.get_by_text("40 open").wait_for()
    page.get_by_text("all saved").wait_for()
    page.reload()
    page.get_by_text("40 open").wait_for()
    page.keyboard.press("Backspace")
    page.get_by_text("41 open").wait_for()
    assert card(page) == list(said)[-1]
    page.keyboard.press(" ")
    page.wait_for_function(MOVED, arg=[list(said)[-1][0], f"+ {list(said)[-1][1]}"])
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


def test_a_page_in_a_file_keeps_decisions_over_a_reload(audited, page, axe, tmp_path):
    page.goto((audited / "audit.html").as_uri())
    page.locator(".slot article h2").wait_for()
    assert wrong(page, axe) == []
    said = decide(page, 12)
    page.reload()
    page.get_by_text("48 open").wait_for()
    page.keyboard.press("Backspace")
    page.get_by_text("49 open").wait_for()
    said.popitem()
    page.get_by_label("Order").select_option("label")
    said |= decide(page, 12)
    found = saved(page, tmp_path)
    assert {(one["row"], one["label"]): one["accept"] for one in found} == said
    changed = saved(page, tmp_path, "Save changed rows")
    assert {one["row"] for one in changed} == {row for (row, _), choice in said.items() if choice == "yes"}


def test_decisions_of_a_file_flow_back_into_the_table(audited, open_page, tmp_path):
    page = open_page()
    page.goto((audited / "audit.html").as_uri())
    page.locator(".slot article h2").wait_for()
    said = decide(page, 30)
    saved(page, tmp_path)
    check_what_came_of_it(audited, tmp_path, said)


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


def test_every_control_works_by_keyboard(address, open_page):
    page = open_page()
    page.goto(f'{address}/review?model="keys"')
    page.locator(".slot article h2").wait_for()
    first = card(page)

    def press(button, key):
        """The next card has the focus when the decision is done; a key that comes earlier would go astray."""
        page.get_by_role("button", name=button).press(key)
        page.wait_for_function("() => document.activeElement?.closest('.slot')")

    press("accept", "Enter")
    page.get_by_text("1 accepted, 0 rejected").wait_for()
    press("reject", " ")
    page.get_by_text("1 accepted, 1 rejected").wait_for()
    press("skip", "Enter")
    for text in (
        "1 accepted, 1 rejected, 58 open",
        "1 accepted, 0 rejected, 59 open",
        "0 accepted, 0 rejected, 60 open",
    ):
        press("undo", "Enter")
        page.locator(".counts", has_text=text).filter(has_text="all saved").wait_for()
    assert card(page) == first
    page.get_by_label("Order").focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => [...document.querySelectorAll('select')].some((one) => one.value === 'label')")
    page.wait_for_function("() => document.activeElement?.closest('.slot')")
    with page.expect_download():
        page.get_by_role("button", name="Save decisions").press("Enter")
    with page.expect_download():
        page.get_by_role("button", name="Save changed rows").press("Enter")
    page.get_by_text("Change keys").press("Enter")
    page.get_by_role("textbox", name="skip").press("s")
    page.get_by_role("button", name="skip s").wait_for()


def test_late_counts_are_not_drawn_over_newer_ones(address, open_page):
    """Suggestions that were asked for before a decision, and come after it, bring counts that are no longer true."""
    page = open_page()
    page.goto(f'{address}/review?model="held"')
    page.locator(".slot article h2").wait_for()
    held = Held(page, "**/review", lambda body: len(body.get("leave", [])) > 3)
    decide(page, 5)
    held.wait(page)
    page.get_by_text("55 open · ").wait_for()
    page.get_by_text("all saved").wait_for()
    held.release(page)
    page.keyboard.press(" ")
    assert "55 open" in page.locator(".counts").inner_text()


def test_two_people_never_hold_the_same_suggestion():
    queue = ReviewQueue([Suggestion(f"r{n}", "a", 1 - n / 100, "", (), (), ()) for n in range(20)])
    ann, bob = (queue.next({}, Review(who=who, n=8)) for who in ("ann", "bob"))
    assert not {one.row for one in ann} & {one.row for one in bob}
    assert [one.row for one in queue.next({("r0", "a"): False}, Review(who="ann", n=3))] == ["r1", "r2", "r3"]


@pytest.mark.parametrize("where", ["served", "in a file"])
def test_hostile_rows_and_tags_are_text(audited, address, open_page, axe, where):
    page = open_page(PHONE, "dark")
    served = where == "served"
    page.goto(f'{address}/review?model="hostile"' if served else (audited / "hostile.html").as_uri())
    page.locator(".slot article h2").wait_for()
    title = page.title()
    seen = []
    for n in range(len(HOSTILE)):
        assert fits(page) and page.title() == title
        assert page.locator(".slot article").bounding_box()["height"] < 1600
        seen.append(page.locator(".slot h2").text_content())
        if len(seen[-1]) == 10_000:
            assert wrong(page, axe) == []
            page.locator(".slot").get_by_role("button", name="show all").first.press("Enter")
            page.locator(".slot").get_by_role("button", name="show less").first.wait_for()
            assert fits(page) and page.locator(".slot h2").first.bounding_box()["height"] > 2000
        page.keyboard.press("a")
        page.get_by_text(f"{n + 1} accepted").wait_for()
    page.get_by_text("Nothing is open").wait_for()
    page.get_by_text("all saved").wait_for()
    assert sorted(seen) == sorted(map(str, HOSTILE) if served else map(visible, HOSTILE))
    if served:
        decided = post(address, "/v1/models/hostile/decided", {})["decisions"]
        assert sorted(one["row"] for one in decided) == sorted(HOSTILE)
    else:
        assert page.locator("h1").bounding_box()["height"] < 400
