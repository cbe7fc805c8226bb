"""Fit an ordinal ranker: prepare the columns, choose what is open, solve for the coefficients, set the thresholds.

Takes arrays and settings, not the estimator.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.estimators.grade.choose import LARGEST_LOGISTIC, Chosen, choose
from tacit.estimators.grade.maps import column_weights
from tacit.estimators.grade.rows import Rows
from tacit.estimators.grade.selection import LINEAR_SHARE, standardised
from tacit.estimators.grade.settings import Fitted, Settings, Shape, read_priors
from tacit.features.feature_moments import FeatureMap, group_means, scores
from tacit.features.fourier import BLOCK, FourierFeatures
from tacit.features.linear import WithLinear
from tacit.features.trees import WithTrees
from tacit.objective.pairwise import Splits, matched_priors
from tacit.progress import Run, without_clock
from tacit.solvers.all_threshold import solve_logistic_path
from tacit.solvers.ordinal_exact import class_totals, collect_moments, present_priors, solve_path
from tacit.solvers.quadruply import QuadruplyStochastic
from tacit.solvers.stochastic import Descent, RowSampler
from tacit.solvers.temperature import decision_values, fit_temperature
from tacit.solvers.thresholds import thresholds

Vector = NDArray[np.float64]
Codes = NDArray[np.intp]

LARGEST_EXACT = 4_096


@dataclass(frozen=True)
class Solution:
    """Coefficients, the class priors they were found with, and their features where these grew on the way."""

    coefficients: Vector
    priors: Vector
    history: list[dict[str, Any]] | None = None
    features: FeatureMap | None = None


def fit_ordinal(table: Any, codes: Codes, weights: Vector, count: int, settings: Settings) -> Fitted:
    """The whole fit of rows with positive weights; codes are −1 where unlabelled."""
    s = settings
    if len(np.unique(codes[codes >= 0])) < 2:
        raise InputError("y must hold at least two classes among its labelled rows; with one class nothing is ranked.")
    data = Rows(table, codes, weights, count, s)
    width = data.width
    exact = s.solver == "exact" or (s.solver == "auto" and width <= LARGEST_EXACT)
    if exact and width > LARGEST_EXACT:
        raise InputError(
            f"solver='exact' holds a matrix of {width} × {width} features, and at most {LARGEST_EXACT} are allowed; "
            "use solver='stochastic', features='nystrom' or a smaller n_components."
        )
    s.require_used(exact, data.wide)
    priors, match = read_priors(s.class_priors, count)
    chosen = choose(data, priors, match, exact)
    columns = data.columns(chosen.shape.columns, chosen.relevance)
    features: FeatureMap = data.map_of(chosen.shape, columns)
    solve = _solver(chosen.candidate.loss, exact, s.as_printed)
    solution = solve(table, codes, weights, count, features, s, chosen, priors, match)
    w = solution.coefficients
    rows = data.rows
    if solution.features is not None:
        features = solution.features
    unit = 0.0
    if chosen.linear is not None or chosen.trees is not None:
        unit = float(standardised(scores(table[rows], w[:, None], features), weights[rows])[2][0])
    linear = None
    if chosen.linear is not None:
        linear, spread = _linear_score(data, *chosen.linear, weights[rows])
        w, features = np.append(w, LINEAR_SHARE / (1 - LINEAR_SHARE) * unit / spread), WithLinear(features, linear)
        unit /= 1 - LINEAR_SHARE
    if chosen.trees is not None:
        w = _add_trees(table[rows], weights[rows], w, unit, chosen)
        features = WithTrees(features, chosen.trees)
    own, (middle,), (spread,) = standardised(scores(table[rows], w[:, None], features, s.threads), weights[rows])
    evaluated, score = (rows, own[:, 0]) if chosen.choice is None else (chosen.choice.rows, chosen.choice.held_out)
    cuts, slope = cut(score, codes[evaluated], weights[evaluated], count, s.threshold_rule)
    return Fitted(
        kernel=chosen.shape.kernel,
        coefficients=w,
        intercept=-float(middle),
        thresholds=spread * cuts,
        slope=slope / float(spread),
        loss=chosen.candidate.loss,
        bandwidth=float(chosen.shape.bandwidth(columns.scaling)),
        regularization=chosen.strength,
        unlabelled_weight=1 - chosen.candidate.labelled_weight,
        class_prior=solution.priors,
        mean=columns.scaling.mean,
        scale=columns.scaling.scale,
        seed=s.seed,
        selection={} if chosen.choice is None else chosen.choice.report(),
        history=without_clock(chosen.history if solution.history is None else solution.history),
        preparation=columns.name,
        block=s.n_components if s.as_printed else BLOCK,
        tree_share=0.0 if chosen.choice is None else chosen.choice.tree_share,
        linear_share=0.0 if linear is None else LINEAR_SHARE,
        landmarks=data.landmarks_for(chosen.shape, columns),
        knots=columns.scaling.knots,
        column_weights=linear,
        tree_feature=None if chosen.trees is None else chosen.trees.feature,
        tree_threshold=None if chosen.trees is None else chosen.trees.threshold,
        tree_value=None if chosen.trees is None else chosen.trees.value,
    )


def _linear_score(data: Rows, shape: Shape, strength: float, weights: Vector) -> tuple[Vector, float]:
    """Weights of the columns that minimise the logistic loss, and the spread of their score of the labelled rows."""
    known = np.flatnonzero(data.codes >= 0)
    flat = data.map_of(shape, data.prepared(shape.columns))
    mapped = flat.transform(data.table[known])
    w = solve_logistic_path(mapped, data.codes[known], data.weights[known], [strength])[:, 0]
    found = column_weights(flat, w)
    return found, float(standardised((data.table[data.rows] @ found)[:, None], weights)[2][0])


def _add_trees(rows: Any, weights: Vector, w: Vector, unit: float, chosen: Chosen) -> Vector:
    """Coefficients with one more for the trees: both scores in standardised units, mixed by the share chosen.

    unit : what is one in the units of cross-validation in the score so far
    """
    assert chosen.trees is not None and chosen.choice is not None
    share = chosen.choice.tree_share
    _, _, (spread,) = standardised(chosen.trees.score(rows)[:, None], weights)
    if share == 1:
        return np.append(np.zeros_like(w), 1.0 / spread)
    return np.append(w, share / (1 - share) * unit / spread)


def cut(score: Vector, codes: Codes, weights: Vector, count: int, rule: str) -> tuple[Vector, float]:
    """Thresholds and the slope of the probabilities, from scores of labelled rows."""
    cuts = thresholds(score, codes, weights, count, rule)
    return cuts, fit_temperature(decision_values(score, cuts), codes, weights)


def _solver(loss: str, exact: bool, as_printed: bool) -> Callable[..., Solution]:
    if loss == "logistic":
        if not exact:
            raise InputError("solver='stochastic' minimises the squared loss; use loss='square' or solver='exact'.")
        return _solve_logistic
    if as_printed:
        return _descend_as_printed
    return _solve_exactly if exact else _descend


def _solve_exactly(
    table: Any, codes: Codes, weights: Vector, count: int, features: FeatureMap, s: Settings, chosen: Chosen,
    priors: Vector | None, match: bool,
) -> Solution:  # fmt: skip
    data = collect_moments(table, codes, weights, count, features, priors=priors, match=match, threads=s.threads)
    w = solve_path(
        data.quadratic(chosen.candidate.labelled_weight[data.splits.kept]), data.linear(), [chosen.strength]
    )[:, 0]
    return Solution(w, data.splits.priors)


def _solve_logistic(
    table: Any, codes: Codes, weights: Vector, count: int, features: FeatureMap, s: Settings, chosen: Chosen,
    priors: Vector | None, match: bool,
) -> Solution:  # fmt: skip
    known = np.flatnonzero(codes >= 0)
    if len(known) * features.size > LARGEST_LOGISTIC:
        raise InputError(
            f"loss='logistic' holds {len(known)} labelled rows of {features.size} features, more than the "
            f"{LARGEST_LOGISTIC} numbers that are allowed; use loss='square' or a smaller n_components."
        )
    w = solve_logistic_path(features.transform(table[known]), codes[known], weights[known], [chosen.strength])[:, 0]
    return Solution(w, present_priors(class_totals(codes, weights, count), None))


def _descend(
    table: Any, codes: Codes, weights: Vector, count: int, features: FeatureMap, s: Settings, chosen: Chosen,
    priors: Vector | None, match: bool,
) -> Solution:  # fmt: skip
    splits = _splits(table, codes, weights, count, features, s, priors, match)
    descent = Descent(
        features,
        splits,
        chosen.candidate.labelled_weight[splits.kept],
        chosen.strength,
        batch_size=s.batch_size,
        step=s.step,
        seed=s.seed,
    )
    source = RowSampler(table, codes, weights, count)
    descent.measure(source, s.threads)
    with Run("grade", s.iterations, progress=s.progress, callback=s.callback) as run:
        descent.run(source, run)
    return Solution(descent.coefficients, splits.priors, run.history)


def _descend_as_printed(
    table: Any, codes: Codes, weights: Vector, count: int, features: FeatureMap, s: Settings, chosen: Chosen,
    priors: Vector | None, match: bool,
) -> Solution:  # fmt: skip
    assert isinstance(features, FourierFeatures)
    splits = _splits(table, codes, weights, count, features, s, priors, match)
    descent = QuadruplyStochastic(
        features.kernel, s.n_components, features.bandwidth, features.scaling, splits,
        chosen.candidate.labelled_weight[splits.kept], chosen.strength, batch_size=s.batch_size, seed=s.seed,
    )  # fmt: skip
    with Run("grade", s.iterations, progress=s.progress, callback=s.callback) as run:
        descent.run(RowSampler(table, codes, weights, count), run)
    grown = FourierFeatures(
        features.kernel, s.n_components * descent.steps, features.bandwidth, s.seed, features.scaling, s.n_components
    )
    return Solution(descent.coefficients, splits.priors, run.history, grown)


def _splits(
    table: Any, codes: Codes, weights: Vector, count: int, features: FeatureMap, s: Settings, priors: Vector | None,
    match: bool,
) -> Splits:  # fmt: skip
    if match and np.any(codes < 0):
        priors = _matched(table, codes, weights, count, features, s.threads)
    return Splits.of(present_priors(class_totals(codes, weights, count), priors))


def _matched(table: Any, codes: Codes, weights: Vector, count: int, features: FeatureMap, threads: int) -> Vector:
    """The priors under which the labelled classes look like the unlabelled rows, from their means in one pass."""
    groups = np.where(codes < 0, count, codes)
    totals = class_totals(groups, weights, count + 1)
    means = group_means(table, np.arange(len(codes)), weights / totals[groups], groups, count + 1, features, threads)
    return matched_priors(means[:count], means[count], totals[:count] > 0)
