"""Base class of recommenders that score all columns of a row at once: ids, filters, top-k, events, files."""

from collections.abc import Hashable
from typing import Any, NoReturn, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.ids import Ids
from tacit.data.interactions import Interactions
from tacit.data.matrix import Csr
from tacit.errors import InputError
from tacit.estimators.concurrency import learns
from tacit.estimators.model import Model
from tacit.estimators.ranked import Ranked
from tacit.estimators.recommend.asking import AskedRows, Filter, ScoreRows, Unknown, filters, listed, numbered, paired
from tacit.estimators.recommend.joining import as_interactions, weights_of, with_each
from tacit.estimators.recommend.recent_rows import GATHERED, RowState, forgotten_in
from tacit.metrics.evaluation import hidden_ndcg
from tacit.neighbours.topk import top_k_of
from tacit.threads import even_chunks

Array = NDArray[Any]
PAIRS_AT_ONCE = 256
"""Rows whose scores ``score_pairs`` holds at once."""


class ScoredRecommender(Model):
    """Base of recommenders that are a ``RowScorer``: they give a row the scores of all columns at once."""

    threads: int
    row_ids_: Ids
    col_ids_: Ids
    _rows: RowState

    def scorer(self, rows: AskedRows) -> ScoreRows:
        """A function that gives the scores of these rows block by block."""
        raise NotImplementedError

    def recommend(
        self,
        rows: Any,
        k: int = 10,
        exclude_seen: bool = True,
        include: Filter = None,
        exclude: Filter = None,
        *,
        unknown: Unknown = "error",
    ) -> Ranked:
        """The k best columns for each row, best first; a row without positives gets what is popular.

        Parameters
        ----------
        rows : ids; one id; or ``Interactions`` or a sparse matrix of rows that the model has not seen
        exclude_seen : leave out what the row has already
        include, exclude : the only columns that may come back, and those that may not: ids for all rows, or a
            mapping from row id to ids; ids in ``exclude`` that the model does not know change nothing
        unknown : what to do with row ids that the model does not know: an "error", "skip" them, or give them the
            "average" list, of what is popular
        """
        self._require_fitted("recommend")
        checks.places("k", k, len(self.col_ids_))
        checks.truth("exclude_seen", exclude_seen)
        if isinstance(rows, Interactions) or sp.issparse(rows):
            asked = AskedRows.new(self.row_ids_, self.col_ids_, rows)
        else:
            asked = self._asked(*numbered(rows, self.row_ids_, unknown))
        queries = asked.queries
        seen = (asked.positives.indptr, asked.positives.indices) if exclude_seen else None
        numbers, scores = top_k_of(
            self.scorer(asked),
            len(queries),
            len(self.col_ids_),
            k,
            filters(self.col_ids_, queries, include, exclude, seen=seen),
            threads=self.threads,
        )
        return Ranked(queries, self.col_ids_.take(numbers), scores, numbers >= 0)

    @learns
    def add(self, row: Hashable, cols: Any, weights: Any = 1.0) -> Self:
        """Take in what one row has done since: its history grows and its list follows, without a refit.

        Parameters
        ----------
        row : its id; an unknown one joins
        cols : ids of one or more columns; an unknown one joins, and has no weights until the next fit
        weights : one for all, or one each; a cell that is known already gains the weight of the new one
        """
        self._require_fitted("add")
        wanted = listed(cols, self.col_ids_).tolist()
        self._add_cells([row] * len(wanted), wanted, weights_of(weights, len(wanted)))
        return self

    @learns
    def add_each(self, rows: Any, cols: Any, weights: Any = 1.0) -> Self:
        """``add`` for one cell after the other, at the cost of one; all of them or none.

        Parameters
        ----------
        rows, cols : ids, one of each for every event, in the order of the events
        weights : one for all, or one each
        """
        self._require_fitted("add_each")
        who, what = paired(rows, cols, self.row_ids_, self.col_ids_)
        self._add_cells(who, what, weights_of(weights, len(what)))
        return self

    def _add_cells(self, rows: list[Any], cols: list[Any], values: NDArray[np.float32]) -> None:
        x, self.row_ids_ = with_each(self.row_ids_, rows)
        gathered = self._derived.taken(GATHERED, (self._rows, self.col_ids_))
        before = self._rows if gathered is None else gathered
        y, self.col_ids_ = with_each(self.col_ids_, cols)
        self._rows = before.with_cells(x, y, values.tolist(), len(self.col_ids_))

    def positives_of(self, row: Hashable) -> tuple[list[Any], list[float]]:
        """The columns that a row has and their weights, as far as the model has heard."""
        self._require_fitted("positives_of")
        _, cols, values = self._rows.take_positives(self.row_ids_.require([row]))
        return self.col_ids_.take(cols).tolist(), values.tolist()

    def similar_rows(self, rows: Any, k: int = 10, *, unknown: Unknown = "error") -> NoReturn:
        """Refused: rows have no factors here by which they could be compared; a ``FactorRecommender`` has them."""
        self._require_fitted("similar_rows")
        raise InputError(
            f"a {type(self).__name__} has no neighbours of rows; fit a FactorRecommender for them "
            "(tacit fit recommend --method factors)."
        )

    def score_pairs(self, rows: Any, cols: Any) -> Array:
        """Scores of pairs of ids; either may be a single id."""
        self._require_fitted("score_pairs")
        x = self.row_ids_.require(listed(rows, self.row_ids_))
        y = self.col_ids_.require(listed(cols, self.col_ids_))
        if len(x) != len(y) and 1 not in (len(x), len(y)):
            raise InputError(f"score_pairs needs as many rows as columns, but there are {len(x)} and {len(y)}.")
        x, y = np.broadcast_arrays(x, y)
        distinct, index = np.unique(x, return_inverse=True)
        score_rows = self.scorer(self._asked(self.row_ids_.take(distinct), distinct))
        scores = np.empty(len(x), dtype=np.float32)
        for start, stop in even_chunks(len(distinct), PAIRS_AT_ONCE):
            inside = (index >= start) & (index < stop)
            scores[inside] = score_rows(start, stop)[index[inside] - start, y[inside]]
        return scores

    def score(self, rows: Any, cols: Any = None) -> Any:
        """Two ids, or two lists of them: ``score_pairs``. A matrix of positives alone: how well the model ranks, as
        scikit-learn's model selection asks for (see ``FactorRecommender.score``)."""
        self._require_fitted("score")
        if cols is None:
            return hidden_ndcg(self, as_interactions(rows).matrix)
        return self.score_pairs(rows, cols)

    # -- state -------------------------------------------------------------------------------------------------

    @property
    def seen_(self) -> Csr:
        """The positives (n, m), with what was added since the fit."""
        shape = len(self.row_ids_), len(self.col_ids_)
        gathered = self._derived.of(GATHERED, (self._rows, self.col_ids_), lambda: self._rows.gathered(shape))
        positives: Csr = gathered.positives
        return positives

    @property
    def forgotten_rows_(self) -> int:
        """So many rows, the first ones, come from a file that was saved without their histories."""
        return self._rows.forgotten

    def _hold(self, row_ids: Ids, col_ids: Ids, positives: Csr, forgotten: int = 0) -> None:
        self.row_ids_, self.col_ids_, self._rows = row_ids, col_ids, RowState.of_positives(positives, forgotten)

    def _asked(self, queries: Array, numbers: NDArray[np.int64]) -> AskedRows:
        asked = AskedRows.known(self._rows, len(self.col_ids_), queries, numbers)
        forgotten = (numbers >= 0) & (numbers < self._rows.forgotten)
        if np.any(forgotten & (np.diff(asked.positives.indptr) == 0)):
            raise InputError(
                f"this {type(self).__name__} was saved without histories, by which it ranks; give the history with the "
                "question (recommend takes Interactions, tacit recommend --having), or load a file that holds them."
            )
        return asked

    def _seen_parts(self) -> dict[str, Any]:
        return {"row_ids": self.row_ids_, "col_ids": self.col_ids_, "seen": self.seen_}

    def _restore_seen(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        forgotten = forgotten_in(parts["seen"], facts["forgotten_rows"])
        self._hold(parts["row_ids"], parts["col_ids"], parts["seen"], forgotten)
