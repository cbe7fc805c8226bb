"""Run a solver with progress, callback, held-out data and checkpoints.

Every estimator that is fitted by ``solvers.alternation`` calls ``train``. A fit that resumes from a checkpoint ends
with the same bits as one that was never interrupted.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from tacit.estimators.checkpoint import Checkpoint, below, prefixed
from tacit.objective.two_towers import Parameters, TwoTowers
from tacit.progress import Callback, Run
from tacit.solvers.alternation import Solver, alternate

Array = NDArray[Any]

SOLVER = "solver "
"""In a checkpoint: begins the names of what the solver remembers."""


@dataclass(frozen=True)
class RunSettings:
    """What belongs to a run and not to the model.

    iterations, tolerance : sweeps at most, and the relative change of J that ends them
    threads, progress, callback, checkpoint : as every estimator has them
    """

    iterations: int
    tolerance: float = 0.0
    threads: int = 0
    progress: bool | None = None
    callback: Callback | None = None
    checkpoint: str | os.PathLike[str] | None = None


class Watch(Protocol):
    """What decides after each sweep which parameters were best, and when to stop (``recommend.held_out``)."""

    kept: dict[str, Array]
    """The parameters after the best sweep."""

    @property
    def exhausted(self) -> bool:
        """Whether to stop."""

    def watch(self, row_factors: Array, col_factors: Array, parameters: dict[str, Array]) -> dict[str, float]:
        """Measure the factors after a sweep; what it returns joins the record of the sweep."""

    def arrays(self) -> dict[str, Array]:
        """What a checkpoint keeps of this."""

    def resume(self, history: list[dict[str, Any]], arrays: dict[str, Array]) -> None:
        """Go on after the sweeps in ``history``."""


def train(
    problem: TwoTowers,
    parameters: Parameters,
    solver: Solver,
    settings: RunSettings,
    *,
    label: str = "fit",
    fingerprint: str = "",
    watch: Watch | None = None,
) -> list[dict[str, Any]]:
    """Improve the parameters in place; the history.

    ``fingerprint`` says whose checkpoint it is. With a ``watch`` the parameters end as they were after its best sweep.
    """
    checkpoint = Checkpoint(settings.checkpoint, fingerprint)
    learned = {"rows": parameters.rows, "cols": parameters.cols}
    history: list[dict[str, Any]] = []
    if earlier := checkpoint.read(learned):
        history, arrays = earlier
        _put_back(learned, arrays)
        try:
            solver.restore(below(arrays, SOLVER))
            if watch:
                watch.resume(history, arrays)
                if watch.kept and watch.kept.keys() != learned.keys():
                    raise KeyError("a part of the best sweep is missing")
        except (KeyError, TypeError, ValueError) as error:
            raise checkpoint.damaged(f"{type(error).__name__}: {error}") from error
    run = Run(label, settings.iterations, progress=settings.progress, callback=settings.callback, history=history)
    if earlier:
        run.tell(checkpoint.resumes(len(history), settings.iterations))

    def stop_when_exhausted() -> None:
        if watch and watch.exhausted:
            run.stop()

    def after_sweep() -> dict[str, Any]:
        record = watch.watch(*problem.factors(parameters, settings.threads), learned) if watch else {}
        stop_when_exhausted()
        return record

    def keep(*, now: bool = False) -> None:
        best = watch.arrays() if watch else {}
        checkpoint.write(run.history, learned | prefixed(SOLVER, solver.state()) | best, now=now)

    with run:
        # A fit that had ended by its patience and is called again must not go on.
        stop_when_exhausted()
        alternate(
            problem, parameters, solver, run, tolerance=settings.tolerance, after_sweep=after_sweep, after_report=keep,
            n_threads=settings.threads,
        )  # fmt: skip
        if run.history:
            keep(now=True)
        if watch and watch.kept:
            _put_back(learned, watch.kept)
    return run.history


def _put_back(learned: dict[str, Array], arrays: Mapping[str, Array]) -> None:
    for name, array in learned.items():
        array[:] = arrays[name]
