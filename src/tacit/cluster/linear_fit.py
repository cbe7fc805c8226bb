"""A ``LinearRecommender`` with sparse weights on a cluster.

A block of columns visits the workers one after the other, and each adds the sums of its rows, in the order of the rows.
So the sums have the bits of one process, and no worker ever holds more than its rows and the sums of a block.
Blocks follow each other, so that all workers have something to do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import threads
from tacit.cluster.layout import Layout, lay_out, positives_of
from tacit.cluster.shards import Shard
from tacit.cluster.sweeps import writable
from tacit.cluster.workers import Tasks
from tacit.data.events import Duplicates
from tacit.data.parts import Columns
from tacit.errors import UnsoundCombinationError
from tacit.estimators.recommend.linear_choice import START_EXPONENTS, Choice
from tacit.estimators.recommend.linear_recommender import LinearRecommender
from tacit.kernels import linear_weights as kernels
from tacit.objective.weights import PositiveWeight, of_positives
from tacit.solvers.linear_weights import Ends, Strongest, joined

Array = NDArray[Any]
Sums = tuple[Array, Array, Array]
"""Where the cells of each column begin, their columns and their sums."""

CELLS = 4_000_000
"""Sums in a block of columns at most: 32 MB."""
BLOCKS_PER_WORKER = 4
"""Blocks on their way at a time."""


def fit(
    tasks: Tasks, model: LinearRecommender, paths: Sequence[str], columns: Columns, duplicates: Duplicates
) -> LinearRecommender:
    """Fit the model on the workers."""
    layout = lay_out(tasks, paths, columns, duplicates, factors=8)
    m = len(layout.col_ids)
    setting = model.sparse_setting(m)
    if setting is None or setting.sharpening:
        given = (
            "sharpening" if setting is not None else "its choice by held-out positives, or weights that are not sparse,"
        )
        raise UnsoundCombinationError(
            f"LinearRecommender: {given} needs all positives in one place and does not run on a cluster; set "
            f"method='sparse', sharpening=0 and sparse_exponents, such as {START_EXPONENTS}, or fit in one process."
        )
    into, by_row, out = setting.exponents
    how = (model.positive_weight, layout.smallest)
    masses = [np.concatenate(tasks.results([tasks(masses_of, one, *how) for one in side])) for side in layout.shards]
    rows, cols = (np.where(mass > 0, mass, 1.0) for mass in masses)
    # One task each, not data that are sent: those would be lost with their worker.
    shares, lengths = tasks(np.asarray, (rows**-by_row).astype(np.float32)), tasks(np.asarray, layout.counts[0])
    ends = tasks(Ends.of, cols, (into, by_row, out), model.kept(m))
    rows_here = tasks.together(tasks.spread(values_in, layout.shards[0], *how))
    blocks = _blocks(tasks, layout, how, shares, lengths)
    result: list[Strongest] = []
    for a, b in threads.even_chunks(len(blocks), BLOCKS_PER_WORKER * len(rows_here)):
        strongest = []
        for block in blocks[a:b]:
            sums: Any = None
            for place, own in rows_here:
                sums = tasks(added, sums, block, own, m, place=place)
            strongest.append(tasks(strongest_of, sums, block, ends))
        result += tasks.results(strongest)
    data = positives_of(layout)
    choice = Choice(setting, float(data.matrix.data.min()))
    return model.fit_chosen(data, choice, weights=joined(result, m))


def _blocks(tasks: Tasks, layout: Layout, how: tuple[PositiveWeight, float], shares: Any, lengths: Any) -> list[Any]:
    """Futures of blocks of columns whose sums are not too many."""
    m, blocks = len(layout.col_ids), []
    bounds = tasks.results([tasks(sum_bounds, one, lengths, m) for one in layout.shards[1]])
    for shard, bound in zip(layout.shards[1], bounds):
        most = -(-int(bound.sum()) // CELLS)
        for start, stop in threads.balanced_chunks(np.concatenate(([0], np.cumsum(bound))), row_cost=0.0, most=most):
            blocks.append(tasks(block_of, shard, start, stop, *how, shares))
    return blocks


# -- tasks -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """Columns from ``start`` on: the rows x that have each (``starts``, ``rows``) and x_i u_x^−row (``values``)."""

    start: int
    starts: Array
    rows: Array
    values: Array


def masses_of(shard: Shard, how: PositiveWeight, smallest: float) -> Array:
    """The sum of the values of each row of a shard, in their order."""
    owner = np.repeat(np.arange(len(shard.counts)), shard.counts)
    return np.bincount(owner, _values(shard, how, smallest), minlength=len(shard.counts))


def values_in(shard: Shard, how: PositiveWeight, smallest: float) -> tuple[int, Array, Array, Array]:
    """First row, ``indptr``, columns and values of a shard of rows."""
    return shard.start, shard.indptr, shard.indices, _values(shard, how, smallest)


def sum_bounds(shard: Shard, lengths: Array, columns: int) -> Array:
    """How many other columns each column of a shard can have met, at most."""
    owner = np.repeat(np.arange(len(shard.counts)), shard.counts)
    met = np.bincount(owner, lengths[shard.indices], minlength=len(shard.counts))
    return np.minimum(met, columns).astype(np.int64)


def block_of(shard: Shard, start: int, stop: int, how: PositiveWeight, smallest: float, shares: Array) -> Block:
    """Columns ``start`` to ``stop`` of a shard."""
    a, b = int(shard.indptr[start]), int(shard.indptr[stop])
    rows = shard.indices[a:b]
    values = shares[rows] * _values(shard, how, smallest)[a:b]
    return Block(shard.start + start, shard.indptr[start : stop + 1] - a, rows.copy(), values)


def added(before: Sums | None, block: Block, shards: Sequence[tuple[int, Array, Array, Array]], columns: int) -> Sums:
    """The sums of a block with those of some rows added."""
    count = len(block.starts) - 1
    owner = np.repeat(np.arange(count), np.diff(block.starts))
    sums = np.zeros(columns, np.float32)
    for first, *cells in shards:
        indptr, indices, values = (writable(array) for array in cells)
        inside = (block.rows >= first) & (block.rows < first + len(indptr) - 1)
        met = np.bincount(owner[inside], np.diff(indptr)[block.rows[inside] - first], minlength=count)
        sizes = np.zeros(count, np.int64) if before is None else np.diff(before[0])
        room = np.concatenate(([0], np.cumsum(np.minimum(sizes + met, columns)))).astype(np.int64)
        cols, partial = np.empty(room[-1], np.int32), np.empty(room[-1], np.float32)
        if before is not None:
            _move(before, room[:-1], cols, partial)
        kernels.add_cooccurrences(
            block.starts, writable(block.rows), writable(block.values), np.int64(first), indptr, indices, values, sums,
            room, sizes, cols, partial,
        )  # fmt: skip
        starts = np.concatenate(([0], np.cumsum(sizes)))
        places = np.repeat(room[:-1] - starts[:-1], sizes) + np.arange(starts[-1])
        before = starts, cols[places], partial[places]
    assert before is not None
    return before


def strongest_of(sums: Sums, block: Block, ends: Ends) -> Strongest:
    """The weights that each column of a block keeps."""
    starts, columns, partial = (writable(array) for array in sums)
    scratch, cols, strength = ends.room(len(starts) - 1)
    kernels.strongest_of_sums(
        np.int64(block.start), starts, columns, partial, writable(ends.target), scratch, scratch.view(np.int32), cols,
        strength,
    )  # fmt: skip
    return ends.listed(block.start, cols, strength)


def _move(sums: Sums, to: Array, columns: Array, partial: Array) -> None:
    """Cells of every column to where there is room for more."""
    starts, old_columns, old_partial = sums
    places = np.repeat(to - starts[:-1], np.diff(starts)) + np.arange(starts[-1])
    columns[places], partial[places] = old_columns, old_partial


def _values(shard: Shard, how: PositiveWeight, smallest: float) -> Array:
    values = of_positives(shard.values, how, smallest).astype(np.float32)
    return np.ascontiguousarray(np.broadcast_to(values, shard.indices.shape))
