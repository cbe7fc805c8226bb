"""Take pictures of the pages, in the Chromium of this machine, with models of the bundled Debian index.

python scripts/page_pictures.py                   write docs/figures/{explore,review,evaluate-page}.png
python scripts/page_pictures.py --every FOLDER    every page on a desk and a phone, light and dark, to look at
"""

import argparse
import contextlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import polars as pl
from playwright.sync_api import Browser, Page, sync_playwright
from sklearn.datasets import load_diabetes

import tacit
from tacit.data import load_debian
from tacit.service.demo import demo_models, demo_review

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
LOOKS = {
    f"{name}-{scheme}": (viewport, scheme)
    for name, viewport in (("desk", DESK), ("phone", PHONE))
    for scheme in ("light", "dark")
}
GRADES = ["mild", "middling", "severe"]
DOCUMENTED = {"explore-user": ("explore", {"width": 1000, "height": 720}),
              "review": ("review", {"width": 1000, "height": 720}),
              "report": ("evaluate-page", {"width": 780, "height": 1130})}  # fmt: skip
"""Pages of the docs: the picture's name and size."""


def grades(folder: Path) -> tuple[Path, Path]:
    """A ranker of patients by the progress of a disease, most of them not graded, and their table."""
    data = load_diabetes(as_frame=True)
    table = pl.from_pandas(data.data).with_columns(
        pl.Series("name", [f"patient {n + 1}" for n in range(len(data.data))]),
        pl.Series("grade", np.array(GRADES)[np.digitize(data.target, [100, 180])]),
    )
    model = tacit.OrdinalRanker(classes=GRADES, progress=False).fit(
        table.head(60).drop("name", "grade"), table["grade"].head(60)
    )
    model.save(folder / "grades.tacit")
    known = pl.when(pl.int_range(pl.len()) < 60).then("grade").otherwise(None).alias("grade")
    table.with_columns(known).write_csv(folder / "patients.csv")
    return folder / "grades.tacit", folder / "patients.csv"


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a service with a model of each kind, something to review, to grade and to read."""
    models, titles = demo_models(folder)
    listed = folder / "titles.csv"
    pl.DataFrame(list(titles["packages"].items()), schema=["id", "title"], orient="row").write_csv(listed)
    relations = load_debian().relations.filtered(min_row_count=2, min_col_count=2)
    tacit.LinearRecommender(method="sparse").fit(relations).save(folder / "linear.tacit")
    rows, cols = relations.matrix.nonzero()
    pl.DataFrame({"package": relations.row_ids.take(rows), "needs": relations.col_ids.take(cols)}).write_csv(
        folder / "relations.csv"
    )
    subprocess.run([sys.executable, "-m", "tacit", "evaluate", "relations.csv", "--row", "package", "--col", "needs",
                    "--html", "report.html"], check=True, cwd=folder)  # fmt: skip
    ranker, patients = grades(folder)
    every = [*models, folder / "linear.tacit", ranker]
    command = [sys.executable, "-m", "tacit", "serve", *every, "--store", folder / "store", "--port", "0", "--quiet",
               "--titles", f"packages={listed}", "--review", f"tags={demo_review(folder)['tags']}",
               "--rows", f"grades={patients}", "--report", folder / "report.html"]  # fmt: skip
    process = subprocess.Popen([str(part) for part in command], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        yield next(found[1] for line in process.stderr if (found := re.search(r"serving on (http://[\d.:]+)/", line)))
    finally:
        process.terminate()
        process.communicate(timeout=120)


def rated(address: str) -> None:
    """Ratings for the stream: items differ, and one in five is a surprise."""
    rng = np.random.default_rng(0)
    for _ in range(6):
        items = rng.integers(40, size=200)
        stars = np.clip(np.round(1 + items % 5 + rng.normal(0, 0.8, 200)), 1, 5)
        events = [{"row": f"u{rng.integers(60)}", "col": f"i{one}", "weight": float(star)}
                  for one, star in zip(items.tolist(), stars.tolist())]  # fmt: skip
        request = urllib.request.Request(
            f"{address}/v1/models/ratings/events",
            json.dumps({"events": events}).encode(),
            {"content-type": "application/json"},
        )
        urllib.request.urlopen(request).close()


def explored(page: Page) -> None:
    page.locator('.beside[aria-busy="false"]').wait_for()


def state(page: str, **fields: Any) -> str:
    """The address of a state of a page."""
    return f"/{page}?{urlencode({name: json.dumps(value) for name, value in fields.items()})}"


PAGES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "home": ("/", lambda page: page.get_by_role("row").nth(1).wait_for()),
    "explore-start": (state("explore", model="packages"), explored),
    "explore-item": (state("explore", model="packages", id="texlive-base"), explored),
    "explore-user": (
        state("explore", model="packages", side="rows", id="lyx", without=["imagemagick"], why="texlive-latex-base"),
        explored,
    ),
    "explore-what-if": (
        state("explore", model="packages", beside="linear", history=["texlive", "latexmk"], why="texlive-base"),
        explored,
    ),
    "explore-words": (state("explore", model="words", plus=["music"], minus=["player"], map=True), explored),
    "explore-tags": (state("explore", model="tags", text="edit music files", why="works-with::audio"), explored),
    "review": ("/review", lambda page: page.locator(".slot article h2").wait_for()),
    "watch": ("/watch", lambda page: page.locator("svg.curve").wait_for()),
    "grade": ("/grade", lambda page: page.locator("#asked h2").wait_for()),
    "report": ("/reports/report", lambda page: page.locator("h1").wait_for()),
}  # fmt: skip


def take(browser: Browser, address: str, name: str, path: Path, viewport: Any, scheme: Any, *, whole: bool) -> None:
    """One picture."""
    context = browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    place, stands = PAGES[name]
    page.goto(address + place)
    stands(page)
    page.screenshot(path=path, full_page=whole)
    context.close()


def main() -> None:
    """Take what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=Path, metavar="FOLDER")
    folder = parser.parse_args().every
    with tempfile.TemporaryDirectory() as made, served(Path(made)) as address, sync_playwright() as playwright:
        rated(address)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        if folder is None:
            for name, (shown, viewport) in DOCUMENTED.items():
                take(browser, address, name, FIGURES / f"{shown}.png", viewport, "light", whole=False)
        else:
            folder.mkdir(parents=True, exist_ok=True)
            for name in PAGES:
                for look, (viewport, scheme) in LOOKS.items():
                    take(browser, address, name, folder / f"{name}-{look}.png", viewport, scheme, whole=True)
        browser.close()


if __name__ == "__main__":
    main()
