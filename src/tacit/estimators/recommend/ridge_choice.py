"""Choose the ridge of factors by held-out positives, as a multiple of the default.

The default follows how many positives rows and columns have. It cannot know how much of them is taste and how much is
chance: tags of images want half of it, a thin sample of ratings twice as much.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.interactions import Interactions
from tacit.estimators.recommend import held_out_choice
from tacit.estimators.recommend.asking import AskedRows
from tacit.estimators.recommend.held_out_choice import Budget, Part
from tacit.objective.default_ridge import default_ridge

TIMES = (0.36, 0.6, 1.0, 1.6, 2.5)
MOST_RIDGE = 0.9
"""A ridge of 1 leaves nothing."""
MOST_POSITIVES = 500_000
"""Above it the default stands: fits are what takes time then, and so many positives leave less to chance."""


@dataclass(frozen=True)
class RidgeChoice:
    """``times`` the default ridge; ``learned`` are the factors of the splits by their numbers."""

    times: float = 1.0
    learned: dict[int, Any] = field(default_factory=dict)

    def fit(self, member: Any, data: Interactions) -> Any:
        """Factors of these positives; the parameters of ``member`` stay as they were given."""
        ridge = default_ridge(data.matrix, member.factors)
        if self.times != 1.0:
            # A default above the limit stays what it is.
            member.regularization = min(self.times * ridge, max(MOST_RIDGE, ridge))
        try:
            return member.fit(data)
        finally:
            member.regularization = None


def is_free(member: Any, data: Interactions) -> bool:
    """Whether the ridge of a ``FactorRecommender`` is left to the data, and these are few enough to try some."""
    return member.regularization is None and data.nnz <= MOST_POSITIVES


def choose(make: Any, data: Interactions, parts: list[Part], threads: int, budget: Budget) -> RidgeChoice:
    """The multiple with the best NDCG@10 on the splits, where it leads the default by more than two standard errors.

    ``make`` gives an unfitted member.
    """
    scores: dict[float, NDArray[np.float64]] = {}
    choices: dict[float, RidgeChoice] = {}

    def mean(times: float) -> float:
        if times not in scores:
            choice = choices[times] = RidgeChoice(times)
            found = []
            for number, part in enumerate(parts):
                choice.learned[number] = choice.fit(make(), held_out_choice.learnable(part, data))
                scorer = choice.learned[number].scorer(AskedRows(part.rows, part.seen, part.rows))
                found.append(part.ndcg(scorer, threads))
            scores[times] = np.concatenate(found)
        return float(scores[times].mean())

    best = held_out_choice.climbed(TIMES, 1.0, mean, lambda: budget.over(0.5))
    mean(1.0)
    return choices[held_out_choice.clearly_ahead(scores, [1.0, best])]
