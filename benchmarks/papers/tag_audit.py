"""A fifth of Debian's tags hidden: how many are among the n best suggestions; and the best suggestions on all tags."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.papers.tag_methods import hide
from benchmarks.results import Record
from tacit import FactorTagger, NeighbourTagger
from tacit.baselines import OneVsRestTagger, PopularTagger
from tacit.data.debian import Debian, load_debian
from tacit.data.matrix import as_csr
from tacit.estimators.tag.missing_labels import CrossFitted

SIZES = (1000, 5000, 10_000, 20_000)
FOLDS = 3
TAGGERS = {
    "NeighbourTagger": NeighbourTagger(neighbours=50, regularization=3.0, progress=False),
    "FactorTagger": FactorTagger(progress=False),
    "NeighbourTagger by text alone": NeighbourTagger(neighbours=50, regularization=3.0, progress=False),
    "FactorTagger by text alone": FactorTagger(progress=False),
    "one-vs-rest logistic by text alone": OneVsRestTagger(strength=3.0),
    "label frequency": PopularTagger(),
}
LOOKED_AT = Path(__file__).parent / "looked_at.json"
"""Suggestions checked by eye: "package tag" to a word and the reason."""

_WITH_COMPANIONS = ("NeighbourTagger", "FactorTagger")
_QUICK = ("FactorTagger", "FactorTagger by text alone", "label frequency")
RECALL = "recall among the n best"


def measure(record: Record, methods: list[str], quick: bool) -> None:
    """One piece per tagger, then the suggestions; the quick version has fewer taggers and no suggestions."""
    debian = load_debian()
    vectorizer = TfidfVectorizer(min_df=2, sublinear_tf=True)
    X = as_csr(vectorizer.fit_transform(debian.descriptions()), "X")
    Y = as_csr(debian.tags.matrix, "Y")
    visible = as_csr(hide(Y, 0.2, 0), "Y")
    lost = sp.csr_array((Y - visible).astype(bool))
    for name in methods or (_QUICK if quick else TAGGERS):
        if record.lacks(RECALL, name):
            cross_fitted = CrossFitted.fit(
                lambda X, Y, tagger=TAGGERS[name]: clone(tagger).fit(X, Y),
                X,
                visible,
                folds=FOLDS,
                companions=name in _WITH_COMPANIONS,
                rng=np.random.default_rng(0),
            )
            rows, columns, _ = cross_fitted.best_cells(max(SIZES))
            hit = np.asarray(lost[rows, columns]).ravel()
            record.put(RECALL, name, {str(n): round(float(hit[:n].sum()) / lost.nnz, 4) for n in SIZES})
    record.write({**record.figures, "hidden": int(lost.nnz)})
    if not quick and not methods:
        suggestions = suggested(X, Y, debian, vectorizer.get_feature_names_out())
        record.write({**record.figures, "hidden": int(lost.nnz), "suggestions on all tags": suggestions})


def suggested(X: sp.csr_array, Y: sp.csr_array, debian: Debian, words: Any) -> list[dict[str, Any]]:
    """Each tenth of the best two hundred suggestions, one per package, and how it was checked by eye."""
    looked_at = json.loads(LOOKED_AT.read_text(encoding="utf-8"))
    found = FactorTagger(progress=False).missing_labels(
        X, Y, 200, per_row=1, labels=debian.tags.col_ids.all(), row_ids=debian.tags.row_ids.all(),
        feature_names=words, texts=debian.descriptions(),
    )  # fmt: skip
    return [
        {"package": one.row, "tag": one.label, "score": round(one.score, 2), "text": one.text,
         "carries": list(one.carries), "companions": list(one.companions), "features": list(one.features),
         "looked at": looked_at.get(f"{one.row} {one.label}", "not yet")}
        for one in list(found)[::10]
    ]  # fmt: skip
