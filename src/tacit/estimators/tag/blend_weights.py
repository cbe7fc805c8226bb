"""The weights of a blend's members, chosen on held-out rows.

Members are judged by rows that none of them has seen: three parts of nDCG@5 and one of P@1, so that what is gained
further down a list does not cost its head. The member that is best alone has weight 1. Each other, in the order given,
is tried at weights a few octaves apart, added to the members so far. It gets the smallest weight, possibly 0, within
two standard errors of the best, compared row by row. With one error the mean gain over sets is twice as large, but a
blend is then behind its best member on some: the best of several weights looks better than it is.
"""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.estimators.tag.scorer import dense_chances
from tacit.estimators.tag.tagger import Tagger
from tacit.metrics.labels import ndcg_of_rows
from tacit.neighbours.best import best_columns
from tacit.neighbours.topk import normalise

FEWEST = 20
"""Rows with labels below which there is nothing to choose by, and all members count alike."""
_WEIGHTS = (0.0, 0.125, 0.25, 0.5, 1.0)
_ERRORS = 2.0
"""Standard errors by which a larger weight must lead."""
_FIRST = 0.25
"""The share of P@1 in what members are judged by."""
_MOST_ROWS = 2000
_MOST_CELLS = 1 << 25
_K = 5


def held_out(Y: sp.csr_array, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Numbers of the rows to learn from, and of those to choose by: a fifth of the rows with labels, within bounds."""
    carrying = np.flatnonzero(np.diff(Y.indptr))
    count = min(len(carrying) // 5, _MOST_ROWS, max(_MOST_CELLS // Y.shape[1], 1))
    asked = np.sort(np.random.default_rng(seed).permutation(carrying)[:count])
    return np.setdiff1d(carrying, asked), asked


def choose_weights(members: Sequence[Tagger], X: sp.csr_array, Y: sp.csr_array) -> tuple[list[float], list[float]]:
    """Each member's weight; nDCG@5 of the best alone and with each other in turn. No member has seen these rows."""
    parts = [normalise(dense_chances(member, X)) for member in members]
    alone = [_judged(part, Y) for part in parts]
    best = max(range(len(parts)), key=lambda number: float(alone[number].mean()))
    total, weights = parts[best], [1.0] * len(parts)
    figures = [_ndcg(total, Y)]
    for number in range(len(parts)):
        if number == best:
            continue
        tried = [_judged(total + np.float32(weight) * parts[number], Y) for weight in _WEIGHTS]
        behind = max(tried, key=lambda rows: float(rows.mean())) - np.array(tried)
        close = behind.mean(axis=1) <= _ERRORS * behind.std(axis=1) / np.sqrt(behind.shape[1])
        weights[number] = _WEIGHTS[int(np.argmax(close))]
        total = total + np.float32(weights[number]) * parts[number]
        figures.append(_ndcg(total, Y))
    return weights, figures


def _judged(scores: NDArray[np.float32], Y: sp.csr_array) -> NDArray[np.float64]:
    """What members are judged by, of every row."""
    width = min(_K, Y.shape[1])
    listed = best_columns(scores, width)[0]
    # nDCG@1 is P@1.
    return (1 - _FIRST) * ndcg_of_rows(Y, listed, width) + _FIRST * ndcg_of_rows(Y, listed, 1)


def _ndcg(scores: NDArray[np.float32], Y: sp.csr_array) -> float:
    width = min(_K, Y.shape[1])
    return float(ndcg_of_rows(Y, best_columns(scores, width)[0], width).mean())
