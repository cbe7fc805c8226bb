"""What each of a row's positives adds to a score of a ``FactorRecommender``."""

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from tacit.data.matrix import Csr, as_csr
from tacit.errors import InputError
from tacit.estimators.evidence import Evidence
from tacit.estimators.recommend import factor_events, factor_growth, factor_queries
from tacit.estimators.recommend.asking import listed
from tacit.objective import losses

if TYPE_CHECKING:
    from tacit.estimators.recommend.factor_recommender import FactorRecommender

Array = NDArray[Any]


def why(model: "FactorRecommender", wanted: Any, col: Any) -> Evidence:
    """s_xy as a sum over the row's positives z.

    The row's factor solves A p = Σ_z v_z q_z + a t Qᵀb, A = Σ_z w_z q_z q_zᵀ + a QᵀBQ + λI (``Side.quadratic``), so

        s_xy = Σ_z v_z ⟨q_z, A⁻¹ q_y⟩ + remainder

    The remainder is the pull of an unlabelled target other than zero, and of the row's features and friends.
    """
    factor_growth.require_own_problem(model, "why")
    if losses.resolve(model.recipe_.loss).name != "square":
        raise InputError(f"why needs loss='square', whose factors are linear in the positives, not {model.loss!r}.")
    (x,) = model.row_ids_.require(listed(wanted, model.row_ids_))
    col_ids, items = factor_queries.columns(model)
    (y,) = col_ids.require(listed(col, col_ids))
    row = factor_events.row_of(model, int(x))
    indices = row.cols
    own = Csr((row.values, indices, np.array([0, len(indices)])), shape=(1, len(items)))
    problem = model.recipe_.side_of_new(as_csr(own, "positives", allow_empty=True), model.col_weight_, "rows")
    gram = model._derived.of("gram", (items,), lambda: _gram(items, model.col_weight_))
    w, v = (part.astype(np.float64) for part in problem.quadratic)
    q = items[indices].astype(np.float64)
    matrix = (q.T * w) @ q + float(problem.own_weight[0]) * gram
    matrix[np.diag_indices(len(matrix))] += float(problem.ridge[0])
    target = items[y].astype(np.float64)
    parts = v * (q @ scipy.linalg.solve(matrix, target, assume_a="pos")) if len(q) else np.empty(0)
    plain = model.row_feature_factors_ is None and "row_graph" not in model.graphs_ and not problem.unlabelled_target
    score = float(row.factor.astype(np.float64) @ target)
    return Evidence.of(col_ids.take(indices), parts, 0.0 if plain else score - float(parts.sum()))


def _gram(items: Array, weight: Array) -> Array:
    """QᵀBQ in float64."""
    q = items.astype(np.float64)
    product: Array = (q.T * weight) @ q
    return product
