"""From a matrix of positives and a handful of parameters to the objective.

A recipe is measured once, on the training data: how much rows and columns of which frequency weigh, and how strongly
they are held back. It then serves rows and columns that come later, so that folding in a training row repeats exactly
the problem that training solved.
"""

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.objective import losses
from tacit.objective.losses import Loss
from tacit.objective.penalties import ridge_scale
from tacit.objective.weights import FrequencyWeight, PositiveWeight, of_positives
from tacit.objective.whole_data import Side, WholeData

Array = NDArray[Any]

UNLABELLED_TOTAL = 12.0
"""Weight of all cells over that of the positives, when no weight is given. Between 10 and 20 no set of several that
differ fifty-fold in density lost more than two hundredths of its best NDCG; a weight per cell does not carry over."""

RIDGE_OVER_ROOT_OF_NOISE, RIDGE_OVER_NOISE = 0.32, 0.74
"""The first was chosen on validation parts of three sets whose noise is 0.23, 0.72 and 0.76, and checked on their test
parts; the second is where MovieLens 1M and made-up small data are best, test parts included."""

MOST_RIDGE = 0.6
"""A ridge of 1 silences even the mean of the positives: all scores are zero. A handful of lines would come there."""


@dataclass(frozen=True)
class SideRule:
    """What one side's rows weigh and how strongly they are held back.

    others : sum of the other side's weights, Σ_y b_y
    """

    weight: FrequencyWeight
    others: float
    ridge: float
    ridge_exponent: float

    def weights(self, counts: Array) -> Array:
        return self.weight.of(counts)

    def evidence(self, counts: Array, mass: Array) -> Array:
        """Σ c + a_x Σ_y b_y: the total weight of the cells of each row."""
        evidence: Array = mass + self.weights(counts) * self.others
        return evidence

    def ridge_for(self, evidence: Array) -> Array:
        """λ · evidence^ν, for a row or for all rows that have some feature."""
        ridges: Array = self.ridge * evidence**self.ridge_exponent
        return ridges

    def ridges(self, counts: Array, mass: Array) -> Array:
        """λ_x = λ (Σ c + a_x Σ_y b_y)^ν."""
        return self.ridge_for(self.evidence(counts, mass))


@dataclass(frozen=True)
class Recipe:
    """The objective of factors that belong to ids, one per row and column."""

    rows: SideRule
    cols: SideRule
    loss: str | Loss
    unlabelled_target: float
    positive_weight: PositiveWeight
    smallest_value: float

    @classmethod
    def measure(
        cls,
        positives: sp.csr_array,
        *,
        loss: str | Loss = "square",
        positive_weight: PositiveWeight = "log",
        unlabelled_weight: float | None = None,
        unlabelled_target: float = 0.0,
        frequency_exponent: float | tuple[float, float] = 0.0,
        regularization: float,
        ridge_exponent: float = 1.0,
    ) -> Self:
        """The recipe for these positives.

        ``frequency_exponent`` is ρ of the columns, or a pair for rows and columns: a_x b_y then follows both. Without
        ``unlabelled_weight`` all cells together weigh ``UNLABELLED_TOTAL`` times what the positives weigh. That and the
        ridge are scaled by the loss's relative_curvature: a logistic positive pulls an eighth as hard as a squared one.
        """
        row_exponent, col_exponent = exponents(frequency_exponent)
        smallest = float(positives.data.min()) if positives.nnz else 1.0
        counts, masses = _counts_and_masses(positives, of_positives(positives.data, positive_weight, smallest))
        relative_curvature = losses.resolve(loss).relative_curvature
        if unlabelled_weight is None:
            n, m = positives.shape
            unlabelled_weight = relative_curvature * UNLABELLED_TOTAL * float(masses[0].sum()) / (n * m)
        weights = (
            FrequencyWeight.measure(counts[0], 1.0, row_exponent),
            FrequencyWeight.measure(counts[1], unlabelled_weight, col_exponent),
        )
        sums = [float(weight.of(count).sum()) for weight, count in zip(weights, counts)]
        rules = []
        for weight, count, mass, others in zip(weights, counts, masses, sums[::-1]):
            evidence = mass + weight.of(count) * others
            scale = ridge_scale(evidence, mass, relative_curvature * regularization, ridge_exponent)
            rules.append(SideRule(weight, others, scale, ridge_exponent))
        return cls(rules[0], rules[1], loss, float(unlabelled_target), positive_weight, smallest)

    def objective(self, positives: sp.csr_array) -> WholeData:
        """The objective of these positives, rows and columns both free."""
        loss = losses.resolve(self.loss)
        weight = of_positives(positives.data, self.positive_weight, self.smallest_value)
        counts, masses = _counts_and_masses(positives, weight)
        return WholeData.build(
            positives,
            loss=loss,
            weight=weight,
            target=np.full(positives.nnz, loss.target),
            row_weight=self.rows.weights(counts[0]),
            col_weight=self.cols.weights(counts[1]),
            unlabelled_target=self.unlabelled_target,
            row_ridge=self.rows.ridges(counts[0], masses[0]),
            col_ridge=self.cols.ridges(counts[1], masses[1]),
        )

    def evidence(self, positives: sp.csr_array) -> tuple[Array, Array]:
        """The total weight of the cells of each row and of each column."""
        weight = of_positives(positives.data, self.positive_weight, self.smallest_value)
        counts, masses = _counts_and_masses(positives, weight)
        return self.rows.evidence(counts[0], masses[0]), self.cols.evidence(counts[1], masses[1])

    def side_of_new(self, positives: sp.csr_array, other_weight: Array, side: str) -> Side:
        """The objective as new rows (or columns) see it: one row of ``positives`` each, the other side as trained."""
        rule = self.rows if side == "rows" else self.cols
        loss = losses.resolve(self.loss)
        weight = of_positives(positives.data, self.positive_weight, self.smallest_value).astype(np.float32)
        counts, masses = _counts_and_masses(positives, weight)
        return Side(
            positives.indptr,
            positives.indices,
            weight,
            np.full(positives.nnz, loss.target, dtype=np.float32),
            rule.weights(counts[0]).astype(np.float32),
            other_weight.astype(np.float32),
            rule.ridges(counts[0], masses[0]).astype(np.float32),
            self.unlabelled_target,
        )

    def metadata(self) -> dict[str, Any]:
        """JSON-ready; ``from_metadata`` takes it back."""
        return asdict(self)

    @classmethod
    def from_metadata(cls, metadata: dict[str, Any]) -> Self:
        def rule(side: dict[str, Any]) -> SideRule:
            return SideRule(**(side | {"weight": FrequencyWeight(**side["weight"])}))

        return cls(**(metadata | {"rows": rule(metadata["rows"]), "cols": rule(metadata["cols"])}))


