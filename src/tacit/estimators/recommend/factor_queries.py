"""Questions to a fitted ``FactorRecommender``: who gets what, and who is like whom."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.ids import Ids
from tacit.data.interactions import Interactions
from tacit.errors import InputError
from tacit.estimators.ranked import Ranked
from tacit.estimators.recommend import col_index, factor_events, factor_growth, recent_rows
from tacit.estimators.recommend.asking import Filter, ScoreRows, Unknown, filtered, listed, named, numbered
from tacit.neighbours.topk import Lists, fill_zero_rows, normalise

if TYPE_CHECKING:
    from tacit.estimators.recommend.factor_recommender import FactorRecommender

Array = NDArray[Any]


def recommend(
    model: "FactorRecommender",
    rows: Any,
    k: int,
    exclude_seen: bool,
    include: Filter,
    exclude: Filter,
    context: Mapping[str, Any] | None = None,
    features: Any = None,
    unknown: Unknown = "error",
    search: col_index.Search = "auto",
) -> Ranked:
    """The k best columns for known rows, or for new rows that are folded in on the way."""
    checks.integer("k", k, 1)
    if rows is None:
        factors = factor_growth.from_features(model, features, "rows")
        queries = np.arange(len(factors))
        seen = np.zeros(len(factors) + 1, dtype=np.int64), np.empty(0, dtype=np.int32)
    elif isinstance(rows, Interactions) or sp.issparse(rows):
        positives, ids = factor_growth.new_positives(model, rows, "rows")
        factors = factor_growth.fold_in(model, positives, "rows", features)
        seen = positives.indptr, positives.indices
        queries = np.arange(len(factors)) if ids is None else ids.all()
    else:
        queries, numbers = numbered(rows, model.row_ids_, unknown)
        factors, seen = known_rows(model, numbers)
    col_ids, items = columns(model)
    factors = in_context(model, factors, context)
    if not model.context_ids_ and not factors.any(axis=1).all():
        factors = fill_zero_rows(factors, _average_row(model)[None])
    allowed, included = filtered(col_ids, queries, include, "include")
    refused, excluded = filtered(col_ids, queries, exclude, "exclude")
    if refused is not None:
        allowed = ~refused if allowed is None else allowed & ~refused
    index = model.col_index_
    found, scores = col_index.find(
        index.recommend if index is not None and index.factors is items else None,
        model._derived,
        factors,
        items,
        k,
        search,
        seen=seen if exclude_seen else None,
        included=included,
        limited=named(queries, include),
        excluded=excluded,
        allowed=allowed,
        threads=model.threads,
    )
    return Ranked(queries, col_ids.take(found), scores, found >= 0)


def scorer(model: "FactorRecommender", rows: Any) -> ScoreRows:
    """Scores of ``Rows`` block by block; rows without positives get those of the average row."""
    if model.context_ids_:
        raise InputError("a model with contexts scores a row in a context; call score_pairs with it.")
    if rows.numbers is None:
        factors = factor_growth.fold_in(model, rows.positives, "rows")
    else:
        factors, _ = known_rows(model, rows.numbers)
    factors = fill_zero_rows(factors, _average_row(model)[None])
    items = columns(model)[1]
    return lambda start, stop: np.asarray(factors[start:stop] @ items.T, dtype=np.float32)


def known_rows(model: "FactorRecommender", numbers: NDArray[np.int64]) -> tuple[Array, Lists]:
    """Factors (n, g) of these rows and the columns that they have; -1 stands for a row of which nothing is known."""
    arrays, recent = factor_events.current(model)
    return recent_rows.take(recent, arrays.positives, arrays.row_factors, numbers)


def columns(model: "FactorRecommender") -> tuple[Ids, Array]:
    """Ids and factors of the columns, as many of the one as of the other while some join."""
    while True:
        factors, ids = model.col_factors_, model.col_ids_
        if len(factors) == len(ids):
            return ids, factors


def in_context(model: Any, factors: Array, context: Mapping[str, Any] | None) -> Array:
    """Factors (n, g) of rows in their contexts, combined as in training; context ids that are unknown say nothing.

    ``model`` has ``context_ids_``, ``context_factors_`` and ``context_model``.
    """
    if not model.context_ids_:
        if context:
            raise InputError("context: this model was trained without contexts; leave it out.")
        return factors
    given = dict(context or {})
    if set(given) != set(model.context_ids_):
        raise InputError(
            f"context must name {', '.join(map(repr, model.context_ids_))}, one id for all rows or one for each, "
            f"but names {', '.join(map(repr, given)) or 'nothing'}."
        )
    parts = []
    for name, wanted in given.items():
        ids = listed(wanted, model.context_ids_[name])
        if len(ids) not in (1, len(factors)):
            raise InputError(f"context {name!r} has {len(ids)} ids for {len(factors)} rows; give one, or one for each.")
        numbers = np.broadcast_to(model.context_ids_[name].numbers(ids), len(factors))
        known = numbers >= 0
        silent = 1.0 if model.context_model == "product" else 0.0
        parts.append(np.where(known[:, None], model.context_factors_[name][numbers], np.float32(silent)))
    if model.context_model == "additive":
        return np.asarray(factors + sum(parts), dtype=np.float32)
    if model.context_model == "product":
        return np.asarray(factors * parts[0], dtype=np.float32)
    pairs = np.sum(factors * parts[0], axis=1, keepdims=True)
    return np.ascontiguousarray(np.hstack([factors + parts[0], pairs]), dtype=np.float32)


def _average_row(model: "FactorRecommender") -> Array:
    factors = factor_events.current(model)[0].row_factors
    return model._derived.of("average row", (factors,), lambda: factors.mean(axis=0, dtype=np.float64))


def similar(
    model: "FactorRecommender",
    side: str,
    wanted: Any,
    k: int,
    unknown: Unknown = "error",
    search: col_index.Search = "auto",
) -> Ranked:
    """The k nearest rows (columns) by cosine, each without itself."""
    checks.integer("k", k, 1)
    rows = side == "rows"
    ids, factors = (model.row_ids_, model.row_factors_) if rows else columns(model)
    if unknown == "average":
        raise InputError('unknown must be "error" or "skip" here: nothing is similar to an id that is unknown.')
    queries, numbers = numbered(wanted, ids, unknown)
    directions = model._derived.of(f"directions of {side}", (factors,), lambda: normalise(factors))
    itself = (np.arange(len(numbers) + 1, dtype=np.int64), numbers.astype(np.int32))
    held = None if rows else model.col_index_
    index = held.similar if held is not None and held.factors is factors else None
    found, scores = col_index.find(
        index, model._derived, directions[numbers], directions, k, search, excluded=itself, threads=model.threads
    )
    return Ranked(queries, ids.take(found), scores, found >= 0)
