"""Newton's method on one block: trust region (one-class MF, Algorithm 5) and truncated Newton with line search.

Both find a step s by conjugate gradient on  ∇²J s = −∇J, with Hessian products only, and stop it at
‖∇J + ∇²J s‖ ≤ 0.1 ‖∇J‖. They differ in how the length of the step is controlled.

- Trust region, with the constants of Lin, Weng and Keerthi (2008): ‖s‖ ≤ Δ; Δ starts at ‖∇J‖ or as given, is at most
  ‖s‖ after the first step, and grows or shrinks with actual / predicted reduction; a step counts if that ratio exceeds
  1e-4. A block keeps its Δ from sweep to sweep.
- Line search: preconditioned by 0.99 I + 0.01 diag ∇²J; α is halved until J(θ + α s) − J(θ) ≤ 0.01 α ⟨∇J, s⟩, at most
  20 times. Scores along the line are known, so a trial costs O(|Ω⁺|).
"""

from functools import partial

import numpy as np

from tacit.objective.side_objective import Block
from tacit.objective.vectors import inner
from tacit.solvers.alternation import Improved, Key, Solver
from tacit.solvers.backtracking import backtrack
from tacit.solvers.conjugate import conjugate_gradient

ACCEPT, POOR, GOOD = 1e-4, 0.25, 0.75
SHRINK_MOST, SHRINK, GROW = 0.25, 0.5, 4.0
INNER_TOLERANCE = 0.1


class TrustRegion(Solver):
    """At most ``steps`` trust-region steps on a block, each with at most ``inner_steps`` of conjugate gradient.

    Remembers the radius Δ of each block.
    """

    name = "newton"

    def __init__(
        self, steps: int = 1, inner_steps: int = 20, tolerance: float = 1e-2, radius: float | None = None
    ) -> None:
        """A block is done when its gradient has shrunk to ``tolerance`` of what it was; ``radius`` is its first Δ."""
        super().__init__()
        self.steps, self.inner_steps, self.tolerance, self.radius = steps, inner_steps, tolerance, radius

    def improve(self, block: Block, key: Key) -> Improved:
        here = block.here.copy()
        point = block.at(here)
        gradient = block.gradient(point, here)
        first_norm = norm = float(np.sqrt(inner(gradient, gradient)))
        remembered = self.recalled(key, (1,))
        radius = float(remembered[0]) if remembered is not None else norm if self.radius is None else self.radius
        fresh = remembered is None
        for number in range(self.steps):
            if (norm <= self.tolerance * first_norm and number > 0) or norm == 0.0:
                break
            step, residual = conjugate_gradient(
                partial(block.product, point), gradient, steps=self.inner_steps, tolerance=INNER_TOLERANCE,
                radius=radius,
            )  # fmt: skip
            slope = inner(gradient, step)
            predicted = -0.5 * (slope - inner(step, residual))
            trial = here + step
            reached = block.at(trial)
            actual = point.value - reached.value
            length = float(np.sqrt(inner(step, step)))
            radius = _resized(min(radius, length) if fresh else radius, length, slope, actual, predicted)
            fresh = False
            if actual > ACCEPT * predicted:
                here, point = trial, reached
                gradient = block.gradient(point, here)
                norm = float(np.sqrt(inner(gradient, gradient)))
            elif not np.isfinite(actual) or predicted <= 1e-7 * abs(point.value):
                # Within rounding of the minimum the ratio says nothing any more.
                break
        block.here[:] = here
        if not fresh:
            self.memory[key] = np.array([radius])
        return Improved(first_norm**2, value=point.value)


def _resized(radius: float, length: float, slope: float, actual: float, predicted: float) -> float:
    """The next radius from how well the quadratic model foresaw the step."""
    rise = -actual - slope
    factor = GROW if rise <= 0 else max(SHRINK_MOST, -0.5 * slope / rise)
    if actual < ACCEPT * predicted:
        return min(max(factor, SHRINK_MOST) * length, SHRINK * radius)
    if actual < POOR * predicted:
        return max(SHRINK_MOST * radius, min(factor * length, SHRINK * radius))
    if actual < GOOD * predicted:
        return max(SHRINK_MOST * radius, min(factor * length, GROW * radius))
    return max(radius, min(factor * length, GROW * radius))


class TruncatedNewton(Solver):
    """Newton's direction by preconditioned conjugate gradient, then a line search that halves."""

    name = "newton_linesearch"

    def __init__(self, steps: int = 1, inner_steps: int = 20) -> None:
        super().__init__()
        self.steps, self.inner_steps = steps, inner_steps

    def improve(self, block: Block, key: Key) -> Improved:
        value = squared_norm = 0.0
        for number in range(self.steps):
            here = block.here
            point = block.at(here)
            gradient = block.gradient(point, here)
            if number == 0:
                squared_norm = inner(gradient, gradient)
            diagonal = block.diagonal(point)
            scale = 0.99 + 0.01 * diagonal
            step, _ = conjugate_gradient(
                partial(block.product, point), gradient, steps=self.inner_steps, tolerance=INNER_TOLERANCE, scale=scale
            )
            along = block.line_function(point, here, step)
            alpha, value = backtrack(along, point.value, inner(gradient, step))
            here += here.dtype.type(alpha) * step
        return Improved(squared_norm, value=value)
