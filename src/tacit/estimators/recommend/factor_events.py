"""One event after the fit: the history of a row grows, and its factor is solved again.

The cost is that of the row's own history and of the columns that have joined since the fit; no other row is touched.
Nothing is written here: ``event`` returns what has changed, and the estimator publishes it.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import threads
from tacit.data.ids import Ids
from tacit.errors import InputError
from tacit.estimators.recommend import factor_growth
from tacit.estimators.recommend.asking import listed
from tacit.estimators.recommend.factor_state import FactorState
from tacit.estimators.recommend.joining import with_one
from tacit.estimators.recommend.recent_rows import Row
from tacit.objective import losses
from tacit.solvers import als

Array = NDArray[Any]

Takers = dict[int, set[int]]
"""Column → the rows that have it, for columns that have joined since the fit."""


@dataclass(frozen=True)
class Change:
    """What one event leads to: the row under its number, all ids, and the columns."""

    number: int
    row: Row
    row_ids: Ids
    col_ids: Ids
    col_factors: Array
    col_weight: Array
    joined_cols: int


def event(state: FactorState, takers: Takers, row: Any, cols: Any, weights: Any, features: Any) -> Change:
    """Merge cells into one row's history and solve it; then solve those of its columns that joined since the fit.

    takers : of the model; gains this row
    """
    state.require_own_problem("add")
    wanted = listed(cols, state.col_ids)
    values = _values(weights, len(wanted))
    if not len(wanted) and features is None:
        raise InputError("cols is empty; give at least one column, or the features of the row.")
    if state.row_feature_factors is not None and features is None:
        raise InputError("features: this model places a row by its features and positives; give the row's features.")
    number, row_ids = with_one(state.row_ids, row)
    numbers = np.empty(len(wanted), dtype=np.int64)
    col_ids = state.col_ids
    for index, one in enumerate(wanted.tolist()):
        numbers[index], col_ids = with_one(col_ids, one)
    state = _with_cols(state, col_ids)
    positives = _OneRow(*state.rows.row(number).merged(numbers, values), len(col_ids))
    factor = factor_growth.fold_in(state, positives, "rows", features)[0]
    weight = state.recipe.rows.weights(np.array([positives.nnz])).astype(np.float32)[0]
    changed = Row(positives.indices, positives.data, factor, weight)
    state = _with_joined_solved(state, takers, np.unique(numbers), number, changed)
    return Change(number, changed, row_ids, col_ids, state.col_factors, state.col_weight, state.joined_cols)


def takers_of(state: FactorState) -> Takers:
    """The rows that have each of the columns that joined since the fit."""
    if not state.joined_cols:
        return {}
    positives = state.gathered_rows().positives
    cells = np.flatnonzero(positives.indices >= len(state.col_ids) - state.joined_cols)
    rows = np.searchsorted(positives.indptr, cells, side="right") - 1
    takers: Takers = {}
    for number, row in zip(positives.indices[cells].tolist(), rows.tolist()):
        takers.setdefault(number, set()).add(row)
    return takers


def _values(weights: Any, count: int) -> NDArray[np.float32]:
    try:
        values: Array = np.broadcast_to(np.asarray(weights, dtype=np.float32), count)
    except (TypeError, ValueError):
        raise InputError(f"weights must be one number, or one for each of the {count} columns.") from None
    if not (np.isfinite(values) & (values > 0)).all():
        raise InputError("weights must be finite and above 0; a cell without weight is not a positive.")
    return values


@dataclass(frozen=True)
class _OneRow:
    """Positives of one row as the solver wants them; a SciPy matrix of them would cost as much as the solution."""

    indices: NDArray[np.int32]
    data: NDArray[np.float32]
    width: int

    @property
    def indptr(self) -> NDArray[np.int64]:
        return np.array([0, len(self.indices)], dtype=np.int64)

    @property
    def nnz(self) -> int:
        return len(self.indices)

    @property
    def shape(self) -> tuple[int, int]:
        return 1, self.width


def _with_cols(state: FactorState, col_ids: Ids) -> FactorState:
    """With new columns, which begin at zero, with the weight of a column that one row has."""
    new = len(col_ids) - len(state.col_ids)
    if not new:
        return state
    weight = state.recipe.cols.weights(np.ones(new, dtype=np.int64)).astype(np.float32)
    zeros = np.zeros((new, state.col_factors.shape[1]), np.float32)
    return replace(
        state,
        joined_cols=state.joined_cols + new,
        col_ids=col_ids,
        col_weight=np.concatenate((state.col_weight, weight)),
        col_factors=np.concatenate((state.col_factors, zeros)),
    )


def _with_joined_solved(
    state: FactorState, takers: Takers, numbers: NDArray[np.int64], number: int, row: Row
) -> FactorState:
    """With the columns among ``numbers`` that have joined since the fit solved by all rows that have them.

    All other rows count as they were at the fit, through ``row_caches``: what an event leads to then depends on the
    events before it alone. Where columns have features, a joined one stays where its features have put it.
    """
    young = numbers[numbers >= len(state.col_ids) - state.joined_cols]
    if not len(young) or state.col_feature_factors is not None:
        return state
    factors, weights = state.col_factors.copy(), state.col_weight.copy()
    for col in young.tolist():
        takers_of_col = sorted({*takers.get(col, ()), number})
        rows = [row if taker == number else state.rows.row(taker) for taker in takers_of_col]
        factors[col], weights[col] = _solved_col(state, col, rows)
    for col in young.tolist():
        takers.setdefault(col, set()).add(number)
    return replace(state, col_factors=factors, col_weight=weights)


def _solved_col(state: FactorState, number: int, rows: list[Row]) -> tuple[Array, np.float32]:
    """Factor (g,) and weight of one column by the rows that have it, in ascending order."""
    values = np.array([row.values[np.searchsorted(row.cols, number)] for row in rows])
    cells = _OneRow(np.arange(len(rows), dtype=np.int32), values.astype(np.float32), len(rows))
    side = state.recipe.side_of_new(cells, np.array([row.weight for row in rows]), "cols")
    factor = np.zeros((1, state.col_factors.shape[1]), dtype=np.float32)
    own = np.ascontiguousarray([row.factor for row in rows])
    with threads.single_threaded_blas():
        problem = replace(side, known_caches=state.row_caches)
        als.solve_exactly(problem, factor, own, state.threads, loss=losses.resolve(state.recipe.loss))
    return factor[0], side.own_weight[0]
