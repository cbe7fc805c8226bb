"""Ordinal regression by the all-threshold logistic loss, on any feature map, and its path over λ.

Every labelled row should lie on the right side of every threshold b_j:

    J(w, b) = λ/2 ‖w‖² + Σ_i ω_i Σ_j log(1 + exp(−s_ij (⟨w, φ(x_i)⟩ − b_j)))

with s_ij = 1 where y_i > j and −1 elsewhere, and row weights ω that sum to one. The squared pairwise loss also punishes
pairs that are in the right order by far, so a few rows with very large scores distort it; this loss hardly punishes
them.

J is convex and has no closed form. Newton's method runs in the eigenbasis of its greatest curvature,

    M = (k−1)/4 Σ_i ω_i φ_i φ_iᵀ,        λ I ⪯ ∇² J ⪯ λ I + M        (in w),

where a direction with an eigenvalue far below λ cannot move the score and is left out: the path over λ, from the
strongest to the weakest and each from the one before, starts small and grows.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.special import expit

from tacit.errors import DivergedError, InputError
from tacit.solvers.backtracking import backtrack
from tacit.threads import single_threaded_blas

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Codes = NDArray[np.intp]

_FREE = 1e-6
"""λ of a slope that is all but free; it keeps the slope finite where the scores part the classes."""
_FEWEST = 32
"""Directions that are never left out: under a strong λ all of them move little, and still make the order."""
_MOST_STEPS = 100
_SUFFICIENT = 1e-4
_TRIALS = 15
_KEPT = 0.4
"""A Hessian is used again while every step promises at most this share of the one before."""


def solve_logistic_path(
    mapped: Matrix, codes: Codes, weights: Vector, regularizations: Sequence[float], tolerance: float = 1e-8,
    *, principal: bool = False,
) -> Matrix:  # fmt: skip
    """w(λ) for every λ, as columns, shape (D, number of λ).

    Parameters
    ----------
    mapped, codes, weights : features (n, D), class numbers and positive weights of the labelled rows
    tolerance : Newton stops where half its squared decrement, about what is left to gain in J, is below this;
        directions whose curvature is below its square root times λ are left out
    principal : the features are along principal axes already, greatest first, as far as it matters

    >>> rows = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> w = solve_logistic_path(rows, np.array([0, 1, 0, 1]), np.ones(4), [1.0, 0.01])
    >>> bool(0 < w[0, 0] < w[0, 1])
    True
    """
    if min(regularizations) <= 0:
        raise InputError(f"regularization must be positive, not {min(regularizations):g}.")
    if not np.isfinite(mapped).all():
        raise DivergedError(
            "The features of the labelled rows are not finite in the logistic solve: scale the columns of X "
            "(standardize=True) or remove extreme values."
        )
    result = np.zeros((mapped.shape[1], len(regularizations)))
    with single_threaded_blas():
        problem = Problem.of(mapped, codes, weights, principal)
        w = np.zeros(0)
        cuts = problem.plain_thresholds()
        for index in np.argsort(regularizations)[::-1]:
            strength = float(regularizations[index])
            # A direction whose curvature is a small share of λ moves by about that share of what it would unpenalised.
            felt = np.flatnonzero(problem.curvature > tolerance**0.5 * strength)
            size = min(max(int(np.max(felt, initial=0)) + 1, _FEWEST), len(problem.curvature))
            w, cuts = _newton(problem.first(size), np.pad(w, (0, size - len(w))), cuts, strength, tolerance)
            result[:, index] = problem.turn_back(w)
    return result


def logistic_cuts(scores: Vector, codes: Codes, weights: Vector) -> Vector | None:
    """Thresholds on given scores by the same loss, with a free slope: where classes above and below are equally likely.

    One for every split between the lowest and the highest class of ``codes``; None where the scores do not rise with
    the classes, since a falling slope has no thresholds in order.

    >>> logistic_cuts(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0, 1, 0, 1]), np.ones(4)).round(6)
    array([1.5])
    """
    shares = weights / weights.sum()
    middle = float(shares @ scores)
    spread = float(shares @ (scores - middle) ** 2) ** 0.5
    if spread == 0:
        return None
    problem = Problem.of((scores[:, None] - middle) / spread, codes, weights)
    w, cuts = _newton(problem, np.zeros(1), problem.plain_thresholds(), _FREE, 1e-12)
    slope = float(problem.turn_back(w)[0])
    return np.asarray(middle + spread * cuts / slope) if slope > _FREE else None


def principal_axes(mapped: Matrix, shares: Vector) -> tuple[Vector, Matrix]:
    """Eigenvalues and eigenvectors of Σ share φ φᵀ, greatest first.

    >>> principal_axes(np.array([[0.0, 2.0], [1.0, 0.0]]), np.array([0.5, 0.5]))[0]
    array([2. , 0.5])
    """
    rooted = mapped * np.sqrt(shares)[:, None]
    values, vectors = scipy.linalg.eigh(rooted.T @ rooted, driver="evd", check_finite=False)
    return values[::-1], np.ascontiguousarray(vectors[:, ::-1])


@dataclass(frozen=True)
class Problem:
    """Rows in the eigenbasis of M, greatest curvature first; ``signs`` are s_ij of the splits that have both sides.

    ``basis`` is None where the rows came along such axes.
    """

    basis: Matrix | None
    curvature: Vector
    rows: Matrix
    signs: Matrix
    shares: Vector

    @classmethod
    def of(cls, mapped: Matrix, codes: Codes, weights: Vector, principal: bool = False) -> Self:
        shares = weights / weights.sum()
        borders = np.arange(codes.min(), codes.max())
        signs = np.where(codes[:, None] > borders, 1.0, -1.0)
        if principal:
            return cls(None, len(borders) / 4 * (shares @ np.square(mapped)), mapped, signs, shares)
        values, basis = principal_axes(mapped, shares)
        return cls(basis, len(borders) / 4 * values, mapped @ basis, signs, shares)

    def turn_back(self, w: Vector) -> Vector:
        """Coefficients of the first directions as coefficients of the features."""
        if self.basis is None:
            return np.pad(w, (0, len(self.curvature) - len(w)))
        return np.asarray(self.basis[:, : len(w)] @ w)

    def first(self, size: int) -> Self:
        """The same in the first ``size`` directions."""
        return type(self)(self.basis, self.curvature, self.rows[:, :size], self.signs, self.shares)

    def plain_thresholds(self) -> Vector:
        """The best thresholds of the score zero: minus the logits of the shares above."""
        above = self.shares @ (self.signs > 0)
        return np.asarray(np.log1p(-above) - np.log(above))

    def value(self, w: Vector, cuts: Vector, strength: float) -> float:
        """J."""
        margins = self.signs * ((self.rows @ w)[:, None] - cuts)
        return float(self.shares @ np.logaddexp(0.0, -margins).sum(axis=1)) + strength / 2 * float(w @ w)

    def gradient(self, w: Vector, cuts: Vector, strength: float) -> Vector:
        """Derivatives of J by (w, b)."""
        slopes = -self.shares[:, None] * self.signs * self._misses(w, cuts)
        return np.concatenate([self.rows.T @ slopes.sum(axis=1) + strength * w, -slopes.sum(axis=0)])

    def hessian(self, w: Vector, cuts: Vector, strength: float) -> Matrix:
        """Second derivatives of J by (w, b)."""
        size = len(w)
        misses = self._misses(w, cuts)
        bends = self.shares[:, None] * misses * (1 - misses)
        result = np.zeros((size + len(cuts), size + len(cuts)))
        rooted = self.rows * np.sqrt(bends.sum(axis=1))[:, None]
        result[:size, :size] = rooted.T @ rooted
        result[:size, size:] = -(self.rows.T @ bends)
        result[size:, :size] = result[:size, size:].T
        result[np.diag_indices(len(result))] += np.concatenate([np.full(size, strength), bends.sum(axis=0)])
        return result

    def _misses(self, w: Vector, cuts: Vector) -> Matrix:
        """How likely every row is held to be on the wrong side of every threshold."""
        return np.asarray(expit(-self.signs * ((self.rows @ w)[:, None] - cuts)))


def _newton(problem: Problem, w: Vector, cuts: Vector, strength: float, tolerance: float) -> tuple[Vector, Vector]:
    """Newton's method; a step is halved until it keeps a ten-thousandth of what its slope promises.

    A score of zero has to move: under a strong λ there is little to gain in J, and yet an order to find.
    """
    value = problem.value(w, cuts, strength)
    if not np.isfinite(value):
        raise DivergedError(
            "The logistic loss is not finite in Newton's method: scale the columns of X (standardize=True), raise "
            "regularization or use loss='square'."
        )
    factor: Any = None
    before = 0.0
    for _ in range(_MOST_STEPS):
        gradient = problem.gradient(w, cuts, strength)
        promise = 0.0
        if factor is not None:
            step = np.asarray(scipy.linalg.cho_solve(factor, gradient, check_finite=False))
            promise = float(gradient @ step)
        if factor is None or not promise <= _KEPT * before:
            factor = _factor(problem.hessian(w, cuts, strength))
            step = np.asarray(scipy.linalg.cho_solve(factor, gradient, check_finite=False))
            promise = float(gradient @ step)
        if not promise / 2 > tolerance and w.any():
            break
        along = functools.partial(_value_along, problem, w, cuts, step, strength)
        length, new = backtrack(along, value, -promise, sufficient=_SUFFICIENT, trials=_TRIALS)
        if not new < value:
            break
        w, cuts, value, before = w - length * step[: len(w)], cuts - length * step[len(w) :], new, promise
    return w, cuts


def _value_along(problem: Problem, w: Vector, cuts: Vector, step: Vector, strength: float, length: float) -> float:
    return problem.value(w - length * step[: len(w)], cuts - length * step[len(w) :], strength)


def _factor(hessian: Matrix) -> Any:
    """Cholesky's. Where rows are parted so well that rounding eats the curvature, a shade of it is put back."""
    shade = 0.0
    while True:
        try:
            shaded = hessian + shade * np.eye(len(hessian)) if shade else hessian
            return scipy.linalg.cho_factor(shaded, check_finite=False)
        except scipy.linalg.LinAlgError:
            shade = max(10 * shade, 1e-12 * float(np.trace(hessian)))
