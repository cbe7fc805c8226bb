"""The exact minimiser of the ordinal AUC risk over all pairs, and its path over λ.

Setting the gradient of L(w) = λ/2 ‖w‖² + wᵀAw − 2⟨c, w⟩ to zero gives (λ I + 2A) w = 2c. With A = V diag(e) Vᵀ,

    w(λ) = V diag(2 / (λ + 2e)) Vᵀ c,

so one eigendecomposition serves every λ; a single λ is solved by Cholesky.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from tacit.errors import DivergedError, InputError
from tacit.features.feature_moments import FeatureMap, group_means, moments
from tacit.objective.pairwise import Moments, Splits, matched_priors
from tacit.threads import single_threaded_blas

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


def solve_path(quadratic: Matrix, linear: Vector, regularizations: Sequence[float]) -> Matrix:
    """w(λ) for every λ, as columns, shape (D, number of λ).

    >>> solve_path(np.eye(1), np.ones(1), [2.0, 8.0])
    array([[0.5, 0.2]])
    """
    if min(regularizations) <= 0:
        raise InputError(f"regularization must be positive, not {min(regularizations):g}.")
    if not (np.isfinite(quadratic).all() and np.isfinite(linear).all()):
        raise DivergedError(
            "The second moments of the features are not finite in the exact solve: scale the columns of X "
            "(standardize=True) or remove extreme values."
        )
    with single_threaded_blas():
        if len(regularizations) == 1:
            shifted = 2 * quadratic
            np.fill_diagonal(shifted, shifted.diagonal() + regularizations[0])
            # Ten times cheaper than eigenvectors; it fails where λ is lost in the rounding of A, which they survive.
            with suppress(scipy.linalg.LinAlgError):
                factor = scipy.linalg.cho_factor(shifted, overwrite_a=True, check_finite=False)
                return np.asarray(scipy.linalg.cho_solve(factor, 2 * linear, check_finite=False))[:, None]
        values, vectors = scipy.linalg.eigh(quadratic, driver="evd", check_finite=False)
        # A is a mean of squares: what is below zero is rounding.
        values = np.maximum(values, 0.0)
        factors = 2.0 / (np.asarray(regularizations)[None, :] + 2.0 * values[:, None])
        return np.asarray(vectors @ (factors * (vectors.T @ linear)[:, None]))


def collect_moments(
    table: Any,
    codes: NDArray[np.intp],
    weights: Vector,
    count: int,
    features: FeatureMap,
    *,
    priors: Vector | None = None,
    match: bool = False,
    unlabelled: tuple[Vector, Matrix] | None = None,
    threads: int = 0,
) -> Moments:
    """Moments of all classes and of the unlabelled rows.

    Parameters
    ----------
    codes : class numbers 0 … count−1 of the rows, −1 where unlabelled
    weights : one positive weight per row
    priors : class priors θ; by default the weighted shares of the labels
    match : take the priors that match the unlabelled mean instead
    unlabelled : mean and second moment of the unlabelled rows where they are known already
    """
    labelled = np.flatnonzero(codes >= 0)
    label, weight = codes[labelled], weights[labelled]
    totals = class_totals(codes, weights, count)
    shares = weight / totals[label]
    rest = np.flatnonzero(codes < 0)
    if unlabelled is None and len(rest):
        unlabelled = unlabelled_moments(table, rest, weights[rest], features, threads)
    if match and unlabelled is not None:
        means = group_means(table, labelled, shares, label, count, features, threads)
        priors = matched_priors(means, unlabelled[0], totals > 0)
    splits = Splits.of(present_priors(totals, priors))
    second_shares = splits.class_weight[label] * shares
    means, second = moments(table, labelled, shares, label, count, second_shares, features, threads)
    mean_u, second_u = unlabelled if unlabelled is not None else (None, None)
    return Moments(splits, means, second, mean_u, second_u)


def unlabelled_moments(
    table: Any, rows: NDArray[np.intp], weights: Vector, features: FeatureMap, threads: int = 0
) -> tuple[Vector, Matrix]:
    """Mean and second moment of φ over the unlabelled rows."""
    shares = weights / weights.sum()
    groups = np.zeros(len(rows), dtype=np.intp)
    means, second = moments(table, rows, shares, groups, 1, shares, features, threads)
    return means[0], second


def class_totals(codes: NDArray[np.intp], weights: Vector, count: int) -> Vector:
    """The weight of every class among the labelled rows."""
    known = codes >= 0
    return np.bincount(codes[known], weights=weights[known], minlength=count).astype(np.float64)


def present_priors(totals: Vector, priors: Vector | None) -> Vector:
    """Priors of the classes that have labels: those given or the labels' own shares, summing to one."""
    shares = totals if priors is None else np.where(totals > 0, priors, 0.0)
    if shares.sum() <= 0:
        raise InputError("class_priors are zero for every class that has labelled rows; give positive shares.")
    return np.asarray(shares / shares.sum())
