"""A simulated curator reviews missing tags: Debian texts, a fifth of their tags hidden.

She accepts exactly the tags that were hidden. Reported are the precision that the page shows for the first 100 and
1,000 suggestions beside the truth, and the share of hidden tags found after 1,000 keys, beside one-vs-rest logistic
regression in five folds and beside random order.

    python -m benchmarks.machine.review [--texts 5000] [-o benchmarks/results/review.json]
"""

import argparse
import json
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from tacit.data import load_debian
from tacit.data.label_sets import read_labels
from tacit.estimators.tag.text_tagger import TextTagger
from tacit.service.events import Event
from tacit.service.learners import TaggerLearner
from tacit.service.pages.review import Review, ReviewQueue

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


def reviewed(found, hidden: set[tuple[int, int]]) -> dict[str, float]:
    """What the page counts while the curator presses keys, and what is true."""
    queue, learner = ReviewQueue(list(found)), TaggerLearner()
    decided: dict[tuple[int, int], bool] = {}
    shown: dict[str, float] = {}
    while len(decided) < min(KEYS, len(queue.by_cell)):
        for one in queue.next(decided, Review(who="curator", n=8)):
            learner.apply(Event(one.row, one.label, accepted=(one.row, one.label) in hidden))
            decided[one.row, one.label] = learner.decisions[one.row][one.label]
            if len(decided) in (100, KEYS):
                counted = [right for labels in learner.decisions.values() for right in labels.values()]
                true = [cell in hidden for cell in found.cells()[: len(decided)]]
                shown[f"precision shown at {len(decided)}"] = float(np.mean(counted))
                shown[f"precision true at {len(decided)}"] = float(np.mean(true))
    return shown | {f"recall after {KEYS} keys": sum(decided.values()) / len(hidden)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=Path("benchmarks/results/review.json"))
    given = parser.parse_args()
    table = load_debian().table.head(given.texts)
    texts = table["description"].to_list()
    Y, _, _ = read_labels(table["tags"].to_list(), rows=len(texts))
    known, hidden = hidden_part(Y, 0.2, given.seed)
    tagger = TextTagger(progress=False)
    found = tagger.missing_labels(texts, known, KEYS, labels=range(Y.shape[1]), row_ids=range(len(texts)))
    results = {"texts": len(texts), "tags": Y.shape[1], "hidden": len(hidden), "tacit": reviewed(found, hidden)}
    X = tagger.fit(texts, known)._features(texts)
    other = one_vs_rest(X, known, given.seed)
    right = [cell in hidden for cell in other]
    results["one-vs-rest"] = {
        "precision at 100": float(np.mean(right[:100])),
        f"precision at {KEYS}": float(np.mean(right)),
        f"recall after {KEYS} keys": sum(right) / len(hidden),
    }
    open_cells = Y.shape[0] * Y.shape[1] - known.nnz
    results["random order"] = {f"recall after {KEYS} keys, expected": KEYS / open_cells}
    given.output.write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
