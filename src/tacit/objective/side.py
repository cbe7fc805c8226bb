"""One side of the objective: the positives by row, with the weights that rows and the other side have.

``Side`` holds what a solver needs to improve P with Q fixed. The columns are the same class on the transpose. Its Gram
caches QᵀBQ and t Qᵀb stand for all unlabelled cells.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit import threads
from tacit.kernels import positives as kernels
from tacit.objective.losses import Loss

Array = NDArray[Any]

ROWS_PER_GRAM = 4096
"""Rows summed into one partial Gram matrix; fixed, so that the sum does not depend on the threads."""

ROWS_PER_GROUP = 64 * ROWS_PER_GRAM
"""Rows whose partial Gram matrices are added up among themselves first: what one task of a cluster hands over."""


@dataclass(frozen=True)
class Side:
    """Ω⁺ and the weights from one side: row x owns the positives ``indices[indptr[x]:indptr[x+1]]``.

    weight, target : c and r, one per positive or a single one (1,) that holds for all
    own_weight, other_weight : a_x of this side's rows, b_y of the other side's
    ridge : λ_x of this side's rows
    unlabelled_target : t
    known_caches : S and o of the other side's factors, where these stay as they are
    borders : the chunks, where this is a part of a larger side that was cut into chunks as a whole
    """

    indptr: Array
    indices: Array
    weight: Array
    target: Array
    own_weight: Array
    other_weight: Array
    ridge: Array
    unlabelled_target: float
    known_caches: tuple[Array, Array] | None = None
    borders: tuple[tuple[int, int], ...] | None = None

    @property
    def rows(self) -> int:
        return len(self.indptr) - 1

    @property
    def weights(self) -> Array:
        """c per positive, as a view where a single one holds for all."""
        return np.broadcast_to(self.weight, self.indices.shape)

    @property
    def targets(self) -> Array:
        """r per positive, likewise."""
        return np.broadcast_to(self.target, self.indices.shape)

    @property
    def quadratic(self) -> tuple[Array, Array]:
        """w = c − a_x b_y and v = c r − a_x b_y t per positive: the squared loss without the unlabelled share.

        For a few rows; training makes them a batch at a time (``kernels.als``).
        """
        w, v = (np.empty(len(self.indices), dtype=self.own_weight.dtype) for _ in range(2))
        kernels.coefficients(
            0, self.rows, self.indptr, self.indices, self.weight, self.target, self.own_weight, self.other_weight,
            self.unlabelled_target, w, v,
        )  # fmt: skip
        return w, v

    @functools.cached_property
    def quadratic_constant(self) -> float:
        """Σ c r² − a_x b_y t²: what the squared loss adds at scores of zero, in float64."""
        parts = threads.run(
            lambda start, stop: kernels.constant_of_rows(
                start, stop, self.indptr, self.indices, self.weight, self.target, self.own_weight, self.other_weight,
                self.unlabelled_target,
            ),
            self.chunks(8),
        )  # fmt: skip
        return float(sum(parts))

    def caches(self, other: Array, n_threads: int = 0) -> tuple[Array, Array]:
        """S = QᵀBQ (g, g) and o = t Qᵀb (g,) of the other side's factors."""
        if self.known_caches is not None:
            return self.known_caches
        moments = weighted_moments(other, self.other_weight, n_threads, totals=self.unlabelled_target != 0)
        return caches_of(moments, self.unlabelled_target)

    def only(self, row: int) -> "Side":
        """The problem of one row."""
        span, here = slice(self.indptr[row], self.indptr[row + 1]), slice(row, row + 1)
        return replace(
            self,
            indptr=np.array([0, span.stop - span.start], dtype=self.indptr.dtype),
            indices=self.indices[span],
            weight=self.weight if len(self.weight) == 1 else self.weight[span],
            target=self.target if len(self.target) == 1 else self.target[span],
            own_weight=self.own_weight[here],
            ridge=self.ridge[here],
            borders=None,
        )

    def chunks(self, factors: int) -> list[tuple[int, int]]:
        """Consecutive rows of about equal work; small problems are not cut finely."""
        return chunks_of(self.indptr, factors) if self.borders is None else list(self.borders)

    def scores(self, own: Array, other: Array, n_threads: int = 0) -> Array:
        """s = ⟨p_x, q_y⟩ per positive."""
        scores = np.empty(len(self.indices), dtype=own.dtype)
        chunks = self.chunks(own.shape[1])
        threads.run(
            lambda a, b: kernels.scores_of_rows(a, b, self.indptr, self.indices, own, other, scores), chunks, n_threads
        )
        return scores

    def value(self, loss: Loss, own: Array, other: Array, n_threads: int = 0) -> float:
        """Σ φ over the positives, in float64."""
        if loss.is_custom:
            return self.derivatives(loss, self.scores(own, other, n_threads), n_threads=n_threads)[0]
        return float(sum(self.value_parts(loss, own, other, n_threads)))

    def value_parts(self, loss: Loss, own: Array, other: Array, n_threads: int = 0) -> list[float]:
        """The same per chunk."""
        kernel, codes = (kernels.square_value_of_rows, ()) if loss.quadratic else (kernels.value_of_rows, (loss.code,))
        return threads.run(
            lambda start, stop: kernel(
                start, stop, self.indptr, self.indices, self.weight, self.target, own, other, self.own_weight,
                self.other_weight, self.unlabelled_target, *codes,
            ),
            self.chunks(own.shape[1]),
            n_threads,
        )  # fmt: skip

    def ridge_parts(self, own: Array) -> list[float]:
        """Σ_x λ_x ‖p_x‖² per chunk, in float64."""
        return [
            float(np.einsum("x,xd,xd->", self.ridge[a:b], own[a:b], own[a:b], dtype=np.float64))
            for a, b in self.chunks(own.shape[1])
        ]

    def derivatives(
        self, loss: Loss, scores: Array, *, bound: bool = False, n_threads: int = 0
    ) -> tuple[float, Array, Array]:
        """Σ φ, and φ' and φ'' per positive, for φ(s) = c ℓ(r, s) − a_x b_y (t − s)² (kernels/positives.py).

        ``bound`` takes the curvature of ℓ's quadratic majoriser in place of ℓ''.
        """
        first, second = np.empty_like(scores), np.empty_like(scores)
        if loss.is_custom:
            return self._own_derivatives(loss, scores, bound, first, second), first, second
        parts = threads.run(
            lambda start, stop: kernels.derivatives_of_rows(
                start, stop, self.indptr, self.indices, self.weight, self.target, scores, self.own_weight,
                self.other_weight, self.unlabelled_target, loss.code, bound, first, second,
            ),
            self.chunks(8),
            n_threads,
        )  # fmt: skip
        return float(sum(parts)), first, second

    def _own_derivatives(self, loss: Loss, scores: Array, bound: bool, first: Array, second: Array) -> float:
        """The same for a user's own loss, given as NumPy functions."""
        assert loss.value is not None and loss.first is not None and loss.second is not None
        s, r, c = scores.astype(np.float64), self.targets.astype(np.float64), self.weights.astype(np.float64)
        own = np.repeat(self.own_weight.astype(np.float64), np.diff(self.indptr))
        unlabelled = own * self.other_weight[self.indices]
        gap = self.unlabelled_target - s
        curvature: Any = loss.curvature_bound if bound else loss.second(r, s)
        first[:] = c * loss.first(r, s) + 2 * unlabelled * gap
        second[:] = c * curvature - 2 * unlabelled
        return float(np.sum(c * loss.value(r, s) - unlabelled * gap**2))


