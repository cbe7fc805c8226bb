"""The loop that all solvers on towers share.

    repeat: for each side, and each group of its fields: improve the group's parameters, all else fixed

A solver says how to improve one block; the loop keeps P and Q in step with the parameters, adds up J and the norm of
the gradient, stops by a relative rule, and catches what is not finite.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit import threads
from tacit.errors import DivergedError
from tacit.objective.side_objective import Block
from tacit.objective.two_towers import NAMES, Name, Parameters, TwoTowers
from tacit.progress import Run

Array = NDArray[Any]


class Improved(NamedTuple):
    """J as the solver last saw it, of this block's terms, and the squared norm of the gradient where it began."""

    value: float
    squared_norm: float


class Solver(Protocol):
    """How one block is improved."""

    name: str
    remedy: str
    """What a user should change when training diverges."""
    by_field: bool
    """Whether fields follow each other (Gauss–Seidel) or all fields in which P is linear move together."""
    bound: bool
    """Whether ℓ's curvature is replaced by that of its quadratic majoriser."""

    def improve(self, block: Block, key: tuple[Name, tuple[int, ...]]) -> Improved:
        """Change ``block.here`` in place."""


def alternate(
    problem: TwoTowers,
    parameters: Parameters,
    solver: Solver,
    run: Run,
    *,
    tolerance: float = 0.0,
    start: int = 0,
    after_sweep: Callable[[], dict[str, Any]] = dict,
    after_report: Callable[[], None] | None = None,
    n_threads: int = 0,
) -> None:
    """Improve the parameters in place until the run ends or J changes by less than ``tolerance`` of it.

    ``after_sweep`` is called after every sweep, and what it returns joins the record of that sweep; ``after_report``
    is called when the record is in the run's history. With ``start`` above zero the run goes on from its history.

    Every record has the objective, the norm of the gradient (each block's where its step began) and the seconds.
    """
    run.stop_when_settled(tolerance)
    with threads.single_threaded_blas():
        for iteration in run.iterations(start):
            began = time.perf_counter()
            value, squared_norm = _sweep(problem, parameters, solver, iteration, n_threads)
            run.report(
                objective=value,
                gradient_norm=float(np.sqrt(squared_norm)),
                seconds=time.perf_counter() - began,
                **after_sweep(),
            )
            if after_report is not None:
                after_report()
            run.stop_when_settled(tolerance)


def _sweep(
    problem: TwoTowers, parameters: Parameters, solver: Solver, iteration: int, n_threads: int
) -> tuple[float, float]:
    value = squared_norm = 0.0
    for name, opposite in zip(NAMES, reversed(NAMES)):
        tower, theta = problem.tower(name), parameters.of(name)
        other = problem.tower(opposite).forward(parameters.of(opposite), n_threads)
        elsewhere = problem.penalty(opposite, parameters.of(opposite), other, n_threads)
        half = problem.half(name, other, bound=solver.bound, n_threads=n_threads)
        groups = [(place,) for place in range(len(tower.fields))] if solver.by_field else tower.groups
        for group in groups:
            improved = solver.improve(Block(half, tower, theta, group), (name, group))
            value = improved.value + elsewhere + problem.ridge(name, theta, except_for=group)
            squared_norm += improved.squared_norm
            if not (np.isfinite(value) and np.isfinite(improved.squared_norm)):
                term = "objective" if not np.isfinite(value) else "gradient"
                field = ", ".join(tower.fields[place].name for place in group)
                raise DivergedError(
                    f"iteration {iteration + 1}: the {term} is no longer finite after the step on the {field} of the "
                    f"{name} (solver {solver.name!r}); {solver.remedy}."
                )
    return value, squared_norm
