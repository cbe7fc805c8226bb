"""A fifth of Debian's tags hidden: how many are among the n best suggestions; and the best suggestions on all tags."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer

from tacit import FactorTagger, NeighbourTagger
from tacit.baselines import OneVsRestTagger, PopularTagger
from tacit.data.debian import load_debian
from tacit.data.matrix import as_csr
from tagging.split import hide

SIZES = (1000, 5000, 10_000, 20_000)
TAGGERS = {
    "NeighbourTagger joint": NeighbourTagger("joint", 100, neighbours=50, regularization=3.0, progress=False),
    "FactorTagger": FactorTagger(progress=False),
    "label frequency": PopularTagger(),
    "one-vs-rest logistic": OneVsRestTagger(3.0),
}
_QUICK = ("FactorTagger", "label frequency")


def measure(quick: bool) -> dict[str, Any]:
    """The quick version compares two taggers and lists no suggestions."""
    debian = load_debian()
    tags = debian.tags
    vectorizer = TfidfVectorizer(min_df=2, sublinear_tf=True)
    X = sp.csr_array(vectorizer.fit_transform(debian.descriptions()).astype(np.float32))
    Y = as_csr(tags.matrix, "Y").native()
    visible = hide(Y, 0.2, 0)
    lost = sp.csr_array((Y - visible).astype(bool))
    figures: dict[str, Any] = {"hidden": int(lost.nnz), "recall among the n best": {}}
    for name in _QUICK if quick else TAGGERS:
        rows, columns = ranked_cells(TAGGERS[name], X, visible, max(SIZES))
        hit = np.asarray(lost[rows, columns]).ravel()
        found = {n: round(float(hit[:n].sum()) / lost.nnz, 4) for n in SIZES}
        figures["recall among the n best"][name] = found
        print(name, found, flush=True)
    if not quick:
        found = FactorTagger(progress=False).missing_labels(
            X, Y, 200, per_row=1, labels=tags.col_ids.all(), row_ids=tags.row_ids.all(),
            feature_names=vectorizer.get_feature_names_out(), texts=debian.descriptions(),
        )  # fmt: skip
        figures["suggestions on all tags"] = [
            {"package": one.row, "tag": one.label, "text": one.text, "carries": list(one.carries)}
            for one in found[:200:10]
        ]
    return figures


def ranked_cells(tagger: Any, X: sp.csr_array, Y: sp.csr_array, n: int, folds: int = 3) -> tuple[Any, Any]:
    """The n best unlabelled cells, scored out of fold as ``missing_labels`` does, without its evidence."""
    fold_of = np.random.default_rng(0).permutation(np.arange(X.shape[0]) % folds)
    parts = []
    for fold in range(folds):
        mine, others = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        scores = clone(tagger).fit(X[others], Y[others]).decision_function(X[mine])
        known = Y[mine]
        scores[np.repeat(np.arange(len(mine)), np.diff(known.indptr)), known.indices] = -np.inf
        best = np.argpartition(-scores.ravel(), n)[:n]
        parts.append((mine[best // Y.shape[1]], best % Y.shape[1], scores.ravel()[best]))
    rows, columns, values = (np.concatenate(part) for part in zip(*parts))
    order = np.argsort(-values, kind="stable")[:n]
    return rows[order], columns[order]
