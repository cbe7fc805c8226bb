"""Sweeps with progress and checkpoints, for every job that alternates on a cluster."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.cluster import sweeps
from tacit.cluster.sweeps import Factors, Sweeps
from tacit.cluster.workers import Tasks
from tacit.estimators.checkpoint import Checkpoint, fingerprint
from tacit.estimators.training import RunSettings
from tacit.progress import Run

Array = NDArray[Any]


def train(
    problem: Sweeps,
    first: tuple[Factors, Factors],
    starts: tuple[Array, Array],
    settings: RunSettings,
    mark: str,
    label: str = "fit",
) -> tuple[Factors, Factors, list[dict[str, Any]]]:
    """Factors of rows and of columns after the last sweep, and the history.

    ``first`` are those to begin with where there is no checkpoint; ``starts`` the first row of each shard of both
    sides, and their number at the end; ``mark`` says whose checkpoint it is.
    """
    checkpoint = Checkpoint(settings.checkpoint, mark)
    history: list[dict[str, Any]] = []
    own = dict(zip(("rows", "cols"), first))
    sizes = dict(zip(own, (int(side[-1]) for side in starts)))
    g = problem.factors
    if earlier := checkpoint.read({name: np.empty(n * g, dtype=np.float32) for name, n in sizes.items()}):
        history, arrays = earlier
        own = {name: from_array(problem.tasks, arrays[name].reshape(-1, g), side) for name, side in zip(sizes, starts)}
    problem.measure(problem.cols, own["cols"])
    run = Run(label, settings.iterations, progress=settings.progress, callback=settings.callback, history=history)
    if earlier:
        run.tell(checkpoint.resumes(len(history), settings.iterations))

    def keep(*, now: bool = False) -> None:
        if now or checkpoint.is_due:
            arrays = {name: np.concatenate(_gathered(one)).reshape(-1) for name, one in own.items()}
            checkpoint.write(run.history, arrays, now=True)

    with run:
        problem.run(own["rows"], own["cols"], run, settings.tolerance, keep)
        if settings.checkpoint is not None and run.history:
            keep(now=True)
    return own["rows"], own["cols"], run.history


def from_array(tasks: Tasks, factors: Array, starts: Array) -> Factors:
    """Known factors on the workers, shard by shard."""
    # A task per shard that carries its factors: data that were merely sent would be lost with their worker.
    shards = [tasks(sweeps.as_improved, factors[a:b]) for a, b in pairwise(starts)]
    return Factors(shards, tasks.everywhere(sweeps.assembled, shards))


def file_fingerprint(parameters: dict[str, Any], paths: Sequence[str]) -> str:
    """A fingerprint of parameters and of files as they were written."""
    files = [(path, Path(path).stat().st_size, Path(path).stat().st_mtime_ns) for path in paths]
    return fingerprint(parameters | {"files": files})


def _gathered(factors: Factors) -> list[Array]:
    return [shard.result()[0] for shard in factors.shards]
