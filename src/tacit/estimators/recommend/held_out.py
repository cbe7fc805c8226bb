"""Early stopping: hold out a share of the positives, measure NDCG@10 on it after each sweep, keep the best sweep."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.interactions import Interactions
from tacit.estimators.checkpoint import below, prefixed
from tacit.metrics.evaluation import evaluate_factors

Array = NDArray[Any]

METRIC = "ndcg"
AT = 10
BEST = "best "


class HeldOut:
    """Watches NDCG@10 on held-out cells and remembers the parameters of its best sweep.

    The first ``unsettled`` sweeps are scored, but are never the best one and try nobody's patience.
    """

    def __init__(
        self, data: Interactions, share: float, patience: int, seed: int, threads: int, unsettled: int = 0
    ) -> None:
        train, test = data.split(test=share, seed=seed)
        self.train: sp.csr_array = train.matrix
        self.test: sp.csr_array = test.matrix
        self.patience, self.unsettled = patience, unsettled
        self.threads = threads
        self.best = -np.inf
        self.best_sweep = 0
        self.sweep = 0
        self.kept: dict[str, Array] = {}

    def watch(self, row_factors: Array, col_factors: Array, parameters: dict[str, Array]) -> dict[str, float]:
        """Score the factors after a sweep and keep the parameters behind them if they are the best so far."""
        self.sweep += 1
        result = evaluate_factors(
            row_factors, col_factors, self.train, self.test, k=AT, metrics=(METRIC,), threads=self.threads
        )
        score = float(result[f"{METRIC}@{AT}"])
        if self.sweep > self.unsettled and score > self.best:
            self.best, self.best_sweep = score, self.sweep
            self.kept = {name: array.copy() for name, array in parameters.items()}
        return {f"held_out_{METRIC}": score}

    def arrays(self) -> dict[str, Array]:
        """What a checkpoint keeps of this."""
        return prefixed(BEST, self.kept)

    def resume(self, history: list[dict[str, Any]], arrays: dict[str, Array]) -> None:
        """Go on after the sweeps in ``history``."""
        self.sweep = len(history)
        if scores := [record[f"held_out_{METRIC}"] for record in history][self.unsettled :]:
            self.best, self.best_sweep = max(scores), self.unsettled + int(np.argmax(scores)) + 1
        self.kept = below(arrays, BEST)

    @property
    def exhausted(self) -> bool:
        """No better sweep for ``patience`` sweeps."""
        return self.sweep - max(self.best_sweep, self.unsettled) >= self.patience
