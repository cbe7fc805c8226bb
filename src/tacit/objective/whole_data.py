"""The one objective.

    J(P, Q) = Σ_{Ω⁺} c_xy ℓ(r_xy, s_xy) + Σ_{not Ω⁺} a_x b_y (t − s_xy)² + Σ_x λ_x ‖p_x‖² + Σ_y μ_y ‖q_y‖²
            = Σ_{Ω⁺} [c ℓ(r, s) − a b (t − s)²] + Σ_{all x, y} a_x b_y (t − s_xy)² + ridge,      s_xy = ⟨p_x, q_y⟩

The sum over all |X||Y| cells costs O((|X| + |Y|) g²) through Gram caches:

    ⟨PᵀAP, QᵀBQ⟩ − 2 t (Pᵀa)·(Qᵀb) + t² Σa Σb

Shapes: P (n, g), Q (m, g), float32 and C-contiguous; a, λ (n,); b, μ (m,); c, r per stored cell of Ω⁺.
``Side`` is the objective as one side sees it: solvers work on a side, and the other side is the same call on the
transpose.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import transposed_cells
from tacit.objective.losses import Loss
from tacit.objective.side import Moments, weighted_moments
from tacit.objective.side import Side as Side

Array = NDArray[Any]


@dataclass(frozen=True)
class WholeData:
    """The objective for given positives, weights, targets and ridge."""

    rows: Side
    cols: Side
    loss: Loss

    @classmethod
    def build(
        cls,
        positives: sp.csr_array,
        *,
        loss: Loss,
        weight: Array,
        target: Array,
        row_weight: Array,
        col_weight: Array,
        unlabelled_target: float,
        row_ridge: Array,
        col_ridge: Array,
        dtype: Any = np.float32,
        moved: tuple[Array, Array, Array] | None = None,
    ) -> "WholeData":
        """Both sides from canonical CSR positives.

        weight, target : per stored cell, in its order, or a single value (1,) that holds for all
        moved : ``indptr``, ``indices`` and the weights in the order of the columns, where they are there already and
            one target holds for all
        """
        a, b = row_weight.astype(dtype), col_weight.astype(dtype)
        c, r = weight.astype(dtype, copy=False), target.astype(dtype, copy=False)
        t = float(unlabelled_target)
        rows = Side(positives.indptr, positives.indices, c, r, a, b, row_ridge.astype(dtype), t)
        if moved is None:
            indptr, indices, (c, r) = transposed_cells(positives, (c, r))
        else:
            indptr, indices, c = moved[0], moved[1], moved[2].astype(dtype, copy=False)
        return cls(rows, Side(indptr, indices, c, r, b, a, col_ridge.astype(dtype), t), loss)

    def value(self, row_factors: Array, col_factors: Array, n_threads: int = 0) -> float:
        """J, in float64."""
        positives = self.rows.value(self.loss, row_factors, col_factors, n_threads)
        return positives + self._unlabelled(row_factors, col_factors, n_threads) + self._ridge(row_factors, col_factors)

    def _unlabelled(self, row_factors: Array, col_factors: Array, n_threads: int) -> float:
        """Σ over all cells of a_x b_y (t − s_xy)²."""
        a, b = self.rows.own_weight, self.cols.own_weight
        of_rows = weighted_moments(row_factors, a, n_threads)
        of_cols = weighted_moments(col_factors, b, n_threads)
        return unlabelled_value(of_rows, of_cols, self.rows.unlabelled_target, total_weight(a) * total_weight(b))

    def _ridge(self, row_factors: Array, col_factors: Array) -> float:
        return sum(self.rows.ridge_parts(row_factors)) + sum(self.cols.ridge_parts(col_factors))


def unlabelled_value(of_rows: Moments, of_cols: Moments, t: float, cells: float) -> float:
    """⟨PᵀAP, QᵀBQ⟩ − 2 t (Pᵀa)·(Qᵀb) + t² Σa Σb, in float64; ``cells`` is Σa Σb."""
    row_gram, row_total, col_gram, col_total = (part.astype(np.float64) for part in (*of_rows, *of_cols))
    squares = float(np.vdot(row_gram, col_gram))
    return squares - 2.0 * t * float(row_total @ col_total) + t * t * cells if t else squares


def total_weight(weight: Array) -> float:
    """Σ of the weights of a side, in float64."""
    return float(weight.sum(dtype=np.float64))
