"""Conjugate gradient on H s = −g, given products H·d only. All solvers on blocks use it as their inner loop.

Two other places have their own, because the recursion runs on other shapes there: ``kernels.als`` solves the system of
one row at a time, and ``solvers.ridge`` solves many right-hand sides at once.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.objective.vectors import inner

Array = NDArray[Any]


def conjugate_gradient(
    product: Callable[[Array], Array],
    gradient: Array,
    *,
    steps: int,
    tolerance: float,
    scale: Array | None = None,
    radius: float = np.inf,
) -> tuple[Array, Array]:
    """s ≈ −H⁻¹ g with ‖s‖ ≤ radius, and the residual −g − H s.

    Parameters
    ----------
    product : d ↦ H d
    steps, tolerance : at most so many steps; done when the residual has shrunk to this share of what it was
    scale : diagonal preconditioner; the residual is then measured in its norm
    radius : of the trust region; a step beyond it, or along a direction of no curvature, ends on its border (Steihaug)

    >>> step, _ = conjugate_gradient(lambda d: np.array([2.0, 4.0]) * d, np.array([2.0, 2.0]), steps=2, tolerance=0.0)
    >>> step.tolist()
    [-1.0, -0.5]
    """
    step = np.zeros_like(gradient)
    number = step.dtype.type
    residual = -gradient
    solved = residual if scale is None else residual / scale
    direction = solved.copy()
    energy = inner(residual, solved)
    enough = tolerance**2 * energy
    for _ in range(steps):
        if energy <= enough or energy == 0.0:
            break
        image = product(direction)
        curvature = inner(direction, image)
        alpha = energy / curvature if curvature > 0 else np.inf
        border = _to_border(step, direction, radius) if np.isfinite(radius) else np.inf
        if not min(alpha, border) < np.inf:
            break
        step += number(min(alpha, border)) * direction
        residual -= number(min(alpha, border)) * image
        if alpha > border:
            break
        solved = residual if scale is None else residual / scale
        fresh = inner(residual, solved)
        direction = solved + number(fresh / energy) * direction
        energy = fresh
    return step, residual


def _to_border(step: Array, direction: Array, radius: float) -> float:
    """α > 0 with ‖step + α direction‖ = radius."""
    along, across, square = inner(step, direction), inner(step, step), inner(direction, direction)
    root = float(np.sqrt(along**2 + square * max(radius**2 - across, 0.0)))
    return (radius**2 - across) / (along + root) if along >= 0 else (root - along) / square
