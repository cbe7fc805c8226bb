"""How a ``FactorRecommender`` is trained."""

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks, threads
from tacit.data.interactions import SIDES, Interactions
from tacit.data.matrix import as_csr
from tacit.errors import DivergedError, InputError
from tacit.estimators import resumable, solver_choice
from tacit.estimators.checkpoint import Checkpoint, fingerprint
from tacit.estimators.recommend import tower_design, tower_fit
from tacit.estimators.recommend.held_out import HeldOut
from tacit.estimators.solver_choice import ITERATIONS
from tacit.objective import losses, recipes
from tacit.objective.recipes import Recipe
from tacit.objective.side import weighted_gram
from tacit.objective.whole_data import WholeData
from tacit.solvers import als

if TYPE_CHECKING:
    from tacit.estimators.recommend.factor_recommender import FactorRecommender

Array = NDArray[Any]


@dataclass(frozen=True)
class Fitted:
    learned: tower_design.Learned
    history: list[dict[str, Any]]
    solver: str
    recipe: Recipe
    row_weight: Array
    col_weight: Array
    row_caches: tuple[Array, Array]


def fit(
    model: "FactorRecommender",
    data: Interactions,
    *,
    start: tuple[Array, Array] | None = None,
    iterations: int | None = None,
    unsettled: int = 0,
) -> Fitted:
    """Train from the beginning, or go on from ``start`` (plain ids and alternating solves only).

    ``unsettled`` : sweeps at the beginning that held-out cells do not judge
    """
    solver = solver_choice.choose(model, data)
    parameters = checked(model, solver)
    seed = checks.seed(model.random_state)
    held_out = None
    if model.held_out:
        if data.context_ids:
            raise InputError("held_out does not know contexts yet; set held_out=0 and split the interactions yourself.")
        held_out = HeldOut(data, model.held_out, model.patience, seed, model.threads, unsettled)
    positives = held_out.train if held_out else data.matrix
    total = parameters["iterations"] if iterations is None else iterations
    path = model.checkpoint if start is None else None
    point = Checkpoint(path, "" if path is None else _fingerprint(parameters, seed, positives, data))
    with threads.single_threaded_blas():
        rows = tower_design.rows_of(data, positives)
        recipe = recipe_of(model, rows.positives)
        objective = recipe.objective(rows.positives)
        if tower_design.is_plain(model, data) and model.unlabelled == "all" and solver == "als":
            factors = start or initial_factors(positives.shape, parameters["factors"], seed)
            history = _train(model, objective, factors, total, held_out, point)
            kept = tower_design.Learned(*factors, None, None, {})
        else:
            problem, reached, history = tower_fit.train(
                model, data, rows, recipe, objective, solver, seed, total, held_out, point
            )
            kept = tower_design.learned(data, problem, reached)
        if held_out:
            recipe = recipe_of(model, data.matrix)
            objective = recipe.objective(data.matrix)
        kept = _finalise_rows(model, data, kept, objective)
        if not data.context_ids and not model.biases:
            kept = replace(
                kept,
                row_factors=_silenced(kept.row_factors, data.matrix, data.row_features, data.row_graph),
                col_factors=_silenced(kept.col_factors, data.matrix.T, data.col_features, data.col_graph),
            )
    for name, part in (("rows", kept.row_factors), ("columns", kept.col_factors)):
        if not np.isfinite(part).all():
            raise DivergedError(f"the factors of the {name} are not finite; raise regularization.")
    row_weight, col_weight = objective.rows.own_weight, objective.cols.own_weight
    caches = _row_caches(kept.row_factors, row_weight, recipe, model.threads)
    return Fitted(kept, history, solver, recipe, row_weight, col_weight, caches)


def _row_caches(factors: Array, weight: Array, recipe: Recipe, n_threads: int) -> tuple[Array, Array]:
    """PᵀAP and t Pᵀa; where a row of the objective is not a row of the data, each row counts once."""
    weight = weight if len(weight) == len(factors) else np.ones(len(factors), dtype=np.float32)
    with threads.single_threaded_blas():
        gram = weighted_gram(factors, weight, n_threads)
        return gram, (recipe.unlabelled_target * (weight @ factors)).astype(np.float32)


def _silenced(factors: Array, positives: sp.sparray, features: Any, graph: Any) -> Array:
    """Factors with exact zeros where nothing is known of a row: no positive, no feature, no neighbour that has any.

    Gradient steps and conjugate gradient leave such rows some tiny part of their random start, whose direction would
    rank columns by chance.
    """
    known = np.asarray((positives != 0).sum(axis=1)).ravel() > 0
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


