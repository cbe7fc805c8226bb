"""Towers: how the factors P (n, g) of one side arise from parameters θ.

    LinearTower    P = Σ_fields Z_f V_f                     ids (Z = I), features, ids beside features
                   with biases: SVDFeature, fBGD Eq. 11–13
    PairwiseTower  p_xh = [v_x + v_h, ⟨v_x, v_h⟩]           PITF, fBGD Eq. 25–26 (the other side has a fixed one)
    ProductTower   p_xh = v_x ∘ v_h                         CP, fBGD Eq. 27–28

θ is one flat vector; field f owns a slice of it, V_f (f_f, w_f) row by row. P is linear in every *group* of fields when
the others stay: all fields of a linear tower are one group, each field of the tensor towers is its own. For a group,
``push`` takes a change of its parameters to the change of P and ``pull`` takes ∂J/∂P back to the parameters: solvers
need no more. Slips of the paper that matter here: Eq. 17's derivative is z at d = d* only, and the fixed ones of
Eq. 13 never change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from tacit.objective.maps import Identity, Map, multiply
from tacit.objective.vectors import inner

Array = NDArray[Any]


@dataclass(frozen=True)
class Field:
    """Features that belong together, such as the ids, the words of a description, or one context.

    map : Z (n, f)
    columns : the columns of P that V (f, len(columns)) adds to
    ridge : (f,) strength of λ_j ‖v_j‖² for each feature
    graph : (f, f) λ_g L of tr(VᵀLV), which draws features that belong together to each other, or None
    """

    name: str
    map: Map
    columns: Array
    ridge: Array
    graph: sp.csr_array | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.map.features, len(self.columns)

    @property
    def size(self) -> int:
        return self.map.features * len(self.columns)

    @property
    def penalised(self) -> bool:
        return self.graph is not None or bool(np.any(self.ridge))

    def penalty(self, V: Array, n_threads: int = 0) -> float:
        """Σ_j λ_j ‖v_j‖² + tr(VᵀLV), in float64."""
        total = float(self.ridge @ np.einsum("jd,jd->j", V, V, dtype=np.float64)) if np.any(self.ridge) else 0.0
        return total if self.graph is None else total + inner(multiply(self.graph, V, n_threads), V, n_threads)


class Tower:
    """What all towers share: the flat θ and its slices. ``fixed`` are (column, value) pairs of P that never change."""

    def __init__(
        self, rows: int, factors: int, fields: Sequence[Field], fixed: Sequence[tuple[int, float]] = ()
    ) -> None:
        self.rows, self.factors = rows, factors
        self.fields = tuple(fields)
        self.fixed = tuple(fixed)
        borders = np.cumsum([0, *(field.size for field in self.fields)])
        self.slices = tuple(slice(int(a), int(b)) for a, b in pairwise(borders))
        self.size = int(borders[-1])

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Sets of neighbouring fields in which P is jointly linear."""
        return tuple((index,) for index in range(len(self.fields)))

    def start(self, rng: np.random.Generator, scale: float, dtype: DTypeLike = np.float32) -> Array:
        """θ drawn from N(0, scale²)."""
        return (scale * rng.standard_normal(self.size)).astype(dtype)

    def part(self, theta: Array, index: int) -> Array:
        """V of one field as a view (f, w) of θ."""
        return theta[self.slices[index]].reshape(self.fields[index].shape)

    def span(self, group: Sequence[int]) -> slice:
        """Where a group of neighbouring fields lies in θ."""
        return slice(self.slices[group[0]].start, self.slices[group[-1]].stop)

    def penalise(self, group: Sequence[int], vector: Array, n_threads: int = 0) -> Array:
        """Half the gradient of the penalties of a group's parameters, Λv + Lv (flat); linear in ``vector``."""
        parts, start = [], 0
        for field in (self.fields[index] for index in group):
            V = vector[start : start + field.size].reshape(field.shape)
            start += field.size
            image = field.ridge.astype(vector.dtype)[:, None] * V
            if field.graph is not None:
                image += multiply(field.graph, np.ascontiguousarray(V), n_threads)
            parts.append(image.ravel())
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def penalty_diagonal(self, group: Sequence[int], dtype: DTypeLike = np.float32) -> Array:
        """The diagonal of ``penalise`` as a matrix, one number for each parameter of a group."""
        parts = []
        for field in (self.fields[index] for index in group):
            strength = field.ridge if field.graph is None else field.ridge + field.graph.diagonal()
            parts.append(np.repeat(strength, len(field.columns)))
        return np.concatenate(parts).astype(dtype)

    def forward(self, theta: Array, n_threads: int = 0) -> Array:
        """P (n, g), C-contiguous. For plain ids it is θ itself, not a copy."""
        raise NotImplementedError

    def push(self, group: Sequence[int], theta: Array, step: Array, n_threads: int = 0) -> Array:
        """The change of P (n, g) when the group's parameters change by ``step`` (flat)."""
        raise NotImplementedError

    def pull(self, group: Sequence[int], theta: Array, gradient: Array, n_threads: int = 0) -> Array:
        """∂J/∂θ of the group (flat) from ∂J/∂P (n, g): the transpose of ``push``."""
        raise NotImplementedError

    def pull_diagonal(self, group: Sequence[int], theta: Array, diagonal: Array, n_threads: int = 0) -> Array:
        """The diagonal of JᵀDJ (flat) for a diagonal D given as (n, g), J being ``push`` as a matrix."""
        raise NotImplementedError


