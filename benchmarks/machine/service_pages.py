"""The service's pages: how soon they are useful, and how much a curator finds with them.

    python -m benchmarks.machine.service_pages paint [--quick]
    python -m benchmarks.machine.service_pages review [--texts 5000] [--seeds 3] [--quick]

``paint``: a model of 100,000 × 20,000 is served on loopback. In Chromium, by the Performance API: the first contentful
paint of the explore page, and the moment at which its first list stands in the document; medians of fresh contexts, no
cache. Then the time of one search among 1,000,000 titles, by the index itself: words of titles, of any length from two
letters up, one and two at once.

``review``: a simulated curator reviews missing tags of Debian texts, a fifth of whose tags are hidden. She accepts
exactly the tags that were hidden. Reported are the precision that the page shows for the first 100 and 1,000
suggestions, with its interval, beside the truth, and the share of hidden tags found after 1,000 keys, beside
one-vs-rest logistic regression in five folds and beside random order. On other sets the order by trusted scores stands
beside the order by bare ones.

Writes ``results/first-paint.json`` and ``results/review.json``, with ``--quick`` ``first-paint-quick.json`` and
``review-quick.json``.
"""

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp

from benchmarks import results
from benchmarks.machine.service import Server, positives
from tacit import FactorRecommender, NeighbourTagger
from tacit.data import load_debian
from tacit.data.label_sets import read_labels
from tacit.data.loaders.tags import load_multilabel
from tacit.estimators.tag import missing_labels
from tacit.estimators.tag.missing_labels import CrossFitted
from tacit.estimators.tag.text_tagger import TextTagger
from tacit.service.events import Event
from tacit.service.learners import TaggerLearner
from tacit.service.pages.review import Review, ReviewQueue
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


def paint(quick: bool) -> dict[str, Any]:
    """The explore page of a large model, and a search among many titles."""
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
    return figures | {"search": searched(titles, 50 if quick else 400)}


OTHER_SETS = ("bibtex", "rcv1v2", "delicious")
PER_ROW = 5
KEYS = 1000


def hidden_part(Y: sp.csr_array, share: float, seed: int) -> tuple[sp.csr_array, set[tuple[int, int]]]:
    """The table that is left, and the cells that were taken out of it."""
    gone = np.random.default_rng(seed).random(Y.nnz) < share
    rows = np.repeat(np.arange(Y.shape[0]), np.diff(Y.indptr))
    left = sp.csr_array((np.ones((~gone).sum(), np.float32), (rows[~gone], Y.indices[~gone])), Y.shape)
    return left, set(zip(rows[gone].tolist(), Y.indices[gone].tolist()))


def one_vs_rest(X: sp.csr_array, known: sp.csr_array, seed: int) -> list[tuple[int, int]]:
    """The best unlabelled cells by logistic regression for each tag, in five folds."""
    from sklearn.linear_model import LogisticRegression

    fold = np.random.default_rng(seed).permutation(np.arange(X.shape[0]) % 5)
    scores = np.zeros(known.shape, np.float32)
    dense = known.toarray() > 0
    for part in range(5):
        train, test = np.flatnonzero(fold != part), np.flatnonzero(fold == part)
        for label in np.flatnonzero(dense[train].sum(axis=0) >= 2):
            model = LogisticRegression(C=10.0, max_iter=50, solver="liblinear")
            scores[test, label] = model.fit(X[train], dense[train, label]).predict_proba(X[test])[:, 1]
    scores[dense] = -1
    best = np.argsort(-scores, axis=None, kind="stable")[:KEYS]
    return list(zip(*(part.tolist() for part in np.unravel_index(best, scores.shape))))


def wilson(yes: int, total: int) -> list[float]:
    """The interval of a share at 95 %, as the page draws it."""
    z, share = 1.96, yes / total
    middle, wide = share + z * z / (2 * total), 1 + z * z / total
    half = z * np.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return [round(float((middle + side * half) / wide), 4) for side in (-1, 1)]


