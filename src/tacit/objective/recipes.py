"""From positives and a handful of parameters to the objective: three recipes, one table.

    recipe      positive: weight c           target r   all cells ÷ positives        t             ridge λ
    recommend   1 + log(value / smallest)    1          1.5 to 12, by columns        0             of a row's positives
    words       min(1, (count / 100)^0.75)   PPMI       350 per word, or half of c   −0.5          0.1
    tags        1                            1          2                            −2, 0 or −1   0.7

One set of units: a positive of weight 1 is the unit of every weight and of every ridge. ``unlabelled_weight`` is what
one unlabelled cell weighs on average, in every recipe. Where it is not given, the third column says what all weigh
together. For words the authors state the sum over a word's pairs; it is lowered where a pair would weigh more than half
of the mean positive. A ridge of words and tags is a number of positives, the same for every row. The recommender's is a
share of a row's own positives and grows with its evidence, because its rows differ in size by orders of magnitude.

A recipe is measured once, on the training data: the weight and the ridge of a row or column as functions of its
frequency. Rows and columns that come later use the same functions, so folding in a training row solves exactly the
problem that training solved. Two objectives are not built from frequencies and state their weights themselves
(``WholeData.build``): those that store unlabelled cells (``formulations``) and the weighted label space
(``solvers.weighted_embedding``).
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import StoredCsr, col_counts
from tacit.errors import InputError
from tacit.kernels import cells as kernels
from tacit.objective import losses
from tacit.objective.default_exponents import short_rows
from tacit.objective.frequencies import Frequencies
from tacit.objective.losses import Loss
from tacit.objective.penalties import ridge_scale
from tacit.objective.weights import FrequencyWeight, PositiveWeight, of_positives
from tacit.objective.whole_data import Side, WholeData

Array = NDArray[Any]

UNLABELLED_TOTAL, LEAST_UNLABELLED_TOTAL, COLUMNS_OF_TOTAL = 12.0, 3.0, 4_000
"""Of ``recommend``: 12 from 4,000 columns on, and less with the root of their number, but at least 3. The more
unlabelled cells weigh, the less popular columns are recommended; few columns leave little else to tell rows by. Chosen
on held-out training positives of 23 sets and thinned parts of them, with 40 to 36,000 columns; a weight per cell does
not carry over from set to set."""
OF_SHORT_ROWS = 0.5
"""Of ``recommend``: times so much where rows are short beside few columns. Chosen with ``default_ridge.OF_SHORT_ROWS``
on 14 such sets, each of which gains."""

WORD_TOTAL = 350.0
"""Σ_y b_y of ``words``: what the authors use for texts of 10⁷ to 10⁸ words."""

TAG_TOTAL = 2.0
"""Of ``tags``: all unlabelled cells weigh twice the known ones."""
TAG_SQUARE_TOTAL = 40.0
"""Of ``tags`` with the squared loss, which knows no score beyond the target: with less, a label that is rarely right is
never told so. A cell weighs 1 at most."""
TAG_RIDGES = {"square": 2.0, "logistic": 0.7, "squared_hinge": 0.7}
TAG_TARGETS = {"square": 0.0, "logistic": -2.0, "squared_hinge": -1.0}

EVERY_ROW_ALIKE = FrequencyWeight(1.0, 1.0, 0.0)


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

    def evidence(self, counts: Array, mass: Array, given: Array | None = None) -> Array:
        """Σ c + a_x Σ_y b_y: the total weight of the cells of each row; ``given`` are a_x that follow no rule."""
        evidence: Array = mass + (self.weights(counts) if given is None else given) * self.others
        return evidence

    def ridge_for(self, evidence: Array) -> Array:
        """λ · evidence^ν, for a row or for all rows that have some feature."""
        ridges: Array = self.ridge * evidence**self.ridge_exponent
        return ridges

    def ridges(self, counts: Array, mass: Callable[[], Array], given: Array | None = None) -> Array:
        """λ_x = λ (Σ c + a_x Σ_y b_y)^ν; the masses Σ c are computed only where they matter."""
        if not self.ridge_exponent:
            return np.full(len(counts), self.ridge)
        return self.ridge_for(self.evidence(counts, mass(), given))


@dataclass(frozen=True)
class Recipe:
    """The objective of factors that belong to ids, one per row and column."""

    rows: SideRule
    cols: SideRule
    loss: str | Loss
    unlabelled_target: float
    positive_weight: PositiveWeight = "one"
    smallest_value: float = 1.0

    @classmethod
    def plain(
        cls,
        col_weight: FrequencyWeight,
        *,
        loss: str | Loss,
        unlabelled_target: float,
        row_ridge: float,
        col_ridge: float,
    ) -> Self:
        """Every row weighs 1 and every ridge is one number."""
        rows = SideRule(EVERY_ROW_ALIKE, 0.0, row_ridge, 0.0)
        return cls(rows, SideRule(col_weight, 0.0, col_ridge, 0.0), loss, float(unlabelled_target))

    def objective(
        self,
        positives: sp.csr_array,
        weight: Array | None = None,
        target: Array | None = None,
        *,
        row_weight: Array | None = None,
        col_weight: Array | None = None,
    ) -> WholeData:
        """The objective of these positives, rows and columns both free.

        weight, target : c and r per positive; those of the recipe when None
        row_weight, col_weight : a and b; by frequency when None
        """
        loss = losses.resolve(self.loss)
        moved = None
        if isinstance(positives, StoredCsr) and weight is None and target is None:
            in_col_order = _weights_in(positives, self.positive_weight, self.smallest_value, "cols")
            moved = positives.col_indptr, positives.col_indices, in_col_order
        weight = self._weights(positives) if weight is None else weight
        counts = np.diff(positives.indptr)
        of_cols = col_counts(positives)
        return WholeData.build(
            positives,
            loss=loss,
            weight=weight,
            target=np.full(1, loss.target) if target is None else target,
            row_weight=self.rows.weights(counts) if row_weight is None else row_weight,
            col_weight=self.cols.weights(of_cols) if col_weight is None else col_weight,
            unlabelled_target=self.unlabelled_target,
            row_ridge=self.rows.ridges(counts, lambda: _masses(positives, weight)[0], row_weight),
            col_ridge=self.cols.ridges(of_cols, lambda: _masses(positives, weight)[1], col_weight),
            moved=moved,
        )

    def evidence(
        self, positives: sp.csr_array, row_weight: Array | None = None, col_weight: Array | None = None
    ) -> tuple[Array, Array]:
        """The total weight of the cells of each row and of each column."""
        counts, masses = _counts_and_masses(positives, self._weights(positives))
        return self.rows.evidence(counts[0], masses[0], row_weight), self.cols.evidence(
            counts[1], masses[1], col_weight
        )

    def side_of_new(
        self,
        positives: sp.csr_array,
        other_weight: Array,
        side: str,
        weight: Array | None = None,
        target: Array | None = None,
    ) -> Side:
        """The objective as new rows (or columns) see it: one row of ``positives`` each, the other side as trained."""
        rule = self.rows if side == "rows" else self.cols
        loss = losses.resolve(self.loss)
        weight = (self._weights(positives) if weight is None else weight).astype(np.float32)
        counts = np.diff(positives.indptr)
        return Side(
            positives.indptr,
            positives.indices,
            weight,
            np.full(1, loss.target, dtype=np.float32) if target is None else target,
            rule.weights(counts).astype(np.float32),
            other_weight.astype(np.float32, copy=False),
            rule.ridges(counts, lambda: _row_masses(positives.indptr, weight)).astype(np.float32),
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

    def _weights(self, positives: sp.csr_array) -> Array:
        """c per positive, or a single one where all agree."""
        return _weights_in(positives, self.positive_weight, self.smallest_value)


def recommend(
    positives: sp.csr_array | Frequencies,
    *,
    loss: str | Loss = "square",
    positive_weight: PositiveWeight = "log",
    unlabelled_weight: float | None = None,
    unlabelled_target: float = 0.0,
    frequency_exponent: float | tuple[float, float] = 0.0,
    regularization: float | tuple[float, float],
    ridge_exponent: float = 1.0,
    row_weight: Array | None = None,
    col_weight: Array | None = None,
) -> Recipe:
    """The recipe of a recommender for these positives.

    ``frequency_exponent`` is ρ of the columns, or a pair for rows and columns: a_x b_y then follows both.
    ``regularization`` is the mean ridge in units of the mean weight of a row's positives, or a pair for rows and
    columns. It and ``UNLABELLED_TOTAL`` are scaled by the loss's relative_curvature: a logistic positive pulls an
    eighth as hard as a squared one. ``row_weight`` and ``col_weight`` take the place of a and b, which follow frequency
    otherwise; the recipe then says what the mean row or column weighs.
    """
    row_exponent, col_exponent = exponents(frequency_exponent)
    known = positives if isinstance(positives, Frequencies) else frequencies(positives, positive_weight)
    counts, masses = known.counts, known.masses
    relative_curvature = losses.resolve(loss).relative_curvature
    if unlabelled_weight is None:
        n, m = known.shape
        unlabelled_weight = relative_curvature * unlabelled_total(known) / (n * m) * float(masses[0].sum())
    weights = (
        FrequencyWeight.measure(counts[0], 1.0, row_exponent)
        if row_weight is None
        else FrequencyWeight.measure(counts[0], float(np.mean(row_weight)), 0.0),
        FrequencyWeight.measure(counts[1], unlabelled_weight, col_exponent)
        if col_weight is None
        else FrequencyWeight.measure(counts[1], float(np.mean(col_weight)), 0.0),
    )
    of_cells = [
        rule.of(count) if given is None else given
        for rule, count, given in zip(weights, counts, (row_weight, col_weight))
    ]
    sums = [float(weight.sum()) for weight in of_cells]
    strengths = regularization if isinstance(regularization, tuple) else (regularization, regularization)
    rules = []
    for weight, own, mass, others, strength in zip(weights, of_cells, masses, sums[::-1], strengths):
        evidence = mass + own * others
        scale = ridge_scale(evidence, mass, relative_curvature * strength, ridge_exponent)
        rules.append(SideRule(weight, others, scale, ridge_exponent))
    return Recipe(rules[0], rules[1], loss, float(unlabelled_target), positive_weight, known.smallest)


def frequencies(positives: sp.csr_array, positive_weight: PositiveWeight) -> Frequencies:
    """What a recommender's recipe measures of its positives."""
    smallest = float(positives.data.min()) if positives.nnz else 1.0
    counts, masses = _counts_and_masses(positives, _weights_in(positives, positive_weight, smallest))
    return Frequencies(counts, masses, smallest)


