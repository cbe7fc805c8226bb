"""Train a ``FactorRecommender``: build objective, towers and solver, run them, and end with exact rows."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import threads
from tacit.data.interactions import SIDES, Interactions
from tacit.data.matrix import StoredCsr, as_csr, col_counts
from tacit.errors import DivergedError, InputError, UnsoundCombinationError
from tacit.estimators.checkpoint import fingerprint
from tacit.estimators.recommend import tower_design
from tacit.estimators.recommend.given_cells import NOTHING, GivenCells
from tacit.estimators.recommend.held_out import HeldOut
from tacit.estimators.recommend.settings import FitSettings
from tacit.estimators.training import RunSettings, train
from tacit.objective import formulations
from tacit.objective.recipes import Recipe
from tacit.objective.side import caches_of, weighted_moments
from tacit.objective.two_towers import Parameters, TwoTowers
from tacit.objective.whole_data import WholeData
from tacit.solvers import als, registry
from tacit.solvers.row_placement import place_rows

Array = NDArray[Any]

START_SCALE = 0.1
"""Length of a random factor at the start, small against the positives' target of 1."""


@dataclass(frozen=True)
class Fitted:
    learned: tower_design.Learned
    history: list[dict[str, Any]]
    solver: str
    recipe: Recipe
    row_weight: Array
    col_weight: Array
    row_caches: tuple[Array, Array]
    given: list[str] = field(default_factory=list)


def fit(
    settings: FitSettings,
    data: Interactions,
    *,
    start: tuple[Array, Array] | None = None,
    unsettled: int = 0,
    given: GivenCells = NOTHING,
) -> Fitted:
    """Train from the beginning, or go on from ``start`` (plain ids and alternating solves only).

    ``unsettled`` : sweeps at the beginning whose held-out score does not count
    ``given`` : weights of rows and columns, and targets, in place of the recipe's
    """
    _require_sound(settings, data)
    given.require_sound(settings, data)
    held_out = None
    if settings.held_out:
        held_out = HeldOut(data, settings.held_out, settings.patience, settings.seed, settings.threads, unsettled)
    positives = held_out.train if held_out else data.matrix
    with threads.single_threaded_blas():
        rows = tower_design.rows_of(data, positives)
        given = given.of_rows(rows.row, bool(data.context_ids))
        recipe = settings.recipe(rows.positives, **given.weights())
        objective = recipe.objective(rows.positives, target=given.targets, **given.weights())
        counted = formulations.rewritten(objective, settings.unlabelled, settings.seed)
        problem = tower_design.towers_of(settings, data, rows, recipe, counted, given)
        if isinstance(data.matrix, StoredCsr):
            data.matrix.let_go()  # values have become weights, and sweeps read indices alone
        parameters = _start(settings, problem, plain=tower_design.is_plain(settings.biases, data), given=start)
        path = settings.checkpoint if start is None else None
        history = train(
            problem,
            parameters,
            registry.build(settings.solver, settings.options()),
            RunSettings(
                settings.iterations, settings.tolerance, settings.threads, settings.progress, settings.callback, path
            ),
            fingerprint="" if path is None else _fingerprint(settings, positives, data, given),
            watch=held_out,
        )
        if isinstance(data.matrix, StoredCsr):
            data.matrix.let_go()  # the rows are solved once more, and need the row order alone
        learned = tower_design.learned(data, problem, parameters)
        if held_out:
            recipe = settings.recipe(data.matrix, **given.weights())
            objective = recipe.objective(data.matrix, **given.weights())
        learned = _finalise_rows(settings, data, learned, objective)
        if not data.context_ids and not settings.biases:
            learned = replace(
                learned,
                row_factors=_silenced(
                    learned.row_factors, np.diff(data.matrix.indptr), data.row_features, data.row_graph
                ),
                col_factors=_silenced(learned.col_factors, col_counts(data.matrix), data.col_features, data.col_graph),
            )
    for name, part in (("rows", learned.row_factors), ("columns", learned.col_factors)):
        if not np.isfinite(part).all():
            raise DivergedError(f"the factors of the {name} are not finite; raise regularization.")
    row_weight, col_weight = objective.rows.own_weight, objective.cols.own_weight
    caches = row_caches(learned.row_factors, row_weight, recipe, settings.threads)
    return Fitted(learned, history, settings.solver, recipe, row_weight, col_weight, caches, given.names)


def row_caches(factors: Array, weight: Array, recipe: Recipe, n_threads: int) -> tuple[Array, Array]:
    """PᵀAP and t Pᵀa; where a row of the objective is not a row of the data, each row counts once."""
    weight = weight if len(weight) == len(factors) else np.ones(len(factors), dtype=np.float32)
    with threads.single_threaded_blas():
        return caches_of(weighted_moments(factors, weight, n_threads), recipe.unlabelled_target)


