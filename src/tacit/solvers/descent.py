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
from tacit.objective.two_towers import Name
from tacit.objective.vectors import CHUNK, inner
from tacit.solvers.alternation import Improved
from tacit.solvers.newton import backtrack

Array = NDArray[Any]
Key = tuple[Name, tuple[int, ...]]


def _value_and_gradient(block: Block) -> tuple[float, Array]:
    """J and its gradient by the block's parameters, in one pass over the positives."""
    half, here = block.half, block.here
    value, gradient = half.value_and_gradient(block.tower.forward(block.theta, half.threads))
    pulled = block.tower.pull(block.group, block.theta, gradient, half.threads)
    if block.penalised:
        value += inner(block.ridge * here, here, half.threads)
        pulled = pulled + 2 * block.ridge * here
    return value, np.ascontiguousarray(pulled).reshape(-1)


class Adagrad:
    """One adaptive step per field. Reports J as the last field's gradient pass found it."""

    name = "adagrad"
    remedy = "lower learning_rate"
    by_field = True
    bound = False

    def __init__(self, rate: float = 0.05, epsilon: float = 1e-4, nonnegative: bool = False) -> None:
        self.rate, self.epsilon, self.nonnegative = rate, epsilon, nonnegative
        self.sums: dict[Key, Array] = {}
        """Σ (∂J/∂θ)² per block: part of the state that a checkpoint needs."""
        self._rates: dict[Key, Array] = {}

    def state(self) -> dict[str, Array]:
        """The sums by name, for a checkpoint; ``resume`` takes them back."""
        return {f"sums {name} {','.join(map(str, group))}": sums for (name, group), sums in self.sums.items()}

    def resume(self, state: dict[str, Array]) -> None:
        for label, sums in state.items():
            _, name, group = label.split(" ")
            self.sums["rows" if name == "rows" else "cols", tuple(map(int, group.split(",")))] = sums

    def improve(self, block: Block, key: Key) -> Improved:
        value, gradient = _value_and_gradient(block)
        if key not in self.sums:
            self.sums[key] = np.zeros_like(block.here)
        if key not in self._rates:
            field = block.tower.fields[block.group[0]]
            self._rates[key] = (self.rate / field.map.overlap()).astype(gradient.dtype)
        width = len(block.tower.fields[block.group[0]].columns)
        here, sums, rates = block.here, self.sums[key], self._rates[key]
        chunks = threads.even_chunks(len(rates), max(1, CHUNK // width))
        epsilon = gradient.dtype.type(self.epsilon)
        parts = threads.run(
            lambda a, b: kernels.adagrad(a, b, width, rates, epsilon, self.nonnegative, gradient, sums, here),
            chunks, block.half.threads,
        )  # fmt: skip
        return Improved(value, float(sum(parts)))


class Gradient:
    """θ ← θ − γ ∇J: the plain batch gradient of fBGD Eq. 21, which has no one rate that fits all (Figure 3)."""

    name = "gradient"
    remedy = "lower learning_rate, or use solver='adagrad', which adapts the rate of each parameter"
    by_field = True
    bound = False

    def __init__(self, rate: float = 1e-4, nonnegative: bool = False) -> None:
        self.rate, self.nonnegative = rate, nonnegative

    def improve(self, block: Block, key: Key) -> Improved:
        value, gradient = _value_and_gradient(block)
        here = block.here
        with np.errstate(over="ignore", invalid="ignore"):
            here -= gradient.dtype.type(self.rate) * gradient
            if self.nonnegative:
                np.maximum(here, 0, out=here)
            return Improved(value, inner(gradient, gradient, block.half.threads))


class LineSearch:
    """Gradient descent whose rate is halved until J falls enough, then doubled for the next time (Algorithm 6)."""

    name = "linesearch"
    remedy = "raise regularization or lower the weights of the positives"
    by_field = False
    bound = False

    def __init__(self) -> None:
        self._rates: dict[Key, float] = {}

    def improve(self, block: Block, key: Key) -> Improved:
        here = block.here
        point = block.at(here)
        gradient = block.gradient(point, here)
        squared_norm = inner(gradient, gradient)
        alpha, value = backtrack(block, point, here, gradient, -gradient, self._rates.get(key, 1.0))
        here -= here.dtype.type(alpha) * gradient
        self._rates[key] = 2 * alpha or 1.0
        return Improved(value, squared_norm)