def unlabelled_total(positives: sp.csr_array | Frequencies) -> float:
    """What all cells weigh in units of the positives where nothing is given.

    12 √(columns / 4,000), between 3 and 12, and half of it for short rows beside few columns
    (``default_exponents.short_rows``). On dense data it could make an unlabelled cell count more than a positive does,
    and is less.

    >>> unlabelled_total(sp.csr_array((20, 1000), dtype=np.float32)), unlabelled_total(sp.csr_array(np.eye(80)))
    (6.0, 1.5)
    >>> unlabelled_total(sp.csr_array(np.ones((2, 2))))
    1.0
    """
    n, m = positives.shape
    by_columns = np.clip(UNLABELLED_TOTAL * np.sqrt(m / COLUMNS_OF_TOTAL), LEAST_UNLABELLED_TOTAL, UNLABELLED_TOTAL)
    total = float(by_columns * OF_SHORT_ROWS ** short_rows(positives))
    return min(total, n * m / max(positives.nnz, 1))


def words(
    targets: sp.csr_array,
    weights: Array,
    *,
    unlabelled_weight: float | None = None,
    unlabelled_total: float | None = None,
    unlabelled_target: float = -0.5,
    frequency_exponent: float = 0.75,
    regularization: float = 0.1,
) -> Recipe:
    """The recipe of word vectors; rows are words, columns contexts, ``targets`` the PPMI of the positives.

    ``unlabelled_total`` is Σ_y b_y, the weight of all pairs of one word: ``unlabelled_weight`` times the number of
    contexts. With neither it is ``WORD_TOTAL``, or what makes a pair weigh half of the mean positive where that is
    less: in a small vocabulary unlabelled pairs would drown what was observed.
    """
    rule = context_rule(
        col_counts(targets),
        _masses(targets, weights)[0],
        unlabelled_weight,
        unlabelled_total,
        frequency_exponent,
    )
    return word_recipe(rule, unlabelled_target, regularization)


