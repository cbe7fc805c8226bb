"""Alternating solves for towers and graphs, matrix-free: conjugate gradient on ℓ's quadratic majoriser.

For the squared loss the block's problem *is* a quadratic and this is alternating least squares on all of W at once
(LEML, GRALS). For other losses the quadratic touches J where we are and lies above it, so no number of steps can raise
J and no line search is needed. Preconditioned by the diagonal: features differ in frequency by orders of magnitude.
"""

import numpy as np

from tacit.objective.half import Block
from tacit.objective.two_towers import Name
from tacit.objective.vectors import inner
from tacit.solvers.alternation import Improved
from tacit.solvers.newton import preconditioned


class ConjugateGradient:
    """``steps`` of preconditioned conjugate gradient from where the block is."""

    name = "als"
    remedy = "raise regularization or lower the weights of the positives"
    by_field = False
    bound = True

    def __init__(self, steps: int = 5) -> None:
        self.steps = steps

    def improve(self, block: Block, key: tuple[Name, tuple[int, ...]]) -> Improved:
        here = block.here
        point = block.at(here)
        gradient = block.gradient(point, here)
        scale = np.maximum(block.diagonal(point), np.finfo(here.dtype).tiny)
        here += preconditioned(block, point, gradient, scale, self.steps, 0.0)
        return Improved(block.at(here).value, inner(gradient, gradient))
