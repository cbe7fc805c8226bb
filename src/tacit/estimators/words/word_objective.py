"""The recipe that makes word vectors a case of the one objective.

    positives    pairs with PPMI above zero: target r = PPMI, weight c = min(1, (x / ceiling)^exponent)
    unlabelled   every other pair: target t, weight a_x b_y = 1 · α₀ f_y^ρ / Σ_j f_j^ρ  (fBGD, Eq. 22)
    ridge        λ for every word and every context

f_y is the share of the positives that context y has. Rows are words, columns are contexts.

α₀ = 350 is what the authors use for texts of 10⁷ to 10⁸ words. It is a sum over all contexts: in a small vocabulary
it would make an unlabelled pair weigh more than a positive one and drown what was observed. So by default it is
lowered where the mean weight of a pair, α₀ / v, would exceed half the mean weight of the positives.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.errors import InputError
from tacit.features.ppmi import associations, context_totals, glove_weights, log_shares, word_totals
from tacit.objective.losses import LOSSES
from tacit.objective.weights import FrequencyWeight
from tacit.objective.whole_data import Side, WholeData

Array = NDArray[Any]

USUAL_TOTAL = 350.0


@dataclass(frozen=True)
class WordObjective:
    """The parameters of the recipe.

    unlabelled_total : α₀, the sum of the weights of all contexts
    unlabelled_weight : the same per cell, α₀ = unlabelled_weight · v; with neither, the rule above holds
    """

    shift: float
    context_smoothing: float
    weight_ceiling: float
    weight_exponent: float
    unlabelled_total: float | None
    unlabelled_weight: float | None
    unlabelled_target: float
    frequency_exponent: float
    regularization: float

    def check(self) -> None:
        """Refuse what no text could make sense of."""
        if self.unlabelled_total is not None and self.unlabelled_weight is not None:
            raise InputError("unlabelled_total and unlabelled_weight say the same twice; give one of them.")
        for name in ("unlabelled_total", "unlabelled_weight"):
            if getattr(self, name) is not None:
                checks.number(name, getattr(self, name), 0.0)
        checks.number("regularization", self.regularization, above=0.0)
        checks.number("unlabelled_target", self.unlabelled_target)
        checks.number("frequency_exponent", self.frequency_exponent)

    def per_cell(self, positive_weights: Array, words: int) -> float:
        """The mean weight α₀ / v of an unlabelled pair."""
        if self.unlabelled_weight is not None:
            return float(self.unlabelled_weight)
        if self.unlabelled_total is not None:
            return self.unlabelled_total / words
        return float(min(USUAL_TOTAL / words, positive_weights.mean(dtype=np.float64) / 2))

    def logs(self, words: Array, contexts: Array) -> tuple[Array, Array]:
        """log x_i· and log of the contexts' shares: what PMI takes off log x_ij."""
        # Words without neighbours have no cells, and so no use for their log.
        with np.errstate(divide="ignore"):
            return np.log(words), log_shares(contexts, self.context_smoothing)

    def weighted(
        self, counts: sp.csr_array, row_logs: Array, col_logs: Array, threads: int = 0
    ) -> tuple[sp.csr_array, NDArray[np.float32]]:
        """Targets as CSR, and the weight of each of its cells."""
        targets, kept = associations(counts, row_logs, col_logs, self.shift, threads)
        return targets, glove_weights(kept, self.weight_ceiling, self.weight_exponent)

    def build(self, counts: sp.csr_array, threads: int = 0) -> tuple[WholeData, FrequencyWeight]:
        """The objective of a whole text, and the rule by which its contexts weigh."""
        chance = InputError(
            "text: no two words stand together more often than chance would have it, so there is nothing to learn; "
            "give more text, a larger window or a lower min_count."
        )
        if counts.nnz == 0:
            raise chance
        targets, weights = self.weighted(counts, *self.logs(word_totals(counts), context_totals(counts)), threads)
        if targets.nnz == 0:
            raise chance
        words = counts.shape[0]
        ridge = np.full(words, self.regularization)
        positives = np.bincount(targets.indices, minlength=words)
        rule = FrequencyWeight.measure(positives, self.per_cell(weights, words), self.frequency_exponent)
        objective = WholeData.build(
            targets,
            loss=LOSSES["square"],
            weight=weights,
            target=targets.data,
            row_weight=np.ones(words),
            col_weight=rule.of(positives),
            unlabelled_target=self.unlabelled_target,
            row_ridge=ridge,
            col_ridge=ridge,
        )
        return objective, rule

    def side(self, targets: sp.csr_array, weights: Array, own_weight: Array, other_weight: Array) -> Side:
        """The objective as some rows see it, for solving them alone."""
        return Side(
            targets.indptr,
            targets.indices,
            weights,
            targets.data,
            own_weight.astype(np.float32),
            other_weight.astype(np.float32),
            np.full(targets.shape[0], self.regularization, np.float32),
            float(self.unlabelled_target),
        )
