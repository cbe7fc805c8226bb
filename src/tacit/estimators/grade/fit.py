"""Fitting an ordinal ranker: scale, choose, solve, cut. Knows arrays and settings, not the estimator."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.estimators.grade.folds import make_folds, selection_rows, usable_folds
from tacit.estimators.grade.maps import BANDWIDTH_STEPS, landmarks_of, make_map, make_small_map
from tacit.estimators.grade.selection import Choice, Trials, cross_validate, standardised
from tacit.estimators.grade.settings import (
    Candidate,
    Fitted,
    Settings,
    Shape,
    candidate_losses,
    candidate_shapes,
    candidate_strengths,
    read_priors,
)
from tacit.features.feature_moments import FeatureMap, group_means, scores
from tacit.features.scaling import Scaling
from tacit.objective.pairwise import Splits, matched_priors
from tacit.progress import Run, without_clock
from tacit.solvers.all_threshold import solve_logistic_path
from tacit.solvers.ordinal_exact import class_totals, collect_moments, present_priors, solve_path
from tacit.solvers.stochastic import Descent, RowSampler
from tacit.solvers.temperature import decision_values, fit_temperature
from tacit.solvers.thresholds import thresholds

Vector = NDArray[np.float64]
Codes = NDArray[np.intp]
MapMaker = Callable[[Shape, int], FeatureMap]

LARGEST_EXACT = 4_096
LARGEST_LOGISTIC = 1 << 25
"""Numbers in the mapped labelled rows, which the logistic loss goes over again and again (256 MiB)."""
_SELECTION_COMPONENTS = 256
_PLAIN_REGULARIZATION = 1e-2


@dataclass(frozen=True)
class Chosen:
    """Kernel, λ, loss and γ, and where they were cross-validated what was seen."""

    shape: Shape
    strength: float
    candidate: Candidate
    choice: Choice | None
    history: list[dict[str, Any]]


@dataclass(frozen=True)
class Solution:
    """Coefficients, and the class priors they were found with."""

    coefficients: Vector
    priors: Vector
    history: list[dict[str, Any]] | None = None


def fit_ordinal(table: Any, codes: Codes, weights: Vector, count: int, settings: Settings) -> Fitted:
    """The whole fit of rows with positive weights; codes are −1 where unlabelled."""
    s = settings
    if len(np.unique(codes[codes >= 0])) < 2:
        raise InputError("y must hold at least two classes among its labelled rows; with one class nothing is ranked.")
    scaling = Scaling.of(table, weights, s.standardise)
    landmarks = None
    if s.features != "fourier" and (s.kernel != "linear" or s.features == "nystrom"):
        landmarks = landmarks_of(s.features, table, codes, weights, scaling, s.n_components, s.seed)
    priors, match = read_priors(s.class_priors, count)

    def landmarks_for(shape: Shape) -> NDArray[np.float64] | None:
        """None where "auto" tries the linear kernel, whose features are the columns themselves."""
        return None if s.kernel == "auto" and shape.kernel == "linear" else landmarks

    def map_of(shape: Shape) -> FeatureMap:
        return make_map(shape.kernel, s.n_components, shape.bandwidth, s.seed, scaling, landmarks_for(shape))

    def small_map_of(shape: Shape, most: int) -> FeatureMap:
        size = min(s.n_components, most)
        return make_small_map(shape.kernel, size, shape.bandwidth, s.seed, scaling, landmarks_for(shape))

    shapes = candidate_shapes(s, scaling)
    width = map_of(shapes[0]).size
    exact = s.solver == "exact" or (s.solver == "auto" and width <= LARGEST_EXACT)
    if exact and width > LARGEST_EXACT:
        raise InputError(
            f"solver='exact' holds a matrix of {width} × {width} features, and at most {LARGEST_EXACT} are allowed; "
            "use solver='stochastic', features='nystrom' or a smaller n_components."
        )
    # The linear kernel comes last and may have more features than the others.
    widest = max(width, map_of(shapes[-1]).size)
    logistic = exact and int(np.count_nonzero(codes >= 0)) * widest <= LARGEST_LOGISTIC
    rows = selection_rows(codes, s.seed)
    chosen = _choose(table, codes, weights, count, s, shapes, small_map_of, rows, priors, match, exact, logistic)
    features = map_of(chosen.shape)
    solve = _solver(chosen.candidate.loss, exact)
    solution = solve(table, codes, weights, count, features, s, chosen, priors, match)
    w = solution.coefficients
    own, (middle,), (spread,) = standardised(scores(table[rows], w[:, None], features, s.threads), weights[rows])
    judged, score = (rows, own[:, 0]) if chosen.choice is None else (chosen.choice.rows, chosen.choice.held_out)
    cuts, slope = cut(score, codes[judged], weights[judged], count, s.threshold_rule)
    return Fitted(
        kernel=chosen.shape.kernel,
        coefficients=w,
        intercept=-float(middle),
        thresholds=spread * cuts,
        slope=slope / float(spread),
        loss=chosen.candidate.loss,
        bandwidth=float(chosen.shape.bandwidth),
        regularization=chosen.strength,
        unlabelled_weight=1 - chosen.candidate.labelled_weight,
        class_prior=solution.priors,
        mean=scaling.mean,
        scale=scaling.scale,
        seed=s.seed,
        selection={} if chosen.choice is None else chosen.choice.report(),
        history=without_clock(chosen.history if solution.history is None else solution.history),
        landmarks=landmarks_for(chosen.shape),
    )


def cut(score: Vector, codes: Codes, weights: Vector, count: int, rule: str) -> tuple[Vector, float]:
    """Thresholds and the slope of the probabilities, from scores of labelled rows."""
    cuts = thresholds(score, codes, weights, count, rule)
    return cuts, fit_temperature(decision_values(score, cuts), codes, weights)


def _choose(
    table: Any, codes: Codes, weights: Vector, count: int, s: Settings, shapes: list[Shape], map_of: MapMaker,
    rows: NDArray[np.intp], priors: Vector | None, match: bool, exact: bool, logistic: bool,
) -> Chosen:  # fmt: skip
    """Cross-validate whatever is not given; with too few labels for that, take plain values and γ = 1."""
    candidates = candidate_losses(s, count, bool(np.any(codes < 0)), logistic)
    begin, more = (usable_folds(folds, codes[rows]) for folds in make_folds(codes, rows, s.cv, s.seed))
    if not begin:
        plain = s.regularization if s.regularization is not None else _PLAIN_REGULARIZATION
        return Chosen(shapes[min(len(shapes) - 1, len(BANDWIDTH_STEPS) // 2)], plain, candidates[0], None, [])
    most = min(_SELECTION_COMPONENTS, max(32, len(rows) // 2))
    maps = [map_of(shape, most) for shape in shapes]
    strengths = candidate_strengths(s, maps[0], table[rows], weights[rows])
    # The stochastic solver's own steps are what its caller wants to hear of.
    callback = s.callback if exact else None
    trials = Trials(
        table, codes, weights, count, maps, candidates, strengths, rows=rows, folds=begin + more, priors=priors,
        match=match, seed=s.seed, threads=s.threads,
    )  # fmt: skip
    with Run("choose", len(maps) + 1, progress=s.progress, callback=callback) as run:
        choice = cross_validate(trials, len(begin), run)
    shape, candidate, strength = choice.place
    return Chosen(shapes[shape], float(strengths[strength]), candidates[candidate], choice, run.history)


def _solver(loss: str, exact: bool) -> Callable[..., Solution]:
    if loss == "logistic":
        if not exact:
            raise InputError("solver='stochastic' minimises the squared loss; use loss='squared' or solver='exact'.")
        return _solve_logistic
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
            f"{LARGEST_LOGISTIC} numbers that are allowed; use loss='squared' or a smaller n_components."
        )
    w = solve_logistic_path(features.transform(table[known]), codes[known], weights[known], [chosen.strength])[:, 0]
    return Solution(w, present_priors(class_totals(codes, weights, count), None))


def _descend(
    table: Any, codes: Codes, weights: Vector, count: int, features: FeatureMap, s: Settings, chosen: Chosen,
    priors: Vector | None, match: bool,
) -> Solution:  # fmt: skip
    totals = class_totals(codes, weights, count)
    if match and np.any(codes < 0):
        priors = _matched(table, codes, weights, count, features, s.threads)
    splits = Splits.of(present_priors(totals, priors))
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


def _matched(table: Any, codes: Codes, weights: Vector, count: int, features: FeatureMap, threads: int) -> Vector:
    """The priors under which the labelled classes look like the unlabelled rows, from their means in one pass."""
    groups = np.where(codes < 0, count, codes)
    totals = class_totals(groups, weights, count + 1)
    means = group_means(table, np.arange(len(codes)), weights / totals[groups], groups, count + 1, features, threads)
    return matched_priors(means[:count], means[count], totals[:count] > 0)
