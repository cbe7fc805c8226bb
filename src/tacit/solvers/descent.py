"""First-order solvers on one block: Adagrad (improved fBGD), plain batch gradient, gradient with line search.

Adagrad, fBGD Algorithm 1 with Eq. 24, per parameter and never reset:

    G ← G + (∂J/∂θ)²,      θ ← θ − γ (∂J/∂θ) / (√G + ε)

As printed, Eq. 24 divides the first step by ∂J/∂θ + ε, which loses the gradient's sign and is singular at −ε; this is
the form it stands for. A field is updated at once: where it is one-hot its features touch different rows, which is
the same as one parameter after the other, and fields follow each other with P in step (Eq. 20). In a multi-hot field
features share rows and their steps add up, so each is divided by the feature's overlap (``maps.Map.overlap``).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import threads
from tacit.kernels import descent as kernels
from tacit.objective.side_objective import Block
from tacit.objective.vectors import CHUNK, inner
from tacit.solvers.alternation import Improved, Key, Solver
from tacit.solvers.backtracking import backtrack

Array = NDArray[Any]


def _value_and_gradient(block: Block) -> tuple[float, Array]:
    """J and its gradient by the block's parameters, in one pass over the positives."""
    objective, here = block.objective, block.here
    value, gradient = objective.value_and_gradient(block.tower.forward(block.theta, objective.threads))
    pulled = block.tower.pull(block.group, block.theta, gradient, objective.threads)
    if block.penalised:
        image = block.penalise(here)
        value += inner(image, here, objective.threads)
        pulled = pulled + 2 * image
    return value, np.ascontiguousarray(pulled).reshape(-1)


class Adagrad(Solver):
    """One adaptive step per field. Reports J as the last field's gradient pass found it.

    Remembers G = Σ (∂J/∂θ)² of each block.
    """

    name = "adagrad"
    remedy = "lower learning_rate"
    by_field = True

    def __init__(self, rate: float = 0.05, epsilon: float = 1e-4, nonnegative: bool = False) -> None:
        super().__init__()
        self.rate, self.epsilon, self.nonnegative = rate, epsilon, nonnegative
        self._rates: dict[Key, Array] = {}

    def improve(self, block: Block, key: Key) -> Improved:
        value, gradient = _value_and_gradient(block)
        if self.recalled(key, block.here.shape) is None:
            self.memory[key] = np.zeros_like(block.here)
        if key not in self._rates:
            field = block.tower.fields[block.group[0]]
            self._rates[key] = (self.rate / field.map.overlap()).astype(gradient.dtype)
        width = len(block.tower.fields[block.group[0]].columns)
        here, sums, rates = block.here, self.memory[key], self._rates[key]
        chunks = threads.even_chunks(len(rates), max(1, CHUNK // width))
        epsilon = gradient.dtype.type(self.epsilon)
        parts = threads.run(
            lambda a, b: kernels.adagrad(a, b, width, rates, epsilon, self.nonnegative, gradient, sums, here),
            chunks, block.objective.threads,
        )  # fmt: skip
        return Improved(float(sum(parts)), value=value)


class Gradient(Solver):
    """θ ← θ − γ ∇J: the plain batch gradient of fBGD Eq. 21, which has no one rate that fits all (Figure 3)."""

    name = "gradient"
    remedy = "lower learning_rate, or use solver='adagrad', which adapts the rate of each parameter"
    by_field = True

    def __init__(self, rate: float = 1e-4, nonnegative: bool = False) -> None:
        super().__init__()
        self.rate, self.nonnegative = rate, nonnegative

    def improve(self, block: Block, key: Key) -> Improved:
        value, gradient = _value_and_gradient(block)
        here = block.here
        with np.errstate(over="ignore", invalid="ignore"):
            here -= gradient.dtype.type(self.rate) * gradient
            if self.nonnegative:
                np.maximum(here, 0, out=here)
            return Improved(inner(gradient, gradient, block.objective.threads), value=value)


class LineSearch(Solver):
    """Gradient descent whose rate is halved until J falls enough, then doubled for the next time (Algorithm 6).

    Remembers the rate with which the next sweep begins on each block.
    """

    name = "linesearch"

    def improve(self, block: Block, key: Key) -> Improved:
        here = block.here
        point = block.at(here)
        gradient = block.gradient(point, here)
        squared_norm = inner(gradient, gradient)
        known = self.recalled(key, (1,))
        first = 1.0 if known is None else float(known[0])
        along = block.line_function(point, here, -gradient)
        alpha, value = backtrack(along, point.value, -squared_norm, first=first)
        here -= here.dtype.type(alpha) * gradient
        self.memory[key] = np.array([2 * alpha or 1.0])
        return Improved(squared_norm, value=value)