def reviewed(found: Any, hidden: set[tuple[int, int]]) -> dict[str, Any]:
    """What the page counts while the curator presses keys, and what is true."""
    queue, learner = ReviewQueue(list(found)), TaggerLearner()
    decided: dict[tuple[int, int], bool] = {}
    shown: dict[str, Any] = {}
    while len(decided) < min(KEYS, len(queue.by_cell)):
        for one in queue.next(decided, Review(who="curator", n=8)):
            learner.apply([Event(one.row, one.label, accepted=(one.row, one.label) in hidden)])
            decided[one.row, one.label] = learner.decisions[one.row][one.label]
            if len(decided) in (100, KEYS):
                counted = [right for labels in learner.decisions.values() for right in labels.values()]
                true = [cell in hidden for cell in found.cells()[: len(decided)]]
                shown[f"precision shown at {len(decided)}"] = float(np.mean(counted))
                shown[f"interval shown at {len(decided)}"] = wilson(sum(counted), len(counted))
                shown[f"precision true at {len(decided)}"] = float(np.mean(true))
    return shown | {f"recall after {KEYS} keys": sum(decided.values()) / len(hidden)}


def by_order(X: sp.csr_array, Y: sp.csr_array, seed: int) -> dict[str, dict[str, float]]:
    """Precision of the first 100 and 1,000 by trusted scores, and by bare ones."""
    known, hidden = hidden_part(Y, 0.2, seed)
    cross_fitted = CrossFitted.fit(
        lambda X, Y: NeighbourTagger(factors=100, progress=False).fit(X, Y), X, known,
        folds=5, companions=True, rng=np.random.default_rng(0),
    )  # fmt: skip
    figures = {}
    for name, trust in (("trusted", missing_labels.trusted), ("bare", lambda scores, frequency: scores)):
        with patch.object(missing_labels, "trusted", trust):
            rows, columns, _ = cross_fitted.best_cells(KEYS, PER_ROW)
        right = [cell in hidden for cell in zip(rows.tolist(), columns.tolist())]
        figures[name] = {"precision at 100": float(np.mean(right[:100])), f"precision at {KEYS}": float(np.mean(right))}
    return figures


def debian(texts: int, seed: int, opponents: bool) -> dict[str, Any]:
    """The curator on texts of the bundled index."""
    table = load_debian().table.head(texts)
    descriptions = table["description"].to_list()
    Y, _, _ = read_labels(table["tags"].to_list(), rows=texts)
    known, hidden = hidden_part(Y, 0.2, seed)
    tagger = TextTagger(progress=False)
    found = tagger.missing_labels(descriptions, known, KEYS, labels=range(Y.shape[1]), row_ids=range(texts))
    figures: dict[str, Any] = {"tags": Y.shape[1], "hidden": len(hidden), "tacit": reviewed(found, hidden)}
    if opponents:
        other = one_vs_rest(tagger.fit(descriptions, known)._features(descriptions), known, seed)
        right = [cell in hidden for cell in other]
        figures["one-vs-rest"] = {
            "precision at 100": float(np.mean(right[:100])),
            f"precision at {KEYS}": float(np.mean(right)),
            f"recall after {KEYS} keys": sum(right) / len(hidden),
        }
        expected = KEYS / (Y.shape[0] * Y.shape[1] - known.nnz)
        figures["random order"] = {f"recall after {KEYS} keys, expected": expected}
    return figures


def review(texts: int, seeds: int, sets: tuple[str, ...]) -> dict[str, Any]:
    """The curator on Debian's texts, and orders of suggestions on other sets."""
    figures: dict[str, Any] = {"texts": texts}
    for seed in range(seeds):
        figures[f"seed {seed}"] = debian(texts, seed, opponents=seed == 0)
    for name in sets:
        data = load_multilabel(name)
        X, Y = sp.csr_array(data.X[:texts]), sp.csr_array(data.Y[:texts])
        figures[name] = {f"seed {seed}": by_order(X, Y, seed) for seed in range(min(2, seeds))}
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("paint", "review"))
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="a small model; one seed of 1,000 texts, no other sets")
    given = parser.parse_args()
    if given.part == "paint":
        name, figures = "first-paint", paint(given.quick)
    elif given.quick:
        name, figures = "review", review(1000, 1, ())
    else:
        name, figures = "review", review(given.texts, given.seeds, OTHER_SETS)
    results.write(f"{name}-quick" if given.quick else name, figures)
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
