"""Newton's method on one block: trust region (one-class MF, Algorithm 5) and truncated Newton with line search.

Both find a step s by conjugate gradient on  ∇²J s = −∇J, with Hessian products only, and stop it at
‖∇J + ∇²J s‖ ≤ 0.1 ‖∇J‖. They differ in what keeps the step honest.

- Trust region, with the constants of Lin, Weng and Keerthi (2008): ‖s‖ ≤ Δ; Δ starts at ‖∇J‖, is at most ‖s‖ after
  the first step, and grows or shrinks with actual / predicted reduction; a step counts if that ratio exceeds 1e-4.
- Line search: preconditioned by 0.99 I + 0.01 diag ∇²J; α is halved until J(θ + α s) − J(θ) ≤ 0.01 α ⟨∇J, s⟩, at most
  20 times. Scores along the line are known, so a trial costs O(|Ω⁺|).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.objective.side_objective import Block, Point
from tacit.objective.two_towers import Name
from tacit.objective.vectors import inner
from tacit.solvers.alternation import Improved

Array = NDArray[Any]

ACCEPT, POOR, GOOD = 1e-4, 0.25, 0.75
SHRINK_MOST, SHRINK, GROW = 0.25, 0.5, 4.0
INNER_TOLERANCE = 0.1
SUFFICIENT, TRIALS = 0.01, 20


class TrustRegion:
    """At most ``steps`` trust-region steps on a block, each with at most ``inner_steps`` of conjugate gradient."""

    name = "newton"
    remedy = "raise regularization or lower the weights of the positives"
    by_field = False
    bound = False

    def __init__(self, steps: int = 1, inner_steps: int = 20, tolerance: float = 1e-2) -> None:
        """A block is done when its gradient has shrunk to ``tolerance`` of what it was."""
        self.steps, self.inner_steps, self.tolerance = steps, inner_steps, tolerance

    def improve(self, block: Block, key: tuple[Name, tuple[int, ...]]) -> Improved:
        here = block.here.copy()
        point = block.at(here)
        gradient = block.gradient(point, here)
        first_norm = norm = float(np.sqrt(inner(gradient, gradient)))
        radius = norm
        for number in range(self.steps):
            if (norm <= self.tolerance * first_norm and number > 0) or norm == 0.0:
                break
            step, residual = self._inside(block, point, gradient, radius, norm)
            slope = inner(gradient, step)
            predicted = -0.5 * (slope - inner(step, residual))
            trial = here + step
            reached = block.at(trial)
            actual = point.value - reached.value
            length = float(np.sqrt(inner(step, step)))
            radius = _resized(min(radius, length) if number == 0 else radius, length, slope, actual, predicted)
            if actual > ACCEPT * predicted:
                here, point = trial, reached
                gradient = block.gradient(point, here)
                norm = float(np.sqrt(inner(gradient, gradient)))
            elif not np.isfinite(actual) or predicted <= 1e-7 * abs(point.value):
                # Within rounding of the minimum the ratio says nothing any more.
                break
        block.here[:] = here
        return Improved(point.value, first_norm**2)

    def _inside(self, block: Block, point: Point, gradient: Array, radius: float, norm: float) -> tuple[Array, Array]:
        """Steihaug's conjugate gradient: s with ‖s‖ ≤ radius and the residual −∇J − ∇²J s."""
        step = np.zeros_like(gradient)
        residual = -gradient
        direction = residual.copy()
        energy = inner(residual, residual)
        for _ in range(self.inner_steps):
            if np.sqrt(energy) <= INNER_TOLERANCE * norm:
                break
            image = block.product(point, direction)
            curvature = inner(direction, image)
            alpha = energy / curvature if curvature > 0 else np.inf
            along, across, square = inner(step, direction), inner(step, step), inner(direction, direction)
            if across + 2 * alpha * along + alpha**2 * square > radius**2:
                root = np.sqrt(along**2 + square * (radius**2 - across))
                alpha = (radius**2 - across) / (along + root) if along >= 0 else (root - along) / square
                step += step.dtype.type(alpha) * direction
                residual -= step.dtype.type(alpha) * image
                break
            step += step.dtype.type(alpha) * direction
            residual -= step.dtype.type(alpha) * image
            fresh = inner(residual, residual)
            direction = residual + step.dtype.type(fresh / energy) * direction
            energy = fresh
        return step, residual


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


class TruncatedNewton:
    """Newton's direction by preconditioned conjugate gradient, then a line search that halves."""

    name = "newton_linesearch"
    remedy = "raise regularization or lower the weights of the positives"
    by_field = False
    bound = False

    def __init__(self, steps: int = 1, inner_steps: int = 20) -> None:
        self.steps, self.inner_steps = steps, inner_steps

    def improve(self, block: Block, key: tuple[Name, tuple[int, ...]]) -> Improved:
        value = squared_norm = 0.0
        for number in range(self.steps):
            here = block.here
            point = block.at(here)
            gradient = block.gradient(point, here)
            if number == 0:
                squared_norm = inner(gradient, gradient)
            diagonal = block.diagonal(point)
            scale = 0.99 + 0.01 * diagonal
            step = preconditioned(block, point, gradient, scale, self.inner_steps, INNER_TOLERANCE)
            alpha, value = backtrack(block, point, here, gradient, step)
            here += here.dtype.type(alpha) * step
        return Improved(value, squared_norm)


def preconditioned(block: Block, point: Point, gradient: Array, scale: Array, steps: int, tolerance: float) -> Array:
    """s ≈ −(∇²J)⁻¹ ∇J by conjugate gradient with the diagonal preconditioner ``scale``."""
    step = np.zeros_like(gradient)
    residual = -gradient
    solved = residual / scale
    direction = solved.copy()
    energy = inner(residual, solved)
    enough = tolerance**2 * energy
    for _ in range(steps):
        if energy <= enough or energy == 0.0:
            break
        image = block.product(point, direction)
        curvature = inner(direction, image)
        if not curvature > 0:
            break
        alpha = step.dtype.type(energy / curvature)
        step += alpha * direction
        residual -= alpha * image
        solved = residual / scale
        fresh = inner(residual, solved)
        direction = solved + step.dtype.type(fresh / energy) * direction
        energy = fresh
    return step


def backtrack(
    block: Block, point: Point, here: Array, gradient: Array, step: Array, first: float = 1.0
) -> tuple[float, float]:
    """α and J(θ + α step) with sufficient decrease, or 0 and J(θ) if no trial has it."""
    slope = inner(gradient, step)
    value = block.line_function(point, here, step)
    alpha = first
    for _ in range(TRIALS):
        reached = value(alpha)
        if reached - point.value <= SUFFICIENT * alpha * slope:
            return alpha, reached
        alpha *= 0.5
    return 0.0, point.value
