"""Place rows that have both features and positives.

The features give a first factor z W. The positives then determine an offset from it: the objective is minimised over
p_x = z_x W + d_x, with the ridge on d_x.
"""

import functools
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.objective.losses import Loss
from tacit.objective.maps import Identity
from tacit.objective.side import Side
from tacit.objective.side_objective import Block, SideObjective
from tacit.objective.towers import Field, LinearTower
from tacit.objective.vectors import inner
from tacit.solvers.conjugate import conjugate_gradient

Array = NDArray[Any]

SOLVED = 1e-4
"""The solver stops when the gradient has fallen to this share of its norm at U = 0."""

ROUNDS = 40


def place_rows(side: Side, loss: Loss, other: Array, base: Array, n_threads: int = 0) -> Array:
    """Factors base + U (n, g), where U minimises J with the side's ridge on U; ``base`` comes from the features.

    Rows are separate problems, but conjugate gradient runs on all of them at once.
    """
    n, g = base.shape
    own = Field("ids", Identity(n), np.arange(g), side.ridge.astype(np.float64))
    tower = LinearTower(n, g, [own], base=base)
    free = replace(side, ridge=np.zeros_like(side.ridge))
    objective = SideObjective(free, loss, np.ascontiguousarray(other), bound=True, n_threads=n_threads)
    theta = np.zeros(n * g, dtype=np.float32)
    block = Block(objective, tower, theta, (0,))
    first = None
    for _ in range(ROUNDS):
        point = block.at(theta)
        gradient = block.gradient(point, theta)
        norm = inner(gradient, gradient, n_threads)
        first = norm if first is None else first
        if norm <= SOLVED**2 * first:
            break
        product = functools.partial(block.product, point)
        scale = block.diagonal(point)
        theta += conjugate_gradient(product, gradient, steps=4 * g, tolerance=SOLVED, scale=scale)[0]
    return tower.forward(theta)
