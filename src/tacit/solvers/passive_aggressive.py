"""The state of a rating stream, and the calls that grow it and run ratings through it.

The formulas are in ``kernels/passive_aggressive.py`` (a round) and ``kernels/rating_rounds.py`` (the loop).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import DivergedError
from tacit.solvers.inverse_root import quadrature

Array = NDArray[Any]
Variant = Literal["PA", "PA-I", "PA-II"]
Adaptation = Literal["diagonal", "full"]

VARIANTS: tuple[Variant, ...] = ("PA", "PA-I", "PA-II")
AVERAGE_SHARE = 0.8
"""Of a newcomer that starts near the average: the rest is random, or all newcomers would stay alike."""


@dataclass(frozen=True)
class Setting:
    """One expert: what Algorithm 1 needs to know. The letters are the paper's.

    factors : k
    aggressiveness : C; delta : δ; epsilon : ε
    forgetting : φ of H ← φH + xxᵀ
    start : the first prediction to expect, as a share of the largest rating seen
    """

    factors: int = 10
    variant: Variant = "PA-II"
    adaptation: Adaptation | None = "diagonal"
    nonnegative: bool = True
    projection: Literal["exact", "plain"] = "exact"
    biases: bool = False
    aggressiveness: float = 0.05
    delta: float = 0.05
    epsilon: float = 0.0
    forgetting: float = 1.0
    start: float = 0.3

    @property
    def vector(self) -> int:
        """Length of a user's or item's vector: the factors and the bias."""
        return self.factors + self.biases

    @property
    def width(self) -> int:
        """Numbers that a user or item takes: vector and accumulated H."""
        n = self.vector
        return n + {None: 0, "diagonal": n, "full": n * (n + 1) // 2}[self.adaptation]


@dataclass(frozen=True)
class Rules:
    """What all experts of a stream share.

    average : the share of the average in a newcomer (0: random, as in the paper)
    reference : the largest rating for which C, δ and ε are stated; None takes them as they are
    eta : Hedge's rate −log β
    exploration : ρ; uniform : equal weights and every expert updated
    forgetting : of the log weights
    """

    seed: int = 0
    average: float = 0.0
    reference: float | None = None
    eta: float = 0.001
    exploration: float = 0.1
    uniform: bool = False
    forgetting: float = 1.0


class Stream:
    """Rows of users and items, the running facts, and the settings they learn under."""

    def __init__(self, settings: Sequence[Setting], rules: Rules, dtype: type = np.float32) -> None:
        from tacit.kernels import rating_rounds

        self.settings = tuple(settings)
        self.rules = rules
        self.experts = len(self.settings)
        self.width = 1 + sum(setting.width for setting in self.settings)
        self.users: Array = np.zeros((16, self.width), dtype=dtype)
        self.items: Array = np.zeros((16, self.width), dtype=dtype)
        self.memory: NDArray[np.float64] = np.zeros(rating_rounds.HEAD + self.experts + 2 * self.width)
        self._fixed = (_settings_matrix(self.settings), _rules_vector(rules), quadrature())
        self._head, self._rounds_at = rating_rounds.HEAD, rating_rounds.ROUNDS
        self._run: Callable[..., int] = rating_rounds.rounds
        self._cell = np.zeros((2, 1), dtype=np.int64)
        self._outcome = np.zeros((2, 1))

    @property
    def n_seen(self) -> int:
        """Ratings taken in so far."""
        return int(self.memory[self._rounds_at])

    @property
    def weights(self) -> NDArray[np.float64]:
        """Normalised weights of the experts (Eq. 15)."""
        if self.rules.uniform:
            return np.full(self.experts, 1.0 / self.experts)
        logs = self.memory[self._head : self._head + self.experts]
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def reserve(self, users: int, items: int) -> None:
        """Room for this many rows and one more, which stands for whoever is unknown; storage grows by doubling."""
        if users >= len(self.users):
            self.users = _longer(self.users, users + 1)
        if items >= len(self.items):
            self.items = _longer(self.items, items + 1)

    def run(self, users: Array, items: Array, ratings: Array | None) -> NDArray[np.float64]:
        """Predictions for these cells in order, each made before its rating is taken in; None only predicts."""
        cells = np.empty((2, len(users)), dtype=np.int64)
        cells[0], cells[1] = users, items
        outcomes = np.zeros((2, len(users)))
        if ratings is not None:
            outcomes[0] = ratings
        learn = ratings is not None
        done = self._run(self.users, self.items, self.memory, *self._fixed, cells, outcomes, learn)
        if done < len(users):
            self._diverged()
        predictions: NDArray[np.float64] = outcomes[1]
        return predictions

    def run_one(self, user: int, item: int, rating: float, learn: bool) -> float:
        """The same for one cell, with nothing allocated."""
        cell, outcome = self._cell, self._outcome
        cell[0, 0] = user
        cell[1, 0] = item
        outcome[0, 0] = rating
        done = self._run(self.users, self.items, self.memory, *self._fixed, cell, outcome, learn)
        if not done:
            self._diverged()
        return float(outcome[1, 0])

    def _diverged(self) -> None:
        raise DivergedError(
            f"rating {self.n_seen + 1}: the prediction is not finite any more; lower aggressiveness, "
            "or use variant='PA-II', which bounds every step."
        )


def _longer(rows: Array, length: int) -> Array:
    longer = np.zeros((max(length, 2 * len(rows)), rows.shape[1]), dtype=rows.dtype)
    longer[: len(rows)] = rows
    return longer


def _settings_matrix(settings: Sequence[Setting]) -> NDArray[np.float64]:
    from tacit.kernels import passive_aggressive as kernel

    matrix = np.zeros((len(settings), kernel.COLUMNS))
    offset = 1
    for row, setting in zip(matrix, settings):
        row[kernel.OFFSET] = offset
        row[kernel.FACTORS] = setting.factors
        row[kernel.BIASED] = setting.biases
        row[kernel.VARIANT] = VARIANTS.index(setting.variant)
        row[kernel.ADAPTATION] = {
            None: kernel.NO_ADAPTATION, "diagonal": kernel.DIAGONAL, "full": kernel.FULL
        }[setting.adaptation]  # fmt: skip
        row[kernel.CONSTRAINT] = {"exact": kernel.EXACT, "plain": kernel.PLAIN}[setting.projection]
        if not setting.nonnegative:
            row[kernel.CONSTRAINT] = kernel.FREE
        row[kernel.AGGRESSIVENESS] = setting.aggressiveness
        row[kernel.DELTA] = setting.delta
        row[kernel.EPSILON] = setting.epsilon
        row[kernel.FORGETTING] = setting.forgetting
        row[kernel.START] = setting.start
        offset += setting.width
    return matrix


def _rules_vector(rules: Rules) -> NDArray[np.float64]:
    from tacit.kernels import rating_rounds as kernel

    vector = np.zeros(kernel.RULES)
    # Exact as a float64.
    vector[kernel.SEED] = rules.seed % 2**53
    vector[kernel.AVERAGE] = rules.average
    vector[kernel.REFERENCE] = 0.0 if rules.reference is None else rules.reference
    vector[kernel.ETA] = rules.eta
    vector[kernel.EXPLORATION] = rules.exploration
    vector[kernel.UNIFORM] = rules.uniform
    vector[kernel.FORGETTING] = rules.forgetting
    return vector
