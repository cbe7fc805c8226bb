"""The map from features to the label space learned directly, through cosines (ExMLDS4, Eq. 10 to 12).

    K_ij = s cos(Vᵀx_i, Vᵀx_j)       O = Σ_i [ log σ(K_ij) + n₋ mean_{j'} log σ(−K_ij') ],   j ∈ N_k(y_i)

A batch holds instances and, for each, one that shares a label with it (or one of its k nearest by the cosine of their
labels, as in the paper); the other rows of the batch are the negatives j', except those that share a label with i. So
one small product gives all pairs, x stays sparse, and only the features that occur in a batch are touched. Steps by
Adam. The paper has s = 1, with which σ hardly leaves ½; s = 10 is what its predecessor uses.

``online_map`` goes on when rows come later: it climbs the objective of the new rows alone, which is what the paper
leaves to the future.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.errors import DivergedError, InputError
from tacit.features.label_space import nearest_rows

Array = NDArray[np.float64]

_BATCH = 256
_FIRST, _SECOND, _TINY = 0.9, 0.999, 1e-8


def batch_objective(
    anchors: Array, others: Array, apart: NDArray[np.bool_], scale: float, negatives: float
) -> tuple[float, Array, Array]:
    """O of a batch and its gradients by the mapped anchors (b, g) and the mapped others (c, g), c ≥ b.

    Row i of ``others`` is the neighbour of anchor i, those behind them are nobody's; ``apart`` (b, c) says which pairs
    are negatives.
    """
    unit_a, length_a = _unit(anchors)
    unit_o, length_o = _unit(others)
    K = scale * (unit_a @ unit_o.T)
    share = negatives / np.maximum(apart.sum(axis=1, keepdims=True), 1)
    own = np.diagonal(K)
    value = -np.logaddexp(0, -own).sum() - (share * np.where(apart, np.logaddexp(0, K), 0.0)).sum()
    slope = -share * np.where(apart, 1 / (1 + np.exp(-K)), 0.0)
    at = np.arange(len(anchors))
    slope[at, at] += 1 / (1 + np.exp(own))
    return (
        float(value),
        _through(scale * slope @ unit_o, unit_a, length_a),
        _through(scale * slope.T @ unit_a, unit_o, length_o),
    )


def end_to_end_map(
    X: sp.csr_array,
    Y: sp.csr_array,
    start: NDArray[Any],
    *,
    negatives: float = 5.0,
    iterations: int = 3,
    learning_rate: float = 0.05,
    scale: float = 10.0,
    neighbours: int | None = None,
    seed: int = 0,
) -> NDArray[np.float32]:
    """V (d, g) from ``start`` (d, g); the rate is relative to the size of its entries.

    From a random start, what was random stays in V wherever few batches reach, and the answer is hardly better than
    neighbours by raw features; from the regressed map it is better than that map.

    neighbours : k of the nearest instances from which j is drawn; None draws any instance that shares a label
    """
    rng = np.random.default_rng(seed)
    X = sp.csr_array(X, dtype=np.float64)
    draw, rows_with_partners = _partners(Y, neighbours)
    climb = Climb(start)
    learning_rate *= climb.size
    for epoch in range(iterations):
        order = rng.permutation(rows_with_partners)
        rate = learning_rate * max(1 - epoch / iterations, 0.05)
        for begin in range(0, len(order), _BATCH):
            anchors = order[begin : begin + _BATCH]
            climb.step(X, Y, anchors, draw(anchors, rng), rate, scale, negatives)
        climb.require_finite(f"iteration {epoch + 1}")
    return climb.V.astype(np.float32)


def online_map(
    X: sp.csr_array,
    Y: sp.csr_array,
    V: NDArray[Any],
    new: NDArray[np.int64],
    *,
    steps: int,
    negatives: float = 5.0,
    learning_rate: float = 0.05,
    scale: float = 10.0,
    neighbours: int | None = None,
    seed: Any = 0,
) -> Array:
    """V (d, g) after gradient steps on the objective of the rows ``new`` of X and Y alone.

    A step takes up to 256 of them, a partner of each from all rows, and further rows at random as negatives. Adam
    starts afresh, at the rate at which ``end_to_end_map`` starts. V stays where no new row has a partner.
    """
    rng = np.random.default_rng(seed)
    X = sp.csr_array(X, dtype=np.float64)
    climb = Climb(V)
    draw, with_partners = _partners_of(Y, new, neighbours)
    if not len(with_partners):
        return climb.V
    learning_rate *= climb.size
    for step in range(steps):
        chosen = rng.permutation(with_partners)[:_BATCH]
        others = np.concatenate((draw(chosen, rng), rng.integers(X.shape[0], size=max(_BATCH - len(chosen), 0))))
        rate = learning_rate * max(1 - step / steps, 0.05)
        climb.step(X, Y, new[chosen], others, rate, scale, negatives)
        climb.require_finite(f"step {step + 1}")
    return climb.V


class Climb:
    """V (d, g) in double precision, with what Adam remembers of its gradients."""

    def __init__(self, V: NDArray[Any]) -> None:
        self.V: Array = V.astype(np.float64)
        self.size = float(np.sqrt(np.mean(self.V**2)))
        self.first, self.second = np.zeros_like(self.V), np.zeros_like(self.V)
        self.steps = 0

    def step(
        self,
        X: sp.csr_array,
        Y: sp.csr_array,
        anchors: NDArray[np.int64],
        others: NDArray[np.int64],
        rate: float,
        scale: float,
        negatives: float,
    ) -> None:
        """One step up the objective of rows ``anchors`` with ``others``, in the features that they have."""
        self.steps += 1
        apart = (Y[anchors] @ Y[others].T).toarray() == 0
        rows = X[np.concatenate((anchors, others))]
        features = np.unique(rows.indices)
        rows = rows[:, features]
        mapped = rows @ self.V[features]
        cut = len(anchors)
        _, slope_a, slope_o = batch_objective(mapped[:cut], mapped[cut:], apart, scale, negatives)
        gradient = rows.T @ np.concatenate((slope_a, slope_o))
        self.first[features] = _FIRST * self.first[features] + (1 - _FIRST) * gradient
        self.second[features] = _SECOND * self.second[features] + (1 - _SECOND) * gradient**2
        mean = self.first[features] / (1 - _FIRST**self.steps)
        spread = self.second[features] / (1 - _SECOND**self.steps)
        self.V[features] += rate * mean / (np.sqrt(spread) + _TINY)

    def require_finite(self, when: str) -> None:
        """Stop where V would not be finite in single precision, in which it is kept."""
        if not np.abs(self.V).max(initial=0.0) < np.finfo(np.float32).max:
            raise DivergedError(f"{when}: the map is no longer finite; lower learning_rate.")


def _partners(Y: sp.csr_array, neighbours: int | None) -> tuple[Callable[..., NDArray[np.int64]], Any]:
    """How partners are drawn for rows, and the rows that have any."""
    if neighbours is None:
        rows_with_label = sp.csr_array(Y.T)
        # One of a row's labels, then one of the label's rows.
        return lambda rows, rng: _one_of(rows_with_label, _one_of(Y, rows, rng), rng), Y.shape[0]
    near = nearest_rows(Y, neighbours)
    result = np.flatnonzero(np.diff(near.indptr))
    if not len(result):
        raise InputError("context_neighbours: no two rows share a label; leave it out.")
    return lambda rows, rng: _one_of(near, rows, rng), result


def _partners_of(
    Y: sp.csr_array, rows: NDArray[np.int64], neighbours: int | None
) -> tuple[Callable[..., NDArray[np.int64]], NDArray[np.int64]]:
    """The same for some rows: how partners are drawn for places in ``rows``, and the places that have any."""
    if neighbours is None:
        rows_with_label = sp.csr_array(Y.T)
        labels = Y[rows]
        return lambda at, rng: _one_of(rows_with_label, _one_of(labels, at, rng), rng), _filled(labels)
    near = nearest_rows(Y, neighbours, rows)
    return lambda at, rng: _one_of(near, at, rng), _filled(near)


def _filled(matrix: sp.csr_array) -> NDArray[np.int64]:
    """The rows that have stored cells."""
    return np.flatnonzero(np.diff(matrix.indptr))


def _one_of(matrix: sp.csr_array, rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """A stored column of each of these rows, all alike."""
    width = matrix.indptr[rows + 1] - matrix.indptr[rows]
    chosen: NDArray[np.int64] = matrix.indices[matrix.indptr[rows] + (rng.random(len(rows)) * width).astype(np.int64)]
    return chosen


def _unit(vectors: Array) -> tuple[Array, Array]:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    length = np.where(length > 0, length, 1.0)
    return vectors / length, length


def _through(slope: Array, unit: Array, length: Array) -> Array:
    """∂/∂z from ∂/∂(z/‖z‖): the part along z does not count (Eq. 12)."""
    along = np.einsum("ij,ij->i", slope, unit)[:, None]
    across: Array = (slope - along * unit) / length
    return across
