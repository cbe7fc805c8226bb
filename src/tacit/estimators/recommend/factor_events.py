"""Events after the fit: the history of a row grows, and its factor is solved again.

The cost is that of the rows' own histories and of the columns that have joined since the fit; no other row is touched.
What an event leads to depends on the events before it alone, never on how many come together: rows are solved each to
the bits that it would get alone, and wait with that only while no column changes.

Nothing that others hold is written to: ``Draft.change`` says what the model becomes, and the estimator publishes it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import threads
from tacit.data.ids import Ids
from tacit.errors import InputError
from tacit.estimators.recommend import factor_growth
from tacit.estimators.recommend.factor_state import FactorState
from tacit.estimators.recommend.joining import with_each
from tacit.estimators.recommend.recent_rows import GATHERED, FewRows, Row, RowState, merged
from tacit.objective import losses
from tacit.objective.side import Moments, caches_of
from tacit.solvers import als

Array = NDArray[Any]

Takers = dict[int, frozenset[int]]
"""Column → the rows that have it, for columns that have joined since the fit."""


@dataclass(frozen=True)
class Change:
    """What events lead to: ids, rows and columns of the model, and the moments of the columns that the fit knew."""

    row_ids: Ids
    col_ids: Ids
    rows: RowState
    col_factors: Array
    col_weight: Array
    joined_cols: int
    takers: Takers | None
    moments: Moments


class Draft:
    """What a model becomes: made beside it.

    takers : of the model, None where nobody has asked for them yet
    features : (1, ·) of the row, where the model has row features
    """

    def __init__(self, state: FactorState, takers: Takers | None, features: Any = None) -> None:
        state.require_own_problem("add")
        if state.row_feature_factors is not None and features is None:
            raise InputError(
                "features: this model places a row by its features and positives; give the row's features."
            )
        self.state, self.takers, self.features = state, takers, features
        gathered = state.derived.taken(GATHERED, (state.rows, state.col_ids))
        self.before: RowState = state.rows if gathered is None else gathered
        self.rows: dict[int, Row] = {}
        self.waiting: dict[int, tuple[list[int], list[float]]] = {}
        """The new cells of rows that are not solved yet: columns and values."""
        self.row_ids, self.col_ids = state.row_ids, state.col_ids
        self.cols, self.col_weight, self.joined = state.col_factors, state.col_weight, state.joined_cols
        if not self.cols.flags.c_contiguous:
            self.cols = np.ascontiguousarray(self.cols)
        self.fitted = len(self.cols) - self.joined
        with threads.single_threaded_blas():
            self.moments = factor_growth.fitted_moments(state)
        self.own_columns = False

    def take(self, rows: Sequence[Any], cols: Sequence[list[Any]], values: Sequence[list[float]]) -> Change:
        """Events in turn: a row, some of its columns and their values."""
        numbers, self.row_ids = with_each(self.row_ids, rows)
        known = iter(self.col_ids.numbers([col for some in cols for col in some]).tolist())
        for number, wanted, added in zip(numbers, cols, values):
            own = [next(known) for _ in wanted]
            young = any(col < 0 or col >= self.fitted for col in own)
            if young:
                self._solve()
                own = self._join(wanted)
            held = self.waiting.setdefault(number, ([], []))
            held[0].extend(own)
            held[1].extend(added)
            if young:
                self._solve()
                self._solve_joined(sorted({col for col in own if col >= self.fitted}), number)
        self._solve()
        return Change(
            self.row_ids,
            self.col_ids,
            replace(self.before, recent=self.before.recent.with_rows(self.rows)),
            self.cols if self.own_columns else self.state.col_factors,
            self.col_weight,
            self.joined,
            self.takers,
            self.moments,
        )

    def _row(self, number: int) -> Row:
        return self.rows.get(number) or self.before.row(number)

    def _solve(self) -> None:
        """Solve all rows that wait, by the columns as they are."""
        if not self.waiting:
            return
        numbers = list(self.waiting)
        cols, values = zip(*self.waiting.values())
        positives = merged([self._row(number) for number in numbers], cols, values, len(self.cols))
        factors, weights = self._factors(positives)
        cuts = positives.indptr.tolist()
        for place, number in enumerate(numbers):
            # Copies: a part of an array would keep all of it alive.
            span = slice(cuts[place], cuts[place + 1])
            self.rows[number] = Row(
                positives.indices[span].copy(), positives.data[span].copy(), factors[place].copy(), weights[place]
            )
        self.waiting = {}

    def _factors(self, positives: FewRows) -> tuple[Array, Array]:
        """Factors (n, g) and weights (n,) of rows with these positives."""
        recipe = self.state.recipe
        loss = losses.resolve(recipe.loss)
        with threads.single_threaded_blas():
            moments = factor_growth.with_joined(self.moments, self.cols, self.col_weight, self.joined)
            side = recipe.side_of_new(positives, self.col_weight, "rows")
            side = replace(side, known_caches=caches_of(moments, side.unlabelled_target))
            if self.features is not None:
                return factor_growth.by_features(self.state, side, loss, self.cols, self.features), side.own_weight
            factors = np.zeros((side.rows, self.cols.shape[1]), dtype=np.float32)
            als.solve_each(side, factors, self.cols, self.state.threads, loss=loss)
        return factors, side.own_weight

    def _join(self, wanted: Iterable[Any]) -> list[int]:
        """Numbers of columns; new ones begin at zero, with the weight of a column that one row has."""
        numbers, self.col_ids = with_each(self.col_ids, list(wanted))
        new = len(self.col_ids) - len(self.cols)
        if new:
            weight = self.state.recipe.cols.weights(np.ones(new, dtype=np.int64)).astype(np.float32)
            self.col_weight = np.concatenate((self.col_weight, weight))
            self.cols = np.concatenate((self.cols, np.zeros((new, self.cols.shape[1]), np.float32)))
            self.joined += new
            self.own_columns = True
        return numbers

    def _solve_joined(self, numbers: list[int], row: int) -> None:
        """Solve columns that have joined since the fit, by all rows that have them; one row has gained them just now.

        All other rows count as they were at the fit, through ``row_caches``: what an event leads to then depends on the
        events before it alone. Where columns have features, a joined one stays where its features have put it.
        """
        if self.state.col_feature_factors is not None:
            return
        if not self.own_columns:
            self.cols, self.col_weight, self.own_columns = self.cols.copy(), self.col_weight.copy(), True
        takers = dict(self._all_takers() if self.takers is None else self.takers)
        for number in numbers:
            takers[number] = takers.get(number, frozenset()) | {row}
            rows = [self._row(taker) for taker in sorted(takers[number])]
            self.cols[number], self.col_weight[number] = _solved_col(self.state, number, rows)
        self.takers = takers

    def _all_takers(self) -> Takers:
        """From the positives: who has columns that have joined since the fit."""
        positives = self.before.positives
        places = np.flatnonzero(positives.indices >= self.fitted)
        rows = np.searchsorted(positives.indptr, places, side="right") - 1
        changed = {*self.rows, *(number for number, _ in self.before.recent.items())}
        taken = [
            (col, row) for col, row in zip(positives.indices[places].tolist(), rows.tolist()) if row not in changed
        ]
        for row in changed:
            cols = self._row(row).cols
            taken += [(col, row) for col in cols[np.searchsorted(cols, self.fitted) :].tolist()]
        takers: dict[int, set[int]] = {}
        for col, row in taken:
            takers.setdefault(col, set()).add(row)
        return {col: frozenset(some) for col, some in takers.items()}


def _solved_col(state: FactorState, number: int, rows: list[Row]) -> tuple[Array, np.float32]:
    """Factor (g,) and weight of one column by the rows that have it, in ascending order."""
    values = np.array([row.values[np.searchsorted(row.cols, number)] for row in rows], dtype=np.float32)
    indptr = np.array([0, len(rows)], dtype=np.int64)
    cells = FewRows(indptr, np.arange(len(rows), dtype=np.int32), values, len(rows))
    side = state.recipe.side_of_new(cells, np.array([row.weight for row in rows]), "cols")
    factor = np.zeros((1, state.col_factors.shape[1]), dtype=np.float32)
    own = np.ascontiguousarray([row.factor for row in rows])
    with threads.single_threaded_blas():
        problem = replace(side, known_caches=state.row_caches)
        als.solve_exactly(problem, factor, own, state.threads, loss=losses.resolve(state.recipe.loss))
    return factor[0], side.own_weight[0]
