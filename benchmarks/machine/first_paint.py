"""How soon the pages of a large model are useful, and how soon a search among many titles answers.

    python -m benchmarks.machine.first_paint [--quick]

A model of 100,000 × 20,000 is served on loopback. In Chromium, by the Performance API: the first contentful paint of
the explore page, and the moment at which its first list stands in the document; medians of fresh contexts, no cache.
Then the time of one search among 1,000,000 titles, by the index itself: words of titles, of any length from two letters
up, one and two at once.

Writes ``results/first-paint.json``, with ``--quick`` ``first-paint-quick.json``.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.machine.service import Server, positives
from tacit import FactorRecommender
from tacit.service.pages.search import SearchIndex

LISTED = """() => new Promise((done) => {
  const look = () => (document.querySelector(".list li") ? done(performance.now()) : requestAnimationFrame(look));
  look();
})"""
# The browser tells of a paint some time after it: a list may be there before.
PAINTED = """() => new Promise((done) => {
  const told = (entry) => { if (entry.name === "first-contentful-paint") done(entry.startTime); };
  new PerformanceObserver((list) => list.getEntries().forEach(told)).observe({ type: "paint", buffered: true });
})"""


def painted(address: str, runs: int) -> dict[str, float]:
    """Milliseconds after navigation began: first contentful paint, and the first list."""
    from playwright.sync_api import sync_playwright

    paints, lists = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        for _ in range(runs):
            context = browser.new_context()
            page = context.new_page()
            page.goto(address + "/explore")
            lists.append(page.evaluate(LISTED))
            paints.append(page.evaluate(PAINTED))
            context.close()
        browser.close()
    return {
        "first contentful paint": statistics.median(paints),
        "first list": statistics.median(lists),
        "first list, slowest": max(lists),
    }


def searched(titles: int, asked: int) -> dict[str, float]:
    """Milliseconds of one search: median, 95th percentile and the slowest."""
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(rng.choice(letters, rng.integers(3, 11))) for _ in range(50_000)])
    # Some words are in many titles, most in few.
    drawn = words[(len(words) * rng.random((titles, 4)) ** 3).astype(int)]
    index = SearchIndex([f"id{n}" for n in range(titles)], [" ".join(line) for line in drawn.tolist()])
    took = []
    for _ in range(asked):
        line = drawn[rng.integers(titles)]
        query = " ".join(word[: rng.integers(2, len(word) + 1)] for word in line[: rng.integers(1, 3)])
        began = time.perf_counter()
        found = index.search(query)
        took.append(1000 * (time.perf_counter() - began))
        if not found:
            raise RuntimeError(f"nothing was found for {query!r}, which is in a title.")
    return {"median": float(np.median(took)), "p95": float(np.quantile(took, 0.95)), "slowest": max(took)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    rows, cols, titles = (2000, 500, 20_000) if quick else (100_000, 20_000, 1_000_000)
    figures: dict[str, Any] = {"rows": rows, "columns": cols, "titles": titles, "unit": "milliseconds"}
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "large.tacit"
        model = FactorRecommender(32, iterations=1, progress=False)
        model.fit(positives(rows, cols, 20, 0)).save(path)
        given = [str(path), "--store", str(Path(place) / "store"), "--port", "0", "--quiet"]
        server = Server([sys.executable, "-m", "tacit", "serve", *given])
        try:
            figures["explore"] = painted(f"http://{server.host}:{server.port}", 3 if quick else 9)
        finally:
            server.stop()
    figures["search"] = searched(titles, 50 if quick else 400)
    results.write("first-paint-quick" if quick else "first-paint", figures)
    print(figures)


if __name__ == "__main__":
    main()
