"""Semi-supervised AUC over kernel matrices, one function per split: M-PNU-AUC and M-SAMULT.

Both treat the k − 1 splits of ordered classes as binary problems of their own (positives P above the split, negatives N
below it, unlabelled rows U) with the squared pairwise loss, and fit one function per split in the space of the full
kernel: an n × n matrix over labelled and unlabelled rows and an O(n³) solve, which is why they stop at a few thousand
rows. With R_AB = E_A E_B (1 − f(a) + f(b))² and π the share of positives,

    M-SAMULT     γ R_PN + (1 − γ) (R_PU + R_NU − ½)                                   (Xie and Li 2018)
    M-PNU-AUC    (1 − |η|) R_PN + |η| R_PU',  R_PU' = (R_PU − π R_PP) / (1 − π)        for η ≥ 0,
                 with R_NU' = (R_NU − (1 − π) R_NN) / π in place of R_PU' for η < 0    (Sakai, Niu, Sugiyama 2018)

The second is unbiased for any loss and needs π; its quadratic form need not be positive, so negative curvature is cut
off at zero, as a solver of the regularised problem must.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from tacit.errors import InputError
from tacit.features.nystrom import NystromFeatures
from tacit.features.scaling import Scaling
from tacit.solvers.thresholds import thresholds
from tacit.threads import single_threaded_blas

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

LARGEST = 6_000
"""Rows at most: the kernel matrix of 6,000 rows and its eigenvectors take about a gigabyte."""


@dataclass(eq=False, repr=False)
class _SplitwiseAUC(BaseEstimator):  # type: ignore[misc]
    """One kernel function per split; classes by thresholds on their mean.

    ``fit(X, y)`` takes y = −1 as unlabelled and classes 0 … k−1; ``split_scores(X)`` is (n, k − 1).
    """

    bandwidth: float = 1.0
    regularization: float = 0.1

    def fit(self, X: Any, y: Any) -> Self:
        rows = np.asarray(X, dtype=np.float64)
        codes = np.asarray(y)
        if len(rows) > LARGEST:
            raise InputError(
                f"{type(self).__name__} holds the kernel matrix of all rows and stops at {LARGEST} of them, but X has "
                f"{len(rows)}; draw fewer unlabelled rows or use tacit.OrdinalRanker."
            )
        self._scaling = Scaling.of(rows, np.ones(len(rows)))
        scaled = self._scaling.divide(rows)
        with single_threaded_blas():
            self._features = NystromFeatures("gaussian", self.bandwidth, scaled)
            mapped = self._features.transform(scaled)
            count = int(codes.max()) + 1
            self.coefficients_ = np.stack(
                [self._solve(mapped, codes, split) for split in range(count - 1)], axis=1
            )  # fmt: skip
        known = codes >= 0
        score = (mapped[known] @ self.coefficients_).mean(axis=1)
        self.thresholds_ = thresholds(score, codes[known].astype(np.intp), np.ones(len(score)), count)
        return self

    def split_scores(self, X: Any) -> Matrix:
        """f_j of every row, one column per split."""
        rows = self._scaling.divide(np.asarray(X, dtype=np.float64))
        return self._features.transform(rows) @ self.coefficients_

    def rank_score(self, X: Any) -> Vector:
        """The mean of the splits' functions."""
        return np.asarray(self.split_scores(X).mean(axis=1))

    def predict(self, X: Any) -> NDArray[np.intp]:
        return np.searchsorted(self.thresholds_, self.rank_score(X), side="left")

    def _solve(self, mapped: Matrix, codes: NDArray[Any], split: int) -> Vector:
        positive, negative, free = mapped[codes > split], mapped[(codes >= 0) & (codes <= split)], mapped[codes < 0]
        if not len(positive) or not len(negative):
            # No row of a class that nobody labelled: this split ranks nothing.
            return np.zeros(mapped.shape[1])
        quadratic, linear = self._objective(positive, negative, free)
        values, vectors = scipy.linalg.eigh(quadratic, driver="evd")
        factors = 2.0 / (self.regularization + 2.0 * np.maximum(values, 0.0))
        return np.asarray(vectors @ (factors * (vectors.T @ linear)))

    def _objective(self, positive: Matrix, negative: Matrix, free: Matrix) -> tuple[Matrix, Vector]:
        raise NotImplementedError


@dataclass(eq=False, repr=False)
class MSAMULT(_SplitwiseAUC):
    """M-SAMULT; ``labelled_weight`` is γ.

    >>> X = np.arange(12.0)[:, None]
    >>> model = MSAMULT(bandwidth=1.0).fit(X, [0, 0, -1, -1, 1, 1, -1, -1, 2, 2, -1, -1])
    >>> model.predict(X[[0, 5, 9]])
    array([0, 1, 2])
    """

    labelled_weight: float = 0.5

    def _objective(self, positive: Matrix, negative: Matrix, free: Matrix) -> tuple[Matrix, Vector]:
        quadratic, linear = pair_terms(positive, negative)
        if not len(free):
            return quadratic, linear
        upper, lower = pair_terms(positive, free), pair_terms(free, negative)
        gamma = self.labelled_weight
        return gamma * quadratic + (1 - gamma) * (upper[0] + lower[0]), linear


@dataclass(eq=False, repr=False)
class MPNUAUC(_SplitwiseAUC):
    """M-PNU-AUC; ``mix`` is η in [−1, 1]: positive takes positives against unlabelled rows, negative the others.

    >>> X = np.arange(12.0)[:, None]
    >>> model = MPNUAUC(bandwidth=1.0).fit(X, [0, 0, -1, -1, 1, 1, -1, -1, 2, 2, -1, -1])
    >>> model.predict(X[[0, 5, 9]])
    array([0, 1, 2])
    """

    mix: float = 0.5

    def _objective(self, positive: Matrix, negative: Matrix, free: Matrix) -> tuple[Matrix, Vector]:
        quadratic, linear = pair_terms(positive, negative)
        if not len(free) or self.mix == 0:
            return quadratic, linear
        share = len(positive) / (len(positive) + len(negative))
        if self.mix > 0:
            pairs, own, weight = pair_terms(positive, free), pair_terms(positive, positive), share
        else:
            pairs, own, weight = pair_terms(free, negative), pair_terms(negative, negative), 1 - share
        mixed = [(pair - weight * same) / (1 - weight) for pair, same in zip(pairs, own)]
        part = abs(self.mix)
        return (1 - part) * quadratic + part * mixed[0], (1 - part) * linear + part * mixed[1]


def pair_terms(high: Matrix, low: Matrix) -> tuple[Matrix, Vector]:
    """A and c of R_AB = 1 − 2⟨c, w⟩ + wᵀAw for rows of two sets; one set twice stands for independent pairs of it."""
    mean_high, mean_low = high.mean(axis=0), low.mean(axis=0)
    second = high.T @ high / len(high) + low.T @ low / len(low)
    cross = np.outer(mean_high, mean_low)
    return second - cross - cross.T, mean_high - mean_low
