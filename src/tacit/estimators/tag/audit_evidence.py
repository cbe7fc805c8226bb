"""The evidence for a suggested label: similar rows that carry it, and the features that count most.

Rows and features are compared in the space in which the model compares rows.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from tacit import checks
from tacit.data.ids import Ids
from tacit.errors import InputError
from tacit.estimators.tag.audit_report import Suggestion
from tacit.estimators.tag.scorer import Scorer
from tacit.neighbours.topk import normalise

Array = NDArray[Any]

_MOST_CARRIERS = 2000


@dataclass(frozen=True)
class DisplayNames:
    """How a reader should see rows and features, and how many of each to show."""

    row_ids: Ids
    feature_names: Ids
    texts: Sequence[str] | None
    items: int

    @classmethod
    def of(
        cls,
        X: sp.csr_array,
        row_ids: Iterable[Hashable] | None,
        feature_names: Iterable[Hashable] | None,
        texts: Sequence[str] | None,
        items: int,
    ) -> "DisplayNames":
        """Checked names of rows and features; numbers where none are given."""
        rows = Ids.range(X.shape[0], "row_ids") if row_ids is None else Ids(row_ids, "row_ids")
        features = (
            Ids.range(X.shape[1], "feature_names") if feature_names is None else Ids(feature_names, "feature_names")
        )
        for ids, length, parameter in ((rows, X.shape[0], "row_ids"), (features, X.shape[1], "feature_names")):
            if len(ids) != length:
                raise InputError(f"{parameter} has {len(ids)} entries, but X has {length}; give one for each.")
        texts = None if texts is None else checks.listed("texts", texts)
        if texts is not None and len(texts) != X.shape[0]:
            raise InputError(f"texts has {len(texts)} entries, but X has {X.shape[0]} rows; give one for each.")
        return cls(rows, features, texts, items)

    def text(self, row: int) -> str:
        return "" if self.texts is None else self.texts[row]


@dataclass(frozen=True)
class Cell:
    """One unlabelled cell with its score and the labels of its row that speak for it."""

    row: int
    column: int
    score: float
    companions: Array


def suggestion(
    model: Scorer,
    X: sp.csr_array,
    Y: sp.csr_array,
    holders: Array,
    cell: Cell,
    names: Ids,
    shown: DisplayNames,
) -> Suggestion:
    """The cell with its evidence; ``holders`` are the rows that the model saw with the label."""
    x = X[[cell.row]]
    holders = holders[:_MOST_CARRIERS]
    features, weights = model.linear_map(x)
    here = normalise(x[:, features] @ weights)[0]
    points = normalise(X[holders][:, features] @ weights)
    cosines = points @ here
    nearest = np.argsort(-cosines, kind="stable")[: shown.items]
    # What each feature of the row adds to its likeness with the label's rows.
    index = np.searchsorted(features, x.indices)
    known = (index < len(features)) & (features[np.minimum(index, len(features) - 1)] == x.indices)
    speaks = x.data[known] * (weights[index[known]] @ points.sum(axis=0))
    strongest = np.argsort(-speaks, kind="stable")
    strongest = strongest[speaks[strongest] > 0]
    words = _words(shown.feature_names, x.indices[known][strongest])
    return Suggestion(
        row=_plain(shown.row_ids.take([cell.row])[0]),
        label=_plain(names.take([cell.column])[0]),
        score=float(cell.score),
        text=shown.text(cell.row),
        carries=_words(names, Y[[cell.row]].indices),
        nearest=tuple(
            (str(shown.row_ids.take([holders[j]])[0]), float(cosines[j]), shown.text(holders[j])) for j in nearest
        ),
        features=tuple(word for word in words if word not in ENGLISH_STOP_WORDS)[: shown.items],
        companions=_words(names, cell.companions),
    )


def _words(ids: Ids, numbers: Array) -> tuple[str, ...]:
    return tuple(str(one) for one in ids.take(numbers))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
