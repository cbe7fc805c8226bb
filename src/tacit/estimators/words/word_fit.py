"""Train ``WordVectors`` from counted pairs: targets, weights, objective and solver."""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.ids import Ids
from tacit.errors import InputError
from tacit.estimators.checkpoint import fingerprint
from tacit.estimators.training import RunSettings, train
from tacit.estimators.words.word_folding import Trained
from tacit.features.ppmi import PairPositives, totals
from tacit.objective import recipes
from tacit.objective.two_towers import Parameters, TwoTowers
from tacit.solvers import registry
from tacit.threads import single_threaded_blas

Array = NDArray[Any]

SWEEPS, STEPS = 8, 75
"""Sweeps when the caller gives none: of solvers that solve, and of those that take gradient steps, as in the paper."""

START = 0.01
"""Standard deviation of the first factors."""


@dataclass(frozen=True)
class WordWeights:
    """The parameters of the recipe ``objective.recipes.words``, by their names."""

    unlabelled_total: float | None
    unlabelled_weight: float | None
    unlabelled_target: float
    frequency_exponent: float
    regularization: float

    def check(self) -> None:
        """Refuse what no text could make sense of."""
        if self.unlabelled_total is not None and self.unlabelled_weight is not None:
            raise InputError("unlabelled_total and unlabelled_weight say the same twice; give one of them.")
        for name in ("unlabelled_total", "unlabelled_weight"):
            if getattr(self, name) is not None:
                checks.number(name, getattr(self, name), 0.0)
        checks.number("regularization", self.regularization, above=0.0)
        checks.number("unlabelled_target", self.unlabelled_target)
        checks.exponent("frequency_exponent", self.frequency_exponent)


@dataclass(frozen=True)
class WordSettings:
    """Checked parameters of a ``WordVectors``; ``run`` has those of the run, the number of sweeps decided."""

    factors: int
    positives: PairPositives
    weights: WordWeights
    solver: str
    learning_rate: float | None
    seed: int
    run: RunSettings

    def shaping(self) -> dict[str, Any]:
        """What shapes the result, for the fingerprint of a checkpoint."""
        own = {"factors": self.factors, "seed": self.seed, "solver": self.solver, "learning_rate": self.learning_rate}
        return asdict(self.positives) | asdict(self.weights) | own


def sweeps(solver: str, iterations: int | None) -> int:
    """The sweeps asked for, or as many as such a solver needs at most."""
    if iterations is None:
        return SWEEPS if registry.SOLVERS[checks.choice("solver", solver, registry.NAMES)].solves else STEPS
    return checks.integer("iterations", iterations, 1)


@dataclass(frozen=True)
class Positives:
    """What training needs of the counts, which it takes the place of.

    totals : of words and of contexts
    targets, weights : r as CSR, and c of each of its cells
    """

    totals: tuple[Array, Array]
    targets: sp.csr_array
    weights: Array
    fingerprint: str


def require_two(ids: Ids, least: int) -> None:
    """Refuse a text of fewer than two words."""
    if len(ids) < 2:
        raise InputError(
            f"text holds {len(ids)} words that occur at least min_count={least} times; "
            "at least two are needed: give more text or lower min_count."
        )


def nothing_to_learn() -> InputError:
    """The error for a text without positives."""
    return InputError(
        "text: no two words stand together more often than chance would have it, so there is nothing to learn; "
        "give more text, a larger window or a lower min_count."
    )


def positives(settings: WordSettings, pairs: sp.csr_array, *, consume: bool = False) -> Positives:
    """The positives among counted pairs; with ``consume`` in their place, so that both are never held."""
    if pairs.nnz == 0:
        raise nothing_to_learn()
    both = totals(pairs)
    marked = "" if settings.run.checkpoint is None else _fingerprint(settings, pairs)
    logs = settings.positives.logs(*both)
    targets, weights = settings.positives.of(pairs, *logs, settings.run.threads, consume=consume)
    if targets.nnz == 0:
        raise nothing_to_learn()
    return Positives(both, targets, weights, marked)


def fit(
    settings: WordSettings, given: Positives, warm: tuple[Array, Array] | None
) -> tuple[Trained, list[dict[str, Any]]]:
    """Minimise J over the positives, from earlier factors where there are any; what was learned, and how."""
    targets, weights = given.targets, given.weights
    recipe = recipes.words(targets, weights, **asdict(settings.weights))
    objective = recipe.objective(targets, weights, targets.data)
    words, contexts = starts(targets.shape[0], settings.factors, settings.seed, warm)
    run = settings.run if warm is None else replace(settings.run, checkpoint=None)
    with single_threaded_blas():
        history = train(
            TwoTowers.of_ids(objective, settings.factors),
            # Flat views: the solver changes the factors in place.
            Parameters(words.reshape(-1), contexts.reshape(-1)),
            registry.build(settings.solver, registry.Options(learning_rate=settings.learning_rate)),
            run,
            label="word vectors",
            fingerprint=given.fingerprint,
        )
    return Trained(words, contexts, *given.totals, objective.cols.own_weight, recipe.cols.weight), history


def _fingerprint(settings: WordSettings, pairs: sp.csr_array) -> str:
    """Whose checkpoint it is: these parameters on these counts."""
    return fingerprint(settings.shaping(), pairs.indptr, pairs.indices, pairs.data)


def starts(words: int, factors: int, seed: int, warm: tuple[Array, Array] | None = None) -> tuple[Array, Array]:
    """Small random factors of words and of contexts, and the earlier ones of those that had them."""
    rng = np.random.default_rng(seed)
    drawn = [rng.standard_normal((words, factors), dtype=np.float32) for _ in range(2)]
    for new in drawn:
        new *= np.float32(START)
    for new, old in zip(drawn, warm or ()):
        new[: len(old)] = old
    return drawn[0], drawn[1]
