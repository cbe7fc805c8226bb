"""The objective as a function of one side, the other side's factors Q fixed.

    J(P) = Σ_{Ω⁺} φ_k(s_k) + R(P),     R(P) = ⟨P, M(P)⟩ − 2 ⟨P, a oᵀ⟩ + t² Σa Σb,     M(P) = A P S + Λ P + L P

with φ of ``kernels.positives``, the caches S = QᵀBQ and o = t Qᵀb, the ridge Λ on the rows of P and the graph's λ_g L.
Gradient and Hessian product by P (one-class MF Eq. 14 and 15):

    ∇J = D⁺Q + 2 (M(P) − a oᵀ),        ∇²J[N] = U⁺Q + 2 M(N),       D⁺ = φ',  U⁺ = φ'' ⟨n_x, q_y⟩  on Ω⁺

Each costs O(|Ω⁺| g + n g² + nnz(L) g). ``Block`` is the same for the parameters of one group of a tower's fields.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import threads
from tacit.kernels import positives as kernels
from tacit.kernels import vectors
from tacit.objective.losses import Loss
from tacit.objective.maps import multiply
from tacit.objective.side import Side
from tacit.objective.towers import LinearTower, Tower
from tacit.objective.vectors import inner

Array = NDArray[Any]

ROWS_PER_PRODUCT = 4096


@dataclass(frozen=True)
class Point:
    """What is known at some P: the scores and derivatives of the positives, M(P), and J."""

    factors: Array
    scores: Array
    first: Array
    second: Array
    image: Array
    value: float


class SideObjective:
    """J as a function of P (n, g) for fixed Q (m, g)."""

    def __init__(
        self,
        side: Side,
        loss: Loss,
        other: Array,
        *,
        graph: sp.csr_array | None = None,
        bound: bool = False,
        n_threads: int = 0,
    ) -> None:
        """``bound`` takes the curvature of ℓ's quadratic majoriser in place of its second derivative."""
        self.side, self.loss, self.other, self.graph, self.bound = side, loss, other, graph, bound
        self.threads = n_threads

    @functools.cached_property
    def caches(self) -> tuple[Array, Array]:
        """S and o; computed when asked for, because a solver of separate rows makes its own."""
        return self.side.caches(self.other, self.threads)

    @functools.cached_property
    def chunks(self) -> list[tuple[int, int]]:
        return self.side.chunks(self.other.shape[1])

    @functools.cached_property
    def constant(self) -> float:
        """t² Σa Σb."""
        if self.side.unlabelled_target == 0.0:
            return 0.0
        a, b = (weights.astype(np.float64).sum() for weights in (self.side.own_weight, self.side.other_weight))
        return float(np.float64(self.side.unlabelled_target) ** 2 * a * b)

    def at(self, factors: Array) -> Point:
        """Scores, derivatives and value at P."""
        scores = self.side.scores(factors, self.other, self.threads)
        positives, first, second = self._derivatives(scores)
        image = self.apply_quadratic(factors)
        return Point(factors, scores, first, second, image, positives + self._rest(factors, image))

    def gradient(self, point: Point) -> Array:
        """∇J (n, g) at a point."""
        out = self._smooth_gradient(point.image)
        self._run(kernels.add_rows, self.side.indptr, self.side.indices, point.first, self.other, out)
        return out

    def value_and_gradient(self, factors: Array) -> tuple[float, Array]:
        """J and ∇J in one pass over the positives, for solvers that need no curvature."""
        if self.loss.is_custom:
            point = self.at(factors)
            return point.value, self.gradient(point)
        side = self.side
        image = self.apply_quadratic(factors)
        rest = self._rest(factors, image)
        out = self._smooth_gradient(image, out=image)
        if self.loss.quadratic:
            parts = self._run(
                kernels.quadratic_gradient_of_rows, side.indptr, side.indices, side.weight, side.target,
                side.own_weight, side.other_weight, side.unlabelled_target, factors, self.other, out,
            )  # fmt: skip
            return sum(parts) + side.quadratic_constant + rest, out
        parts = self._run(
            kernels.gradient_of_rows, side.indptr, side.indices, side.weight, side.target, factors, self.other,
            side.own_weight, side.other_weight, side.unlabelled_target, self.loss.code, out,
        )  # fmt: skip
        return sum(parts) + rest, out

    def product(self, point: Point, direction: Array) -> Array:
        """∇²J at a point, times N (n, g)."""
        out = 2 * self.apply_quadratic(direction)
        side = self.side
        self._run(kernels.curvature_of_rows, side.indptr, side.indices, point.second, direction, self.other, out)
        return out

    def diagonal(self, point: Point) -> Array:
        """The diagonal of ∇²J at a point, as (n, g)."""
        side = self.side
        out: Array = 2 * (side.own_weight[:, None] * np.diag(self.caches[0])[None, :] + side.ridge[:, None])
        if self.graph is not None:
            out += 2 * self.graph.diagonal()[:, None]
        self._run(kernels.diagonal_of_rows, side.indptr, side.indices, point.second, self.other, out)
        return out

    def line_function(self, point: Point, direction: Array) -> Callable[[float], float]:
        """α ↦ J(P + α N), at O(|Ω⁺|) a call: the scores along the line are known (one-class MF, supplement 1.4)."""
        slopes = self.side.scores(direction, self.other, self.threads)
        a_offset = float(self.side.own_weight @ direction @ self.caches[1])
        slope = 2 * (inner(point.image, direction, self.threads) - a_offset)
        bend = inner(self.apply_quadratic(direction), direction, self.threads)
        rest = self._rest(point.factors, point.image)

        def value(alpha: float) -> float:
            scores = (point.scores + slopes.dtype.type(alpha) * slopes).astype(slopes.dtype)
            return self._derivatives(scores)[0] + rest + alpha * slope + alpha**2 * bend

        return value

    def apply_quadratic(self, direction: Array) -> Array:
        """M(N) = A N S + Λ N + L N."""
        out = np.empty_like(direction)
        gram, _ = self.caches

        def part(start: int, stop: int) -> None:
            np.matmul(direction[start:stop], gram, out=out[start:stop])
            vectors.scale_and_add(start, stop, self.side.own_weight, self.side.ridge, direction, out)

        threads.run(part, threads.even_chunks(len(direction), ROWS_PER_PRODUCT), self.threads)
        if self.graph is not None:
            out += multiply(self.graph, direction, self.threads)
        return out

    def _smooth_gradient(self, image: Array, out: Array | None = None) -> Array:
        """∇R = 2 (M(P) − a oᵀ), in ``out`` if given."""
        if self.side.unlabelled_target == 0.0:
            return np.multiply(image, 2, out=out)
        smooth: Array = np.multiply(image - self.side.own_weight[:, None] * self.caches[1][None, :], 2, out=out)
        return smooth

    def _rest(self, factors: Array, image: Array) -> float:
        """R(P)."""
        value = inner(factors, image, self.threads) + self.constant
        if self.side.unlabelled_target != 0.0:
            value -= 2 * float(self.side.own_weight.astype(np.float64) @ factors @ self.caches[1])
        return value

    def _derivatives(self, scores: Array) -> tuple[float, Array, Array]:
        return self.side.derivatives(self.loss, scores, bound=self.bound, n_threads=self.threads)

    def _run(self, kernel: Callable[..., Any], *arguments: Any) -> list[Any]:
        return threads.run(lambda start, stop: kernel(start, stop, *arguments), self.chunks, self.threads)


