"""Questions to a fitted ``FactorRecommender``: the best columns of a row, and the nearest rows or columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.interactions import Interactions
from tacit.data.matrix import Csr
from tacit.errors import InputError
from tacit.estimators.ranked import Ranked
from tacit.estimators.recommend import col_index, factor_growth
from tacit.estimators.recommend.asking import UNKNOWN, Filter, ScoreRows, Unknown, filters, listed, numbered
from tacit.estimators.recommend.factor_state import FactorState
from tacit.estimators.recommend.joining import new_positives
from tacit.neighbours.filters import Filters
from tacit.neighbours.topk import fill_zero_rows, normalise

Array = NDArray[Any]


def recommend(
    state: FactorState,
    rows: Any,
    k: int,
    exclude_seen: bool,
    include: Filter,
    exclude: Filter,
    *,
    context: Mapping[str, Any] | None,
    features: Any,
    unknown: Unknown,
    search: col_index.Search,
) -> Ranked:
    """The k best columns for known rows, or for new rows that are folded in first."""
    checks.places("k", k, len(state.col_ids))
    checks.truth("exclude_seen", exclude_seen)
    if rows is None:
        factors = factor_growth.from_features(state, features, "rows")
        queries = np.arange(len(factors))
        seen = np.zeros(len(factors) + 1, dtype=np.int64), np.empty(0, dtype=np.int32)
    elif isinstance(rows, Interactions) or sp.issparse(rows):
        positives, ids = new_positives(state.row_ids, state.col_ids, rows, "rows")
        factors = factor_growth.fold_in(state, positives, "rows", features)
        seen = positives.indptr, positives.indices
        queries = np.arange(len(factors)) if ids is None else ids.all()
    else:
        queries, numbers = numbered(rows, state.row_ids, unknown)
        factors, seen = state.rows.take(numbers)
        factors = _without_those_alone(state, factors, numbers)
    factors = _in_context(state, factors, context)
    items, index = state.col_factors, state.col_index
    best, scores = col_index.find(
        index.recommend if index is not None and index.factors is items else None,
        state.derived,
        factors,
        items,
        k,
        search,
        filters(state.col_ids, queries, include, exclude, seen=seen if exclude_seen else None),
        state.threads,
    )
    return Ranked(queries, state.col_ids.take(best), scores, best >= 0)


def scorer(state: FactorState, positives: Csr, numbers: NDArray[np.int64] | None) -> ScoreRows:
    """Scores of rows block by block; rows without positives get those of what is popular.

    positives : (n, m) what the rows have
    numbers : (n,) their numbers, -1 for one that the model does not know; None for rows that are new to it
    """
    if state.contexts.ids:
        raise InputError("a model with contexts scores a row in a context; call score_pairs with it.")
    if numbers is None:
        factors = factor_growth.fold_in(state, positives, "rows")
    else:
        factors, _ = state.rows.take(numbers)
        factors = _without_those_alone(state, factors, numbers)
    factors = fill_zero_rows(factors, lambda: state.popular_row)
    items = state.col_factors
    return lambda start, stop: np.asarray(factors[start:stop] @ items.T, dtype=np.float32)


def score_pairs(state: FactorState, rows: Any, cols: Any, context: Mapping[str, Any] | None) -> Array:
    """⟨p_x, q_y⟩ for pairs of ids (n,), by the factors that ``recommend`` ranks with."""
    x = state.row_ids.require(listed(rows, state.row_ids))
    y = state.col_ids.require(listed(cols, state.col_ids))
    if len(x) != len(y) and 1 not in (len(x), len(y)):
        raise InputError(f"score_pairs needs as many rows as columns, but there are {len(x)} and {len(y)}.")
    x, y = np.broadcast_arrays(x, y)
    factors = _in_context(state, _without_those_alone(state, state.rows.take(x)[0], x), context)
    scores: Array = np.einsum("ij,ij->i", factors, state.col_factors[y])
    return scores


def similar(state: FactorState, side: str, wanted: Any, k: int, unknown: Unknown, search: col_index.Search) -> Ranked:
    """The k nearest rows (columns) by cosine, each without itself."""
    rows = side == "rows"
    ids, factors = state.ids_of(side), state.gathered_rows().factors if rows else state.col_factors
    checks.places("k", k, len(ids))
    checks.choice("unknown", unknown, UNKNOWN)
    if unknown == "average":
        raise InputError('unknown must be "error" or "skip" here: nothing is similar to an id that is unknown.')
    queries, numbers = numbered(wanted, ids, unknown)
    directions = state.derived.of(f"directions of {side}", (factors,), lambda: normalise(factors))
    itself = np.arange(len(numbers) + 1, dtype=np.int64), numbers.astype(np.int32)
    held = None if rows else state.col_index
    index = held.similar if held is not None and held.factors is factors else None
    nearest, scores = col_index.find(
        index, state.derived, directions[numbers], directions, k, search, Filters(excluded=itself), state.threads
    )
    return Ranked(queries, ids.take(nearest), scores, nearest >= 0)


def _in_context(state: FactorState, factors: Array, context: Mapping[str, Any] | None) -> Array:
    """Factors of rows in their contexts; without contexts, what is popular for rows of which nothing is known."""
    factors = state.contexts.combine(factors, context)
    if not state.contexts.ids and not (factors.all() or factors.any(axis=1).all()):
        factors = fill_zero_rows(factors, lambda: state.popular_row)
    return factors


def _without_those_alone(state: FactorState, factors: Array, numbers: NDArray[np.int64]) -> Array:
    """``factors`` of rows, with zeros for those that share no column with another row: theirs are but noise."""
    if not state.ids_alone or not state.rows.alone:
        return factors
    silent = [place for place, number in enumerate(numbers.tolist()) if state.rows.is_alone(number)]
    if silent:
        factors = factors.copy()
        factors[silent] = 0
    return factors
