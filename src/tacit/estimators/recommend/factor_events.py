"""Events that come after the fit: a row's history grows and its factor is solved again, and nobody else pays for it.

Readers need no lock. The arrays and the rows that have changed since are one pair that is replaced at once; a row is
an immutable record. Whatever joins is published in the order ids, columns, rows, and a view takes rows before columns
and ids, so that a reader never meets a number that it cannot look up.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit import threads
from tacit.data.ids import Ids
from tacit.errors import InputError
from tacit.estimators.recommend import factor_growth, recent_rows
from tacit.estimators.recommend.asking import listed
from tacit.estimators.recommend.recent_rows import Row
from tacit.objective import losses
from tacit.solvers import als

if TYPE_CHECKING:
    from tacit.estimators.recommend.factor_recommender import FactorRecommender

Array = NDArray[Any]

_growing = threading.RLock()
"""One for all models: it belongs to the process and never into a copy of a model."""


MOST_RECENT = 1_000
"""Changed rows that a view copies; when there are more, they go into the arrays first."""


@dataclass(frozen=True)
class Arrays:
    """The rows as arrays: P (n, g), a (n,) and the positives (n, m). Parts that are not known yet are None."""

    row_factors: Any = None
    row_weight: Any = None
    positives: Any = None


def current(model: "FactorRecommender") -> tuple[Arrays, dict[int, Row]]:
    """The arrays, and the rows that have changed since they were made."""
    held: tuple[Arrays, dict[int, Row]] = model.__dict__.get("_row_state", (Arrays(), {}))
    return held


def view(model: "FactorRecommender", copy: Callable[[Any], Any]) -> Any:
    """A copy of the model with rows of its own: those that are added later do not reach it."""
    if len(current(model)[1]) > MOST_RECENT:
        gathered(model)
    while True:
        held = vars(model).get("_row_state")
        recent = dict(held[1]) if held is not None else {}
        found = copy(model)
        # Another pair in its place means that all has been learned anew meanwhile.
        if vars(found).get("_row_state") is held:
            if held is not None:
                vars(found)["_row_state"] = (held[0], recent)
            return found


def gathered(model: "FactorRecommender") -> Arrays:
    """The arrays with every change in them."""
    arrays, recent = current(model)
    if not recent and (arrays.positives is None or arrays.positives.shape[1] == len(model.col_ids_)):
        return arrays
    with _growing:
        arrays, recent = current(model)
        shape = len(model.row_ids_), len(model.col_ids_)
        arrays = Arrays(
            recent_rows.gather(recent, "factor", arrays.row_factors, shape[0]),
            recent_rows.gather(recent, "weight", arrays.row_weight, shape[0]),
            recent_rows.gather_positives(recent, arrays.positives, shape),
        )
        model.__dict__["_row_state"] = (arrays, {})
    return arrays


def assign(model: "FactorRecommender", **parts: Any) -> None:
    """Set some of the arrays as they are given."""
    arrays, recent = current(model)
    arrays = gathered(model) if recent else arrays
    model.__dict__.pop("_takers", None)
    model.__dict__["_row_state"] = (replace(arrays, **parts), {})


def add(model: "FactorRecommender", row: Any, cols: Any, weights: Any, features: Any) -> None:
    """Merge cells into one row's history and solve it again; then its new columns that joined since the fit."""
    factor_growth.require_own_problem(model, "add")
    wanted = listed(cols, model.col_ids_)
    values = _values(weights, len(wanted))
    if not len(wanted) and features is None:
        raise InputError("cols is empty; give at least one column, or the features of the row.")
    if model.row_feature_factors_ is not None and features is None:
        raise InputError("features: this model places a row by its features and positives; give the row's features.")
    with _growing:
        number, row_ids = _joined(model.row_ids_, row)
        numbers = np.empty(len(wanted), dtype=np.int64)
        col_ids = model.col_ids_
        for place, one in enumerate(wanted.tolist()):
            numbers[place], col_ids = _joined(col_ids, one)
        arrays, recent = current(model)
        before = recent.get(number) or recent_rows.old_row(
            arrays.positives, arrays.row_factors, arrays.row_weight, number
        )
        _join_columns(model, col_ids)
        positives = _OneRow(*before.merged(numbers, values), len(col_ids))
        factor = factor_growth.fold_in(model, positives, "rows", features)[0]
        weight = model.recipe_.rows.weights(np.array([positives.nnz])).astype(np.float32)[0]
        recent[number] = Row(positives.indices, positives.data, factor, weight)
        model.row_ids_ = row_ids
        _place_joined(model, np.unique(numbers), number)


