"""How ``WordVectors`` is trained, once the pairs are counted."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.estimators import checks
from tacit.estimators.checkpoint import Checkpoint, fingerprint
from tacit.estimators.word_folding import Trained
from tacit.estimators.word_objective import WordObjective
from tacit.features.ppmi import context_totals, word_totals
from tacit.progress import Run
from tacit.solvers import als
from tacit.threads import single_threaded_blas

if TYPE_CHECKING:
    from tacit.estimators.word_vectors import WordVectors

Array = NDArray[Any]

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
    mark = "" if model.checkpoint is None else _mark(model, recipe, seed, pairs, warm)
    point = Checkpoint(model.checkpoint, mark)
    rng = np.random.default_rng(seed)
    words, contexts = (
        _start(rng, pairs.shape[0], model.factors, None if warm is None else warm[side]) for side in range(2)
    )
    history: list[dict[str, Any]] = []
    if earlier := point.read():
        history, arrays = earlier
        words, contexts = arrays["word_factors"], arrays["context_factors"]
    run = Run("word vectors", model.iterations, progress=model.progress, callback=model.callback, history=history)

    def keep(now: bool = False) -> None:
        point.write(run.history, {"word_factors": words, "context_factors": contexts}, now=now)

    with single_threaded_blas(), run:
        als.alternate(
            objective,
            words,
            contexts,
            run,
            tolerance=model.tolerance,
            start=len(history),
            after_report=keep,
            threads_=model.threads,
        )
        keep(now=True)
    weights = objective.cols.own_weight
    return Trained(words, contexts, word_totals(pairs), context_totals(pairs), weights, rule), run.history


def _start(rng: np.random.Generator, words: int, factors: int, warm: Array | None) -> Array:
    """Small random factors, and the earlier ones of the words that had them."""
    drawn = rng.standard_normal((words, factors), dtype=np.float32)
    drawn *= np.float32(START)
    if warm is not None:
        drawn[: len(warm)] = warm
    return drawn


def _mark(
    model: "WordVectors", recipe: WordObjective, seed: int, pairs: sp.csr_array, warm: tuple[Array, Array] | None
) -> str:
    """Whose checkpoint it is: these parameters on these counts."""
    shaping = asdict(recipe) | {"factors": model.factors, "seed": seed}
    return fingerprint(shaping, pairs.indptr, pairs.indices, pairs.data, *(warm or ()))