def chunks_of(indptr: Array, factors: int) -> list[tuple[int, int]]:
    """Consecutive rows of about equal work, from the number of positives of each row alone."""
    rows = len(indptr) - 1
    work = float(indptr[-1]) + rows * factors / 8
    most = int(min(max(work * factors / 400_000, 1), 128))
    return threads.balanced_chunks(indptr, row_cost=factors / 8, most=most)


class Moments(NamedTuple):
    """FᵀWF (g, g) and Fᵀw (g,) of factors F (n, g) under weights w; the second adds up its parts in float64."""

    gram: Array
    total: Array


def weighted_moments(factors: Array, weight: Array, n_threads: int = 0, *, totals: bool = True) -> Moments:
    """Both from partial sums over fixed blocks of rows: blocks are added in order, and so are groups of them.

    Without ``totals``, for whoever has no use for Fᵀw, that one is zeros.
    """
    none = np.zeros(factors.shape[1])

    def part(start: int, stop: int) -> Moments:
        block = factors[start:stop]
        gram = (block * weight[start:stop, None]).T @ block
        return Moments(gram, weight[start:stop] @ block if totals else none)

    parts = threads.run(part, threads.even_chunks(len(factors), ROWS_PER_GRAM), n_threads)
    groups = threads.even_chunks(len(parts), ROWS_PER_GROUP // ROWS_PER_GRAM)
    return added([added(parts[a:b], factors) for a, b in groups], factors)


def added(parts: Sequence[Moments], like: Array) -> Moments:
    """The sum of moments, in order; zeros of the factors' width and type where there are none."""
    g = like.shape[1]
    gram, total = np.zeros((g, g), dtype=like.dtype), np.zeros(g)
    for part in parts:
        gram += part.gram
        total += part.total
    return Moments(gram, total)


def caches_of(moments: Moments, unlabelled_target: float) -> tuple[Array, Array]:
    """S and o; where t is zero so is o, whatever the totals are."""
    total = moments.total if unlabelled_target else np.zeros_like(moments.total)
    return moments.gram, (unlabelled_target * total).astype(moments.gram.dtype)
