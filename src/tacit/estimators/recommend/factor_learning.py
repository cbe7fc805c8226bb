"""What a fitted ``FactorRecommender`` takes in later, without a refit: more interactions, events, rows and columns."""

import dataclasses
from collections.abc import Hashable
from typing import Any, Self

import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.ids import Ids
from tacit.data.interactions import Interactions
from tacit.data.matrix import Csr
from tacit.errors import InputError
from tacit.estimators.concurrency import learns_if, learns_in_place
from tacit.estimators.model import Model
from tacit.estimators.recommend import factor_events, factor_growth, whole_data_fit
from tacit.estimators.recommend.asking import listed, paired
from tacit.estimators.recommend.factor_state import FactorState
from tacit.estimators.recommend.joining import as_interactions, joined, weights_of
from tacit.estimators.recommend.recent_rows import RowState, alone
from tacit.estimators.recommend.settings import FitSettings

Array = NDArray[Any]


class GrowingFactors(Model):
    """Base of ``FactorRecommender``: the calls that learn on, and the rows that they change.

    Rows are kept in ``_rows``: those of the fit as arrays, those that events have changed since beside them.
    """

    row_ids_: Ids
    col_ids_: Ids
    col_factors_: Array
    col_weight_: Array
    joined_cols_: int
    random_state: Any
    _rows = RowState()
    _takers: factor_events.Takers | None = None

    def fit(self, interactions: Any) -> Self:
        """Learn from the beginning."""
        raise NotImplementedError

    def adopt(self, data: Interactions, fitted: whole_data_fit.Fitted) -> Self:
        """Become the model of a fit that ran elsewhere."""
        raise NotImplementedError

    def _settings(self) -> FitSettings:
        raise NotImplementedError

    def _fitted(self) -> FactorState:
        raise NotImplementedError

    def partial_fit(self, interactions: Any, y: Any = None, *, iterations: int = 2) -> Self:
        """Go on with more interactions: new rows and columns join, known ones are trained on.

        Cells that are known already gain the weight of the new ones. Factors start from where they are. For plain ids
        and alternating solves. A bare matrix is read in the model's own numbering.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(interactions)
        sweeps = checks.integer("iterations", iterations, 1)
        state = self._fitted()
        state.require_plain("partial_fit")
        rows = state.gathered_rows()
        if rows.forgotten:
            raise InputError(
                "partial_fit trains on what all rows have, and this FactorRecommender was saved without histories; "
                "take events in with add or add_each, or load a file that holds them."
            )
        data = joined(state.row_ids, state.col_ids, rows.positives, as_interactions(interactions))
        seed = checks.seed(self.random_state)
        start = factor_growth.grown_factors(rows.factors, state.col_factors, data.shape, seed)
        return self.adopt(
            data, whole_data_fit.fit(dataclasses.replace(self._settings(), iterations=sweeps), data, start=start)
        )

    @learns_in_place
    def add(self, row: Hashable, cols: Any, weights: Any = 1.0, *, features: Any = None) -> Self:
        """Take in what one row has done since: its history grows, and its factor follows at once, without a refit.

        The factor is what ``fold_in`` gives for the whole history. It costs that history and a system of g equations,
        however many rows and positives there are. Other factors stay, but for columns that have joined since the fit.

        Parameters
        ----------
        row : its id; an unknown one joins
        cols : ids of one or more columns; an unknown one joins, and is placed by its positives whenever it gains one
        weights : one for all, or one each; a cell that is known already gains the weight of the new one
        features : (1, ·) of the row, where the model was trained with row features

        >>> import tacit
        >>> pairs = {"who": ["ann", "ann", "bob", "bob", "cyd"], "what": ["tea", "jam", "tea", "jam", "ink"]}
        >>> model = tacit.FactorRecommender(factors=2).fit(tacit.Interactions.from_table(pairs, row="who", col="what"))
        >>> model.add("dan", "tea").recommend(["dan"], k=1).ids.tolist()
        [['jam']]
        """
        self._require_fitted("add")
        wanted = listed(cols, self.col_ids_).tolist()
        values = weights_of(weights, len(wanted)).tolist()
        if not wanted and features is None:
            raise InputError("cols is empty; give at least one column, or the features of the row.")
        draft = factor_events.Draft(self._fitted(), self._takers, features)
        return self._become(draft.take([row], [wanted], [values]))

    @learns_in_place
    def add_each(self, rows: Any, cols: Any, weights: Any = 1.0) -> Self:
        """``add`` for one cell after the other, to the same bits, at a fraction of the cost; all of them or none.

        Parameters
        ----------
        rows, cols : ids, one of each for every event, in the order of the events
        weights : one for all, or one each

        >>> import tacit
        >>> pairs = {"who": ["ann", "ann", "bob", "bob", "cyd"], "what": ["tea", "jam", "tea", "jam", "ink"]}
        >>> model = tacit.FactorRecommender(factors=2).fit(tacit.Interactions.from_table(pairs, row="who", col="what"))
        >>> model.add_each(["dan", "cyd", "dan"], ["tea", "tea", "ink"]).positives_of("dan")
        (['ink', 'tea'], [1.0, 1.0])
        """
        self._require_fitted("add_each")
        who, what = paired(rows, cols, self.row_ids_, self.col_ids_)
        values = weights_of(weights, len(what)).tolist()
        draft = factor_events.Draft(self._fitted(), self._takers)
        return self._become(draft.take(who, [[col] for col in what], [[value] for value in values]))

    @learns_if("add")
    def fold_in(
        self,
        interactions: Any = None,
        *,
        side: str = "rows",
        features: Any = None,
        add: bool = False,
        ids: Any = None,
        replace: bool = False,
    ) -> Array:
        """Factors (n, g) of rows (or columns) from their positives, exactly as training would place them.

        Parameters
        ----------
        interactions : ``Interactions`` whose column (row) ids the model knows (cells of ids that it does not know are
            left out), or a sparse matrix with one row (column) per new row (column), in the model's numbering
        side : ``"rows"`` or ``"cols"``
        features : what is known of them beside their positives, where the model was trained with features; without
            ``interactions`` the features alone decide
        add : keep them: unknown ids join the model, known ones gain what is new and are placed by their whole history
        ids : of what is added, where ``interactions`` do not say them
        replace : known ids lose the history that they had

        Folding in a training row gives back its factor.
        """
        self._require_fitted("fold_in")
        checks.choice("side", side, ("rows", "cols"))
        placed = factor_growth.place(self._fitted(), interactions, side, features, add, ids, replace)
        grown = placed.grown
        if grown is not None and side == "rows":
            self.row_ids_ = grown.ids
            self._set_rows(self._grown_rows(grown.factors, grown.weight, grown.positives))
        elif grown is not None:
            self.joined_cols_ += len(grown.ids) - len(self.col_ids_)
            self.col_ids_ = grown.ids
            self.col_factors_, self.col_weight_ = grown.factors, grown.weight
            rows = self._gathered()
            self._set_rows(self._grown_rows(rows.factors, rows.weight, grown.positives))
        return placed.factors

    # -- state -------------------------------------------------------------------------------------------------

    @property
    def row_factors_(self) -> Array:
        """P (n, g)."""
        factors: Array = self._gathered().factors
        return factors

    @property
    def row_weight_(self) -> Array:
        """a (n,), the weights of unlabelled cells by row."""
        weight: Array = self._gathered().weight
        return weight

    @property
    def seen_(self) -> sp.csr_array:
        """The positives (n, m)."""
        return self._gathered().positives

    @property
    def forgotten_rows_(self) -> int:
        """So many rows, the first ones, come from a file that was saved without their histories."""
        return self._rows.forgotten

    def _grown_rows(self, factors: Array, weight: Array, positives: Csr) -> RowState:
        forgotten = self.forgotten_rows_
        lonely = alone(positives)
        if forgotten:
            # What newcomers have may be what forgotten rows had: only those that were alone before can be so.
            lonely = frozenset(x for x in self._rows.alone if positives.indptr[x] == positives.indptr[x + 1])
        return RowState(factors, weight, positives, alone=lonely, forgotten=forgotten)

    def _gathered(self) -> RowState:
        return self._fitted().gathered_rows()

    def _set_rows(self, rows: RowState) -> None:
        self._rows, self._takers = rows, None

    def _become(self, change: factor_events.Change) -> Self:
        """Take over what events have led to, in one step: no reader meets a row without an id, or the reverse."""
        self._derived.keep(factor_growth.FITTED, (change.col_factors, change.col_weight), change.moments)
        self.__dict__.update(
            row_ids_=change.row_ids,
            col_ids_=change.col_ids,
            col_factors_=change.col_factors,
            col_weight_=change.col_weight,
            joined_cols_=change.joined_cols,
            _rows=change.rows,
            _takers=change.takers,
        )
        return self