class Block:
    """J as a function of the parameters of one group of fields, all else fixed; vectors are flat."""

    def __init__(self, objective: SideObjective, tower: Tower, theta: Array, group: Sequence[int]) -> None:
        self.objective, self.tower, self.theta, self.group = objective, tower, theta, tuple(group)
        self.span = tower.span(self.group)
        self.penalised = any(tower.fields[index].penalised for index in self.group)

    @property
    def rows_are_separate(self) -> bool:
        """Whether J falls apart into one problem per row: ids alone, no graph, the ridge on the factors."""
        ids = isinstance(self.tower, LinearTower) and self.tower.is_ids
        return ids and self.objective.graph is None and not self.penalised

    def penalise(self, vector: Array) -> Array:
        """Λv + Lv of this group's parameters; a plain side has its ridge on the factors instead."""
        return self.tower.penalise(self.group, vector, self.objective.threads)

    @property
    def here(self) -> Array:
        return self.theta[self.span]

    def at(self, vector: Array) -> Point:
        """The point P(θ) with J including the ridge on this group's parameters."""
        theta = self.theta.copy()
        theta[self.span] = vector
        point = self.objective.at(self.tower.forward(theta, self.objective.threads))
        penalty = inner(self.penalise(vector), vector, self.objective.threads)
        return Point(point.factors, point.scores, point.first, point.second, point.image, point.value + penalty)

    def gradient(self, point: Point, vector: Array) -> Array:
        gradient: Array = self._pull(self.objective.gradient(point)) + 2 * self.penalise(vector)
        return gradient

    def product(self, point: Point, step: Array) -> Array:
        """The Hessian by this group's parameters, times ``step``."""
        image = self.tower.push(self.group, self.theta, step, self.objective.threads)
        product: Array = self._pull(self.objective.product(point, image)) + 2 * self.penalise(step)
        return product

    def diagonal(self, point: Point) -> Array:
        """The diagonal of the Hessian, leaving out what a graph couples beyond it and PITF's two parts share."""
        rows = self.objective.diagonal(point)
        pulled = self.tower.pull_diagonal(self.group, self.theta, rows, self.objective.threads)
        diagonal: Array = pulled + 2 * self.tower.penalty_diagonal(self.group, self.theta.dtype)
        return diagonal

    def line_function(self, point: Point, vector: Array, step: Array) -> Callable[[float], float]:
        """α ↦ J(θ + α step)."""
        value = self.objective.line_function(
            point, self.tower.push(self.group, self.theta, step, self.objective.threads)
        )
        image = self.penalise(vector)
        pairs = ((image, vector), (image, step), (self.penalise(step), step))
        still, slope, bend = (inner(left, right) for left, right in pairs)
        return lambda alpha: value(alpha) + still + 2 * alpha * slope + alpha**2 * bend

    def _pull(self, gradient: Array) -> Array:
        return self.tower.pull(self.group, self.theta, gradient, self.objective.threads)
