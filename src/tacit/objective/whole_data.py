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

from tacit import threads
from tacit.data.matrix import transpose
from tacit.kernels.positives import loss_of_rows
from tacit.objective.losses import Loss

Array = NDArray[Any]

ROWS_PER_GRAM = 4096
"""Rows summed into one partial Gram matrix; fixed, so that the sum does not depend on the threads."""


@dataclass(frozen=True)
class Side:
    """Ω⁺ and the weights from one side: row x owns the positives ``indices[indptr[x]:indptr[x+1]]``.

    weight, target : c and r per positive
    own_weight, other_weight : a_x of this side's rows, b_y of the other side's
    ridge : λ_x of this side's rows
    unlabelled_target : t
    """

    indptr: Array
    indices: Array
    weight: Array
    target: Array
    own_weight: Array
    other_weight: Array
    ridge: Array
    unlabelled_target: float

    @property
    def rows(self) -> int:
        return len(self.indptr) - 1

    def quadratic(self) -> tuple[Array, Array]:
        """w = c − a_x b_y and v = c r − a_x b_y t per positive: the squared loss without the unlabelled share."""
        of_row = np.repeat(self.own_weight, np.diff(self.indptr))
        unlabelled = of_row * self.other_weight[self.indices]
        w = self.weight - unlabelled
        v = self.weight * self.target - unlabelled * self.own_weight.dtype.type(self.unlabelled_target)
        return w, v

    def caches(self, other: Array, threads_: int = 0) -> tuple[Array, Array]:
        """S = QᵀBQ (g, g) and o = t Qᵀb (g,) of the other side's factors."""
        gram = weighted_gram(other, self.other_weight, threads_)
        offset = (self.unlabelled_target * (self.other_weight @ other)).astype(other.dtype)
        return gram, offset

    def chunks(self, factors: int) -> list[tuple[int, int]]:
        """Consecutive rows of about equal work; small problems are not cut finely."""
        work = len(self.indices) + self.rows * factors / 8
        most = int(np.clip(work * factors / 400_000, 1, 128))
        return threads.balanced_chunks(self.indptr, row_cost=factors / 8, most=most)


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
    ) -> "WholeData":
        """Both sides from canonical CSR positives; weights and targets are per stored cell, in its order."""
        flipped, place = transpose(positives)
        a, b = row_weight.astype(dtype), col_weight.astype(dtype)
        c, r = weight.astype(dtype), target.astype(dtype)
        rows = Side(positives.indptr, positives.indices, c, r, a, b, row_ridge.astype(dtype), float(unlabelled_target))
        cols = Side(
            flipped.indptr, flipped.indices, c[place], r[place], b, a, col_ridge.astype(dtype), float(unlabelled_target)
        )
        return cls(rows, cols, loss)

    def value(self, row_factors: Array, col_factors: Array, threads_: int = 0) -> float:
        """J, in float64."""
        side = self.rows

        def part(start: int, stop: int) -> float:
            return float(
                loss_of_rows(
                    start, stop, side.indptr, side.indices, side.weight, side.target, row_factors, col_factors,
                    side.own_weight, side.other_weight, side.unlabelled_target, self.loss.code,
                )
            )  # fmt: skip

        positives = sum(threads.run(part, side.chunks(row_factors.shape[1]), threads_))
        return positives + self._unlabelled(row_factors, col_factors, threads_) + self._ridge(row_factors, col_factors)

    def _unlabelled(self, row_factors: Array, col_factors: Array, threads_: int) -> float:
        """Σ over all cells of a_x b_y (t − s_xy)²."""
        a = self.rows.own_weight.astype(np.float64)
        b = self.cols.own_weight.astype(np.float64)
        t = self.rows.unlabelled_target
        squares = np.vdot(
            weighted_gram(row_factors, self.rows.own_weight, threads_).astype(np.float64),
            weighted_gram(col_factors, self.cols.own_weight, threads_).astype(np.float64),
        )
        if t == 0.0:
            return float(squares)
        cross = (a @ row_factors) @ (b @ col_factors)
        return float(squares - 2.0 * t * cross + t * t * a.sum() * b.sum())

    def _ridge(self, row_factors: Array, col_factors: Array) -> float:
        rows = np.einsum("x,xd,xd->", self.rows.ridge, row_factors, row_factors, dtype=np.float64)
        cols = np.einsum("y,yd,yd->", self.cols.ridge, col_factors, col_factors, dtype=np.float64)
        return float(rows + cols)


def weighted_gram(factors: Array, weight: Array, threads_: int = 0) -> Array:
    """FᵀWF for F (n, g) and a diagonal W, as partial products over fixed blocks of rows, added in order."""

    def part(start: int, stop: int) -> Array:
        block = factors[start:stop]
        product: Array = (block * weight[start:stop, None]).T @ block
        return product

    total = np.zeros((factors.shape[1], factors.shape[1]), dtype=factors.dtype)
    for partial in threads.run(part, threads.even_chunks(len(factors), ROWS_PER_GRAM), threads_):
        total += partial
    return total
