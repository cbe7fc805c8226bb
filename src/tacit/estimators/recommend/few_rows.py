"""Lists of a few known rows without any wishes: what a service is asked most, with little around the search itself."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data.ids import Ids
from tacit.estimators.derived import Derived
from tacit.estimators.ranked import Ranked
from tacit.estimators.recommend.col_index import ColIndex, tiles_of
from tacit.estimators.recommend.recent_rows import Row, RowState, lists_of
from tacit.neighbours.few_queries import NO_ROWS, StoredRows, Tiled, top_k_of_rows
from tacit.neighbours.topk import QUERIES

Array = NDArray[Any]


def recommend(
    row_ids: Ids,
    col_ids: Ids,
    rows: RowState,
    items: Array,
    col_index: ColIndex | None,
    context_ids: Mapping[str, Ids],
    derived: Derived,
    wanted: Any,
    k: int,
    exclude_seen: bool,
) -> Ranked | None:
    """The k best columns of these rows, to the bits of ``factor_queries.recommend``; None where that has to answer.

    ``items`` are the factors (m, g) of the columns, the other names are those of ``FactorState``.
    """
    if col_index is not None or context_ids:
        return None
    if type(wanted) is not list or not 0 < len(wanted) <= QUERIES[0]:
        return None
    if type(k) is not int or k < 1 or type(exclude_seen) is not bool:
        return None
    kinds = set(map(type, wanted))
    if kinds != {int} and (kinds != {str} or row_ids.is_numeric):
        return None
    try:
        queries = np.array(wanted, dtype=np.int64 if kinds == {int} else object)
    except OverflowError:
        return None
    numbers = row_ids.few(wanted)
    stored, tiled = derived.of(
        "rows and items of few", (rows.factors, rows.positives, items), lambda: _prepared(rows, items, derived)
    )
    if stored is None:
        return None
    recent, count = rows.recent, len(stored.factors)
    changed: list[Row] = []
    for place, number in enumerate(numbers):
        row = recent.get(number)
        if row is not None:
            changed.append(row)
            numbers[place] = -len(changed)
        elif not 0 <= number < count or number in rows.alone:
            return None
    apart = NO_ROWS
    if changed:
        apart = StoredRows(np.array([row.factor for row in changed], dtype=np.float32), *lists_of(changed))
    answer = top_k_of_rows(numbers, stored, apart, tiled, k, exclude_seen=exclude_seen)
    if answer is None:
        return None
    best, scores = answer
    ids = best.astype(np.int64) if col_ids.is_range else col_ids.take(best)
    return Ranked(queries, ids, scores, best >= 0)


def _prepared(rows: RowState, items: Array, derived: Derived) -> tuple[StoredRows | None, Tiled]:
    """Rows and columns as the search takes them."""
    positives = rows.positives
    stored = StoredRows.of(rows.factors, positives.indptr, positives.indices)
    if rows.factors.shape != (len(positives.indptr) - 1, items.shape[1]):
        stored = None
    return stored, tiles_of(items, derived)