def context_rule(
    counts: Array,
    masses: Array,
    unlabelled_weight: float | None,
    unlabelled_total: float | None,
    frequency_exponent: float,
) -> FrequencyWeight:
    """What contexts weigh, from the number of positives of each and from the weight of each word's positives."""
    if unlabelled_weight is None:
        if unlabelled_total is not None:
            unlabelled_weight = unlabelled_total / len(counts)
        else:
            unlabelled_weight = min(WORD_TOTAL / len(counts), float(masses.sum() / counts.sum()) / 2)
    return FrequencyWeight.measure(counts, float(unlabelled_weight), frequency_exponent)


def word_recipe(rule: FrequencyWeight, unlabelled_target: float, regularization: float) -> Recipe:
    """The recipe of word vectors whose contexts weigh by a rule that was measured earlier."""
    return Recipe.plain(
        rule,
        loss="square",
        unlabelled_target=unlabelled_target,
        row_ridge=regularization,
        col_ridge=regularization,
    )


def tag_weight(labels: sp.csr_array, loss: str) -> float:
    """The default mean weight of an unlabelled cell of a tagger.

    >>> tag_weight(sp.csr_array(np.eye(8)), "logistic")  # 8 known cells among 64
    0.25
    """
    n, m = labels.shape
    density = labels.nnz / (n * m)
    if loss == "square":
        return float(min(TAG_SQUARE_TOTAL * density, 1.0))
    return float(TAG_TOTAL * density)


