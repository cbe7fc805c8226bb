"""Rating streams: settings, the arrays of users and items, and the calls that run ratings through them.

The formulas are in ``kernels/passive_aggressive.py`` (one round) and ``kernels/rating_rounds.py`` (the loop).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import DivergedError
from tacit.solvers.inverse_root import quadrature
from tacit.solvers.weight_record import WeightRecord

Array = NDArray[Any]
Variant = Literal["PA", "PA-I", "PA-II"]
Adaptation = Literal["diagonal", "full"]

Biases = Literal["means", "learned"]
Aim = Literal["median", "mean"]

STARTS: dict[Biases | None, float] = {"means": 0.05, "learned": 0.02, None: 0.3}
VARIANTS: tuple[Variant, ...] = ("PA", "PA-I", "PA-II")
AIMS: tuple[Aim, ...] = ("median", "mean")
AVERAGE_SHARE = 0.8
"""Of a newcomer that starts near the average: the rest is random, or all newcomers would stay alike."""


@dataclass(frozen=True)
class Setting:
    """One expert: what Algorithm 1 needs to know. The letters are the paper's.

    factors : k
    biases : "means" (running means, the factors explain what they leave), "learned" (one more coordinate) or None
    aggressiveness : C; delta : δ; epsilon : ε; beside running means in units of the ratings' standard deviation
    forgetting : φ of H ← φH + xxᵀ
    start : beside running means the size of an item's first factors, otherwise the first prediction to expect, as a
        share of the largest rating seen; None for a choice by ``biases``
    """

    factors: int = 20
    variant: Variant = "PA-II"
    adaptation: Adaptation | None = "diagonal"
    nonnegative: bool = False
    projection: Literal["exact", "plain"] = "exact"
    biases: Biases | None = "means"
    aggressiveness: float = 0.1
    delta: float = 0.2
    epsilon: float = 0.0
    forgetting: float = 1.0
    start: float | None = None

    @property
    def vector(self) -> int:
        """Length of a user's or item's vector: the factors, and a bias that is learned."""
        return self.factors + (self.biases == "learned")

    @property
    def width(self) -> int:
        """Numbers that a user or item takes: vector and accumulated H."""
        n = self.vector
        return n + {None: 0, "diagonal": n, "full": n * (n + 1) // 2}[self.adaptation]

    @property
    def first(self) -> float:
        """``start``, or what is chosen for it."""
        return STARTS[self.biases] if self.start is None else self.start


@dataclass(frozen=True)
class Rules:
    """What all experts of a stream share.

    average : the share of the average in a newcomer (0: random, as in the paper)
    reference : the largest rating for which C, δ and ε are stated; None takes them as they are
    eta : Hedge's rate −log β
    exploration : ρ; uniform : equal weights and every expert updated
    forgetting : of the log weights
    shrinkage : κ of the running means
    in_range : cut predictions to the range of the ratings seen so far
    middle : shift predictions from the mean of the ratings to expect to their middle
    """

    seed: int = 0
    average: float = 0.0
    reference: float | None = None
    eta: float = 0.001
    exploration: float = 0.1
    uniform: bool = False
    forgetting: float = 1.0
    shrinkage: float = 2.0
    in_range: bool = False
    middle: bool = False


class Stream:
    """Rows of users and items, the running facts, and the settings they learn under.

    Learning writes in place; whoever shares a stream among threads keeps others out meanwhile. Answers write nothing.
    """

    def __init__(self, settings: Sequence[Setting], rules: Rules, dtype: type = np.float32) -> None:
        from tacit.kernels import passive_aggressive, rating_rounds, running_means

        self.settings = tuple(settings)
        self.rules = rules
        self.experts = len(self.settings)
        self.width = passive_aggressive.SEGMENTS + sum(setting.width for setting in self.settings)
        self.users: Array = np.zeros((16, self.width), dtype=dtype)
        self.items: Array = np.zeros((16, self.width), dtype=dtype)
        # Rows beside running means start where they start; only the others need the average of those known.
        average = rules.average if any(setting.biases != "means" for setting in self.settings) else 0.0
        sums = 2 * self.width if average > 0 else 0
        self.memory: NDArray[np.float64] = np.zeros(running_means.HEAD + self.experts + sums)
        self.record = None if rules.reference is None else WeightRecord(self.experts)
        self._matrix = _settings_matrix(self.settings)
        self._rules = _rules_vector(replace(rules, average=average))
        self._unclipped = _rules_vector(replace(rules, average=average, in_range=False))
        full = any(setting.adaptation == "full" for setting in self.settings)
        self._quadrature = quadrature() if full else None
        self._rounds: Callable[..., int] = rating_rounds.rounds if full else rating_rounds.light_rounds
        self._answers: Callable[..., None] = rating_rounds.answers
        self._trusted = running_means.TRUSTED
        self._head, self._seen_at = running_means.HEAD, running_means.SEEN
        self._range_at = [running_means.LOWEST, running_means.HIGHEST]
        self._first_at = self._matrix[:, passive_aggressive.OFFSET].astype(int).tolist()
        self._cell = np.zeros((2, 1), dtype=np.int64)
        self._outcome = np.zeros((2, 1))

    @property
    def n_seen(self) -> int:
        """Ratings taken in so far."""
        return int(self.memory[self._seen_at])

    @property
    def range(self) -> tuple[float, float] | None:
        """The lowest and the highest rating seen."""
        lowest, highest = self.memory[self._range_at].tolist()
        return (lowest, highest) if self.n_seen else None

    @property
    def weights(self) -> NDArray[np.float64]:
        """Normalised weights of the experts (Eq. 15)."""
        if self.rules.uniform:
            return np.full(self.experts, 1.0 / self.experts)
        logs = self.memory[self._head : self._head + self.experts]
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def factors_of(self, rows: Array, expert: int) -> Array:
        """The factors under one setting in rows of users or items."""
        at = self._first_at[expert]
        return rows[:, at : at + self.settings[expert].factors]

    def reserve(self, users: int, items: int) -> None:
        """Room for this many rows and one more, which stands for whoever is unknown; storage grows by doubling."""
        if users >= len(self.users):
            self.users = _longer(self.users, users + 1)
        if items >= len(self.items):
            self.items = _longer(self.items, items + 1)

    def learn(self, users: Array, items: Array, ratings: Array) -> NDArray[np.float64]:
        """Take in ratings in order; returns the predictions made before each. All are taken in, or none."""
        predictions = np.empty(len(ratings))
        with self._all_or_nothing(users, items):
            done = 0
            while done < len(ratings):
                # Cut where a record of the weights is due, so that the record is that of one rating at a time.
                due = len(ratings) if self.record is None else done + self.record.until_next(self.n_seen)
                part = slice(done, min(due, len(ratings)))
                predictions[part] = self._run(users[part], items[part], ratings[part], done)
                if self.record is not None:
                    self.record.add(self.n_seen, self.weights)
                done = part.stop
        return predictions

    def learn_one(self, user: int, item: int, rating: float) -> float:
        """The same for one rating, with nothing allocated."""
        cell, outcome = self._cell, self._outcome
        cell[0, 0] = user
        cell[1, 0] = item
        outcome[0, 0] = rating
        if not self._rounds(
            self.users, self.items, self.memory, self._matrix, self._rules, self._quadrature, cell, outcome
        ):
            self._diverged(0, rating)
        if self.record is not None and self.record.is_due(self.n_seen):
            self.record.add(self.n_seen, self.weights)
        return float(outcome[1, 0])

    def answer(self, users: Array, items: Array, *, in_range: bool = True) -> NDArray[np.float64]:
        """Predictions for these cells; ``in_range=False`` leaves them as they are where the rules would cut them."""
        cells = np.empty((2, len(users)), dtype=np.int64)
        cells[0], cells[1] = users, items
        return self.answer_cells(cells, in_range=in_range)

    def answer_cells(self, cells: Array, *, in_range: bool = True) -> NDArray[np.float64]:
        """The same for users and items in two rows (2, n), int64."""
        outcomes = np.empty(cells.shape)
        self._answers(
            self.users, self.items, self.memory, self._matrix, self._rules if in_range else self._unclipped, cells,
            outcomes,
        )  # fmt: skip
        predictions: NDArray[np.float64] = outcomes[1]
        return predictions

    def best(self, users: Array, items: int, k: int, left_out: Array) -> tuple[Array, NDArray[np.float64]]:
        """Which of the first ``items`` have the k highest predictions for users (n,), best first, and these.

        Predictions are not cut to any range. Those ``left_out`` (int64) are no candidates; -1 and NaN fill up.
        """
        from tacit.kernels.rating_lists import best_items

        order, values = np.empty((len(users), k), dtype=np.int64), np.empty((len(users), k))
        best_items(
            self.users, self.items, self.memory, self._matrix, self._unclipped, users, items, left_out, order, values
        )
        return order, values

    def answer_one(self, user: int, item: int) -> float:
        """The prediction for one cell."""
        cell = np.array(((user,), (item,)))
        outcome = np.empty((2, 1))
        self._answers(self.users, self.items, self.memory, self._matrix, self._rules, cell, outcome)
        return float(outcome[1, 0])

    def _run(self, users: Array, items: Array, ratings: Array, earlier: int) -> NDArray[np.float64]:
        cells = np.empty((2, len(users)), dtype=np.int64)
        cells[0], cells[1] = users, items
        outcomes = np.empty((2, len(users)))
        outcomes[0] = ratings
        done = self._rounds(
            self.users, self.items, self.memory, self._matrix, self._rules, self._quadrature, cells, outcomes
        )
        if done < len(users):
            self._diverged(earlier + done, ratings[done])
        predictions: NDArray[np.float64] = outcomes[1]
        return predictions

    @contextmanager
    def _all_or_nothing(self, users: Array, items: Array) -> Iterator[None]:
        """Put everything back when a rating among these cannot be taken in."""
        if self.n_seen < self._trusted:
            # A mistyped one among the first ratings is corrected in all rows.
            users = np.append(users, np.flatnonzero(self.users[:, 0]))
            items = np.append(items, np.flatnonzero(self.items[:, 0]))
        kept = [(rows, numbers, rows[numbers]) for rows, numbers in (
            (self.users, _distinct(users, len(self.users))), (self.items, _distinct(items, len(self.items)))
        )]  # fmt: skip
        memory, record = self.memory.copy(), None if self.record is None else self.record.copy()
        try:
            yield
        except DivergedError:
            for rows, numbers, before in kept:
                rows[numbers] = before
            self.memory[:] = memory
            self.record = record
            raise

    def _diverged(self, index: int, rating: float) -> None:
        raise DivergedError(
            f"rating {self.n_seen + 1} of the stream (number {index} of this call, {rating:g}) makes the model "
            "overflow, and nothing of this call was learned; leave it out, lower aggressiveness, or use "
            "variant='PA-II', which bounds every step."
        )


def _distinct(numbers: Array, capacity: int) -> Array:
    """The numbers that occur, each once: by a mask, which costs no sorting, where there are many."""
    if 32 * len(numbers) < capacity:
        return np.unique(numbers)
    occurs = np.zeros(capacity, dtype=bool)
    occurs[numbers] = True
    return np.flatnonzero(occurs)


def _longer(rows: Array, length: int) -> Array:
    longer = np.zeros((max(length, 2 * len(rows)), rows.shape[1]), dtype=rows.dtype)
    longer[: len(rows)] = rows
    return longer


def _settings_matrix(settings: Sequence[Setting]) -> NDArray[np.float64]:
    from tacit.kernels import passive_aggressive as kernel

    matrix = np.zeros((len(settings), kernel.COLUMNS))
    offset = kernel.SEGMENTS
    for row, setting in zip(matrix, settings):
        row[kernel.OFFSET] = offset
        row[kernel.FACTORS] = setting.factors
        row[kernel.BIASES] = {None: kernel.NO_BIASES, "learned": kernel.LEARNED, "means": kernel.MEANS}[setting.biases]
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
        row[kernel.START] = setting.first
        offset += setting.width
    return matrix


def _rules_vector(rules: Rules) -> NDArray[np.float64]:
    from tacit.kernels import running_means as kernel

    vector = np.zeros(kernel.RULES)
    # Exact as a float64.
    vector[kernel.SEED] = rules.seed % 2**53
    vector[kernel.AVERAGE] = rules.average
    vector[kernel.REFERENCE] = 0.0 if rules.reference is None else rules.reference
    vector[kernel.ETA] = rules.eta
    vector[kernel.EXPLORATION] = rules.exploration
    vector[kernel.UNIFORM] = rules.uniform
    vector[kernel.FORGETTING] = rules.forgetting
    vector[kernel.SHRINKAGE] = rules.shrinkage
    vector[kernel.IN_RANGE] = rules.in_range
    vector[kernel.MIDDLE] = rules.middle
    return vector
