"""How ``WordVectors`` is trained, once the pairs are counted."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.estimators.checkpoint import Checkpoint, fingerprint
from tacit.estimators.words.word_folding import Trained
from tacit.estimators.words.word_objective import WordObjective
from tacit.features.ppmi import context_totals, word_totals
from tacit.objective.two_towers import NAMES, Parameters, TwoTowers
from tacit.progress import Run
from tacit.solvers import als, alternation
from tacit.solvers.descent import Adagrad, Gradient, LineSearch
from tacit.solvers.newton import TruncatedNewton, TrustRegion
from tacit.threads import single_threaded_blas

if TYPE_CHECKING:
    from tacit.estimators.words.word_vectors import WordVectors

Array = NDArray[Any]

SWEEPS = {"als": 8, "newton": 8, "newton_linesearch": 8, "adagrad": 75, "linesearch": 75, "gradient": 75}
"""Solvers, and the sweeps that they need at most: those by gradient many, as in the paper."""

RESUMABLE = ("als", "adagrad")
"""Solvers whose whole state a checkpoint holds."""

START = 0.01
"""Standard deviation of the first factors."""


def train(
    model: "WordVectors",
    recipe: WordObjective,
    pairs: sp.csr_array,
    warm: tuple[Array, Array] | None,
) -> tuple[Trained, list[dict[str, Any]]]:
    """Minimise J over the counts of pairs, from earlier factors where there are any; what was learned, and how."""
    objective, rule = recipe.build(pairs, model.threads)
    seed = checks.seed(model.random_state)
    path = model.checkpoint if warm is None else None
    point = Checkpoint(path, "" if path is None else _fingerprint(model, recipe, seed, pairs))
    rng = np.random.default_rng(seed)
    words, contexts = (
        _start(rng, pairs.shape[0], model.factors, None if warm is None else warm[side]) for side in range(2)
    )
    history: list[dict[str, Any]] = []
    sums: dict[str, Array] = {}
    if earlier := point.read():
        history, sums = earlier
        words, contexts = sums.pop("word_factors"), sums.pop("context_factors")
    solver = _solver(model, sums)
    total = SWEEPS[model.solver] if model.iterations is None else model.iterations
    run = Run("word vectors", total, progress=model.progress, callback=model.callback, history=history)

    def keep(now: bool = False) -> None:
        state = {f"sums.{side}": array for (side, _), array in getattr(solver, "sums", {}).items()}
        point.write(run.history, {"word_factors": words, "context_factors": contexts, **state}, now=now)

    options: dict[str, Any] = {
        "tolerance": model.tolerance,
        "start": len(history),
        "after_report": keep,
        "n_threads": model.threads,
    }
    with single_threaded_blas(), run:
        if solver is None:
            als.alternate(objective, words, contexts, run, **options)
        else:
            towers = TwoTowers.of_ids(objective, model.factors)
            # Flat views: the solver changes the factors in place.
            parameters = Parameters(words.reshape(-1), contexts.reshape(-1))
            alternation.alternate(towers, parameters, solver, run, **options)
        keep(now=True)
    weights = objective.cols.own_weight
    return Trained(words, contexts, word_totals(pairs), context_totals(pairs), weights, rule), run.history


def _solver(model: "WordVectors", sums: dict[str, Array]) -> alternation.Solver | None:
    """How a side is improved, or None for alternating least squares, which has a loop of its own."""
    rate: dict[str, Any] = {} if model.learning_rate is None else {"rate": model.learning_rate}
    match model.solver:
        case "adagrad":
            adagrad = Adagrad(**rate)
            adagrad.sums = {(name, (0,)): sums[f"sums.{name}"] for name in NAMES if f"sums.{name}" in sums}
            return adagrad
        case "gradient":
            return Gradient(**rate)
        case "linesearch":
            return LineSearch()
        case "newton":
            return TrustRegion()
        case "newton_linesearch":
            return TruncatedNewton()
        case _:
            return None


def _start(rng: np.random.Generator, words: int, factors: int, warm: Array | None) -> Array:
    """Small random factors, and the earlier ones of the words that had them."""
    drawn = rng.standard_normal((words, factors), dtype=np.float32)
    drawn *= np.float32(START)
    if warm is not None:
        drawn[: len(warm)] = warm
    return drawn


def _fingerprint(model: "WordVectors", recipe: WordObjective, seed: int, pairs: sp.csr_array) -> str:
    """Whose checkpoint it is: these parameters on these counts."""
    shaping = asdict(recipe) | {
        "factors": model.factors,
        "seed": seed,
        "solver": model.solver,
        "learning_rate": model.learning_rate,
    }
    return fingerprint(shaping, pairs.indptr, pairs.indices, pairs.data)
