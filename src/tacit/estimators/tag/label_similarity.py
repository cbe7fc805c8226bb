"""Rows that are alike by their labels: a kernel tagger's second look.

Two texts without a common word are strangers to a cosine, even where both speak of the same labels. A first model
knows what they speak of. It gives row x the scores s_y(x), and what is positive of them makes a profile of length one,

    z_y(x) ∝ max(s_y(x), 0)^¾.

A power of 1 lets the first label of a row stand for all of it, and a lower one counts labels that little speaks for. A
second model compares rows by both cosines,

    k(x, x') = exp(γ ((1 − μ) cos(x, x') + μ cos(z, z') − 1)),

the Gaussian kernel of the rows [√(1 − μ) x, √μ z], so rows that nothing is said of are compared as empty rows are.

A row that the first model learned from would be given the labels that it was told, and a new row cannot expect that
much. So z of the training rows comes from their leave-one-out scores, which the Cholesky factor gives at once, as in
stacking (Wolpert 1992). Bandwidth, ridge and targets are those of the first model.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import threads as pool
from tacit.features.joined_rows import JoinedRows

Array = NDArray[np.float32]

SHARE = 0.3
"""μ where it is not given; it and the power of scores are the best on validation rows of ten sets."""
LEAST_ROWS = 500
"""With fewer, a first model says too little about labels: 0.2 points of nDCG@5 are lost with 150 rows (seven sets)."""
_ROWS = 512


@dataclass(frozen=True)
class FirstModel:
    """What rows are compared by beside their features.

    share : μ; coefficients : (points, L) of the first model; profiles : (points, L) z of the points.
    Labels that joined later are not among the L, and points that joined later have no weight in the first model.
    """

    share: float
    coefficients: Array
    profiles: Array

    def joined(self, rows: sp.csr_array, profiles: Array) -> JoinedRows:
        """Rows and their z, as the second model compares them."""
        return JoinedRows(rows, profiles, self.share)

    def followed_by(self, profiles: Array) -> "FirstModel":
        """The same with more points."""
        coefficients = np.pad(self.coefficients, ((0, len(profiles)), (0, 0)))
        return FirstModel(self.share, coefficients, np.concatenate((self.profiles, profiles)))


def label_profiles(scores: Array) -> Array:
    """z (n, L) in the place of the scores.

    >>> label_profiles(np.array([[1.0, 1.0, -2.0], [-1.0, 0.0, 0.0]], np.float32)).astype(float).round(2).tolist()
    [[0.71, 0.71, 0.0], [0.0, 0.0, 0.0]]
    """
    np.maximum(scores, 0.0, out=scores)
    # Their largest is one before powers and squares are taken, which then stay within single precision.
    largest = scores.max(axis=1, keepdims=True, initial=0.0)
    np.divide(scores, largest, out=scores, where=largest > 0)
    # x^¾ by two roots, whose bits do not depend on how many are taken at once.
    roots = np.sqrt(scores)
    np.multiply(roots, np.sqrt(roots), out=scores)
    length = np.sqrt(np.square(scores).sum(axis=1, keepdims=True))
    np.divide(scores, length, out=scores, where=length > 0)
    return scores


def left_out_profiles(inverse: NDArray[Any], Y: sp.csr_array, weights: Array, targets: Array, threads: int) -> Array:
    """z (n, L) of the training rows, each by a model that never saw it.

    Parameters
    ----------
    inverse : (n,) diagonal of (K + λI)⁻¹
    Y : (n, L) known labels; weights : (n, L) the model's, before ``targets`` (L,) are multiplied in
    """
    profiles = np.empty(weights.shape, np.float32)

    def fill(first: int, last: int) -> None:
        left = Y[first:last].toarray() - weights[first:last] / inverse[first:last, None]
        profiles[first:last] = label_profiles(np.asarray(left * targets, dtype=np.float32))

    pool.run(fill, pool.even_chunks(len(profiles), _ROWS), threads)
    return profiles
