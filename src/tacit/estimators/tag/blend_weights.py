"""The weights of a blend's members, chosen on held-out rows.

The first member has weight 1. Each further member is tried at weights a few octaves apart, added to the members so far,
by the mean nDCG@5 of rows that no member has seen. It gets the smallest weight (possibly 0) within one standard error
of the best, compared row by row.
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
_WEIGHTS = (0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
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
    """Each member's weight, and the nDCG@5 of the blend up to it, on rows that none has learned from."""
    width = min(_K, Y.shape[1])

    def evaluated(scores: NDArray[np.float32]) -> NDArray[np.float64]:
        return ndcg_of_rows(Y, best_columns(scores, width)[0], width)

    total = normalise(dense_chances(members[0], X))
    reached = evaluated(total)
    weights, figures = [1.0], [float(reached.mean())]
    for member in members[1:]:
        part = normalise(dense_chances(member, X))
        tried = [evaluated(total + np.float32(weight) * part) for weight in _WEIGHTS]
        behind = max(tried, key=lambda figure: float(figure.mean())) - np.array(tried)
        close = behind.mean(axis=1) <= behind.std(axis=1) / np.sqrt(behind.shape[1])
        chosen = int(np.argmax(close))
        total, reached = total + np.float32(_WEIGHTS[chosen]) * part, tried[chosen]
        weights.append(_WEIGHTS[chosen])
        figures.append(float(reached.mean()))
    return weights, figures
