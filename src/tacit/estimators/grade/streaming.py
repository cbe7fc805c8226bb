"""``partial_fit`` of an ordinal ranker: bounded random samples of the rows so far, and stochastic gradient steps."""

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.estimators.grade.fit import cut
from tacit.estimators.grade.settings import Fitted, Settings
from tacit.features.feature_moments import FeatureMap, scores
from tacit.objective.pairwise import Splits
from tacit.progress import Run, without_clock
from tacit.solvers.ordinal_exact import collect_moments, present_priors
from tacit.solvers.stochastic import Descent, Reservoir, RowSampler

Vector = NDArray[np.float64]
Codes = NDArray[np.intp]

LABELLED_KEPT = 1_000
"""Rows kept of every class."""
UNLABELLED_KEPT = 8_000


class OrdinalStream:
    """Samples and solver state between calls of ``partial_fit``; begins from a fitted model's coefficients."""

    def __init__(self, fitted: Fitted, features: FeatureMap, count: int, settings: Settings) -> None:
        self.fitted = fitted
        self.features = features
        self.count = count
        self.settings = settings
        capacities = [LABELLED_KEPT] * count + [UNLABELLED_KEPT]
        self.samples = [Reservoir(capacity, settings.seed + number) for number, capacity in enumerate(capacities)]
        self.descent: Descent | None = None

    def keep(self, table: Any, codes: Codes, weights: Vector) -> None:
        """Let the samples see new rows."""
        for number, sample in enumerate(self.samples):
            rows = np.flatnonzero((codes == (number if number < self.count else -1)) & (weights > 0))
            sample.add(table[rows], weights[rows])

    def learn(self, table: Any, codes: Codes, weights: Vector) -> Fitted:
        """See new rows, take one step per batch of them, and cut the scores anew."""
        self.keep(table, codes, weights)
        rows = self._pool()
        totals = rows.totals()
        if np.count_nonzero(totals) < 2:
            return self.fitted
        priors = present_priors(totals, None if self.settings.class_priors is None else self.fitted.class_prior)
        splits = Splits.of(priors)
        descent = self._descent(rows, splits)
        steps = max(1, -(-table.shape[0] // self.settings.batch_size))
        with Run("grade", steps, progress=self.settings.progress, callback=self.settings.callback) as run:
            descent.run(rows, run)
        w = descent.coefficients.copy()
        every = scores(rows.table, w, self.features, self.settings.threads)
        known = rows.codes >= 0
        # Zero is the labelled rows' mean, as in fit.
        intercept = -float(np.average(every[known], weights=rows.weights[known]))
        cuts, slope = cut(
            every[known] + intercept, rows.codes[known], rows.weights[known], self.count, self.settings.threshold_rule
        )
        self.fitted = replace(
            self.fitted, coefficients=w, intercept=intercept, thresholds=cuts, slope=slope, class_prior=priors,
            history=self.fitted.history + without_clock(run.history),
        )  # fmt: skip
        return self.fitted

    def _pool(self) -> RowSampler:
        parts, codes, weights = [], [], []
        for number, sample in enumerate(self.samples):
            if sample.rows:
                parts.append(sample.stack())
                codes.append(np.full(len(sample.rows), number if number < self.count else -1, dtype=np.intp))
                weights.append(np.asarray(sample.weights))
        if any(sp.issparse(part) for part in parts):
            table: Any = sp.vstack([sp.csr_array(part) for part in parts], format="csr")
        else:
            table = np.concatenate(parts)
        return RowSampler(table, np.concatenate(codes), np.concatenate(weights), self.count)

    def _descent(self, rows: RowSampler, splits: Splits) -> Descent:
        """The running solver; a class that shows up late changes the splits and so its curvature."""
        mix = 1 - self.fitted.unlabelled_weight[splits.kept]
        if not len(rows.members[-1]):
            mix = np.ones(splits.count)
        old = self.descent
        if old is None or splits.count != old.splits.count or np.any(mix != old.labelled_weight):
            new = Descent(
                self.features, splits, mix, self.fitted.regularization, batch_size=self.settings.batch_size,
                step=self.settings.step, seed=self.settings.seed,
            )  # fmt: skip
            if self.fitted.loss == "logistic" or self.fitted.tree_share or self.fitted.linear_share:
                self._bring_to_scale(rows, splits, mix)
            new.current = self.fitted.coefficients.copy()
            new.average = self.fitted.coefficients.copy()
            new.steps = 0 if old is None else old.steps
            self.descent = new
        assert self.descent is not None
        self.descent.splits = splits
        self.descent.look_at(rows, self.settings.threads)
        return self.descent

    def _bring_to_scale(self, rows: RowSampler, splits: Splits, mix: Vector) -> None:
        """The multiple of a logistic score that minimises the squared risk: ⟨c, w⟩ / (wᵀAw + λ/2 ‖w‖²) times w."""
        w = self.fitted.coefficients
        seen = (rows.table, rows.codes, rows.weights, self.count, self.features)
        moments = collect_moments(*seen, priors=splits.priors, threads=self.settings.threads)
        curvature = w @ moments.quadratic(mix) @ w + self.fitted.regularization / 2 * (w @ w)
        factor = max(float(moments.linear() @ w / curvature), 0.0) if curvature > 0 else 0.0
        self.fitted = replace(self.fitted, coefficients=factor * w, loss="square")
