"""``tacit.cluster.recommend``: lists for every row of a model, written by the workers."""

import functools
import math
import os
from pathlib import Path
from typing import Any

from tacit import checks
from tacit.atomic_file import replacing
from tacit.cluster.workers import Tasks
from tacit.errors import InputError
from tacit.estimators.model import load

ROWS_PER_PART = 50_000


def recommend(
    client: Any,
    model: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    k: int = 10,
    exclude_seen: bool = True,
    rows_per_part: int = ROWS_PER_PART,
) -> list[Path]:
    """The k best columns of every row, as Parquet files ``part-00000.parquet``, … with query, rank, id and score.

    Parameters
    ----------
    client : a ``dask.distributed.Client``
    model : the file of a recommender; each worker loads it once, from a place that all can read
    folder : where the parts are written, as workers see it; a part is written at once or not at all
    k, exclude_seen : as ``recommend`` of the model has them
    rows_per_part : rows of the model in one part
    """
    path, there = str(model), Path(folder)
    k, size = checks.integer("k", k, 1), checks.integer("rows_per_part", rows_per_part, 1)
    if not there.parent.is_dir():
        raise InputError(f"folder: {str(there.parent)!r} does not exist; create it first.")
    there.mkdir(exist_ok=True)
    tasks = Tasks(client)
    parts = math.ceil(tasks(row_count, path).result() / size)
    names = [there / f"part-{place:05}.parquet" for place in range(parts)]
    futures = [tasks(written, path, str(name), place * size, size, k, exclude_seen) for place, name in enumerate(names)]
    tasks.results(futures)
    return names


def row_count(path: str) -> int:
    """How many rows a model knows."""
    ids = getattr(loaded(path), "row_ids_", None)
    if ids is None:
        raise InputError(f"model: {path!r} is not a recommender; give the file of one.")
    return len(ids)


def written(path: str, name: str, start: int, size: int, k: int, exclude_seen: bool) -> int:
    """Write the lists of some rows; how many they are."""
    model = loaded(path)
    rows = model.row_ids_[start : start + size]
    ranked = model.recommend(rows, k=k, exclude_seen=exclude_seen)
    with replacing(name) as temporary:
        ranked.to_polars().write_parquet(temporary)
    return len(rows)


def loaded(path: str) -> Any:
    """The model of a file; a worker keeps the last one."""
    return _loaded(path, Path(path).stat().st_mtime_ns)


@functools.lru_cache(maxsize=1)
def _loaded(path: str, changed: int) -> Any:
    """The model as the file was when it ``changed`` last."""
    return load(path)