class LinearTower(Tower):
    """P = base + Σ_f Z_f V_f, plus the fixed columns; ``base`` (n, g) is what other parameters, not free here, give."""

    def __init__(
        self,
        rows: int,
        factors: int,
        fields: Sequence[Field],
        fixed: Sequence[tuple[int, float]] = (),
        base: Array | None = None,
    ) -> None:
        super().__init__(rows, factors, fields, fixed)
        self.base = base

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        return (tuple(range(len(self.fields))),)

    @property
    def is_ids(self) -> bool:
        """Every row has its own factor and nothing else: rows can be solved one by one."""
        field = self.fields[0]
        whole = len(field.columns) == self.factors and not self.fixed and self.base is None
        return len(self.fields) == 1 and isinstance(field.map, Identity) and whole

    def forward(self, theta: Array, n_threads: int = 0) -> Array:
        if self.is_ids:
            return self.part(theta, 0)
        factors = self.push(range(len(self.fields)), theta, theta, n_threads)
        if self.base is not None:
            factors = factors + self.base
        for column, value in self.fixed:
            factors[:, column] = value
        return factors

    def push(self, group: Sequence[int], theta: Array, step: Array, n_threads: int = 0) -> Array:
        first = self.slices[group[0]].start
        images = []
        for index in group:
            field, own = self.fields[index], self.slices[index]
            image = field.map.times(step[own.start - first : own.stop - first].reshape(field.shape), n_threads)
            if len(field.columns) == self.factors and len(group) == 1:
                return image
            images.append((field.columns, image))
        change = np.zeros((self.rows, self.factors), dtype=step.dtype)
        for columns, image in images:
            change[:, columns] += image
        return change

    def pull(self, group: Sequence[int], theta: Array, gradient: Array, n_threads: int = 0) -> Array:
        return self._pulled(group, gradient, "transposed_times", n_threads)

    def pull_diagonal(self, group: Sequence[int], theta: Array, diagonal: Array, n_threads: int = 0) -> Array:
        return self._pulled(group, diagonal, "squared_transposed_times", n_threads)

    def _pulled(self, group: Sequence[int], values: Array, product: str, n_threads: int) -> Array:
        parts = []
        for index in group:
            field = self.fields[index]
            own = values if len(field.columns) == self.factors else np.ascontiguousarray(values[:, field.columns])
            parts.append(getattr(field.map, product)(own, n_threads).ravel())
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


