"""New rows and columns of a fitted ``FactorRecommender``: their factors, and the arrays with them among the old ones.

A new row minimises the objective of training over its own factor, with the columns fixed. So folding in a training row
gives back its factor.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks, threads
from tacit.data.ids import Ids
from tacit.data.matrix import Csr, as_csr, take_rows, transpose
from tacit.errors import InputError
from tacit.estimators.recommend.asking import listed
from tacit.estimators.recommend.factor_state import FactorState
from tacit.estimators.recommend.joining import extended, new_positives
from tacit.estimators.recommend.whole_data_fit import random_factors
from tacit.objective import losses
from tacit.objective.losses import Loss
from tacit.objective.side import Moments, Side, added, caches_of, weighted_moments
from tacit.solvers import als
from tacit.solvers.row_placement import place_rows

Array = NDArray[Any]


@dataclass(frozen=True)
class Placed:
    """Rows (columns) that were folded in.

    factors : (n, g)
    grown : all rows (columns) of the model with them among the others, where they are to be kept
    """

    factors: Array
    grown: "GrownSide | None" = None


@dataclass(frozen=True)
class GrownSide:
    """One side of a model after rows (columns) joined or changed: ids, factors (n, g), weights (n,), positives (n, m).

    The positives are always those of the rows, whichever side has grown.
    """

    ids: Ids
    factors: Array
    weight: Array
    positives: Csr


def place(
    state: FactorState, interactions: Any, side: str, features: Any, add: bool, ids: Any, replaces: bool
) -> Placed:
    """Rows (columns) placed by their positives, their features or both; with ``add`` the model with them."""
    if (ids is not None or checks.truth("replace", replaces)) and not add:
        raise InputError("ids and replace say how something is kept; give add=True beside them.")
    own, other = state.ids_of(side), state.ids_of("cols" if side == "rows" else "rows")
    if interactions is None:
        factors = from_features(state, features, side)
        if not add:
            return Placed(factors)
        if ids is None:
            raise InputError("add=True needs ids for what is added; give ids=[...], one for each row of features.")
        positives, given = as_csr(sp.csr_array((len(factors), len(other))), "interactions", allow_empty=True), None
    else:
        positives, given = new_positives(state.row_ids, state.col_ids, interactions, side)
        factors = None
    named = given if ids is None else Ids(listed(ids, own), "ids")
    if named is not None and len(named) != positives.shape[0]:
        raise InputError(f"ids has {len(named)} ids for {positives.shape[0]} that are folded in; give one for each.")
    if not add:
        return Placed(fold_in(state, positives, side, features))
    grown_ids, numbers = _grown_ids(own, named, positives.shape[0])
    state = state._replace(rows=state.gathered_rows())
    seen = state.rows.positives
    seen = seen if side == "rows" else transpose(seen)
    if not replaces:
        positives = _with_history(seen, positives, numbers)
    if factors is None or positives.nnz:
        factors = fold_in(state, positives, side, features)
    return Placed(factors, _grown(state, side, seen, positives, grown_ids, numbers, factors))


def from_features(state: FactorState, features: Any, side: str) -> Array:
    """Factors (n, g) of rows (columns) of which only the features are known."""
    weights = state.feature_factors(side)
    if weights is None:
        raise InputError(
            f"features: this model was trained without {'row' if side == 'rows' else 'col'}_features; give them to fit."
        )
    if features is None:
        raise InputError("give interactions, or features of what is to be placed.")
    known = as_csr(features, "features", cols=len(weights), allow_empty=True).native()
    factors = np.asarray(known @ weights, dtype=np.float32)
    if state.biases:
        # The fixed one of Eq. 13 belongs to every row; w₀ is in all factors alike and does not change a ranking.
        factors[:, -1 if side == "rows" else -2] = 1.0
    return factors


def fold_in(state: FactorState, positives: Any, side: str, features: Any = None) -> Array:
    """Factors (n, g) that minimise the objective over these rows (columns), the other side's factors fixed.

    positives : (n, ·) one row for each of them, on either side
    """
    state.require_own_problem("fold_in", side)
    if side == "rows":
        other, other_weight = state.col_factors, state.col_weight
    else:
        rows = state.gathered_rows()
        other, other_weight = rows.factors, rows.weight
    if not other.flags.c_contiguous:
        other = np.ascontiguousarray(other)
    loss = losses.resolve(state.recipe.loss)
    with threads.single_threaded_blas():
        if side == "rows":
            moments = with_joined(fitted_moments(state), other, other_weight, state.joined_cols)
        else:
            moments = state.derived.of(
                "moments of rows", (other, other_weight), lambda: weighted_moments(other, other_weight, state.threads)
            )
        problem = state.recipe.side_of_new(positives, other_weight, side)
        problem = replace(problem, known_caches=caches_of(moments, problem.unlabelled_target))
        if features is not None:
            return by_features(state, problem, loss, other, features, side)
        factors = np.zeros((positives.shape[0], other.shape[1]), dtype=np.float32)
        als.solve_exactly(problem, factors, other, state.threads, loss=loss)
    return factors


def by_features(
    state: FactorState, problem: Side, loss: Loss, other: Array, features: Any, side: str = "rows"
) -> Array:
    """Factors (n, g) of rows (columns) by their features and their positives."""
    base = from_features(state, features, side)
    if len(base) != problem.rows:
        raise InputError(f"features must have {problem.rows} rows, one for each, but has {len(base)}.")
    return place_rows(problem, loss, other, base, state.threads)


FITTED = "moments of fitted columns"
"""The name under which they are held."""


def fitted_moments(state: FactorState) -> Moments:
    """QᵀBQ and Qᵀb of the columns that the fit knew; those that have joined since come last."""
    cols, weight = state.col_factors, state.col_weight
    known = len(cols) - state.joined_cols
    return state.derived.of(
        FITTED, (cols, weight), lambda: weighted_moments(cols[:known], weight[:known], state.threads)
    )


def with_joined(fitted: Moments, cols: Array, weight: Array, joined: int) -> Moments:
    """The moments of all columns (m, g): they are added up apart, because only the last ones, few of them, change."""
    if not joined:
        return fitted
    return added([fitted, weighted_moments(cols[-joined:], weight[-joined:], 1)], cols)


def grown_factors(row_factors: Array, col_factors: Array, shape: tuple[int, int], seed: int) -> tuple[Array, Array]:
    """Factors to go on from: known ones as they are, new rows at zero, new columns random and small."""
    g, known = row_factors.shape[1], len(col_factors)
    rows = np.zeros((shape[0], g), np.float32)
    rows[: len(row_factors)] = row_factors
    return rows, np.concatenate((col_factors, random_factors(shape[1] - known, g, seed + known)))


def _grown_ids(own: Ids, named: Ids | None, count: int) -> tuple[Ids, NDArray[np.int64]]:
    """The model's ids with the unknown ones of ``named`` appended, and the numbers of ``named`` among them."""
    if not own.is_range and (named is None or named.is_range):
        raise InputError(
            "add=True needs ids for what is added, because the model has ids of its own; "
            "give Interactions with ids instead of a bare matrix."
        )
    if named is None:
        return Ids.range(len(own) + count, own.name), np.arange(len(own), len(own) + count)
    return extended(own, named)


