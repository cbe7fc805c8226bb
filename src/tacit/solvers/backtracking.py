"""Backtracking line search by Armijo's rule: halve the step until the value falls enough."""

from collections.abc import Callable

SUFFICIENT, TRIALS = 0.01, 20


def backtrack(
    value: Callable[[float], float],
    here: float,
    slope: float,
    *,
    first: float = 1.0,
    sufficient: float = SUFFICIENT,
    trials: int = TRIALS,
) -> tuple[float, float]:
    """α and value(α) with value(α) − here ≤ sufficient · α · slope, or 0 and ``here`` if no trial has it.

    Parameters
    ----------
    value : α ↦ J along the line; here : J at α = 0; slope : its derivative there, below zero
    first : the first α to try; each further one is half the last

    >>> backtrack(lambda alpha: (1 - 4 * alpha) ** 2, 1.0, -8.0)
    (0.25, 0.0)
    """
    alpha = first
    for _ in range(trials):
        reached = value(alpha)
        if reached - here <= sufficient * alpha * slope:
            return alpha, reached
        alpha *= 0.5
    return 0.0, here