def _counts_and_masses(positives: sp.csr_array, weight: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Positives and their weight, per row and per column."""
    n, m = positives.shape
    counts = np.diff(positives.indptr)
    of_row = np.repeat(np.arange(n), counts)
    return (
        (counts, np.bincount(positives.indices, minlength=m)),
        (np.bincount(of_row, weight, minlength=n), np.bincount(positives.indices, weight, minlength=m)),
    )


def noise_level(positives: sp.csr_array) -> float:
    """√(|X| / |Ω⁺|) + √(|Y| / |Ω⁺|): how loud chance is beside the positives.

    A matrix of |Ω⁺| positives scattered by chance has singular values up to about √n̄_x + √n̄_y, n̄ being the mean number
    per row and per column; a ridge of λ in units of the positives silences what lies below λ √(n̄_x n̄_y). Their ratio is
    this number over λ. So a ridge that was best for some share s of the positives is best for all of them when it is
    multiplied by √s.

    >>> noise_level(sp.csr_array(np.ones((4, 4))))
    1.0
    """
    n, m = positives.shape
    count = max(positives.nnz, 1)
    return float(np.sqrt(n / count) + np.sqrt(m / count))


def default_ridge(positives: sp.csr_array, factors: int) -> float:
    """The ridge when none is given: 0.32 √noise, and 0.74 noise where factors abound, but at most 0.6.

    A few factors beside thousands of rows and columns find signal to the last one, and a ridge that silences all noise
    takes from it. Factors for a quarter of all dimensions are sure to find noise, and only such a ridge stops them:

        (1 − w) 0.32 √noise + w 0.74 noise,      w = min(1, 4g / min(|X|, |Y|))²

    >>> default_ridge(sp.csr_array(np.eye(4)), 2)
    0.6
    """
    level = noise_level(positives)
    w = min(1.0, 4 * factors / max(1, min(positives.shape))) ** 2
    return min(MOST_RIDGE, float((1 - w) * RIDGE_OVER_ROOT_OF_NOISE * np.sqrt(level) + w * RIDGE_OVER_NOISE * level))


def exponents(frequency_exponent: float | tuple[float, float]) -> tuple[float, float]:
    """(rows, columns) from one number for the columns or a pair.

    >>> exponents(0.5), exponents((0.2, 0.5))
    ((0.0, 0.5), (0.2, 0.5))
    """
    pair: Any = (0.0, frequency_exponent) if np.isscalar(frequency_exponent) else frequency_exponent
    try:
        row, col = (float(part) for part in pair)
        if not np.isfinite([row, col]).all():
            raise ValueError
    except (TypeError, ValueError):
        raise InputError(
            f"frequency_exponent must be a finite number or a pair (rows, columns) of them, not {frequency_exponent!r}."
        ) from None
    return row, col
