"""Questions to a fitted ``FactorRecommender``: who gets what, and who is like whom."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.ids import Ids
from tacit.data.interactions import Interactions
from tacit.errors import InputError
from tacit.estimators import checks, factor_growth
from tacit.estimators.ranked import Ranked
from tacit.neighbours.topk import Lists, normalise, top_k

if TYPE_CHECKING:
    from tacit.estimators.factor_recommender import FactorRecommender

Array = NDArray[Any]
Filter = Iterable[Any] | Mapping[Any, Iterable[Any]] | None


def recommend(
    model: "FactorRecommender", rows: Any, k: int, exclude_seen: bool, include: Filter, exclude: Filter
) -> Ranked:
    """The k best columns for known rows, or for new rows that are folded in on the way."""
    checks.whole("k", k, 1)
    if isinstance(rows, Interactions) or sp.issparse(rows):
        seen, ids = factor_growth.new_positives(model, rows, "rows")
        factors = factor_growth.fold_in(model, seen, "rows")
        queries = np.arange(len(factors)) if ids is None else ids.all()
    else:
        queries = listed(rows, model.row_ids_)
        numbers = model.row_ids_.require(queries)
        factors = model.row_factors_[numbers]
        seen = model.seen_[numbers]
    allowed, included = _filter(model.col_ids_, queries, include, "include")
    refused, excluded = _filter(model.col_ids_, queries, exclude, "exclude")
    if refused is not None:
        allowed = ~refused if allowed is None else allowed & ~refused
    found, scores = top_k(
        factors,
        model.col_factors_,
        k,
        seen=(seen.indptr.astype(np.int64), seen.indices.astype(np.int32)) if exclude_seen else None,
        included=included,
        excluded=excluded,
        allowed=allowed,
        threads=model.threads,
    )
    return Ranked(queries, model.col_ids_.take(found), scores, found >= 0)


def similar(factors: Array, ids: Ids, wanted: Any, k: int, threads: int) -> Ranked:
    """The k nearest by cosine, each without itself."""
    checks.whole("k", k, 1)
    queries = listed(wanted, ids)
    numbers = ids.require(queries)
    directions = normalise(factors)
    itself = (np.arange(len(numbers) + 1, dtype=np.int64), numbers.astype(np.int32))
    found, scores = top_k(directions[numbers], directions, k, excluded=itself, threads=threads)
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


def _filter(ids: Ids, queries: Array, wanted: Filter, name: str) -> tuple[NDArray[np.bool_] | None, Lists | None]:
    """A mask for all rows, or sorted lists per row."""
    if wanted is None:
        return None, None
    if isinstance(wanted, str | bytes):
        raise InputError(f"{name} must be a collection of ids, or a mapping from row id to ids, not {wanted!r}.")
    if not isinstance(wanted, Mapping):
        mask = np.zeros(len(ids), dtype=bool)
        mask[ids.require(listed(wanted, ids))] = True
        return mask, None
    # Rows that the mapping does not name: nothing is excluded, everything is included.
    everything = np.arange(len(ids)) if name == "include" else np.empty(0, dtype=np.int64)
    rows = [
        np.unique(ids.require(listed(wanted[query], ids))) if query in wanted else everything
        for query in queries.tolist()
    ]
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    indices = np.concatenate(rows) if rows else np.empty(0)
    return None, (indptr, indices.astype(np.int32))
