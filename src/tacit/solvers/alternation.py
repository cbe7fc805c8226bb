"""The one loop: plain ids, features, graphs, contexts, words and tags are all fitted by it.

    repeat: for each side, and each group of its fields: improve the group's parameters, all else fixed

A solver improves one block and may remember something about it. The loop updates P and Q with the parameters, tracks J
and the norm of the gradient, stops when J hardly falls, and raises an error where a value is not finite. J is evaluated
only where the solver does not know by how much it fell.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit import threads
from tacit.errors import DivergedError, InputError
from tacit.objective.side_objective import Block
from tacit.objective.two_towers import NAMES, Name, Parameters, TwoTowers
from tacit.progress import Run

Array = NDArray[Any]
Key = tuple[Name, tuple[int, ...]]
"""Which block: the side, and the fields of its tower."""


class Improved(NamedTuple):
    """What a step on a block found out.

    squared_norm : of the gradient where the step began
    value : J as the solver last saw it, of this block's terms; or
    fall : by how much J fell. With neither, the loop evaluates J after the sweep
    """

    squared_norm: float
    value: float | None = None
    fall: float | None = None


class Solver:
    """How one block is improved.

    ``memory`` holds whatever a solver remembers of a block from sweep to sweep. It is all that a checkpoint needs
    beside the parameters: a solver that keeps nothing else resumes to the same bits.
    """

    name: ClassVar[str]
    remedy: ClassVar[str] = "raise regularization or lower the weights of the positives"
    """What a user should change when training diverges."""
    by_field: ClassVar[bool] = False
    """Whether fields follow each other (Gauss–Seidel) or all fields in which P is linear move together."""
    bound: ClassVar[bool] = False
    """Whether ℓ's curvature is replaced by that of its quadratic majoriser."""

    def __init__(self) -> None:
        self.memory: dict[Key, Array] = {}

    def improve(self, block: Block, key: Key) -> Improved:
        """Change ``block.here`` in place."""
        raise NotImplementedError

    def state(self) -> dict[str, Array]:
        """The memory as named arrays; ``restore`` takes it back."""
        return {f"{name} {','.join(map(str, group))}": array for (name, group), array in self.memory.items()}

    def recalled(self, key: Key, shape: tuple[int, ...]) -> Array | None:
        """What is remembered of a block; what has another shape, from a damaged checkpoint, is refused."""
        result = self.memory.get(key)
        if result is not None and result.shape != shape:
            raise InputError(
                f"checkpoint: what the solver remembers of the {key[0]} has the shape {result.shape} and not {shape}; "
                "delete the file to start anew."
            )
        return result

    def restore(self, state: Mapping[str, Array]) -> None:
        """Go on from what an earlier solver of the same kind remembered."""
        for label, array in state.items():
            name, group = label.split(" ")
            self.memory["rows" if name == "rows" else "cols", tuple(map(int, group.split(",")))] = array


def alternate(
    problem: TwoTowers,
    parameters: Parameters,
    solver: Solver,
    run: Run,
    *,
    tolerance: float = 0.0,
    after_sweep: Callable[[], dict[str, Any]] = dict,
    after_report: Callable[[], None] | None = None,
    n_threads: int = 0,
) -> None:
    """Improve the parameters in place until the run ends or J changes by less than ``tolerance`` of it.

    ``after_sweep`` is called after every sweep, and what it returns joins the record of that sweep; ``after_report``
    is called when the record is in the run's history. A run that has a history goes on from it.

    Every record has the objective, the norm of the gradient (each block's where its step began) and the seconds.
    """
    run.stop_when_settled(tolerance)
    with threads.single_threaded_blas():
        value: float | None = run.history[-1]["objective"] if run.history else None
        for iteration in run.iterations(len(run.history)):
            began = time.perf_counter()
            try:
                value, squared_norm = _sweep(problem, parameters, solver, value, n_threads)
            except DivergedError as error:
                raise DivergedError(f"iteration {iteration + 1}: {error}") from None
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
    problem: TwoTowers, parameters: Parameters, solver: Solver, value: float | None, n_threads: int
) -> tuple[float, float]:
    """J after one sweep, from J before it where that is known, and the squared norm of the gradient."""
    squared_norm = 0.0
    for name, opposite in zip(NAMES, reversed(NAMES)):
        tower, theta = problem.tower(name), parameters.of(name)
        other = problem.tower(opposite).forward(parameters.of(opposite), n_threads)
        elsewhere: float | None = None
        objective = problem.side_objective(name, other, bound=solver.bound, n_threads=n_threads)
        groups = [(index,) for index in range(len(tower.fields))] if solver.by_field else tower.groups
        for group in groups:
            improved = solver.improve(Block(objective, tower, theta, group), (name, group))
            squared_norm += improved.squared_norm
            if improved.value is not None:
                if elsewhere is None:
                    elsewhere = problem.penalty(opposite, parameters.of(opposite), other, n_threads)
                value = improved.value + elsewhere + problem.ridge(name, theta, except_for=group)
            elif value is not None:
                value = None if improved.fall is None else value - improved.fall
            fields = ", ".join(tower.fields[index].name for index in group)
            require_finite(value, squared_norm, f"{fields} of the {name}", solver)
    if value is None:
        value = problem.value(parameters, n_threads)
        require_finite(value, squared_norm, "columns", solver)
    return value, squared_norm


def require_finite(value: float | None, squared_norm: float, where: str, solver: Solver) -> None:
    """Stop training whose J or gradient is lost."""
    lost = value is not None and not np.isfinite(value)
    if lost or not np.isfinite(squared_norm):
        term = "objective" if lost else "gradient"
        raise DivergedError(
            f"the {term} is no longer finite after the step on the {where} (solver {solver.name!r}); {solver.remedy}."
        )
