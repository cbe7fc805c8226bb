"""Alternating solves for towers and graphs, matrix-free: conjugate gradient on ℓ's quadratic majoriser.

For the squared loss the block's problem *is* a quadratic and this is alternating least squares on all of W at once
(LEML, GRALS). For other losses the quadratic touches J where we are and lies above it, so no number of steps can raise
J and no line search is needed. Preconditioned by the diagonal: features differ in frequency by orders of magnitude.
A side that has ids only, and no graph, falls apart into rows: those go to the row solver of ``solvers.als``.
"""

import numpy as np

from tacit.objective.side_objective import Block
from tacit.objective.towers import LinearTower
from tacit.objective.two_towers import Name
from tacit.objective.vectors import inner
from tacit.solvers import als
from tacit.solvers.alternation import Improved
from tacit.solvers.newton import preconditioned


class Alternating:
    """``steps`` of conjugate gradient per block and sweep from where it is, ``row_steps`` where rows are separate."""

    name = "als"
    remedy = "raise regularization or lower the weights of the positives"
    by_field = False
    bound = True

    def __init__(self, steps: int = 5, row_steps: int = 3) -> None:
        self.steps, self.row_steps = steps, row_steps
        self._rows: dict[tuple[Name, tuple[int, ...]], als.RowSolver] = {}

    def improve(self, block: Block, key: tuple[Name, tuple[int, ...]]) -> Improved:
        als.require_majoriser(block.half.loss)
        tower = block.tower
        if isinstance(tower, LinearTower) and tower.is_ids and block.half.graph is None and not block.penalised:
            return self._by_rows(block, key)
        here = block.here
        point = block.at(here)
        gradient = block.gradient(point, here)
        scale = np.maximum(block.diagonal(point), np.finfo(here.dtype).tiny)
        here += preconditioned(block, point, gradient, scale, self.steps, 0.0)
        return Improved(block.at(here).value, inner(gradient, gradient))

    def _by_rows(self, block: Block, key: tuple[Name, tuple[int, ...]]) -> Improved:
        half, factors = block.half, block.tower.forward(block.theta)
        if key not in self._rows:
            method = als.choose("auto", factors.shape[1])
            self._rows[key] = als.RowSolver(
                half.side, factors.shape[1], method, self.row_steps, half.threads, half.loss
            )
        _, squared_norm = self._rows[key].improve(factors, half.other)
        return Improved(half.at(factors).value, squared_norm)