def _finalise_rows(
    model: "FactorRecommender",
    data: Interactions,
    kept: tower_design.Learned,
    objective: WholeData,
) -> tower_design.Learned:
    """Rows end exact and on all positives, so that folding in a training row gives back its factor.

    Not so where a row is more than its own problem: contexts, graphs and biases, or signs that are constrained.
    """
    coupled = data.context_ids or data.row_graph is not None or model.biases
    if coupled or model.nonnegative or model.unlabelled != "all" or not objective.loss.has_majoriser:
        return kept
    if kept.row_feature_factors is None:
        rows = np.ascontiguousarray(kept.row_factors)
        als.solve_exactly(objective.rows, rows, kept.col_factors, model.threads, loss=objective.loss)
        return replace(kept, row_factors=rows)
    base = np.asarray(as_csr(data.row_features, "row_features").native() @ kept.row_feature_factors, dtype=np.float32)
    rows = tower_fit.place_rows(objective.rows, objective.loss, kept.col_factors, base, model.threads)
    return replace(kept, row_factors=rows)


def _train(
    model: "FactorRecommender",
    objective: WholeData,
    factors: tuple[Array, Array],
    iterations: int,
    held_out: HeldOut | None,
    point: Checkpoint,
) -> list[dict[str, Any]]:
    def restore(arrays: dict[str, Array]) -> None:
        factors[0][:], factors[1][:] = arrays["row_factors"], arrays["col_factors"]

    return resumable.train(
        model,
        iterations,
        held_out,
        point,
        restore=restore,
        parameters=lambda: {"row_factors": factors[0], "col_factors": factors[1]},
        factors=lambda: factors,
        loop=functools.partial(als.alternate, objective, *factors),
    )


def checked(model: "FactorRecommender", solver: str) -> dict[str, Any]:
    """The parameters that shape the result, or one sentence on the first that cannot be used."""
    checks.choice("unlabelled", model.unlabelled, ("all", "sampled", "same_loss"))
    checks.choice("positive_weight", model.positive_weight, ("log", "value", "one"))
    share = checks.number("held_out", model.held_out, 0.0)
    if share >= 1:
        raise InputError(f"held_out is a share of the positives and must be below 1, not {share:g}.")
    weight, ridge = model.unlabelled_weight, model.regularization
    threads.resolve(model.threads)
    checks.integer("patience", model.patience, 1)
    given = model.iterations
    return {
        "factors": checks.integer("factors", model.factors, 1),
        "iterations": checks.integer("iterations", ITERATIONS[solver] if given is None else given, 1),
        "solver": solver,
        "loss": losses.resolve(model.loss).name,
        "learning_rate": checks.number("learning_rate", model.learning_rate, above=0.0),
        "graph_weight": checks.number("graph_weight", model.graph_weight, 0.0),
        "design": [model.unlabelled, model.biases, model.context_model, model.nonnegative],
        "regularization": ridge if ridge is None else checks.number("regularization", ridge, 0.0),
        "ridge_exponent": checks.number("ridge_exponent", model.ridge_exponent),
        "unlabelled_target": checks.number("unlabelled_target", model.unlabelled_target),
        "frequency_exponent": recipes.exponents(model.frequency_exponent),
        "tolerance": checks.number("tolerance", model.tolerance, 0.0),
        "positive_weight": model.positive_weight,
        "unlabelled_weight": weight if weight is None else checks.number("unlabelled_weight", weight, above=0.0),
        "held_out": share,
    }


def _fingerprint(parameters: dict[str, Any], seed: int, positives: sp.csr_array, data: Interactions) -> str:
    """Whose checkpoint it is: these parameters on these data."""
    # More iterations of the same fit may resume it.
    shaping = {name: value for name, value in parameters.items() if name != "iterations"}
    matrices = {"positives": positives} | {name: getattr(data, name) for name in SIDES}
    given = {name: matrix for name, matrix in matrices.items() if matrix is not None}
    arrays = [array for matrix in given.values() for array in (matrix.indptr, matrix.indices, matrix.data)]
    if data.context_ids:
        events = data.events
        arrays += [events.row, events.col, events.weight, *events.context.values()]
    shapes = {name: matrix.shape for name, matrix in given.items()}
    return fingerprint(shaping | {"seed": seed, "shapes": shapes, "contexts": list(data.context_ids)}, *arrays)


def recipe_of(model: "FactorRecommender", positives: sp.csr_array) -> Recipe:
    ridge = model.regularization
    return Recipe.measure(
        positives,
        loss=model.loss,
        positive_weight=model.positive_weight,
        unlabelled_weight=model.unlabelled_weight,
        unlabelled_target=model.unlabelled_target,
        frequency_exponent=model.frequency_exponent,
        regularization=recipes.default_ridge(positives, model.factors) if ridge is None else ridge,
        ridge_exponent=model.ridge_exponent,
    )


def initial_factors(shape: tuple[int, int], factors: int, seed: int) -> tuple[Array, Array]:
    """Rows at zero (they are solved first), columns random and small."""
    return np.zeros((shape[0], factors), np.float32), random_factors(shape[1], factors, seed)


def random_factors(n: int, factors: int, seed: int) -> Array:
    rng = np.random.Generator(np.random.Philox(seed))
    return rng.standard_normal((n, factors), dtype=np.float32) * np.float32(tower_fit.START_SCALE / np.sqrt(factors))
