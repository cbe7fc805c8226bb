"""A ``FactorRecommender`` on a cluster: shards, recipe, sweeps, and the model at the end."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.cluster import shards, sweeps
from tacit.cluster.layout import Layout, lay_out, positives_of
from tacit.cluster.sweeps import Factors, Rows, Sweeps
from tacit.cluster.training import file_fingerprint, train
from tacit.cluster.workers import Tasks
from tacit.data.events import Duplicates
from tacit.data.parts import Columns
from tacit.errors import UnsoundCombinationError
from tacit.estimators import needs
from tacit.estimators.recommend import whole_data_fit
from tacit.estimators.recommend.factor_recommender import FactorRecommender
from tacit.estimators.recommend.settings import FitSettings
from tacit.estimators.recommend.tower_design import Learned
from tacit.estimators.recommend.whole_data_fit import Fitted
from tacit.estimators.training import RunSettings
from tacit.objective.frequencies import Frequencies
from tacit.objective.recipes import Recipe
from tacit.solvers import als

Array = NDArray[Any]


def fit(
    tasks: Tasks, model: FactorRecommender, paths: Sequence[str], columns: Columns, duplicates: Duplicates
) -> FactorRecommender:
    """Fit the model on the workers."""
    settings = FitSettings.read(model.get_params(deep=False))
    needs.require_used(model, contexts=False, graphs=False, both_weights=False)
    _require_simple(settings)
    layout = lay_out(tasks, paths, columns, duplicates, settings.factors)
    recipe = settings.recipe(_frequencies(tasks, layout, settings))
    problem = _problem(tasks, layout, settings, recipe)
    mark = ""
    if settings.checkpoint is not None:
        mark = file_fingerprint(settings.shaping() | {"columns": columns, "duplicates": duplicates}, paths)
    run = RunSettings(
        settings.iterations, settings.tolerance, 0, settings.progress, settings.callback, settings.checkpoint
    )
    first = _start(tasks, layout, settings)
    _, of_cols, history = train(problem, first, layout.starts, run, mark)
    rows = np.concatenate([shard.result() for shard in problem.solve_rows(of_cols)])
    learned = Learned(rows, of_cols.whole[0].result(), None, None, {})
    row_weight, col_weight = tasks.results([problem.rows.weight, problem.cols.weight])
    caches = whole_data_fit.row_caches(rows, row_weight, recipe, settings.threads)
    fitted = Fitted(learned, history, settings.solver, recipe, row_weight, col_weight, caches)
    return model.adopt(positives_of(layout), fitted)


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
        parts = tasks.spread(shards.masses_of, layout.shards[own], *arguments, places=layout.places[own])
        masses.append(np.concatenate(tasks.results(parts)))
    return Frequencies(layout.counts, (masses[0], masses[1]), layout.smallest)


def _problem(tasks: Tasks, layout: Layout, settings: FitSettings, recipe: Recipe) -> Sweeps:
    """The objective of every shard."""
    sides = []
    for own, other, rule in ((0, 1, recipe.rows), (1, 0, recipe.cols)):
        others = len(layout.counts[other])
        arguments = (rule, others, settings.positive_weight, layout.smallest, settings.loss, recipe.unlabelled_target)
        parts = tasks.spread(shards.side_of, layout.shards[own], *arguments, places=layout.places[own])
        weight = tasks(sweeps.concatenated, [tasks(sweeps.own_weight, part) for part in parts])
        sides.append(Rows(parts, layout.places[own], weight, len(layout.counts[own])))
    solver = als.AlternatingLeastSquares()
    return Sweeps(tasks, sides[0], sides[1], solver, settings.loss, settings.factors, recipe.unlabelled_target)


def _start(tasks: Tasks, layout: Layout, settings: FitSettings) -> tuple[Factors, Factors]:
    """The factors that ``whole_data_fit`` begins with: none of the rows, random ones of the columns."""
    whole = tasks(whole_data_fit.random_factors, len(layout.col_ids), settings.factors, settings.seed)
    cols = [tasks(sweeps.as_improved, whole, int(a), int(b)) for a, b in pairwise(layout.starts[1])]
    return Factors([None] * len(layout.shards[0])), Factors(cols, [whole] * tasks.workers)
