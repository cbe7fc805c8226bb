"""Choose the kernel, its bandwidth, λ, the loss, γ, the preparation of columns, and whether to add trees.

Whatever the settings leave open is chosen by cross-validation on the labelled rows (``selection``).
"""

from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.estimators.grade.columns import relevance
from tacit.estimators.grade.fold_trees import FoldTrees
from tacit.estimators.grade.folds import make_folds, usable_folds
from tacit.estimators.grade.maps import BANDWIDTH_STEPS
from tacit.estimators.grade.rows import Rows
from tacit.estimators.grade.selection import Choice, MapSource, Plan, Trials, cross_validate
from tacit.estimators.grade.settings import (
    Candidate,
    Shape,
    candidate_losses,
    candidate_shapes,
    candidate_strengths,
)
from tacit.features.feature_moments import FeatureMap
from tacit.features.trees import BoostedTrees
from tacit.progress import Run

Vector = NDArray[np.float64]

LARGEST_LOGISTIC = 1 << 25
"""Numbers in the mapped labelled rows, which the logistic loss goes over again and again (256 MiB)."""
_SELECTION_COMPONENTS = 256
_PLAIN_REGULARIZATION = 1e-2


@dataclass(frozen=True)
class Chosen:
    """Kernel, λ, loss, γ, the linear kernel and its λ, trees, and where they were cross-validated what was seen."""

    shape: Shape
    strength: float
    candidate: Candidate
    choice: Choice | None
    history: list[dict[str, Any]]
    linear: tuple[Shape, float] | None = None
    trees: BoostedTrees | None = None
    relevance: Vector | None = None


def choose(data: Rows, priors: Vector | None, match: bool, exact: bool) -> Chosen:
    """Cross-validate whatever is not given; with too few labels for that, take plain values and γ = 1."""
    s, codes, rows, weights = data.settings, data.codes, data.rows, data.weights
    shapes = candidate_shapes(s, data.names[0])
    opening = len(shapes)
    # The linear kernel comes last and may have more features than the others.
    widest = max(data.width, data.table.shape[1] if shapes[-1].kernel == "linear" else 0)
    logistic = exact and int(np.count_nonzero(codes >= 0)) * widest <= LARGEST_LOGISTIC
    candidates = candidate_losses(s, data.count, bool(np.any(codes < 0)), logistic)
    begin, more = (usable_folds(folds, codes[rows]) for folds in make_folds(codes, rows, s.cv, s.seed))
    if not begin:
        plain = s.regularization if s.regularization is not None else _PLAIN_REGULARIZATION
        return Chosen(shapes[min(opening - 1, len(BANDWIDTH_STEPS) // 2)], plain, candidates[0], None, [])
    grown = None
    if data.may_grow_trees and exact:
        grown = FoldTrees(data.table[rows], codes[rows], weights[rows], begin + more, s.seed)
    others = []
    for name in [*data.names[1:], *(["relevance"] if grown and "standard" in data.names else [])]:
        more_shapes = candidate_shapes(s, name)
        others.append(range(len(shapes), len(shapes) + len(more_shapes)))
        shapes = [*shapes, *more_shapes]
    most = min(_SELECTION_COMPONENTS, max(32, len(rows) // 2))
    maps = [_source(data, shape, grown, most) for shape in shapes]
    strengths = candidate_strengths(s, maps[0].make(0), data.table[rows], weights[rows])
    # The stochastic solver's own steps are what its caller wants to hear of.
    callback = s.callback if exact else None
    trials = Trials(
        data.table, codes, weights, data.count, maps, candidates, strengths, rows=rows, folds=begin + more,
        priors=priors, match=match, seed=s.seed, threads=s.threads,
    )  # fmt: skip
    linear = opening - 1 if exact and data.may_mix_linear and shapes[opening - 1].kernel == "linear" else None
    plan = Plan(len(begin), opening, others, linear, grown)
    with Run("choose", plan.steps, progress=s.progress, callback=callback) as run:
        choice = cross_validate(trials, plan, run)
    shape, candidate, strength = choice.place
    trees = None
    if grown is not None and (choice.tree_share or shapes[shape].columns == "relevance"):
        labelled = np.flatnonzero(codes >= 0)
        target = codes[labelled].astype(np.float64)
        trees = BoostedTrees.grow(data.table[labelled], target, weights[labelled], s.seed)
    added = None if choice.linear is None else (shapes[choice.linear[0]], float(strengths[choice.linear[2]]))
    return Chosen(
        shapes[shape], float(strengths[strength]), candidates[candidate], choice, run.history, added,
        trees if choice.tree_share else None, None if trees is None else relevance(trees),
    )  # fmt: skip


def _source(data: Rows, shape: Shape, grown: FoldTrees | None, most: int) -> MapSource:
    """The small map of a shape, made when it is tried."""
    if shape.columns == "relevance":
        assert grown is not None
        return MapSource(partial(_relevant_map, data, shape, grown, most), per_fold=True)
    made = cache(partial(data.small_map_of, shape, data.prepared(shape.columns), most))
    return MapSource(lambda fold: made())


def _relevant_map(data: Rows, shape: Shape, grown: FoldTrees, most: int, fold: int) -> FeatureMap:
    columns = data.columns("relevance", relevance(grown.of(fold)))
    return data.small_map_of(shape, columns, most)
