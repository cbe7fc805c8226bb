"""A fifth of Debian's tags hidden: how many are among the n best suggestions; and the best suggestions on all tags."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from tacit import FactorTagger, NeighbourTagger
from tacit.baselines import OneVsRestTagger, PopularTagger
from tacit.data.debian import load_debian
from tacit.data.matrix import as_csr
from tacit.estimators.missing_labels import Judges
from tagging.split import hide

SIZES = (1000, 5000, 10_000, 20_000)
FOLDS = 3
TAGGERS = {
    "NeighbourTagger": NeighbourTagger(neighbours=50, regularization=3.0, progress=False),
    "FactorTagger": FactorTagger(progress=False),
    "NeighbourTagger, text alone": NeighbourTagger(neighbours=50, regularization=3.0, progress=False),
    "FactorTagger, text alone": FactorTagger(progress=False),
    "one-vs-rest logistic, text alone": OneVsRestTagger(3.0),
    "label frequency": PopularTagger(),
}
LOOKED_AT = Path(__file__).parent / "looked_at.json"
"""What a person thought of suggestions: "package tag" to a word and the reason."""

_WITH_COMPANIONS = ("NeighbourTagger", "FactorTagger")
_QUICK = ("FactorTagger", "FactorTagger, text alone", "label frequency")


def measure(quick: bool) -> dict[str, Any]:
    """The quick version compares fewer taggers and lists no suggestions."""
    debian = load_debian()
    tags = debian.tags
    vectorizer = TfidfVectorizer(min_df=2, sublinear_tf=True)
    X = sp.csr_array(vectorizer.fit_transform(debian.descriptions()).astype(np.float32))
    Y = as_csr(tags.matrix, "Y").native()
    visible = hide(Y, 0.2, 0)
    lost = sp.csr_array((Y - visible).astype(bool))
    figures: dict[str, Any] = {"hidden": int(lost.nnz), "recall among the n best": {}}
    for name in _QUICK if quick else TAGGERS:
        judges = Judges.fit(
            TAGGERS[name], as_csr(X, "X"), as_csr(visible, "Y"), folds=FOLDS, companions=name in _WITH_COMPANIONS,
            rng=np.random.default_rng(0),
        )  # fmt: skip
        rows, columns, _ = judges.best_cells(max(SIZES))
        hit = np.asarray(lost[rows, columns]).ravel()
        found = {str(n): round(float(hit[:n].sum()) / lost.nnz, 4) for n in SIZES}
        figures["recall among the n best"][name] = found
        print(name, found, flush=True)
    if not quick:
        looked_at = json.loads(LOOKED_AT.read_text(encoding="utf-8"))
        suggested = FactorTagger(progress=False).missing_labels(
            X, Y, 200, per_row=1, labels=tags.col_ids.all(), row_ids=tags.row_ids.all(),
            feature_names=vectorizer.get_feature_names_out(), texts=debian.descriptions(),
        )  # fmt: skip
        figures["suggestions on all tags"] = [
            {"package": one.row, "tag": one.label, "score": round(one.score, 2), "text": one.text,
             "carries": list(one.carries), "companions": list(one.companions), "features": list(one.features),
             "looked at": looked_at.get(f"{one.row} {one.label}", "not yet")}
            for one in list(suggested)[::10]
        ]  # fmt: skip
    return figures