def _with_history(seen: Csr, positives: Csr, numbers: NDArray[np.int64]) -> Csr:
    """These positives and those that ``seen`` has for the same rows."""
    known = np.flatnonzero(numbers < seen.shape[0])
    indptr, indices, data = take_rows(seen, numbers[known])
    of_row = np.repeat(known, np.diff(indptr))
    history = sp.csr_array((data, (of_row, indices)), shape=positives.shape)
    return as_csr(positives.native() + history, "interactions", allow_empty=True)


def _grown(
    state: FactorState, side: str, seen: Csr, positives: Csr, ids: Ids, numbers: NDArray[np.int64], factors: Array
) -> GrownSide:
    """One side with the rows of ``positives`` at ``numbers``; ``seen`` has the side's rows as they were."""
    rows = side == "rows"
    held = state.rows
    old_factors, old_weight = (held.factors, held.weight) if rows else (state.col_factors, state.col_weight)
    weights = state.recipe.rows if rows else state.recipe.cols
    weight = weights.weights(np.diff(positives.indptr)).astype(np.float32)
    seen = _with_rows(seen, positives, numbers, len(ids))
    return GrownSide(
        ids,
        _with_values(old_factors, factors, numbers, len(ids)),
        _with_values(old_weight, weight, numbers, len(ids)),
        seen if rows else transpose(seen),
    )


def _with_values(array: Array, values: Array, numbers: NDArray[np.int64], length: int) -> Array:
    grown = np.zeros((length, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    grown[numbers] = values
    return grown


def _with_rows(seen: Csr, rows: Csr, numbers: NDArray[np.int64], length: int) -> Csr:
    """``seen`` with the given rows at ``numbers``."""
    unchanged = np.ones(seen.shape[0], dtype=bool)
    unchanged[numbers[numbers < seen.shape[0]]] = False
    old, new = seen.tocoo(), rows.tocoo()
    stays = unchanged[old.coords[0]]
    coords = (
        np.concatenate((old.coords[0][stays], numbers[new.coords[0]])),
        np.concatenate((old.coords[1][stays], new.coords[1])),
    )
    data = np.concatenate((old.data[stays], new.data))
    return as_csr(sp.csr_array((data, coords), shape=(length, seen.shape[1])), "the model's positives")
