"""Alternating least squares over shards: the loop of ``solvers.alternation`` with tasks for a half-sweep.

improve(shard, its factors, F, S, o)     F: the other side's factors, S and o: their caches
assemble(all improved shards)            F of this side, on every worker: each fetches what it does not have
moments(F, rows)                         partial sums of S and o, groups of rows, added in order

A sweep is handed over as a whole, so nothing waits for this process until it ends.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import threads
from tacit.cluster.workers import Tasks
from tacit.errors import DivergedError
from tacit.objective.losses import Loss
from tacit.objective.side import ROWS_PER_GROUP, Moments, Side, added, caches_of, weighted_moments
from tacit.objective.whole_data import total_weight, unlabelled_value
from tacit.progress import Run
from tacit.solvers import als
from tacit.solvers.alternation import require_finite

Array = NDArray[Any]
Caches = tuple[Array, Array]
Improved = tuple[Array, list[als.Part]]


@dataclass(frozen=True)
class Rows:
    """One side on the cluster: futures of its parts of the objective, where they lie, all its weights, its length."""

    sides: list[Any]
    places: list[float]
    weight: Any
    length: int


@dataclass
class Factors:
    """The factors of one side: futures of the shards' (None before they begin), of all of them on each worker, and of
    their moments and caches."""

    shards: list[Any]
    whole: list[Any] = field(default_factory=list)
    moments: Any = None
    caches: Any = None


@dataclass(frozen=True)
class Sweeps:
    """The problem on the cluster, and how it is solved."""

    tasks: Tasks
    rows: Rows
    cols: Rows
    solver: als.AlternatingLeastSquares
    loss: Loss
    factors: int
    unlabelled_target: float

    def run(self, of_rows: Factors, of_cols: Factors, run: Run, tolerance: float, after_report: Any) -> None:
        """Sweep until the run ends or J settles; both sides' factors are replaced as they improve."""
        run.stop_when_settled(tolerance)
        value: float | None = run.history[-1]["objective"] if run.history else None
        for iteration in run.iterations(len(run.history)):
            began = time.perf_counter()
            try:
                value, squared_norm = self._sweep(of_rows, of_cols, value)
            except DivergedError as error:
                raise DivergedError(f"iteration {iteration + 1}: {error}") from None
            run.report(objective=value, gradient_norm=float(np.sqrt(squared_norm)), seconds=time.perf_counter() - began)
            after_report()
            run.stop_when_settled(tolerance)

    def solve_rows(self, of_cols: Factors) -> list[Any]:
        """Futures of the rows' factors, shard by shard, each the minimiser given the columns."""
        return [
            self.tasks(solved, side, self._near(of_cols, place), self.cols.weight, of_cols.caches, self.loss,
                       place=place)
            for side, place in zip(self.rows.sides, self.rows.places)
        ]  # fmt: skip

    def measure(self, side: Rows, factors: Factors) -> None:
        """Moments and caches of all factors of a side: every worker adds up some groups of rows."""
        groups = threads.even_chunks(side.length, ROWS_PER_GROUP)
        shares = self.tasks.together(groups)
        parts = [
            self.tasks(moments, self._near(factors, place), side.weight, some, place=place) for place, some in shares
        ]
        factors.moments = self.tasks(added_moments, parts, self.factors)
        factors.caches = self.tasks(caches_of, factors.moments, self.unlabelled_target)

    def _near(self, factors: Factors, place: float) -> Any:
        """All factors, as the worker at a place has them."""
        return factors.whole[self.tasks.owner(place)]

    def _sweep(self, of_rows: Factors, of_cols: Factors, value: float | None) -> tuple[float, float]:
        squared_norm = 0.0
        halves = [
            self._half(self.rows, of_rows, self.cols, of_cols),
            self._half(self.cols, of_cols, self.rows, of_rows),
        ]
        result = self.tasks.results([part for half in halves for part in half])
        for name, parts in (("rows", result[: len(halves[0])]), ("cols", result[len(halves[0]) :])):
            fall, gradient = als.summed([part for shard in parts for part in shard])
            squared_norm += gradient
            value = None if value is None else value - fall
            require_finite(value, squared_norm, f"ids of the {name}", self.solver)
        if value is None:
            value = self._value(of_rows, of_cols)
            require_finite(value, squared_norm, "columns", self.solver)
        return value, squared_norm

    def _half(self, side: Rows, own: Factors, other_side: Rows, other: Factors) -> list[Any]:
        """Replace the factors of a side by better ones; futures of what each shard's chunks gained."""
        arguments = (other_side.weight, other.caches, self.loss, self.factors)
        how = (self.solver.method, self.solver.row_steps)
        own.shards = [
            self.tasks(improved, part, shard, self._near(other, place), *arguments, *how, place=place)
            for part, shard, place in zip(side.sides, own.shards, side.places)
        ]
        own.whole = self.tasks.everywhere(assembled, own.shards)
        self.measure(side, own)
        return [self.tasks(parts_of, shard) for shard in own.shards]

    def _value(self, of_rows: Factors, of_cols: Factors) -> float:
        """J, the same sums as ``WholeData.value``."""
        others = [self._near(of_cols, place) for place in self.rows.places]
        positives = self._parts(value_parts, self.rows, of_rows, others, self.cols.weight, self.loss)
        ridges = [
            self._parts(ridge_parts, side, own, [None] * len(own.shards))
            for side, own in ((self.rows, of_rows), (self.cols, of_cols))
        ]
        weights = self.tasks.results([self.tasks(total_weight, side.weight) for side in (self.rows, self.cols)])
        row_moments, col_moments = self.tasks.results([of_rows.moments, of_cols.moments])
        unlabelled = unlabelled_value(row_moments, col_moments, self.unlabelled_target, weights[0] * weights[1])
        return sum(positives) + unlabelled + (sum(ridges[0]) + sum(ridges[1]))

    def _parts(self, function: Any, side: Rows, own: Factors, others: list[Any], *arguments: Any) -> list[float]:
        """What a task returns for the chunks of every shard, in order."""
        futures = [
            self.tasks(function, part, shard, other, *arguments, place=place)
            for part, shard, other, place in zip(side.sides, own.shards, others, side.places)
        ]
        return [part for parts in self.tasks.results(futures) for part in parts]


