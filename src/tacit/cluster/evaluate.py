"""``tacit.cluster.evaluate``: how well a saved recommender ranks held-out pairs, measured by the workers."""

import functools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.cluster.recommend import loaded
from tacit.cluster.workers import Tasks, pick
from tacit.data.interactions import Interactions
from tacit.data.matrix import as_csr, take_rows
from tacit.data.parts import part_paths
from tacit.errors import InputError
from tacit.metrics.evaluation import BATCH, DEFAULT, Ranking, ranking_of, tally_of, without
from tacit.metrics.ranking import Evaluation, Tally, check_cutoffs, check_metrics
from tacit.threads import even_chunks

Array = NDArray[Any]
Range = tuple[int, sp.csr_array]
"""The first of some rows, and what they have."""

ROWS_PER_RANGE = 1 << 16


def evaluate(
    client: Any,
    model: str | os.PathLike[str],
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    row: str,
    col: str,
    missing: Literal["error", "drop"] = "error",
    k: int | Sequence[int] = 10,
    metrics: Sequence[str] = DEFAULT,
) -> Evaluation:
    """What ``tacit.metrics.evaluate`` gives for the same model and the same held-out pairs, to the last bit.

    Parameters
    ----------
    client : a ``dask.distributed.Client``
    model : the file of a recommender, which keeps what it was trained on; each worker loads it once
    paths : a path, a glob or a list of them, of held-out pairs; ids that the model does not know, and pairs that it was
        trained on, are left out
    row, col, missing : as ``Interactions.from_table`` has them
    k, metrics : as ``tacit.metrics.evaluate`` has them
    """
    path, cutoffs, names = str(model), check_cutoffs(k), check_metrics(metrics)
    checks.choice("missing", missing, ("error", "drop"))
    tasks = Tasks(client)
    rows = tasks(row_count, path).result()
    ranges = even_chunks(rows, ROWS_PER_RANGE)
    cuts = [tasks(held_out_of, part, path, row, col, missing, ranges) for part in part_paths(paths)]
    held_out = [
        tasks(unseen, [tasks(pick, one, i) for one in cuts], path, start) for i, (start, _) in enumerate(ranges)
    ]
    users = np.concatenate(tasks.results([tasks(users_of, one) for one in held_out]))
    if not len(users):
        raise InputError("paths: the model knows none of these pairs as new ones; check row, col and the files.")
    tally: Tally | None = None
    batches = [users[a:b] for a, b in even_chunks(len(users), BATCH)]
    futures = []
    for batch in batches:
        first, last = int(batch[0]) // ROWS_PER_RANGE, int(batch[-1]) // ROWS_PER_RANGE
        futures.append(tasks(counted, held_out[first : last + 1], batch, path, cutoffs, names))
    for part in tasks.results(futures):
        if tally is None:
            tally = part
        else:
            tally.join(part)
    assert tally is not None
    return tally.result(left_out=rows - len(users))


# -- tasks -----------------------------------------------------------------------------------------------------


def row_count(path: str) -> int:
    """How many rows a recommender knows that remembers what it was trained on."""
    model = loaded(path)
    if not hasattr(model, "seen_"):
        raise InputError(f"model: {path!r} is not a recommender that keeps its positives; give the file of one.")
    return len(model.row_ids_)


def held_out_of(
    part: str, path: str, row: str, col: str, missing: Literal["error", "drop"], ranges: Sequence[tuple[int, int]]
) -> list[sp.csr_array]:
    """The pairs of one part in the model's numbers, by ranges of rows."""
    model = loaded(path)
    given = Interactions.from_table(part, row=row, col=col, missing=missing)
    cells = given.aligned(model.row_ids_, model.col_ids_).matrix.native()
    return [cells[a:b] for a, b in ranges]


def unseen(parts: Sequence[sp.csr_array], path: str, start: int) -> Range:
    """The pairs of a range of rows that the model was not trained on."""
    height, width = parts[0].shape
    indptr, indices, values = take_rows(loaded(path).seen_, np.arange(start, start + height))
    seen = sp.csr_array((values, indices, indptr), shape=(height, width))
    return start, without(as_csr(sum(parts[1:], parts[0]), "paths", allow_empty=True), seen)


def users_of(held_out: Range) -> Array:
    """The rows of a range that have something held out."""
    start, cells = held_out
    return start + np.flatnonzero(np.diff(cells.indptr))


def counted(
    held_out: Sequence[Range], rows: Array, path: str, cutoffs: tuple[int, ...], metrics: tuple[str, ...]
) -> Tally:
    """The tally of one batch of rows."""
    first = held_out[0][0]
    cells = sp.vstack([part for _, part in held_out], format="csr")
    indptr, indices, _ = take_rows(as_csr(cells, "paths", allow_empty=True), rows - first)
    tally = tally_of(loaded(path).seen_, cutoffs, metrics)
    _ranking(path, Path(path).stat().st_mtime_ns, metrics).count(tally, rows, (indptr, indices))
    return tally


@functools.lru_cache(maxsize=1)
def _ranking(path: str, changed: int, metrics: tuple[str, ...]) -> Ranking:
    """How the model ranks, as the file was when it ``changed`` last."""
    model = loaded(path)
    return ranking_of(model, Interactions(model.seen_, model.row_ids_, model.col_ids_), metrics, 1)
