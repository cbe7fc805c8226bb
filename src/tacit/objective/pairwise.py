"""The whole-data ordinal AUC risk as a quadratic in the coefficients.

k ordered classes make k − 1 splits; split j calls the classes above j positive (P) and the others negative (N), U are
the unlabelled rows. With f(x) = ⟨w, φ(x)⟩ and the squared pairwise loss l(u, v) = (1 − u + v)², Eqs. 7 to 9 of
QS³ORAO read

    L(w) = λ/2 ‖w‖² + 1/(k−1) Σ_j [ γ_j R_PN + (1 − γ_j) (R_PU + R_NU − ½) ],
    R_AB = E_{a∈A} E_{b∈B} l(f(a), f(b)) = 1 − 2 ⟨w, m_A − m_B⟩ + wᵀ (S_A + S_B − m_A m_Bᵀ − m_B m_Aᵀ) w,

where m and S are mean and second moment of φ over a set. So every pair of rows is counted, and only moments enter:

    L(w) = λ/2 ‖w‖² + wᵀ A w − 2 ⟨c, w⟩ + constant,
    c = 1/(k−1) Σ_j (m_P − m_N)                       (the unlabelled mean cancels: c does not depend on γ)
    A = S_L + 2 (1 − mean γ) S_U − cross terms of the means,
    S_L = 1/(k−1) Σ_j (S_P + S_N) = Σ_i a_i S_i        (nor do the classes' own second moments)

Only two D×D matrices are needed, one of the labelled rows (weighted by a_i) and one of the unlabelled, and k + 1 means.
Positives of split j are the mixture of the classes above j by their priors θ_i, negatives of the others.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


LEAST_SHARE = 0.01
"""Of a class with labels, where shares are matched to the unlabelled rows; at zero its split could not be ranked."""


@dataclass(frozen=True)
class Splits:
    """The k − 1 binary problems, as weights of the classes.

    ``positive[j, i]`` is the share of class i among the positives of split j, ``negative`` likewise: rows sum to one.
    ``kept`` numbers the splits that have both sides; the others (all classes on one side are absent) are left out.
    """

    priors: Vector
    positive: Matrix
    negative: Matrix
    kept: NDArray[np.intp]

    @classmethod
    def of(cls, priors: Vector) -> "Splits":
        """From class priors θ; an absent class has the prior 0.

        >>> Splits.of(np.array([0.5, 0.25, 0.25])).positive
        array([[0. , 0.5, 0.5],
               [0. , 0. , 1. ]])
        """
        k = len(priors)
        above = np.triu(np.ones((k - 1, k)), 1) * priors
        below = np.tril(np.ones((k - 1, k))) * priors
        kept = np.flatnonzero((above.sum(axis=1) > 0) & (below.sum(axis=1) > 0))
        if len(kept) == 0:
            raise InputError("y must hold at least two classes among its labelled rows; one class cannot be ranked.")
        above, below = above[kept], below[kept]
        positive, negative = (side / side.sum(axis=1, keepdims=True) for side in (above, below))
        return cls(priors, positive, negative, kept)

    @property
    def count(self) -> int:
        return len(self.kept)

    @property
    def class_weight(self) -> Vector:
        """a_i: the weight of class i's second moment in S_L."""
        return np.asarray((self.positive + self.negative).mean(axis=0))


@dataclass(frozen=True)
class Moments:
    """What the risk needs of the data.

    ``class_means`` (k, D); ``labelled_second`` (D, D) is S_L; ``unlabelled_mean`` (D,) and ``unlabelled_second``
    (D, D) are None where there are no unlabelled rows.
    """

    splits: Splits
    class_means: Matrix
    labelled_second: Matrix
    unlabelled_mean: Vector | None = None
    unlabelled_second: Matrix | None = None

    def linear(self) -> Vector:
        """c."""
        differences = (self.splits.positive - self.splits.negative) @ self.class_means
        return np.asarray(differences.mean(axis=0))

    def quadratic(self, labelled_weight: Vector) -> Matrix:
        """A for γ = ``labelled_weight``, one number per kept split."""
        positive = self.splits.positive @ self.class_means
        negative = self.splits.negative @ self.class_means
        cross = (positive.T * labelled_weight) @ negative
        result = np.array(self.labelled_second)
        if np.any(labelled_weight < 1):
            if self.unlabelled_mean is None or self.unlabelled_second is None:
                raise InputError("unlabelled_weight must be 0 where no row is unlabelled.")
            unlabelled = 1 - labelled_weight
            result += 2 * unlabelled.mean() * self.unlabelled_second
            cross += np.outer(unlabelled @ (positive + negative), self.unlabelled_mean)
        cross /= self.splits.count
        result -= cross + cross.T
        return result

    def risk(self, coefficients: Vector, labelled_weight: Vector, regularization: float = 0.0) -> float:
        """L(w) of Eq. 9, constants included."""
        w = coefficients
        # R_PN contributes the constant 1, R_PU + R_NU − ½ contributes 3/2.
        constant = float(np.mean(labelled_weight + 1.5 * (1 - labelled_weight)))
        data = constant - 2 * self.linear() @ w + w @ self.quadratic(labelled_weight) @ w
        return float(data + regularization / 2 * w @ w)


