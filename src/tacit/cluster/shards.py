"""Shards: consecutive rows (or columns) with their positives, and the tasks that make them from parts of a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.data import events as _events
from tacit.data.events import Duplicates, Events, Twice
from tacit.data.parts import cut, joined, stable_order
from tacit.errors import InputError
from tacit.kernels import cells as kernels
from tacit.objective.losses import Loss
from tacit.objective.recipes import SideRule, weights_of
from tacit.objective.side import Side
from tacit.objective.weights import PositiveWeight

if TYPE_CHECKING:
    import polars as pl

Array = NDArray[Any]


@dataclass(frozen=True)
class Shard:
    """Rows ``start`` to ``start + len(indptr) − 1`` of a side.

    indptr, indices, values : their positives, counted from the first row of the shard; one value (1,) where all agree
    borders : the chunks that they are solved in
    """

    start: int
    indptr: Array
    indices: Array
    values: Array
    borders: tuple[tuple[int, int], ...]

    @property
    def counts(self) -> Array:
        return np.diff(self.indptr)


def row_counts(events: Events, rows: int) -> Array:
    """Events per row."""
    return np.bincount(events.row, minlength=rows)


def summed(parts: Sequence[Array]) -> Array:
    """The sum of arrays of whole numbers."""
    total: Array = np.sum(parts, axis=0)
    return total


def bucket(pieces: Sequence[Events], duplicates: Duplicates, row_ids: "pl.Series", col_ids: "pl.Series") -> Events:
    """The distinct, sorted events of a range of rows, from the pieces that the parts of the table have of it."""
    try:
        return _events.merge(joined(pieces), duplicates)
    except Twice as twice:
        raise InputError(
            f"duplicates='error': the pair ({row_ids[twice.row]!r}, {col_ids[twice.col]!r}) occurs more than once; "
            "choose sum, last, first or max."
        ) from None


def facts_of(events: Events, start: int, stop: int, cols: int) -> tuple[Array, Array, Array]:
    """Of a bucket: events per row from ``start`` to ``stop``, events per column, smallest and largest value."""
    extremes = np.array([events.weight.min(initial=np.inf), events.weight.max(initial=-np.inf)])
    return np.bincount(events.row - start, minlength=stop - start), np.bincount(events.col, minlength=cols), extremes


def row_shard(start: int, stop: int, borders: tuple[tuple[int, int], ...], buckets: Sequence[Events]) -> Shard:
    """The shard of these rows, from the buckets that hold them, in order."""
    events = joined([one.take((one.row >= start) & (one.row < stop)) for one in buckets])
    return _shard(start, stop, borders, events.row, events.col, events.weight)


def by_columns(shard: Shard, starts: Array) -> list[Events]:
    """The positives of a row shard by the column shards that they go to."""
    rows = np.repeat(np.arange(shard.start, shard.start + len(shard.indptr) - 1, dtype=np.int32), shard.counts)
    values = np.ascontiguousarray(np.broadcast_to(shard.values, shard.indices.shape))
    return cut(Events(rows, shard.indices, values), starts, "col")


def col_shard(start: int, stop: int, borders: tuple[tuple[int, int], ...], pieces: Sequence[Events]) -> Shard:
    """The shard of these columns, from what the row shards have of them, in their order."""
    events = joined(pieces)
    events = events.take(stable_order(events.col - start))
    return _shard(start, stop, borders, events.col, events.row, events.weight)


def _shard(start: int, stop: int, borders: Any, own: Array, other: Array, values: Array) -> Shard:
    indptr = np.zeros(stop - start + 1, dtype=np.int64)
    np.cumsum(np.bincount(own - start, minlength=stop - start), out=indptr[1:])
    alike = len(values) > 0 and values.min() == values.max()
    return Shard(start, indptr, other, values[:1].copy() if alike else values, borders)


def masses_of(shard: Shard, others: int, how: PositiveWeight, smallest: float) -> Array:
    """The weight of each row's positives; the other side has ``others`` rows."""
    return _masses(shard, others, weights_of(shard.values, how, smallest))


def side_of(
    shard: Shard, rule: SideRule, others: int, how: PositiveWeight, smallest: float, loss: Loss, target: float
) -> Side:
    """The objective as the rows of a shard see it; the other side's weights are filled in where it is solved."""
    weight = weights_of(shard.values, how, smallest)
    counts = shard.counts
    return Side(
        shard.indptr,
        shard.indices,
        weight,
        np.full(1, loss.target, dtype=np.float32),
        rule.weights(counts).astype(np.float32),
        np.empty(0, dtype=np.float32),
        rule.ridges(counts, lambda: _masses(shard, others, weight)).astype(np.float32),
        target,
        borders=shard.borders,
    )


def _masses(shard: Shard, others: int, weight: Array) -> Array:
    rows, cols = np.zeros(len(shard.counts)), np.zeros(others)
    indptr, indices, weight = (np.require(a, requirements=["C", "W"]) for a in (shard.indptr, shard.indices, weight))
    kernels.add_masses(indptr, indices, weight, rows, cols)
    return rows
