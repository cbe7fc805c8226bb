"""Questions to a fitted ``FactorRecommender``: who gets what, and who is like whom."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.ids import Ids
from tacit.data.interactions import Interactions
from tacit.data.matrix import take_rows
from tacit.errors import InputError
from tacit.estimators.ranked import Ranked
from tacit.estimators.recommend import factor_growth
from tacit.neighbours.topk import Lists, fill_zero_rows, normalise, top_k

if TYPE_CHECKING:
    from tacit.estimators.recommend.factor_recommender import FactorRecommender

Array = NDArray[Any]
Filter = Iterable[Any] | Mapping[Any, Iterable[Any]] | None


def recommend(
    model: "FactorRecommender",
    rows: Any,
    k: int,
    exclude_seen: bool,
    include: Filter,
    exclude: Filter,
    context: Mapping[str, Any] | None = None,
    features: Any = None,
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
        queries = listed(rows, model.row_ids_)
        numbers = model.row_ids_.require(queries)
        factors = model.row_factors_[numbers]
        seen = take_rows(model.seen_, numbers)[:2]
    factors = in_context(model, factors, context)
    if not model.context_ids_ and not factors.any(axis=1).all():
        factors = fill_zero_rows(factors, _average_row(model)[None])
    allowed, included = _filter(model.col_ids_, queries, include, "include")
    refused, excluded = _filter(model.col_ids_, queries, exclude, "exclude")
    if refused is not None:
        allowed = ~refused if allowed is None else allowed & ~refused
    found, scores = top_k(
        factors,
        model.col_factors_,
        k,
        seen=seen if exclude_seen else None,
        included=included,
        limited=_named(queries, include),
        excluded=excluded,
        allowed=allowed,
        threads=model.threads,
    )
    return Ranked(queries, model.col_ids_.take(found), scores, found >= 0)


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
    factors = model.row_factors_
    return model._derived.of("average row", (factors,), lambda: factors.mean(axis=0, dtype=np.float64))


def similar(model: "FactorRecommender", side: str, wanted: Any, k: int) -> Ranked:
    """The k nearest rows (columns) by cosine, each without itself."""
    checks.integer("k", k, 1)
    rows = side == "rows"
    factors, ids = (model.row_factors_, model.row_ids_) if rows else (model.col_factors_, model.col_ids_)
    queries = listed(wanted, ids)
    numbers = ids.require(queries)
    directions = model._derived.of(f"directions of {side}", (factors,), lambda: normalise(factors))
    itself = (np.arange(len(numbers) + 1, dtype=np.int64), numbers.astype(np.int32))
    found, scores = top_k(directions[numbers], directions, k, excluded=itself, threads=model.threads)
    return Ranked(queries, ids.take(found), scores, found >= 0)


def listed(wanted: Any, ids: Ids) -> Array:
    """Ids as a one-dimensional array: one id, any iterable of ids, or a column of a table."""
    if isinstance(wanted, str | bytes | int | np.generic) or wanted is None or _is_one_id(wanted, ids):
        wanted = [wanted]
    if isinstance(wanted, np.ndarray) and wanted.ndim != 1:
        raise InputError(f"ids must be one-dimensional, not of shape {wanted.shape}.")
    if isinstance(wanted, np.ndarray) and wanted.dtype.kind in "iuO":
        return wanted
    wanted = list(wanted)
    if wanted and all(isinstance(value, int | np.integer) for value in wanted):
        return np.array(wanted, dtype=np.int64)
    array = np.empty(len(wanted), dtype=object)
    array[:] = wanted
    return array


def _is_one_id(wanted: Any, ids: Ids) -> bool:
    """Tuples, dates and the like can be ids themselves."""
    if isinstance(wanted, tuple):
        return wanted in ids
    return not isinstance(wanted, Iterable)


def _named(queries: Array, wanted: Filter) -> NDArray[np.bool_] | None:
    """Which rows a mapping speaks of."""
    if not isinstance(wanted, Mapping):
        return None
    return np.array([query in wanted for query in queries.tolist()], dtype=np.bool_)


def _filter(ids: Ids, queries: Array, wanted: Filter, name: str) -> tuple[NDArray[np.bool_] | None, Lists | None]:
    """A mask for all rows, or sorted lists per row; that of a row which the mapping does not name is empty."""
    if wanted is None:
        return None, None
    if isinstance(wanted, str | bytes):
        raise InputError(f"{name} must be a collection of ids, or a mapping from row id to ids, not {wanted!r}.")
    if not isinstance(wanted, Mapping):
        mask = np.zeros(len(ids), dtype=bool)
        mask[ids.require(listed(wanted, ids))] = True
        return mask, None
    nothing = np.empty(0, dtype=np.int64)
    rows = [
        np.unique(ids.require(listed(wanted[query], ids))) if query in wanted else nothing for query in queries.tolist()
    ]
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    indices = np.concatenate(rows) if rows else np.empty(0)
    return None, (indptr, indices.astype(np.int32))
