"""Label regression: each label predicted from the row's other labels and from a model's scores.

    min  ‖Y − Y W₁ − T W₂‖² + λ (‖W₁‖² + ‖W₂ − bI‖²),   diag W₁ = 0,   b = Σyt / Σt²

Y (n, L) are the known labels. T (n, L) are scores of a model that has not seen the row, scaled to twice the size of Y.
With little data W₂ stays near bI, so the scaled score remains. A label never predicts itself (diag W₁ = 0), so the
score of a known label is computed like that of an unknown one. With A = [Y, T] and P = (AᵀA + λI)⁻¹, column l of [W₁;
W₂] is

    e_l + λ b P_·,l' − ν P_·,l      l' = L + l is the column of the score of l;  ν makes the label's own weight zero.

Only AᵀA is stored of the rows. It grows with the square of the number of labels, so the most frequent labels take part;
all others keep their score, scaled by their own b.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.errors import DivergedError

_GUESS_SIZE = 2.0
_RIDGE = 20.0


@dataclass(frozen=True)
class Moments:
    """What the regression needs to know of some rows.

    rows : how many; gram : (2M, 2M) [Y, T]ᵀ[Y, T] of the labels that take part
    others : Σyt and Σt² of those that do not
    """

    rows: int
    gram: NDArray[np.float64]
    others: NDArray[np.float64]

    @classmethod
    def none(cls, labels: int) -> "Moments":
        return cls(0, np.zeros((2 * labels, 2 * labels)), np.zeros(2))

    @classmethod
    def of(cls, known: NDArray[np.float32], guesses: NDArray[np.float32], taking_part: NDArray[np.int64]) -> "Moments":
        """The moments of a block of rows, from its known and guessed labels (b, L)."""
        both = np.concatenate((known[:, taking_part], guesses[:, taking_part]), axis=1)
        aside = np.ones(known.shape[1], dtype=np.bool_)
        aside[taking_part] = False
        y, t = known[:, aside].astype(np.float64), guesses[:, aside].astype(np.float64)
        return cls(len(known), (both.T @ both).astype(np.float64), np.array([np.vdot(y, t), np.vdot(t, t)]))

    def __add__(self, more: "Moments") -> "Moments":
        return Moments(self.rows + more.rows, self.gram + more.gram, self.others + more.others)


@dataclass(frozen=True)
class LabelRegression:
    """The regression of each label on the others.

    taking_part : (M,) label numbers, ascending
    weights : (2M, M) W₁ above W₂
    share : what the guess of any other label is multiplied by
    """

    taking_part: NDArray[np.int64]
    weights: NDArray[np.float32]
    share: float

    @classmethod
    def fit(cls, moments: Moments, taking_part: NDArray[np.int64]) -> "LabelRegression":
        """Solve the normal equations.

        >>> Y = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=np.float32)
        >>> every = np.arange(3)
        >>> regression = LabelRegression.fit(Moments.of(Y, np.zeros_like(Y), every), every)
        >>> half = np.array([[1, 0, 0]], dtype=np.float32)
        >>> [f"{score:.2f}" for score in abs(regression.scores(half, np.zeros_like(half))[0])]
        ['0.00', '0.09', '0.00']
        """
        M = len(taking_part)
        label, guess = np.arange(M), M + np.arange(M)
        known, guessed = moments.gram[label, label].sum(), moments.gram[guess, guess].sum()
        size = _GUESS_SIZE * float(np.sqrt(known / guessed)) if guessed > 0 else 1.0
        scale = np.concatenate((np.ones(M), np.full(M, size)))
        gram = moments.gram * scale * scale[:, None]
        share = _ratio(gram[label, guess].sum(), gram[guess, guess].sum())
        gram[np.diag_indices_from(gram)] += _RIDGE
        P = np.linalg.inv(gram)
        weights = _RIDGE * share * P[:, guess]
        weights -= P[:, label] * ((1 + weights[label, label]) / P[label, label])
        weights[label, label] = 0.0
        weights *= scale[:, None]
        if not np.all(np.isfinite(weights)):
            raise DivergedError("the regression of labels on each other gave NaN or infinity; check the scores.")
        return cls(taking_part, weights.astype(np.float32), _ratio(*moments.others))

    def scores(self, known: NDArray[np.float32], guesses: NDArray[np.float32]) -> NDArray[np.float32]:
        """Scores (b, L) of a block of rows from their known labels and the guesses, about the chance of each label."""
        scores = np.float32(self.share) * guesses
        inputs = np.concatenate((known[:, self.taking_part], guesses[:, self.taking_part]), axis=1)
        scores[:, self.taking_part] = inputs @ self.weights
        return scores

    def top_evidence(self, known: NDArray[np.int64], label: int, most: int) -> NDArray[np.int64]:
        """Of the labels ``known`` of a row, those that speak most for this one, strongest first."""
        column = np.flatnonzero(self.taking_part == label)
        known = np.asarray(known, dtype=np.int64)
        if not len(column):
            return known[:0]
        known = known[np.isin(known, self.taking_part)]
        speaks = self.weights[np.searchsorted(self.taking_part, known), column[0]]
        order = np.argsort(-speaks, kind="stable")[:most]
        strongest: NDArray[np.int64] = known[order[speaks[order] > 0]]
        return strongest


def trusted(scores: NDArray[np.float32], frequency: NDArray[np.int64]) -> NDArray[np.float32]:
    """min(s, 1) · n / (n + λ) of scores (b, L): what is left of them for labels that n rows carry.

    A least-squares score beyond 1 says no more than 1. Of a label that few rows carry little was learned: its score is
    the guess, which one near row can make large. λ is the ridge, the number of rows' worth of doubt.

    >>> trusted(np.array([[1.3, 1.3, 0.5]], np.float32), np.array([980, 5, 20])).round(2).tolist()
    [[0.9800000190734863, 0.20000000298023224, 0.25]]
    """
    trust = (frequency / (frequency + _RIDGE)).astype(np.float32)
    return np.minimum(scores, np.float32(1)) * trust


def most_frequent(Y: sp.csr_array, most: int) -> NDArray[np.int64]:
    """Numbers of the most frequent labels, ascending; labels that nobody carries are left out."""
    frequency = np.bincount(Y.indices, minlength=Y.shape[1])
    order = np.argsort(-frequency, kind="stable")[:most]
    return np.sort(order[frequency[order] > 0])


def _ratio(together: float, squares: float) -> float:
    return float(together / squares) if squares > 0 else 0.0