def positives_of(model: "FactorRecommender", row: Any) -> tuple[list[Any], list[float]]:
    """Ids and weights of the columns that one row has."""
    found = row_of(model, int(model.row_ids_.require([row])[0]))
    return model.col_ids_.take(found.cols).tolist(), found.values.tolist()


def row_of(model: "FactorRecommender", number: int) -> Row:
    """One row as it is, at the cost of its own positives."""
    arrays, recent = current(model)
    return recent.get(number) or recent_rows.old_row(arrays.positives, arrays.row_factors, arrays.row_weight, number)


def _values(weights: Any, count: int) -> NDArray[np.float32]:
    try:
        values: Array = np.broadcast_to(np.asarray(weights, dtype=np.float32), count)
    except (TypeError, ValueError):
        raise InputError(f"weights must be one number, or one for each of the {count} columns.") from None
    if not (np.isfinite(values) & (values > 0)).all():
        raise InputError("weights must be finite and above 0; a cell without weight is not a positive.")
    return values


def _joined(ids: Ids, value: Any) -> tuple[int, Ids]:
    """The number of an id, and the ids with it among them."""
    number = int(ids.numbers([value])[0])
    if number >= 0:
        return number, ids
    one = Ids([value], ids.name)
    if len(ids) and ids.is_numeric != one.is_numeric:
        factor_growth.extended(ids, one)  # says in a sentence that the kinds differ
    if value is None or value != value:
        raise InputError(f"{ids.name}: {value!r} cannot be an id; leave out events whose id is missing.")
    return len(ids), ids.appended(one.all().tolist()[0])


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


def _join_columns(model: "FactorRecommender", col_ids: Ids) -> None:
    """New columns begin at zero, with the weight of a column that one row has."""
    new = len(col_ids) - len(model.col_ids_)
    if not new:
        return
    weight = model.recipe_.cols.weights(np.ones(new, dtype=np.int64)).astype(np.float32)
    model.joined_cols_ += new
    model.col_ids_ = col_ids
    model.col_weight_ = np.concatenate((model.col_weight_, weight))
    model.col_factors_ = np.concatenate((model.col_factors_, np.zeros((new, model.col_factors_.shape[1]), np.float32)))


def _place_joined(model: "FactorRecommender", numbers: NDArray[np.int64], row: int) -> None:
    """Solve the columns among ``numbers`` that have joined since the fit, by all rows that have them.

    All other rows count as they were at the fit, through ``row_caches_``: what an event leads to then depends on the
    events before it alone. Where columns have features, a joined one stays where its features have put it.
    """
    first = len(model.col_ids_) - model.joined_cols_
    young = numbers[numbers >= first]
    if not len(young) or model.col_feature_factors_ is not None:
        return
    takers = _takers(model, first)
    columns, weights = model.col_factors_.copy(), model.col_weight_.copy()
    for number in young.tolist():
        takers.setdefault(number, {})[row] = None
        columns[number], weights[number] = _placed(model, number, list(takers[number]))
    model.col_weight_, model.col_factors_ = weights, columns


def _takers(model: "FactorRecommender", first: int) -> dict[int, dict[int, None]]:
    """The rows that have a column, in the order of their coming, for the columns from number ``first`` on."""
    held: dict[int, dict[int, None]] | None = model.__dict__.get("_takers")
    if held is None:
        positives = gathered(model).positives
        places = np.flatnonzero(positives.indices >= first)
        rows = np.searchsorted(positives.indptr, places, side="right") - 1
        held = model.__dict__["_takers"] = {}
        for number, taker in zip(positives.indices[places].tolist(), rows.tolist()):
            held.setdefault(number, {})[taker] = None
    return held


def _placed(model: "FactorRecommender", number: int, rows: list[int]) -> tuple[Array, np.float32]:
    """Factor (g,) and weight of one column by the rows that have it, in ascending order."""
    arrays, recent = current(model)
    takers = [
        recent.get(row) or recent_rows.old_row(arrays.positives, arrays.row_factors, arrays.row_weight, row)
        for row in sorted(rows)
    ]
    values = np.array([row.values[np.searchsorted(row.cols, number)] for row in takers])
    cells = _OneRow(np.arange(len(takers), dtype=np.int32), values.astype(np.float32), len(takers))
    side = model.recipe_.side_of_new(cells, np.array([row.weight for row in takers]), "cols")
    factor = np.zeros((1, model.col_factors_.shape[1]), dtype=np.float32)
    own = np.ascontiguousarray([row.factor for row in takers])
    with threads.single_threaded_blas():
        problem = replace(side, known_caches=model.row_caches_)
        als.solve_exactly(problem, factor, own, model.threads, loss=losses.resolve(model.recipe_.loss))
    return factor[0], side.own_weight[0]
