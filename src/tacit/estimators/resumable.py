"""A training loop that watches held-out data, writes checkpoints and goes on from one to the same bits."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from tacit.estimators.checkpoint import Checkpoint
from tacit.estimators.recommend.held_out import HeldOut
from tacit.progress import Run

if TYPE_CHECKING:
    from tacit.estimators.recommend.factor_recommender import FactorRecommender

Array = NDArray[Any]


def train(
    model: "FactorRecommender",
    iterations: int,
    held_out: HeldOut | None,
    point: Checkpoint,
    *,
    restore: Callable[[dict[str, Array]], None],
    parameters: Callable[[], dict[str, Array]],
    state: Callable[[], dict[str, Array]] = dict,
    factors: Callable[[], tuple[Array, Array]],
    loop: Callable[..., None],
) -> list[dict[str, Any]]:
    """Run a solver's loop; its history.

    parameters, state : what is learned, and what the solver remembers beside it
    restore : puts the arrays of both, or of the first alone, back to where training works
    factors : P and Q as they stand, for the held-out cells
    loop : called with the run and what ``alternate`` of ``solvers.als`` and ``solvers.alternation`` both take

    With ``held_out`` the parameters end as they were after its best sweep.
    """
    history: list[dict[str, Any]] = []
    if earlier := point.read():
        history, arrays = earlier
        restore(arrays)
        if held_out:
            held_out.resume(history, arrays)
    with Run("fit", iterations, progress=model.progress, callback=model.callback, history=history) as run:

        def stop_when_exhausted() -> None:
            if held_out and held_out.exhausted:
                run.stop()

        def after_sweep() -> dict[str, Any]:
            record = held_out.watch(*factors(), parameters()) if held_out else {}
            stop_when_exhausted()
            return record

        def keep(*, now: bool = False) -> None:
            best = held_out.arrays() if held_out else {}
            point.write(run.history, parameters() | state() | best, now=now)

        # A fit that had ended by its patience and is called again must not go on.
        stop_when_exhausted()
        loop(
            run, tolerance=model.tolerance, start=len(history), after_sweep=after_sweep, after_report=keep,
            n_threads=model.threads,
        )  # fmt: skip
        if run.history:
            keep(now=True)
        if held_out and held_out.kept:
            restore(held_out.kept)
        return run.history