def matched_priors(class_means: Matrix, unlabelled_mean: Vector, present: NDArray[np.bool_]) -> Vector:
    """Class priors under which the labelled classes, mixed, look like the unlabelled rows.

    minimise ‖Σ_i θ_i m_i − m_U‖² over the simplex: kernel mean matching, with the means that are at hand anyway. A
    class that has labels exists, so none of them gets less than ``LEAST_SHARE``.

    >>> matched_priors(np.eye(2), np.array([0.3, 0.7]), np.array([True, True])).round(6)
    array([0.3, 0.7])
    """
    from scipy.optimize import nnls

    means = class_means[present]
    # A heavily weighted last equation holds the sum at one; non-negative least squares does the rest.
    heavy = 1e4 * max(float(np.abs(means).max()), 1e-12)
    system = np.vstack([means.T, np.full((1, len(means)), heavy)])
    shares, _ = nnls(system, np.append(unlabelled_mean, heavy))
    shares = np.maximum(shares / shares.sum(), LEAST_SHARE)
    priors = np.zeros(len(class_means))
    priors[present] = shares / shares.sum()
    return priors


def batch_risk(
    scores: Vector, codes: NDArray[np.intp], shares: Vector, splits: Splits, labelled_weight: Vector
) -> tuple[float, Vector]:
    """The data term of Eq. 9 over all pairs of a batch, and its derivative by every score.

    Parameters
    ----------
    scores, codes : f(x) of the rows and their classes, −1 where unlabelled
    shares : weights of the rows, summing to one within every class and within the unlabelled rows

    The derivatives are l'₁ … l'₆ of Eq. 10 summed over the pairs that a row is in. The squared loss makes them linear
    in the other side's mean score, so a batch of b rows costs O(b) and not O(b²):

        class i       2 share [a_i f + Σ_j neg_ji (1 − γ_j f̄_P − (1−γ_j) f̄_U) − pos_ji (1 + γ_j f̄_N + (1−γ_j) f̄_U)]
        unlabelled    2 share Σ_j (1−γ_j) (2f − f̄_P − f̄_N)

    where Σ_j stands for the mean over the splits.
    """
    count = splits.positive.shape[1]
    known = codes >= 0
    unlabelled_part = 1 - labelled_weight
    sums = np.bincount(codes[known], weights=(shares * scores)[known], minlength=count)
    squares = np.bincount(codes[known], weights=(shares * scores**2)[known], minlength=count)
    high, low = splits.positive @ sums, splits.negative @ sums
    rest, rest_share = scores[~known], shares[~known]
    middle = float(rest_share @ rest)
    spread = splits.positive @ squares + splits.negative @ squares
    labelled_risk = 1 - 2 * (high - low) + spread - 2 * high * low
    mixed_risk = 1.5 - 2 * (high - low) + spread + 2 * float(rest_share @ rest**2) - 2 * middle * (high + low)
    value = float(np.mean(labelled_weight * labelled_risk + unlabelled_part * mixed_risk))
    pull = splits.negative.T @ (1 - labelled_weight * high - unlabelled_part * middle)
    pull -= splits.positive.T @ (1 + labelled_weight * low + unlabelled_part * middle)
    pull /= splits.count
    slopes = np.empty_like(scores)
    slopes[known] = 2 * shares[known] * (splits.class_weight[codes[known]] * scores[known] + pull[codes[known]])
    offset = float(np.mean(unlabelled_part * (high + low)))
    slopes[~known] = 2 * rest_share * (2 * unlabelled_part.mean() * rest - offset)
    return value, slopes
