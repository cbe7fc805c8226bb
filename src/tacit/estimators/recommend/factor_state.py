"""What a fitted ``FactorRecommender`` knows, as one record that is never changed. Every question makes one.

The modules that answer questions (``factor_queries``, ``factor_why``) and that place new rows and columns
(``factor_growth``, ``factor_events``) read it. None of them sees the estimator.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from numpy.typing import NDArray

from tacit.data.ids import Ids
from tacit.errors import InputError
from tacit.estimators.derived import Derived
from tacit.estimators.recommend.col_index import ColIndex
from tacit.estimators.recommend.contexts import Contexts
from tacit.estimators.recommend.recent_rows import GATHERED, RowState
from tacit.objective.recipes import Recipe

Array = NDArray[Any]


class FactorState(NamedTuple):
    """Learned arrays, what they were learned with, and the parameters that later calls depend on.

    rows : P (n, g), a (n,) and the positives (n, m)
    col_factors, col_weight : Q (m, g) and b (m,)
    row_feature_factors, col_feature_factors : (f, g), None without features
    row_caches : PᵀAP and t Pᵀa of the rows as fitted
    popular_row : (g,), the factor of a row of which nothing is known; None with contexts
    joined_cols : how many of the columns, the last ones, have joined since the fit
    graphs, given : which graphs, and which weights and targets, were given to ``fit``
    has_ids, biases, nonnegative, unlabelled : the parameters ``ids``, ``biases``, ``nonnegative``, ``unlabelled``
    ids_alone : whether nothing is known of rows and columns but who has what
    derived : what has been computed from these arrays already
    """

    row_ids: Ids
    col_ids: Ids
    rows: RowState
    col_factors: Array
    col_weight: Array
    row_feature_factors: Array | None
    col_feature_factors: Array | None
    contexts: Contexts
    recipe: Recipe
    row_caches: tuple[Array, Array]
    popular_row: Any
    joined_cols: int
    col_index: ColIndex | None
    graphs: Sequence[str]
    given: Sequence[str]
    has_ids: bool
    biases: bool
    nonnegative: bool
    unlabelled: str
    threads: int
    ids_alone: bool
    derived: Derived

    def ids_of(self, side: str) -> Ids:
        """Ids of "rows" or "cols"."""
        return self.row_ids if side == "rows" else self.col_ids

    def feature_factors(self, side: str) -> Array | None:
        """Factors of the features of "rows" or "cols"."""
        return self.row_feature_factors if side == "rows" else self.col_feature_factors

    def gathered_rows(self) -> RowState:
        """The rows in arrays alone; those who hold the same state share them."""
        return self.derived.of(
            GATHERED, (self.rows, self.col_ids), lambda: self.rows.gathered((len(self.row_ids), len(self.col_ids)))
        )

    def require_plain(self, call: str) -> None:
        """Refuse what only factors of plain ids can do."""
        reason = self._constraint("rows") or self._constraint("cols")
        if self.contexts.ids:
            reason = "has contexts"
        elif self.row_feature_factors is not None or self.col_feature_factors is not None:
            reason = "has features"
        elif self.graphs:
            reason = f"has a {' and a '.join(self.graphs)}"
        if reason is not None:
            raise InputError(f"{call} is for models of plain ids, and this one {reason}; call fit on all data instead.")

    def require_own_problem(self, call: str, side: str = "rows") -> None:
        """Refuse models whose rows (columns) are not placed by their own positives."""
        reason = "has contexts" if self.contexts.ids else self._constraint(side)
        if reason is not None:
            raise InputError(f"{call} places rows by their own positives, and this model {reason}; call fit instead.")

    def _constraint(self, side: str) -> str | None:
        """Why the factor of a row (column) is not the minimiser of its own problem, if so."""
        for name in ("targets", "row_weight" if side == "rows" else "col_weight"):
            if name in self.given:
                return f"was trained with {name} that new {side} have none of"
        if not self.has_ids and self.feature_factors(side) is not None:
            return f"makes {side} of their features alone"
        if self.biases:
            return "has biases"
        if self.nonnegative:
            return "is kept non-negative"
        return None if self.unlabelled == "all" else f"was trained with unlabelled={self.unlabelled!r}"