def _silenced(factors: Array, counts: Array, features: Any, graph: Any) -> Array:
    """Factors with exact zeros where nothing is known of a row: no positive, no feature, no neighbour that has any.

    counts : positives of each row

    Gradient steps and conjugate gradient leave such rows some tiny part of their random start, whose direction would
    rank columns by chance.
    """
    known = counts > 0
    if features is not None:
        known |= np.asarray((features != 0).sum(axis=1)).ravel() > 0
    if graph is not None and not known.all():
        _, component = sp.csgraph.connected_components(
            as_csr(graph, "graph", allow_empty=True).native(), directed=False
        )
        known = np.isin(component, component[known])
    if known.all():
        return factors
    factors = factors.copy()
    factors[~known] = 0
    return factors


def _require_sound(settings: FitSettings, data: Interactions) -> None:
    """Refuse what contexts and missing ids cannot be combined with."""
    if not settings.ids and data.row_features is None and data.col_features is None:
        raise UnsoundCombinationError("ids=False leaves only features, and there are none; give row_features.")
    if not data.context_ids:
        return
    if not settings.ids:
        raise UnsoundCombinationError(
            "ids=False makes a row of its features alone, but with contexts a row is more than that; leave out ids."
        )
    if settings.held_out:
        raise InputError("held_out does not know contexts yet; set held_out=0 and split the interactions yourself.")
    if data.row_graph is not None and data.row_features is not None:
        raise UnsoundCombinationError(
            "row_graph draws together what rows are without their contexts, and with contexts knows only their own "
            "factors; leave out row_graph or row_features."
        )
    reason = None
    if settings.context_model != "additive":
        if len(data.context_ids) > 1:
            reason = f"is for one context, and there are {len(data.context_ids)}"
        elif data.row_features is not None:
            reason = "multiplies a row's own factor by its context's, so row_features have no place in it"
        elif settings.biases:
            reason = "has no biases"
    if reason is not None:
        raise UnsoundCombinationError(
            f"context_model={settings.context_model!r} {reason}; use context_model='additive'."
        )


def _start(settings: FitSettings, problem: TwoTowers, *, plain: bool, given: tuple[Array, Array] | None) -> Parameters:
    """Where training begins: small random parameters.

    Rows that are solved first, each by itself, begin at zero: what they were does not matter.
    """
    if given is None:
        if not (plain and settings.solver == "als" and settings.unlabelled == "all"):
            return problem.start(settings.seed, START_SCALE / np.sqrt(problem.rows.factors))
        given = (
            np.zeros((problem.rows.rows, settings.factors), np.float32),
            random_factors(problem.cols.rows, settings.factors, settings.seed),
        )
    return Parameters(given[0].reshape(-1), given[1].reshape(-1))


def random_factors(n: int, factors: int, seed: int) -> Array:
    """Factors (n, g) of length ``START_SCALE`` or so, by a counter-based generator."""
    rng = np.random.Generator(np.random.Philox(seed))
    return rng.standard_normal((n, factors), dtype=np.float32) * np.float32(START_SCALE / np.sqrt(factors))


def _finalise_rows(
    settings: FitSettings, data: Interactions, learned: tower_design.Learned, objective: WholeData
) -> tower_design.Learned:
    """Rows end exact and on all positives, so that folding in a training row gives back its factor.

    Not so where a row is more than its own problem: contexts, graphs and biases, or signs that are constrained; nor
    where it has no factor of its own beside its features.
    """
    if not settings.exact_rows or not (settings.ids or data.row_features is None):
        return learned
    coupled = data.context_ids or data.row_graph is not None or settings.biases
    if coupled or settings.nonnegative or settings.unlabelled != "all" or not objective.loss.has_majoriser:
        return learned
    if learned.row_feature_factors is None:
        rows = np.ascontiguousarray(learned.row_factors)
        als.solve_exactly(objective.rows, rows, learned.col_factors, settings.threads, loss=objective.loss)
        return replace(learned, row_factors=rows)
    features = as_csr(data.row_features, "row_features").native()
    base = np.asarray(features @ learned.row_feature_factors, dtype=np.float32)
    rows = place_rows(objective.rows, objective.loss, learned.col_factors, base, settings.threads)
    return replace(learned, row_factors=rows)


def _fingerprint(settings: FitSettings, positives: sp.csr_array, data: Interactions, stated: GivenCells) -> str:
    """Whose checkpoint it is: these parameters on these data."""
    matrices = {"positives": positives} | {name: getattr(data, name) for name in SIDES}
    given = {name: matrix for name, matrix in matrices.items() if matrix is not None}
    arrays = [array for matrix in given.values() for array in (matrix.indptr, matrix.indices, matrix.data)]
    if data.context_ids:
        events = data.events
        arrays += [events.row, events.col, events.weight, *events.context.values()]
    arrays += [getattr(stated, name) for name in stated.names]
    shapes = {name: matrix.shape for name, matrix in given.items()}
    return fingerprint(settings.shaping() | {"shapes": shapes, "contexts": list(data.context_ids)}, *arrays)
