"""From the parts of a table to shards of rows and of columns that lie on the workers.

Each part is cut by ranges of rows, the pieces of a range are merged into a bucket, buckets become row shards, and these
are cut by columns in turn. The process that asks sees ids and counts, never the positives.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import threads
from tacit.cluster import shards
from tacit.cluster.workers import Tasks, pick
from tacit.data.events import Duplicates
from tacit.data.ids import Ids
from tacit.data.interactions import Interactions
from tacit.data.matrix import proved_csr
from tacit.data.parts import Columns, cut, distinct_ids, events_of, ids_of_parts, merged_ids
from tacit.objective.side import chunks_of

Array = NDArray[Any]

POSITIVES_PER_SHARD = 8_000_000
"""At most: sorting them takes about 300 MB. Otherwise a shard for every thread, so that tasks are few."""

POSITIVES_TO_DEAL = 500_000
"""From so many for every thread on there are two shards for each, so that heavy and light ones can be dealt."""

MOST_BUCKETS, EVENTS_PER_BUCKET = 32, 10_000


@dataclass(frozen=True)
class Layout:
    """Where everything is.

    row_ids, col_ids : of the data
    counts : positives of every row, and of every column
    shards : futures of the shards of rows, and of columns
    places : where they lie
    starts : the first row of each shard, the first column likewise, and their number at the end
    smallest : the smallest value that is stored
    """

    row_ids: Ids
    col_ids: Ids
    counts: tuple[Array, Array]
    shards: tuple[list[Any], list[Any]]
    places: tuple[list[float], list[float]]
    starts: tuple[Array, Array]
    smallest: float


def lay_out(tasks: Tasks, paths: Sequence[str], columns: Columns, duplicates: Duplicates, factors: int) -> Layout:
    """Read the parts and distribute them."""
    distinct = [tasks(distinct_ids, path, columns) for path in paths]
    ids = [tasks(merged_ids, [tasks(pick, one, side) for one in distinct]) for side in (0, 1)]
    row_ids, col_ids = (ids_of_parts(*pair) for pair in zip(tasks.results(ids), ("row", "col")))
    del distinct
    buckets, borders = _buckets(tasks, paths, columns, duplicates, ids, len(row_ids))
    facts = [
        tasks(shards.facts_of, one, int(start), int(stop), len(col_ids))
        for one, start, stop in zip(buckets, borders, borders[1:])
    ]
    of_rows = np.concatenate(tasks.results([tasks(pick, one, 0) for one in facts]))
    of_cols = tasks(shards.summed, [tasks(pick, one, 1) for one in facts]).result()
    extremes = tasks.results([tasks(pick, one, 2) for one in facts])
    pieces = [pieces_of_side(counts, factors, tasks.threads) for counts in (of_rows, of_cols)]
    # Rows lie where their buckets are; columns come from everywhere, so they can be dealt.
    places = tasks.consecutive(len(pieces[0])), tasks.dealt(len(pieces[1]))
    rows = []
    for place, (start, stop, chunks) in zip(places[0], pieces[0]):
        # The buckets that reach into these rows.
        first, last = np.searchsorted(borders, start, side="right") - 1, np.searchsorted(borders, stop)
        rows.append(tasks(shards.row_shard, start, stop, chunks, buckets[first:last], place=place))
    starts = [np.array([piece[0] for piece in side] + [side[-1][1]]) for side in pieces]
    cuts = tasks.spread(shards.by_columns, rows, starts[1])
    cols = [
        tasks(shards.col_shard, start, stop, chunks, [tasks(pick, one, number) for one in cuts], place=place)
        for number, (place, (start, stop, chunks)) in enumerate(zip(places[1], pieces[1]))
    ]
    # The pieces on the way are let go when the last shard is there, not before: each is needed by all.
    tasks.wait(cols)
    smallest = float(min(low for low, _ in extremes))
    return Layout(row_ids, col_ids, (of_rows, of_cols), (rows, cols), places, (starts[0], starts[1]), smallest)


def positives_of(layout: Layout) -> Interactions:
    """The positives, for the model that is asked for: it keeps them, to leave out what a row has."""
    nnz = int(layout.counts[0].sum())
    indices, data = np.empty(nnz, dtype=np.int32), np.empty(nnz, dtype=np.float32)
    begin = 0
    for future in layout.shards[0]:
        shard = future.result()
        end = begin + len(shard.indices)
        indices[begin:end], data[begin:end] = shard.indices, shard.values
        begin = end
    indptr = np.concatenate(([0], np.cumsum(layout.counts[0])))
    matrix = proved_csr(data, indices, indptr, (len(layout.row_ids), len(layout.col_ids)))
    return Interactions(matrix, layout.row_ids, layout.col_ids)


def _buckets(
    tasks: Tasks, paths: Sequence[str], columns: Columns, duplicates: Duplicates, ids: list[Any], rows: int
) -> tuple[list[Any], Array]:
    """Merged events of ranges of rows that have about as many lines each, and the borders of the ranges."""
    events = [tasks(events_of, path, columns, *ids) for path in paths]
    lines = tasks(shards.summed, [tasks(shards.row_counts, one, rows) for one in events]).result()
    most = int(np.clip(lines.sum() / EVENTS_PER_BUCKET, 1, MOST_BUCKETS))
    ranges = threads.balanced_chunks(np.concatenate(([0], np.cumsum(lines))), most=most)
    borders = np.array([start for start, _ in ranges] + [rows])
    cuts = [tasks(cut, one, borders, "row") for one in events]
    buckets = [
        tasks(shards.bucket, [tasks(pick, one, place) for one in cuts], duplicates, *ids, place=place / len(ranges))
        for place in range(len(ranges))
    ]
    return buckets, borders


def pieces_of_side(
    counts: Array, factors: int, most_at_once: int
) -> list[tuple[int, int, tuple[tuple[int, int], ...]]]:
    """First row, end and chunks (counted from the first row) of every shard of a side.

    There are as many shards as tasks that can run at once, or a multiple of that. The bits do not depend on it: chunks
    are those that one process would cut.
    """
    chunks = chunks_of(np.concatenate(([0], np.cumsum(counts))), factors)
    for_each = int(counts.sum()) // most_at_once
    rounds = max(-(-for_each // POSITIVES_PER_SHARD), 2 if for_each >= POSITIVES_TO_DEAL else 1)
    ends = np.linspace(0, len(chunks), min(len(chunks), rounds * most_at_once) + 1).astype(int)
    groups = [chunks[a:b] for a, b in pairwise(ends.tolist())]
    return [
        (group[0][0], group[-1][1], tuple((a - group[0][0], b - group[0][0]) for a, b in group)) for group in groups
    ]