class _TensorTower(Tower):
    """Two one-hot fields, row and context, that multiply each other: P is linear in each, not in both."""

    def _images(self, theta: Array, n_threads: int) -> tuple[Array, Array]:
        first, second = (field.map.times(self.part(theta, k), n_threads) for k, field in enumerate(self.fields))
        return first, second

    def _other(self, group: Sequence[int], theta: Array, n_threads: int) -> Array:
        """The factor of every row that the other field gives."""
        index = 1 - group[0]
        return self.fields[index].map.times(self.part(theta, index), n_threads)


class PairwiseTower(_TensorTower):
    """p_xh = [v_x + v_h, ⟨v_x, v_h⟩] (n, f + 1); the columns' tower has a fixed one in the last place."""

    def forward(self, theta: Array, n_threads: int = 0) -> Array:
        first, second = self._images(theta, n_threads)
        return _beside(first + second, (first * second).sum(axis=1))

    def push(self, group: Sequence[int], theta: Array, step: Array, n_threads: int = 0) -> Array:
        field = self.fields[group[0]]
        image = field.map.times(step.reshape(field.shape), n_threads)
        return _beside(image, (image * self._other(group, theta, n_threads)).sum(axis=1))

    def pull(self, group: Sequence[int], theta: Array, gradient: Array, n_threads: int = 0) -> Array:
        own = gradient[:, :-1] + gradient[:, -1:] * self._other(group, theta, n_threads)
        return self.fields[group[0]].map.transposed_times(own, n_threads).ravel()

    def pull_diagonal(self, group: Sequence[int], theta: Array, diagonal: Array, n_threads: int = 0) -> Array:
        own = diagonal[:, :-1] + diagonal[:, -1:] * self._other(group, theta, n_threads) ** 2
        return self.fields[group[0]].map.squared_transposed_times(own, n_threads).ravel()


class ProductTower(_TensorTower):
    """p_xh = v_x ∘ v_h (n, f)."""

    def start(self, rng: np.random.Generator, scale: float, dtype: DTypeLike = np.float32) -> Array:
        """The context starts near one: products of two small numbers would leave no gradient to follow."""
        theta = super().start(rng, scale, dtype)
        theta[self.slices[1]] += 1
        return theta

    def forward(self, theta: Array, n_threads: int = 0) -> Array:
        first, second = self._images(theta, n_threads)
        return np.multiply(first, second)

    def push(self, group: Sequence[int], theta: Array, step: Array, n_threads: int = 0) -> Array:
        field = self.fields[group[0]]
        return field.map.times(step.reshape(field.shape), n_threads) * self._other(group, theta, n_threads)

    def pull(self, group: Sequence[int], theta: Array, gradient: Array, n_threads: int = 0) -> Array:
        own = gradient * self._other(group, theta, n_threads)
        return self.fields[group[0]].map.transposed_times(own, n_threads).ravel()

    def pull_diagonal(self, group: Sequence[int], theta: Array, diagonal: Array, n_threads: int = 0) -> Array:
        own = diagonal * self._other(group, theta, n_threads) ** 2
        return self.fields[group[0]].map.squared_transposed_times(own, n_threads).ravel()


def _beside(matrix: Array, column: Array) -> Array:
    return np.concatenate([matrix, column[:, None]], axis=1)


def id_tower(rows: int, factors: int, ridge: Array | None = None) -> LinearTower:
    """Every row has a factor of its own.

    >>> id_tower(3, 2).size
    6
    """
    ridge = np.zeros(rows) if ridge is None else ridge
    return LinearTower(rows, factors, [Field("ids", Identity(rows), np.arange(factors), ridge)])


def feature_tower(features: Map, factors: int, ridge: Array) -> LinearTower:
    """P = X W: a row is what its features say, so unseen rows have factors too (one-class MF Eq. 2, LEML)."""
    return LinearTower(features.rows, factors, [Field("features", features, np.arange(factors), ridge)])
