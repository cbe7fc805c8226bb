"""QS³ORAO as printed (Algorithm 1) against the minimiser in the kernel's own space: AUC, error, time and memory.

The minimiser is exact: on few rows the kernel at all of them spans every function that matters, so ``NystromFeatures``
with these rows as landmarks is the limit of infinitely many frequencies. ``grade.py`` calls both functions.
"""

import time
from typing import Any

import numpy as np

from benchmarks.papers.grade_methods import KERNEL_ROWS, PAPERS_LEAST, Draw, squared_model
from tacit.errors import DivergedError
from tacit.features.nystrom import NystromFeatures
from tacit.features.scaling import Scaling
from tacit.metrics.ordinal import ordinal_auc
from tacit.solvers.ordinal_exact import collect_moments, solve_path
from tacit.solvers.quadruply import QuadruplyStochastic
from tacit.solvers.stochastic import RowSampler

FREQUENCIES = 64
"""Fresh ones at every step."""
BATCH = 16
LOST = 1e6
"""An error, in variances of the minimiser's scores, from which no run of these lengths comes back."""


class Problem:
    """Some rows of a draw, standardised, with the exact minimiser over all functions of the kernel."""

    def __init__(self, X: np.ndarray, y: np.ndarray, unlabelled: int, width: float, strength: float, mix: Any) -> None:
        kept = np.concatenate([np.flatnonzero(y >= 0), np.flatnonzero(y < 0)[:unlabelled]])
        self.scaling = Scaling.of(X[kept], np.ones(len(kept)))
        self.rows, self.codes, self.weights = self.scaling.dense(X[kept]), y[kept], np.ones(len(kept))
        self.width, self.strength, self.mix = width, strength, mix
        began = time.process_time()
        self.features = NystromFeatures("gaussian", width, self.rows)
        moments = collect_moments(self.rows, self.codes, self.weights, 5, self.features)
        self.minimiser = solve_path(moments.quadratic(mix), moments.linear(), [strength])[:, 0]
        self.seconds = time.process_time() - began
        self.splits = moments.splits

    def exact(self, rows: np.ndarray) -> np.ndarray:
        """The minimiser's scores of standardised rows."""
        return np.asarray(self.features.transform(rows) @ self.minimiser)

    def descent(self, seed: int) -> tuple[QuadruplyStochastic, RowSampler]:
        """Algorithm 1 before its first step, and what it draws from."""
        columns = self.rows.shape[1]
        plain = Scaling(np.zeros(columns), np.ones(columns), np.ones(columns))
        given = self.splits, self.mix, self.strength
        method = QuadruplyStochastic("gaussian", FREQUENCIES, self.width, plain, *given, batch_size=BATCH, seed=seed)
        return method, RowSampler(self.rows, self.codes, self.weights, 5)


def apart(scores: np.ndarray, target: np.ndarray) -> float:
    """Squared distance of two scores over the variance of the second; a constant between them does not count."""
    return float(np.var(scores - target) / np.var(target))


def rate(X: np.ndarray, y: np.ndarray, seeds: int, most: int) -> dict[str, Any]:
    """Error over the steps on 1,000 rows, its slope on log axes, and the numbers kept."""
    problem = Problem(X, y, 500, 2.0 * X.shape[1] ** 0.5, PAPERS_LEAST, np.full(4, 0.5))
    target = problem.exact(problem.rows)
    steps = np.unique(np.geomspace(10, most, 8).astype(int))
    errors, numbers = [], []
    for seed in range(seeds):
        descent, sampler = problem.descent(seed)
        curve, numbers = [], []
        for count in steps:
            while descent.steps < count:
                descent.advance(sampler)
            curve.append(apart(descent.score(problem.rows), target))
            numbers.append(int(descent.coefficients.size))
        errors.append(curve)
    mean = np.mean(errors, axis=0)
    slope = float(np.polyfit(np.log(steps), np.log(mean), 1)[0])
    print("as printed", slope, mean.round(6).tolist(), flush=True)
    return {"steps": steps.tolist(), "error": mean.tolist(), "slope": slope, "numbers_kept": numbers, "seeds": seeds}


def curves(draw: Draw, evaluated: int, steps: tuple[int, ...]) -> dict[str, Any]:
    """AUC, error and processor seconds over the steps, beside the exact minimiser: from the paper's λ down to ours.

    Bandwidth, γ and our λ are those that cross-validation chooses for the exact solver. Both methods get the labelled
    rows and 1,000 others.
    """
    chosen = squared_model(draw)
    order = np.random.default_rng(draw.seed).permutation(len(draw.evaluated))[:evaluated]
    truth = draw.answers[order]
    figures: dict[str, Any] = {}
    strengths = {
        "the paper's least λ": PAPERS_LEAST,
        "half of it": PAPERS_LEAST / 2,
        "a quarter of it": PAPERS_LEAST / 4,
        "λ by cross-validation": chosen.regularization_,
    }
    for name, strength in strengths.items():
        mix = 1 - chosen.unlabelled_weight_
        problem = Problem(draw.X, draw.seen, KERNEL_ROWS, chosen.bandwidth_, float(strength), mix)
        asked = problem.scaling.dense(draw.asked[order])
        target = problem.exact(asked)
        figures[name] = {
            "regularization": float(strength),
            "exact": {"auc": ordinal_auc(truth, target), "seconds": problem.seconds},
            "points": _points(problem, asked, truth, target, steps, draw.seed),
        }
    return figures


def _points(
    problem: Problem, asked: np.ndarray, truth: np.ndarray, target: np.ndarray, steps: tuple[int, ...], seed: int
) -> list[dict[str, Any]]:
    descent, sampler = problem.descent(seed)
    points: list[dict[str, Any]] = []
    spent = 0.0
    for count in steps:
        began = time.process_time()
        try:
            while descent.steps < count:
                descent.advance(sampler)
        except DivergedError as error:
            return [*points, {"steps": descent.steps, "diverged": str(error)}]
        spent += time.process_time() - began
        scores = descent.score(asked)
        error = apart(scores, target)
        if not error < LOST:
            return [*points, {"steps": count, "diverged": f"the error is {error:.0e}"}]
        found = {"auc": ordinal_auc(truth, scores), "error": error, "seconds": spent}
        points.append({"steps": count, **found, "numbers_kept": int(descent.coefficients.size)})
    return points
