"""Training a ``FactorRecommender`` beyond plain alternating solves: other solvers, features, graphs, contexts."""

import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.interactions import Interactions
from tacit.estimators import resumable, solver_choice
from tacit.estimators.checkpoint import Checkpoint
from tacit.estimators.recommend import tower_design
from tacit.estimators.recommend.held_out import HeldOut
from tacit.objective import formulations
from tacit.objective.losses import resolve
from tacit.objective.maps import Identity
from tacit.objective.recipes import Recipe
from tacit.objective.side_objective import Block, SideObjective
from tacit.objective.towers import Field, LinearTower
from tacit.objective.two_towers import Parameters, TwoTowers
from tacit.objective.vectors import inner
from tacit.objective.whole_data import Side, WholeData
from tacit.solvers.alternation import alternate
from tacit.solvers.descent import Adagrad
from tacit.solvers.newton import preconditioned

if TYPE_CHECKING:
    from tacit.estimators.recommend.factor_recommender import FactorRecommender

Array = NDArray[Any]

START_SCALE = 0.1
"""Length of a random factor at the start, small against the positives' target of 1."""

SOLVED = 1e-4
ROUNDS = 40


def train(
    model: "FactorRecommender",
    data: Interactions,
    rows: tower_design.Rows,
    recipe: Recipe,
    objective: WholeData,
    solver_name: str,
    seed: int,
    iterations: int,
    held_out: HeldOut | None,
    point: Checkpoint,
) -> tuple[TwoTowers, Parameters, list[dict[str, Any]]]:
    """Run the solver on the towers; what it left, and the history."""
    objective = formulations.rewritten(objective, model.unlabelled, seed)
    problem = tower_design.towers_of(model, data, rows, recipe, objective)
    parameters = problem.start(seed, START_SCALE / np.sqrt(problem.rows.factors))
    solver = solver_choice.make(solver_name, model)

    def restore(arrays: dict[str, Array]) -> None:
        parameters.rows[:], parameters.cols[:] = arrays["rows"], arrays["cols"]
        if isinstance(solver, Adagrad):
            solver.resume({name: array for name, array in arrays.items() if name.startswith("sums ")})

    history = resumable.train(
        model,
        iterations,
        held_out,
        point,
        restore=restore,
        parameters=lambda: {"rows": parameters.rows, "cols": parameters.cols},
        state=lambda: solver.state() if isinstance(solver, Adagrad) else {},
        factors=lambda: problem.factors(parameters, model.threads),
        loop=functools.partial(alternate, problem, parameters, solver),
    )
    return problem, parameters, history


def place_rows(side: Side, loss: Any, other: Array, base: Array, n_threads: int) -> Array:
    """Factors base + U (n, g), where U minimises J with the side's ridge on U; ``base`` is what the features say.

    Rows are separate problems, but conjugate gradient runs on all of them at once.
    """
    n, g = base.shape
    own = Field("ids", Identity(n), np.arange(g), side.ridge.astype(np.float64))
    tower = LinearTower(n, g, [own], base=base)
    free = replace(side, ridge=np.zeros_like(side.ridge))
    half = SideObjective(free, resolve(loss), np.ascontiguousarray(other), bound=True, n_threads=n_threads)
    theta = np.zeros(n * g, dtype=np.float32)
    block = Block(half, tower, theta, (0,))
    first = None
    for _ in range(ROUNDS):
        point = block.at(theta)
        gradient = block.gradient(point, theta)
        norm = inner(gradient, gradient, n_threads)
        first = norm if first is None else first
        if norm <= SOLVED**2 * first:
            break
        theta += preconditioned(block, point, gradient, block.diagonal(point), 4 * g, SOLVED)
    return tower.forward(theta)
