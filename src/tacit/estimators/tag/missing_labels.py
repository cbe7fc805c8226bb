"""Which labels are probably missing: unlabelled cells ranked by models that never saw their row, with evidence.

Rows are dealt into folds. A copy of the tagger learns from the other folds and guesses the labels of this one. What a
row's known labels say about the others (``solvers.label_regression``) is learned from the other folds as well, and
joins the guesses. A label that few rows carry is trusted less. Of the cells that are not stored, the best n over all
rows are kept.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.ids import Ids
from tacit.errors import InputError
from tacit.estimators.tag.audit_evidence import Cell, DisplayNames, suggestion
from tacit.estimators.tag.audit_report import MissingLabels
from tacit.estimators.tag.scorer import Scorer, dense_chances
from tacit.neighbours.best import best_columns
from tacit.solvers.label_regression import LabelRegression, Moments, most_frequent, trusted

Array = NDArray[Any]
Fit = Callable[[sp.csr_array, sp.csr_array], Scorer]
"""Features and labels to a tagger that has learned from them."""
Cells = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]

_BLOCK_CELLS = 1 << 22
_MOST_COMPANIONS = 1000


def find_missing_labels(
    fit: Fit,
    X: sp.csr_array,
    Y: sp.csr_array,
    names: Ids,
    n: int,
    *,
    folds: int,
    per_row: int,
    companions: bool,
    shown: DisplayNames,
    rng: np.random.Generator,
    rejected: sp.csr_array | None = None,
) -> MissingLabels:
    """The n unlabelled cells most likely positive, best first; ``fit`` makes a fresh tagger learn.

    ``rejected`` stores the cells that somebody has rejected, which are not suggested.
    """
    checks.integer("n", n, 1)
    checks.integer("per_row", per_row, 1)
    cross_fitted = CrossFitted.fit(fit, X, Y, folds=folds, companions=companions, rng=rng)
    rows, columns, scores = cross_fitted.best_cells(n, per_row, rejected)
    rows_of_label = sp.csc_array(Y)
    suggestions = []
    for row, column, score in zip(rows, columns, scores):
        fold = cross_fitted.fold_of[row]
        holders = rows_of_label.indices[rows_of_label.indptr[column] : rows_of_label.indptr[column + 1]]
        holders = holders[cross_fitted.fold_of[holders] != fold]
        evidence = cross_fitted.companions[fold].top_evidence(Y[[row]].indices, column, shown.items)
        cell = Cell(row, column, score, evidence)
        suggestions.append(suggestion(cross_fitted.models[fold], X, Y, holders, cell, names, shown))
    return MissingLabels(tuple(suggestions))


@dataclass(frozen=True)
class CrossFitted:
    """One model per fold, each learned from the other folds.

    fold_of : (n,) the fold of each row; models, companions : what scores the rows of each fold
    """

    X: sp.csr_array
    Y: sp.csr_array
    fold_of: NDArray[np.int64]
    models: list[Scorer]
    companions: list[LabelRegression]

    @classmethod
    def fit(
        cls,
        fit: Fit,
        X: sp.csr_array,
        Y: sp.csr_array,
        *,
        folds: int,
        companions: bool,
        rng: np.random.Generator,
    ) -> "CrossFitted":
        if not isinstance(folds, int | np.integer) or not 2 <= folds <= X.shape[0]:
            raise InputError(f"folds must be between 2 and the {X.shape[0]} rows there are, not {checks.shown(folds)}.")
        fold_of = rng.permutation(np.arange(X.shape[0]) % folds)
        models: list[Scorer] = []
        for fold in range(folds):
            others = np.flatnonzero(fold_of != fold)
            if Y[others].nnz == 0:
                raise InputError("Y: some folds have no labels to learn from; use fewer folds.")
            models.append(fit(X[others], Y[others]))
        taking_part = most_frequent(Y, _MOST_COMPANIONS if companions else 0)
        moments = []
        for fold, model in enumerate(models):
            total = Moments.none(len(taking_part))
            for _, known, guesses in _guesses(model, X, Y, fold_of == fold):
                total += Moments.of(known, guesses, taking_part)
            moments.append(total)
        beside = []
        for fold in range(folds):
            rest = Moments.none(len(taking_part))
            for other, more in enumerate(moments):
                if other != fold:
                    rest += more
            beside.append(LabelRegression.fit(rest, taking_part))
        return cls(X, Y, fold_of, models, beside)

    def best_cells(self, n: int, per_row: int | None = None, rejected: sp.csr_array | None = None) -> Cells:
        """Rows, columns and scores of the n best cells that are not stored, at most ``per_row`` of one row."""
        width = min(per_row or self.Y.shape[1], self.Y.shape[1])
        frequency = np.bincount(self.Y.indices, minlength=self.Y.shape[1])
        result: list[Cells] = []
        for fold, (model, beside) in enumerate(zip(self.models, self.companions)):
            for rows, known, guesses in _guesses(model, self.X, self.Y, self.fold_of == fold):
                scores = trusted(beside.scores(known, guesses), frequency)
                if model.propensity_weighted:
                    scores = np.asarray(model.weighted_by_propensity(scores))
                # A label that nothing speaks for is not a suggestion.
                scores[(known > 0) | (scores == 0)] = -np.inf
                if rejected is not None:
                    scores[rejected[rows].nonzero()] = -np.inf
                columns, values = best_columns(scores, width)
                filled = columns >= 0
                result.append((rows[np.nonzero(filled)[0]], columns[filled], values[filled]))
                result = [_best(result, n)]
        return result[0]


def _guesses(
    model: Scorer, X: sp.csr_array, Y: sp.csr_array, mine: NDArray[np.bool_]
) -> Iterator[tuple[Array, NDArray[np.float32], NDArray[np.float32]]]:
    """Blocks of the rows in ``mine``: their numbers, known labels and what the model guesses, both (b, L)."""
    numbers = np.flatnonzero(mine)
    height = max(1, _BLOCK_CELLS // Y.shape[1])
    for start in range(0, len(numbers), height):
        rows = numbers[start : start + height]
        yield rows, Y[rows].toarray().astype(np.float32), dense_chances(model, X[rows])


def _best(result: list[Cells], n: int) -> Cells:
    rows, columns, scores = (np.concatenate(part) for part in zip(*result))
    order = np.lexsort((columns, rows, -scores))[:n]
    return rows[order], columns[order], scores[order]
