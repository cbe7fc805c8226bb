"""The labelled rows that take part in cross-validation, the folds, and the AUC of many scores of one fold."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError

Codes = NDArray[np.intp]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]

MOST_LABELLED = 2_000
MOST_PAIRED = 200
"""Test rows of a fold up to which comparing all pairs is faster than sorting."""


def selection_rows(codes: Codes, seed: int) -> NDArray[np.intp]:
    """At most 2,000 labelled rows, every class in its share."""
    labelled = np.flatnonzero(codes >= 0)
    if len(labelled) <= MOST_LABELLED:
        return labelled
    order = np.argsort(codes[labelled] + np.random.default_rng(seed).random(len(labelled)))
    return np.sort(labelled[order[np.linspace(0, len(labelled) - 1, MOST_LABELLED).astype(np.intp)]])


def make_folds(codes: Codes, rows: NDArray[np.intp], cv: Any, seed: int) -> tuple[list[Fold], list[Fold]]:
    """Folds over the labelled ``rows``, as positions in ``rows``: those to begin with, and as many again.

    A number makes stratified folds, twice with other draws; folds that ``cv`` lists are not added to.
    """
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        if cv < 2:
            raise InputError(f"cv must be at least 2 folds, not {cv}.")
        generator = np.random.default_rng(seed)
        return _stratified(codes[rows], int(cv), generator), _stratified(codes[rows], int(cv), generator)
    index = np.full(len(codes), -1, dtype=np.intp)
    index[rows] = np.arange(len(rows))
    try:
        given = [(index[np.asarray(train)], index[np.asarray(test)]) for train, test in cv]
    except (TypeError, ValueError, IndexError):
        raise InputError("cv must be a number of folds or a list of (train rows, test rows) pairs.") from None
    return [(train[train >= 0], test[test >= 0]) for train, test in given], []


def _stratified(labels: Codes, count: int, generator: np.random.Generator) -> list[Fold]:
    order = np.argsort(labels + generator.random(len(labels)))
    fold = np.empty(len(labels), dtype=np.intp)
    fold[order] = np.arange(len(labels)) % count
    return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(count)]


def usable_folds(folds: Sequence[Fold], labels: Codes) -> list[Fold]:
    """Folds with at least two classes on either side: others can neither be fitted nor evaluated."""
    return [fold for fold in folds if all(len(np.unique(labels[side])) > 1 for side in fold)]


def pair_weights(labels: Codes, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """What each pair of rows counts in the ordinal AUC, (n, n), over the splits that have row i above and row j below.

    Selection asks about hundreds of scores of the same rows. Where these are few, one comparison of all pairs takes a
    fifth of the time of ``metrics.ordinal_auc``.

    >>> labels, scores = np.array([0, 1, 2]), np.array([0.1, 0.5, 0.3])
    >>> area(pair_weights(labels, np.ones(3)), scores)
    0.75
    """
    classes = np.unique(labels)
    total = np.zeros((len(labels), len(labels)))
    for border in classes[:-1]:
        high, low = np.where(labels > border, weights, 0.0), np.where(labels > border, 0.0, weights)
        total += np.outer(high / high.sum(), low / low.sum())
    return total / (len(classes) - 1)


def area(pairs: NDArray[np.float64], scores: NDArray[np.float64]) -> float:
    """Ordinal AUC of scores by the weights of their pairs; equal scores count half."""
    return float(0.5 + 0.5 * np.vdot(pairs, np.sign(scores[:, None] - scores)))