# -- tasks -----------------------------------------------------------------------------------------------------


def improved(
    side: Side, before: Improved | None, other: Array, weight: Array, caches: Caches, loss: Loss, factors: int,
    method: str, steps: int,
) -> Improved:  # fmt: skip
    """A shard's factors after its half-sweep, and by how much each chunk lowered J."""
    own = np.zeros((side.rows, factors), dtype=np.float32) if before is None else before[0].copy()
    with threads.single_threaded_blas():
        solver = als.RowSolver(facing(side, weight, caches), factors, als.choose(method, factors), steps, 1, loss)
        return own, solver.improve_parts(own, writable(other))


def solved(side: Side, other: Array, weight: Array, caches: Caches, loss: Loss) -> Array:
    """A shard's factors where they minimise J."""
    own = np.empty((side.rows, other.shape[1]), dtype=np.float32)
    with threads.single_threaded_blas():
        als.solve_exactly(facing(side, weight, caches), own, writable(other), 1, loss=loss)
    return own


def as_improved(factors: Array, start: int = 0, stop: int | None = None) -> Improved:
    """Rows of known factors as a shard that sweeps begin with."""
    return factors[start:stop].copy(), []


def parts_of(shard: Improved) -> list[als.Part]:
    """What there is to tell of an improved shard without its factors."""
    return shard[1]


def assembled(shards: Sequence[Improved]) -> Array:
    """The factors of all shards, one after the other."""
    return np.concatenate([shard[0] for shard in shards])


def moments(factors: Array, weight: Array, groups: Sequence[tuple[int, int]]) -> list[Moments]:
    """Those of some groups of rows."""
    with threads.single_threaded_blas():
        return [weighted_moments(factors[start:stop], weight[start:stop], 1) for start, stop in groups]


def added_moments(parts: Sequence[list[Moments]], factors: int) -> Moments:
    """The sum of all groups, in order."""
    return added([one for part in parts for one in part], np.empty((0, factors), dtype=np.float32))


def value_parts(side: Side, own: Improved, other: Array, weight: Array, loss: Loss) -> list[float]:
    """What the positives of each chunk add to J."""
    whole = facing(side, weight, None)
    return whole.value_parts(loss, writable(own[0]), writable(other), 1)


def ridge_parts(side: Side, own: Improved, other: None) -> list[float]:
    """What the ridge of each chunk adds to J, whatever the other side is."""
    return side.ridge_parts(own[0])


def own_weight(side: Side) -> Array:
    """The weights of a shard's rows."""
    return side.own_weight


def concatenated(parts: Sequence[Array]) -> Array:
    """Arrays of all shards, one after the other."""
    return np.concatenate(parts)


def facing(side: Side, weight: Array, caches: Caches | None) -> Side:
    """A shard's part of the objective beside the weights and caches of the other side."""
    arrays: dict[str, Any] = {
        name: writable(getattr(side, name)) for name in ("indptr", "indices", "weight", "own_weight", "ridge")
    }
    return replace(side, **arrays, other_weight=writable(weight), known_caches=caches)


def writable(array: Array) -> Array:
    """What came over the network may be read-only, which to Numba is another type."""
    return np.require(array, requirements=["C", "W"])