def tags(
    labels: sp.csr_array,
    *,
    loss: str | Loss = "logistic",
    unlabelled_weight: float | None = None,
    unlabelled_target: float | None = None,
    frequency_exponent: float = 0.0,
    regularization: float,
) -> Recipe:
    """The recipe of a tagger; rows are made from features, whose tower has their ridge, columns are labels."""
    m = labels.shape[1]
    name = losses.resolve(loss).name
    mean = tag_weight(labels, name) if unlabelled_weight is None else unlabelled_weight
    target = TAG_TARGETS[name] if unlabelled_target is None else unlabelled_target
    frequency = np.bincount(labels.indices, minlength=m)
    rule = FrequencyWeight.measure(frequency, mean, frequency_exponent)
    return Recipe.plain(rule, loss=loss, unlabelled_target=target, row_ridge=0.0, col_ridge=regularization)


def weights_of(values: Array, how: PositiveWeight, smallest: float) -> Array:
    """The weights of positives, or a single one (1,) where their values agree."""
    alike = len(values) > 0 and (how == "one" or values.min() == values.max())
    return of_positives(values[:1] if alike else values, how, smallest)


def _weights_in(positives: sp.csr_array, how: PositiveWeight, smallest: float, side: str = "rows") -> Array:
    """The same of a matrix in the order of its rows, or of one on disk in that of its columns."""
    if not isinstance(positives, StoredCsr):
        return weights_of(positives.data, how, smallest)
    values = positives.data if side == "rows" else positives.col_values
    if how != "log" or values.min() == values.max():
        return weights_of(values, how, smallest)
    return positives.mapped(lambda block: of_positives(block, how, smallest), values)


def _masses(positives: sp.csr_array, weight: Array) -> tuple[Array, Array]:
    """The weight of each row's and of each column's positives, in float64 and added up in their order."""
    if len(weight) == 1 and float(weight[0]).is_integer():
        # Sums of a whole number are exact: nothing has to be compiled to add them up.
        return np.diff(positives.indptr) * float(weight[0]), col_counts(positives) * float(weight[0])
    rows, cols = np.zeros(positives.shape[0]), np.zeros(positives.shape[1])
    kernels.add_masses(positives.indptr, positives.indices, weight, rows, cols)
    return rows, cols


def _row_masses(indptr: Array, weight: Array) -> Array:
    """The weight of each row's positives."""
    rows = np.empty(len(indptr) - 1)
    kernels.row_masses(indptr, weight, rows)
    return rows


def _counts_and_masses(positives: sp.csr_array, weight: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Positives and their weight, per row and per column."""
    return (np.diff(positives.indptr), col_counts(positives)), _masses(positives, weight)


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
