"""Which labels are probably missing: unlabelled cells ranked by models that never saw their row, with evidence.

Rows are dealt into folds. A copy of the tagger learns from the other folds and scores the rows of this one; of the
cells that are not stored, the best n over all rows are kept. For each of them a person gets the rows nearest to it
that carry the label, and the features that speak most for it, both in the space in which the model compares rows.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from tacit.data.ids import Ids
from tacit.errors import InputError
from tacit.estimators.audit_report import MissingLabels, Suggestion
from tacit.neighbours.best import best_columns
from tacit.neighbours.topk import normalise

if TYPE_CHECKING:
    from tacit.estimators.tagger import Tagger

Array = NDArray[Any]

_MOST_CARRIERS = 2000


@dataclass(frozen=True)
class Evidence:
    """How a reader should see rows and features, and how many of each to show."""

    row_ids: Ids
    feature_names: Ids
    texts: Sequence[str] | None
    items: int


def find_missing_labels(
    tagger: "Tagger",
    X: sp.csr_array,
    Y: sp.csr_array,
    names: Ids,
    n: int,
    *,
    folds: int,
    per_row: int,
    evidence: Evidence,
    rng: np.random.Generator,
) -> MissingLabels:
    """The n unlabelled cells most likely positive, best first.

    Parameters
    ----------
    tagger : its parameters are used; it is neither fitted nor changed
    per_row : at most so many suggestions for one row
    """
    if n < 1 or per_row < 1:
        raise InputError(f"n and per_row must be at least 1, not {n!r} and {per_row!r}.")
    if not 2 <= folds <= X.shape[0]:
        raise InputError(f"folds must be between 2 and the {X.shape[0]} rows there are, not {folds!r}.")
    fold_of = rng.permutation(np.arange(X.shape[0]) % folds)
    cells: list[tuple[Array, ...]] = []
    models: list[Tagger] = []
    for fold in range(folds):
        mine, others = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        if Y[others].nnz == 0:
            raise InputError("Y: some folds have no labels to learn from; use fewer folds.")
        models.append(clone(tagger).set_params(progress=False, callback=None).fit(X[others], Y[others]))
        cells.append(_best_unlabelled(models[-1], X, Y, mine, min(per_row, Y.shape[1])))
    rows, columns, scores = (np.concatenate(part) for part in zip(*cells))
    order = np.lexsort((columns, rows, -scores))[:n]
    carriers_of = sp.csc_array(Y)
    suggestions = [
        _suggestion(models[fold_of[row]], X, Y, carriers_of, names, fold_of, (row, column, score), evidence)
        for row, column, score in zip(rows[order], columns[order], scores[order])
    ]
    return MissingLabels(tuple(suggestions))


def _best_unlabelled(model: "Tagger", X: sp.csr_array, Y: sp.csr_array, mine: Array, per_row: int) -> tuple[Array, ...]:
    """Row, column and score of each row's best cells that are not stored."""
    found: list[tuple[Array, Array, Array]] = []
    for start, block in model._blocks(X[mine]):
        rows = mine[start : start + block.shape[0]]
        known = Y[rows]
        scores = block.copy() if isinstance(block, np.ndarray) else block.toarray()
        # A label that got no vote is not a suggestion.
        scores[scores == 0] = -np.inf
        scores[np.repeat(np.arange(len(rows)), np.diff(known.indptr)), known.indices] = -np.inf
        columns, values = best_columns(scores, per_row)
        filled = columns >= 0
        found.append((rows[np.nonzero(filled)[0]], columns[filled], values[filled]))
    return tuple(np.concatenate(part) for part in zip(*found))


def _suggestion(
    model: "Tagger",
    X: sp.csr_array,
    Y: sp.csr_array,
    carriers_of: sp.csc_array,
    names: Ids,
    fold_of: Array,
    cell: tuple[int, int, float],
    evidence: Evidence,
) -> Suggestion:
    row, column, score = cell
    x = X[[row]]
    carriers = carriers_of.indices[carriers_of.indptr[column] : carriers_of.indptr[column + 1]]
    carriers = carriers[fold_of[carriers] != fold_of[row]][:_MOST_CARRIERS]
    features, weights = model._map_for(x)
    here = normalise(x[:, features] @ weights)[0]
    points = normalise(X[carriers][:, features] @ weights)
    cosines = points @ here
    nearest = np.argsort(-cosines, kind="stable")[: evidence.items]
    # What each feature of the row adds to its likeness with the label's rows.
    place = np.searchsorted(features, x.indices)
    known = (place < len(features)) & (features[np.minimum(place, len(features) - 1)] == x.indices)
    speaks = x.data[known] * (weights[place[known]] @ points.sum(axis=0))
    strongest = np.argsort(-speaks, kind="stable")[: evidence.items]
    strongest = strongest[speaks[strongest] > 0]
    texts = evidence.texts

    def described(number: int) -> str:
        return "" if texts is None else texts[number]

    return Suggestion(
        row=_plain(evidence.row_ids.take([row])[0]),
        label=_plain(names.take([column])[0]),
        score=float(score),
        text=described(row),
        carries=tuple(str(label) for label in names.take(Y[[row]].indices)),
        nearest=tuple(
            (str(evidence.row_ids.take([carriers[j]])[0]), float(cosines[j]), described(carriers[j])) for j in nearest
        ),
        features=tuple(str(evidence.feature_names.take([f])[0]) for f in x.indices[known][strongest]),
    )


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def evidence_for(
    X: sp.csr_array,
    row_ids: Iterable[Hashable] | None,
    feature_names: Iterable[Hashable] | None,
    texts: Sequence[str] | None,
    items: int,
) -> Evidence:
    """Checked names of rows and features; numbers where none are given."""
    rows = Ids.range(X.shape[0], "row_ids") if row_ids is None else Ids(row_ids, "row_ids")
    features = Ids.range(X.shape[1], "feature_names") if feature_names is None else Ids(feature_names, "feature_names")
    for ids, length, parameter in ((rows, X.shape[0], "row_ids"), (features, X.shape[1], "feature_names")):
        if len(ids) != length:
            raise InputError(f"{parameter} has {len(ids)} entries, but X has {length}; give one for each.")
    if texts is not None and len(texts) != X.shape[0]:
        raise InputError(f"texts has {len(texts)} entries, but X has {X.shape[0]} rows; give one for each.")
    return Evidence(rows, features, texts, items)
