"""Scores of labels as chances: how often a cell that is scored so is a stored one, label by label.

    logit p = β · (1, s, f) + u_l,      s = min(score, 1),  f = log(1 + n_l) − its mean,  u_l ~ N(0, τ²)

A least-squares score beyond 1 says no more than 1. The same score of a label that few rows carry (n_l) is worth less,
because little was learned about it. What is left is the label's own: u_l, drawn to zero where few cells tell. β and u
minimise

    Σ [log(1 + e^η) − y η] + ½ ‖β − β₀‖² + ½ Σ u² / τ²,      η = logit p,  β₀ = (−2, 4, 0): the order of the scores

over the cells that score at least a floor: there suggestions lie, and a curve that also had to fit the many cells below
would fit these less. τ² follows what the u show, τ² = mean(u² + 1 / H_uu), as expectation-maximisation has it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

FLOOR = 0.3
_START = np.array([-2.0, 4.0, 0.0])
_VARIANCE = 0.25
_ROUNDS, _STEPS, _CLOSE = 10, 20, 1e-6

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ScoredCells:
    """Cells of which it is known whether they are stored: label numbers, scores, and 1 or 0."""

    labels: NDArray[np.int64]
    scores: Floats
    stored: Floats

    @classmethod
    def of(cls, known: NDArray[np.float32], scores: NDArray[np.float32]) -> "ScoredCells":
        """Those of a block (b, L) that reach the floor."""
        row, label = np.nonzero(scores >= FLOOR)
        return cls(label, scores[row, label].astype(np.float64), (known[row, label] > 0).astype(np.float64))

    @classmethod
    def joined(cls, parts: "list[ScoredCells]") -> "ScoredCells":
        labels, scores, stored = zip(*((part.labels, part.scores, part.stored) for part in parts))
        return cls(np.concatenate(labels), np.concatenate(scores), np.concatenate(stored))


@dataclass(frozen=True)
class Problem:
    """What β and u minimise, at one τ²; ``design`` is (cells, 3)."""

    design: Floats
    cells: ScoredCells
    variance: float

    def value(self, beta: Floats, effects: Floats) -> float:
        eta = self.design @ beta + effects[self.cells.labels]
        misfit = np.logaddexp(0.0, eta).sum() - self.cells.stored @ eta
        return float(misfit + 0.5 * ((beta - _START) ** 2).sum() + 0.5 * (effects**2).sum() / self.variance)

    def gradient(self, beta: Floats, effects: Floats) -> tuple[Floats, Floats]:
        """By β and by u."""
        errors = expit(self.design @ beta + effects[self.cells.labels]) - self.cells.stored
        return self.design.T @ errors + beta - _START, self._by_label(errors, effects) + effects / self.variance

    def solve(self, beta: Floats, effects: Floats) -> tuple[Floats, Floats, Floats]:
        """β, u and the curvature of u by Newton's method; u is eliminated, which leaves three equations."""
        value, curvature = self.value(beta, effects), np.full(len(effects), 1 / self.variance)
        for _ in range(_STEPS):
            chances = expit(self.design @ beta + effects[self.cells.labels])
            weight = chances * (1 - chances)
            curvature = self._by_label(weight, effects) + 1 / self.variance
            mixed = np.stack([self._by_label(weight * column, effects) for column in self.design.T])
            matrix = (self.design.T * weight) @ self.design + np.eye(len(beta)) - (mixed / curvature) @ mixed.T
            of_beta, of_effects = self.gradient(beta, effects)
            step = np.linalg.solve(matrix, of_beta - mixed @ (of_effects / curvature))
            move = (of_effects - mixed.T @ step) / curvature
            size, before = 1.0, value
            value = self.value(beta - step, effects - move)
            while value > before and size > _CLOSE:
                size /= 2
                value = self.value(beta - size * step, effects - size * move)
            if value > before:
                break
            beta, effects = beta - size * step, effects - size * move
            if before - value <= _CLOSE * abs(value):
                break
        return beta, effects, curvature

    def _by_label(self, values: Floats, effects: Floats) -> Floats:
        sums: Floats = np.bincount(self.cells.labels, values, len(effects)).astype(np.float64, copy=False)
        return sums


@dataclass(frozen=True)
class LabelChances:
    """The map from scores to chances, increasing in the score: ``level`` (L,) and ``slope`` of its logit."""

    level: NDArray[np.float32]
    slope: np.float32

    @classmethod
    def fit(cls, cells: ScoredCells, frequency: NDArray[np.int64]) -> "LabelChances":
        """Learn from cells; ``frequency`` is (L,) n_l.

        >>> label, score = np.zeros(200, np.int64), np.linspace(0.3, 1.3, 200)
        >>> cells = ScoredCells(label, score, (score > 0.8).astype(np.float64))
        >>> chances = LabelChances.fit(cells, np.array([100])).of(np.array([[0.4], [1.2], [1.3]], np.float32))
        >>> [f"{chance:.2f}" for chance in chances.ravel()]
        ['0.04', '0.87', '0.87']
        """
        logs = np.log1p(frequency)
        carried = logs - (logs[frequency > 0].mean() if frequency.any() else 0.0)
        design = design_of(cells, carried)
        beta, effects, variance = _START, np.zeros(len(frequency)), _VARIANCE
        told = np.bincount(cells.labels, minlength=len(frequency)) > 0
        for _ in range(_ROUNDS if told.any() else 0):
            beta, effects, curvature = Problem(design, cells, variance).solve(beta, effects)
            before, variance = variance, float(np.mean((effects**2 + 1 / curvature)[told]))
            if abs(variance - before) <= 0.01 * before:
                break
        if beta[1] <= 0:  # scores that say nothing: their order stays
            beta, effects = _START, np.zeros(len(frequency))
        return cls((beta[0] + beta[2] * carried + effects).astype(np.float32), np.float32(beta[1]))

    def of(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Chances (b, L) of a block of scores (b, L)."""
        chances: NDArray[np.float32] = expit(self.level + self.slope * np.minimum(scores, np.float32(1)))
        return chances


def design_of(cells: ScoredCells, carried: Floats) -> Floats:
    """(1, s, f) of each cell; ``carried`` is (L,) f."""
    return np.stack((np.ones_like(cells.scores), np.minimum(cells.scores, 1.0), carried[cells.labels]), axis=1)
