"""A ``FactorRecommender`` on a cluster: shards, recipe, sweeps, and the model at the end."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.cluster import shards, sweeps
from tacit.cluster.layout import Layout, lay_out
from tacit.cluster.sweeps import Factors, Rows, Sweeps
from tacit.cluster.workers import Tasks
from tacit.data.events import Duplicates
from tacit.data.interactions import Interactions
from tacit.data.matrix import proved_csr
from tacit.data.parts import Columns
from tacit.errors import UnsoundCombinationError
from tacit.estimators.checkpoint import Checkpoint, fingerprint
from tacit.estimators.recommend import whole_data_fit
from tacit.estimators.recommend.factor_recommender import FactorRecommender
from tacit.estimators.recommend.settings import FitSettings
from tacit.estimators.recommend.tower_design import Learned
from tacit.estimators.recommend.whole_data_fit import Fitted
from tacit.objective.frequencies import Frequencies
from tacit.objective.recipes import Recipe
from tacit.progress import Run
from tacit.solvers import als

Array = NDArray[Any]


def fit(
    tasks: Tasks, model: FactorRecommender, paths: Sequence[str], columns: Columns, duplicates: Duplicates
) -> FactorRecommender:
    """Fit the model on the workers."""
    settings = FitSettings.read(model.get_params(deep=False))
    _require_simple(settings)
    mark = "" if settings.checkpoint is None else _fingerprint(settings, paths, columns, duplicates)
    checkpoint = Checkpoint(settings.checkpoint, mark)
    layout = lay_out(tasks, paths, columns, duplicates, settings.factors)
    recipe = settings.recipe(_frequencies(tasks, layout, settings))
    problem = _problem(tasks, layout, settings, recipe)
    of_rows, of_cols, history = _start(tasks, problem, layout, settings, checkpoint)
    run = Run("fit", settings.iterations, progress=settings.progress, callback=settings.callback, history=history)

    def keep(*, now: bool = False) -> None:
        if now or checkpoint.is_due:
            arrays = {name: _gathered(own).reshape(-1) for name, own in (("rows", of_rows), ("cols", of_cols))}
            checkpoint.write(run.history, arrays, now=True)

    with run:
        problem.run(of_rows, of_cols, run, settings.tolerance, keep)
        if settings.checkpoint is not None and run.history:
            keep(now=True)
    rows = np.concatenate([shard.result() for shard in problem.solve_rows(of_cols)])
    learned = Learned(rows, of_cols.whole.result(), None, None, {})
    row_weight, col_weight = tasks.results([problem.rows.weight, problem.cols.weight])
    caches = whole_data_fit.row_caches(rows, row_weight, recipe, settings.threads)
    fitted = Fitted(learned, run.history, settings.solver, recipe, row_weight, col_weight, caches)
    return model.keep(_interactions(tasks, layout), fitted)


def _require_simple(settings: FitSettings) -> None:
    """Refuse what is not a task per shard, and say what it is."""
    asked = {
        f"loss={settings.loss.name!r}": not settings.loss.quadratic,
        f"solver={settings.solver!r}": settings.solver != "als",
        f"unlabelled={settings.unlabelled!r}": settings.unlabelled != "all",
        "biases=True": settings.biases,
        "ids=False": not settings.ids,
        "exact_rows=False": not settings.exact_rows,
        f"held_out={settings.held_out:g}": settings.held_out > 0,
    }
    for what, is_asked in asked.items():
        if is_asked:
            raise UnsoundCombinationError(
                f"{what} does not run on a cluster, which solves plain ids under loss='square' by solver='als'; "
                "leave it out, or fit in one process."
            )


def _frequencies(tasks: Tasks, layout: Layout, settings: FitSettings) -> Frequencies:
    """Counts are known; masses are added up where the positives are."""
    masses = []
    for own, other in ((0, 1), (1, 0)):
        arguments = (len(layout.counts[other]), settings.positive_weight, layout.smallest)
        futures = [tasks(shards.masses_of, shard, *arguments, place=i) for i, shard in enumerate(layout.shards[own])]
        masses.append(np.concatenate(tasks.results(futures)))
    return Frequencies(layout.counts, (masses[0], masses[1]), layout.smallest)


def _problem(tasks: Tasks, layout: Layout, settings: FitSettings, recipe: Recipe) -> Sweeps:
    """The objective of every shard."""
    sides = []
    for own, other, rule in ((0, 1, recipe.rows), (1, 0, recipe.cols)):
        others = len(layout.counts[other])
        arguments = (rule, others, settings.positive_weight, layout.smallest, settings.loss, recipe.unlabelled_target)
        parts = [tasks(shards.side_of, shard, *arguments, place=i) for i, shard in enumerate(layout.shards[own])]
        weight = tasks(sweeps.concatenated, [tasks(sweeps.own_weight, part) for part in parts])
        sides.append(Rows(parts, weight, len(layout.counts[own])))
    solver = als.AlternatingLeastSquares()
    return Sweeps(tasks, sides[0], sides[1], solver, settings.loss, settings.factors, recipe.unlabelled_target)


def _start(
    tasks: Tasks, problem: Sweeps, layout: Layout, settings: FitSettings, checkpoint: Checkpoint
) -> tuple[Factors, Factors, list[dict[str, Any]]]:
    """Factors and history as they are in the checkpoint; without one the start of ``whole_data_fit``."""
    g = settings.factors
    sizes = {"rows": len(layout.row_ids), "cols": len(layout.col_ids)}
    history: list[dict[str, Any]] = []
    if earlier := checkpoint.read({name: np.empty(n * g, dtype=np.float32) for name, n in sizes.items()}):
        history, arrays = earlier
        # A task per shard that carries its factors: data that were merely sent would be lost with their worker.
        rows, cols = (
            Factors([tasks(sweeps.as_improved, arrays[name].reshape(-1, g)[a:b]) for a, b in pairwise(starts)])
            for name, starts in zip(sizes, layout.starts)
        )
        cols.whole = tasks(sweeps.assembled, cols.shards)
    else:
        whole = tasks(whole_data_fit.random_factors, sizes["cols"], g, settings.seed)
        rows = Factors([None] * len(layout.shards[0]))
        cols = Factors([tasks(sweeps.as_improved, whole, int(a), int(b)) for a, b in pairwise(layout.starts[1])], whole)
    problem.measure(problem.cols, cols)
    return rows, cols, history


def _gathered(factors: Factors) -> Array:
    return np.concatenate([shard.result()[0] for shard in factors.shards])


def _interactions(tasks: Tasks, layout: Layout) -> Interactions:
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


def _fingerprint(settings: FitSettings, paths: Sequence[str], columns: Columns, duplicates: Duplicates) -> str:
    """Whose checkpoint it is: these parameters on these files, as they were written."""
    files = [(path, Path(path).stat().st_size, Path(path).stat().st_mtime_ns) for path in paths]
    return fingerprint(settings.shaping() | {"files": files, "columns": columns, "duplicates": duplicates})
