"""A simulated curator reviews missing tags: Debian texts, a fifth of their tags hidden.

    python -m benchmarks.machine.review [--texts 5000] [--seeds 3] [--quick]

She accepts exactly the tags that were hidden. Reported are the precision that the page shows for the first 100 and
1,000 suggestions, with its interval, beside the truth, and the share of hidden tags found after 1,000 keys, beside
one-vs-rest logistic regression in five folds and beside random order. On other sets the order by trusted scores
stands beside the order by bare ones.

Writes ``results/review.json``, with ``--quick`` ``review-quick.json``.
"""

import argparse
import json
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp

from benchmarks import results
from tacit import NeighbourTagger
from tacit.data import load_debian
from tacit.data.label_sets import read_labels
from tacit.data.loaders.tags import load_multilabel
from tacit.estimators.tag import missing_labels
from tacit.estimators.tag.missing_labels import CrossFitted
from tacit.estimators.tag.text_tagger import TextTagger
from tacit.service.events import Event
from tacit.service.learners import TaggerLearner
from tacit.service.pages.review import Review, ReviewQueue

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
        lambda X, Y: NeighbourTagger(progress=False).fit(X, Y), X, known,
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one seed of 1,000 texts, no other sets")
    given = parser.parse_args()
    if given.quick:
        given.texts, given.seeds = 1000, 1
    figures: dict[str, Any] = {"texts": given.texts}
    for seed in range(given.seeds):
        figures[f"seed {seed}"] = debian(given.texts, seed, opponents=seed == 0)
    for name in () if given.quick else OTHER_SETS:
        data = load_multilabel(name)
        X, Y = sp.csr_array(data.X[: given.texts]), sp.csr_array(data.Y[: given.texts])
        figures[name] = {f"seed {seed}": by_order(X, Y, seed) for seed in range(min(2, given.seeds))}
    results.write("review-quick" if given.quick else "review", figures)
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
