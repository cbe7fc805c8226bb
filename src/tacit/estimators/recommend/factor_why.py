"""What each of a row's positives adds to a score of a ``FactorRecommender``."""

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from tacit.data.matrix import Csr, as_csr
from tacit.errors import DivergedError, InputError
from tacit.estimators.evidence import Evidence
from tacit.estimators.recommend.asking import one_of
from tacit.estimators.recommend.factor_state import FactorState
from tacit.objective import losses
from tacit.solvers import popular_row as popularity

Array = NDArray[Any]


def why(state: FactorState, row: Any, col: Any) -> Evidence:
    """s_xy as a sum over the row's positives z.

    The row's factor solves A p = Σ_z v_z q_z + a t Qᵀb, A = Σ_z w_z q_z q_zᵀ + a QᵀBQ + λI (``Side.quadratic``), so

        s_xy = Σ_z v_z ⟨q_z, A⁻¹ q_y⟩ + remainder

    The remainder comes from an unlabelled target other than zero, and from features and graphs of the rows; or it is
    the column's popularity, for a row that shares no column with another.
    """
    state.require_own_problem("why")
    loss = losses.resolve(state.recipe.loss).name
    if loss != "square":
        raise InputError(f"why needs loss='square', whose factors are linear in the positives, not {loss!r}.")
    x, y = one_of(row, state.row_ids, "row"), one_of(col, state.col_ids, "col")
    known, items = state.rows.row(x), state.col_factors
    if state.rows.is_forgotten(x) and known.factor.any():
        raise InputError(
            "why sums over what a row has, and this FactorRecommender was saved without histories; load a file that "
            "holds them."
        )
    own = Csr((known.values, known.cols, np.array([0, len(known.cols)])), shape=(1, len(items)))
    problem = state.recipe.side_of_new(as_csr(own, "positives", allow_empty=True), state.col_weight, "rows")
    indices = problem.indices
    gram = state.derived.of("gram", (items,), lambda: _gram(items, state.col_weight))
    w, v = (part.astype(np.float64) for part in problem.quadratic)
    q = items[indices].astype(np.float64)
    matrix = (q.T * w) @ q + float(problem.own_weight[0]) * gram
    matrix[np.diag_indices(len(matrix))] += float(problem.ridge[0])
    target = items[y].astype(np.float64)
    try:
        parts = v * (q @ scipy.linalg.solve(matrix, target, assume_a="pos")) if len(q) else np.empty(0)
    except (scipy.linalg.LinAlgError, ValueError):
        raise DivergedError("why: the row's linear system has no one solution; fit with more regularization.") from None
    if not known.factor.any() or (state.ids_alone and state.rows.is_alone(x)):
        # As ``recommend`` ranks such a row.
        popular = float(state.popular_row @ target)
        return Evidence.of(state.col_ids.take(indices), np.zeros(len(parts)), popular, popularity.NAME)
    others = {
        "the row's features": state.row_feature_factors is not None,
        "the row's neighbours in the graph": "row_graph" in state.graphs,
        "the target of unlabelled cells": bool(problem.unlabelled_target),
    }
    there = [name for name, present in others.items() if present]
    score = float(known.factor.astype(np.float64) @ target)
    remainder = score - float(parts.sum()) if there else 0.0
    return Evidence.of(state.col_ids.take(indices), parts, remainder, " and ".join(there))


def _gram(items: Array, weight: Array) -> Array:
    """QᵀBQ in float64."""
    q = items.astype(np.float64)
    product: Array = (q.T * weight) @ q
    return product
