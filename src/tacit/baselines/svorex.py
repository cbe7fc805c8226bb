"""SVOREX: support vector ordinal regression with explicit constraints (Chu and Keerthi 2007).

    minimise ½‖w‖² + C Σ_j [ Σ_{y = j} max(0, 1 + f(x) − b_j) + Σ_{y = j+1} max(0, 1 − f(x) + b_j) ],  b_j ≤ b_{j+1}

Threshold j sees the rows of the two classes beside it. A row with the threshold's number as one more coordinate, very
long so that its coefficient is all but free of charge, turns this into one binary support vector machine on at most 2n
rows (the reduction of Li and Lin), which libsvm solves. Where thresholds come out in the wrong order the constraint
between them is active: they are tied together and the problem is solved again. Labelled rows only.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.svm import SVC

from tacit.errors import InputError
from tacit.features.nystrom import kernel_matrix
from tacit.features.scaling import Scaling

LARGEST = 5_000
"""Labelled rows at most: the reduction holds a kernel matrix of up to 10,000 × 10,000."""

_THRESHOLD_LENGTH = 1e3
"""Squared length of a threshold's coordinate: its penalty is a thousandth of that on a unit of score."""


class SVOREX(BaseEstimator):  # type: ignore[misc]
    """Support vector ordinal regression with explicit constraints; y holds classes 0 … k−1, and −1 is left out.

    >>> X = np.arange(9.0)[:, None]
    >>> SVOREX(bandwidth=1.0, C=10.0).fit(X, [0, 0, 0, 1, 1, 1, 2, 2, 2]).predict(X[[0, 4, 8]])
    array([0, 1, 2])
    """

    def __init__(self, bandwidth: float = 1.0, C: float = 1.0) -> None:
        self.bandwidth = bandwidth
        self.C = C

    def fit(self, X: Any, y: Any) -> Self:
        codes = np.asarray(y)
        known = codes >= 0
        rows, codes = np.asarray(X, dtype=np.float64)[known], codes[known]
        if len(rows) > LARGEST:
            raise InputError(
                f"SVOREX holds a kernel matrix and stops at {LARGEST} labelled rows, but y has {len(rows)}; give fewer "
                "or use tacit.OrdinalRanker."
            )
        self._scaling = Scaling.of(rows, np.ones(len(rows)))
        self._rows = self._scaling.divide(rows)
        kernel = kernel_matrix("gaussian", self._rows, self._rows, self.bandwidth)
        count = int(codes.max()) + 1
        # Every row meets the threshold above its class (from below) and the one below it (from above).
        below, above = np.flatnonzero(codes < count - 1), np.flatnonzero(codes > 0)
        source = np.concatenate([below, above])
        border = np.concatenate([codes[below], codes[above] - 1])
        side = np.concatenate([-np.ones(len(below)), np.ones(len(above))])
        tied = np.arange(count - 1)
        while True:
            same = tied[border][:, None] == tied[border][None, :]
            machine = SVC(C=self.C, kernel="precomputed", cache_size=200)
            machine.fit(kernel[np.ix_(source, source)] + _THRESHOLD_LENGTH * same, side)
            weights = np.zeros(len(source))
            weights[machine.support_] = machine.dual_coef_[0]
            self.thresholds_ = np.array(
                [-_THRESHOLD_LENGTH * weights[tied[border] == tied[j]].sum() - machine.intercept_[0]
                 for j in range(count - 1)]
            )  # fmt: skip
            wrong = np.flatnonzero(np.diff(self.thresholds_) < -1e-9)
            if not len(wrong):
                break
            tied[tied == tied[wrong[0] + 1]] = tied[wrong[0]]
        self.coefficients_ = np.bincount(source, weights=weights, minlength=len(rows))
        return self

    def rank_score(self, X: Any) -> NDArray[np.float64]:
        rows = self._scaling.divide(np.asarray(X, dtype=np.float64))
        return np.asarray(kernel_matrix("gaussian", rows, self._rows, self.bandwidth) @ self.coefficients_)

    def predict(self, X: Any) -> NDArray[np.intp]:
        return np.searchsorted(self.thresholds_, self.rank_score(X), side="left")
