"""Choosing bandwidth, λ, loss and γ by cross-validation on the labelled rows, in two rounds.

The first round tries every map without unlabelled pairs (unless their weight is given), which is cheap: a fold of the
squared loss gathers moments of its few labelled rows and one eigendecomposition gives the whole path over λ; the
logistic loss takes a few Newton steps per λ. The second round goes on with the best maps of each loss alone, without
the squared loss where it is behind by more than a standard error: as many folds again, since five know an AUC too badly
to tell neighbours apart, and the candidates with unlabelled pairs, for which (at most 5,000) unlabelled rows are mapped
once per map and round and their moments reused in every fold.

Where both losses are left the squared one has to lead by more than a standard error, since with few labels it wins by
chance more often than by merit. γ = 1, which ignores the unlabelled rows, is always among the candidates and wins ties;
what it would have reached is kept beside the winner's figure.

Held-out scores of the chosen candidate come back as well: thresholds and probabilities are fitted to them, since
scores of rows that were trained on flatter. Models of different folds differ in scale, the more so the less they are
regularised, so each one's scores are given in its own units: zero mean and unit variance over all labelled rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import threads as pool
from tacit.estimators.grade.folds import Fold
from tacit.estimators.grade.settings import Candidate
from tacit.features.feature_moments import FeatureMap
from tacit.metrics.ordinal import ordinal_auc
from tacit.objective.pairwise import Moments, Splits, matched_priors
from tacit.progress import Run
from tacit.solvers.all_threshold import principal_axes, solve_logistic_path
from tacit.solvers.ordinal_exact import class_totals, present_priors, solve_path, unlabelled_moments

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Codes = NDArray[np.intp]
Place = tuple[int, int, int]

MOST_UNLABELLED = 5_000
MAPS_KEPT = 2
"""Maps per loss that the second round goes on with."""
_TIE = 1e-9
_LOGISTIC_TOLERANCE = 1e-4
"""Enough to rank candidates: the score moves by about a hundredth of the distance between thresholds."""


@dataclass(frozen=True)
class Choice:
    """What cross-validation found.

    ``scores`` (maps, losses and γ, λ) are mean ordinal AUCs over the folds, NaN for what was not tried to the end;
    ``place`` is the winner there and ``labelled_only`` the best of γ = 1. ``held_out`` are the winner's scores of
    ``rows`` by models that had not seen them, in each model's own units; a row that two folds held out is there twice.
    ``tried`` counts the candidates of either round.
    """

    place: Place
    labelled_only: Place | None
    scores: NDArray[np.float64]
    rows: NDArray[np.intp]
    held_out: Vector
    tried: int

    def report(self) -> dict[str, Any]:
        """Cross-validated AUC of the winner and of the best that ignores unlabelled rows."""
        report: dict[str, Any] = {"auc": float(self.scores[self.place]), "candidates": self.tried}
        if self.labelled_only is not None:
            report["auc_labelled_only"] = float(self.scores[self.labelled_only])
        return report


@dataclass
class Trials:
    """Candidates on folds of the labelled ``rows``, and what was seen of those that were tried.

    ``areas`` (folds, maps, candidates, λ) are NaN where nothing was tried; ``held_out`` has the scores of a fold's
    test rows, one column for every λ, by (map, candidate, fold).
    """

    table: Any
    codes: Codes
    weights: Vector
    count: int
    maps: Sequence[FeatureMap]
    candidates: Sequence[Candidate]
    regularizations: Sequence[float]
    rows: NDArray[np.intp]
    folds: Sequence[Fold]
    priors: Vector | None = None
    match: bool = False
    seed: int = 0
    threads: int = 0
    labels: Codes = field(init=False)
    label_weights: Vector = field(init=False)
    areas: NDArray[np.float64] = field(init=False)
    held_out: dict[tuple[int, int, int], Matrix] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.labels, self.label_weights = self.codes[self.rows], self.weights[self.rows]
        shape = (len(self.folds), len(self.maps), len(self.candidates), len(self.regularizations))
        self.areas = np.full(shape, np.nan)

    def take(self, number: int, tasks: Sequence[tuple[int, int]]) -> None:
        """Try pairs of a candidate and a fold with one map; what was tried before is left as it is."""
        tasks = [(g, f) for g, f in tasks if (number, g, f) not in self.held_out]
        if not tasks:
            return
        features = self.maps[number]
        mapped = features.transform(self.table[self.rows])
        with pool.single_threaded_blas():
            # Turning the features changes no model, and along these axes no fold has to look for its own.
            axes = principal_axes(mapped, self.label_weights / self.label_weights.sum())[1]
            mapped = mapped @ axes
        unlabelled = None
        if self.match or not all(self.candidates[g].ignores_unlabelled for g, _ in tasks):
            unlabelled = self._unlabelled(features, axes)
        with pool.single_threaded_blas():
            scored = pool.run(lambda g, f: self._score(mapped, unlabelled, g, f), tasks, self.threads)
        for (g, f), columns in zip(tasks, scored):
            test = self.folds[f][1]
            self.held_out[number, g, f] = columns
            self.areas[f, number, g] = [
                ordinal_auc(self.labels[test], column, self.label_weights[test]) for column in columns.T
            ]

    def _unlabelled(self, features: FeatureMap, axes: Matrix) -> tuple[Vector, Matrix] | None:
        rest = np.flatnonzero(self.codes < 0)
        if len(rest) > MOST_UNLABELLED:
            rest = np.sort(np.random.default_rng(self.seed).choice(rest, MOST_UNLABELLED, replace=False))
        if not len(rest):
            return None
        mean, second = unlabelled_moments(self.table, rest, self.weights[rest], features, self.threads)
        with pool.single_threaded_blas():
            return mean @ axes, axes.T @ second @ axes

    def _score(self, mapped: Matrix, unlabelled: tuple[Vector, Matrix] | None, which: int, fold: int) -> Matrix:
        """Scores of the fold's test rows by the models of all λ, each in units of its scores of all labelled rows."""
        train, test = self.folds[fold]
        one = self.candidates[which]
        known = mapped[train], self.labels[train], self.label_weights[train]
        if one.loss == "logistic":
            path = solve_logistic_path(*known, self.regularizations, _LOGISTIC_TOLERANCE, principal=True)
        else:
            data = _fold_moments(*known, self.count, unlabelled, self.priors, self.match)
            quadratic = data.quadratic(one.labelled_weight[data.splits.kept])
            path = solve_path(quadratic, data.linear(), self.regularizations)
        return standardised(mapped @ path, self.label_weights)[0][test]

    def choice(self, tried: Sequence[int]) -> Choice:
        """The winner of the folds ``tried``, among candidates that were tried in all of them."""
        areas = self.areas[list(tried)]
        losses = [one.loss for one in self.candidates]
        place = winner(areas, losses)
        cautious = np.array([one.ignores_unlabelled for one in self.candidates])[:, None]
        plain = None
        if np.isfinite(np.where(cautious, areas, np.nan).mean(axis=0)).any():
            plain = winner(np.where(cautious, areas, np.nan), losses)
        m, g, r = place
        rows = np.concatenate([self.rows[self.folds[f][1]] for f in tried])
        held_out = np.concatenate([self.held_out[m, g, f][:, r] for f in tried])
        return Choice(place, plain, areas.mean(axis=0), rows, held_out, int(np.isfinite(self.areas).any(axis=0).sum()))


def cross_validate(trials: Trials, begin: int, run: Run) -> Choice:
    """Two rounds over the candidates, the first on the first ``begin`` folds.

    ``run`` has one iteration per map and one for the second round.
    """
    first, every = range(begin), range(len(trials.folds))
    plain = [g for g, one in enumerate(trials.candidates) if one.ignores_unlabelled]
    opening = plain or list(range(len(trials.candidates)))
    tried: Sequence[int] = first
    for number in run.iterations():
        if number < len(trials.maps):
            trials.take(number, [(g, f) for f in first for g in opening])
        else:
            losses = [one.loss for one in trials.candidates]
            for m, loss in still_open(trials.areas[:begin], losses):
                trials.take(m, [(g, f) for f in every for g, other in enumerate(losses) if other == loss])
            tried = every
        run.report(auc=float(np.nanmax(trials.areas[list(tried)].mean(axis=0))))
    return trials.choice(tried)


def still_open(areas: NDArray[np.float64], losses: Sequence[str]) -> list[tuple[int, str]]:
    """Maps and losses worth a second round: the best maps of a loss.

    The squared loss, which would have to lead, is left out where it is behind by more than a standard error.
    """
    means = areas.mean(axis=0)
    best = _best_of_losses(means, losses)
    if len(best) == 2:
        lead, error = _lead(areas, best)
        if lead < -error:
            del best["squared"]
    found = []
    for loss in best:
        own = means[:, [one == loss for one in losses]]
        reached = np.where(np.isfinite(own), own, -np.inf).max(axis=(1, 2))
        order = np.argsort(-reached, kind="stable")[:MAPS_KEPT]
        found += [(int(m), loss) for m in order if np.isfinite(reached[m])]
    return found


def _fold_moments(
    mapped: Matrix, labels: Codes, weights: Vector, count: int, unlabelled: tuple[Vector, Matrix] | None,
    priors: Vector | None, match: bool,
) -> Moments:  # fmt: skip
    totals = class_totals(labels, weights, count)
    shares = weights / totals[labels]
    members = np.zeros((count, len(labels)))
    members[labels, np.arange(len(labels))] = shares
    means = members @ mapped
    if match and unlabelled is not None:
        priors = matched_priors(means, unlabelled[0], totals > 0)
    splits = Splits.of(present_priors(totals, priors))
    rooted = mapped * np.sqrt(splits.class_weight[labels] * shares)[:, None]
    mean_u, second_u = unlabelled if unlabelled is not None else (None, None)
    return Moments(splits, means, rooted.T @ rooted, mean_u, second_u)


def standardised(scores: Matrix, weights: Vector) -> tuple[Matrix, Vector, Vector]:
    """Every column less its weighted mean and over its weighted deviation; both come back as well.

    >>> standardised(np.array([[1.0], [3.0]]), np.ones(2))
    (array([[-1.],
           [ 1.]]), array([2.]), array([1.]))
    """
    shares = weights / weights.sum()
    middle = shares @ scores
    spread = np.sqrt(shares @ np.square(scores - middle))
    # Scores that are all alike have no unit of their own.
    spread = np.where(spread > 0, spread, 1.0)
    return (scores - middle) / spread, middle, spread


def winner(areas: NDArray[np.float64], losses: Sequence[str]) -> Place:
    """The place to choose from ``areas`` (folds, maps, candidates, λ).

    The best of either loss; the squared one is taken over the logistic one where its lead, paired over the folds, is
    greater than its standard error.
    """
    best = _best_of_losses(areas.mean(axis=0), losses)
    if len(best) == 1:
        return next(iter(best.values()))
    lead, error = _lead(areas, best)
    return best["squared"] if lead > error else best["logistic"]


def _best_of_losses(means: NDArray[np.float64], losses: Sequence[str]) -> dict[str, Place]:
    best = {}
    for loss in ("squared", "logistic"):
        own = np.array([one == loss for one in losses])[:, None]
        if np.isfinite(means[:, own[:, 0]]).any():
            best[loss] = _best(np.where(own, means, np.nan))
    return best


def _lead(areas: NDArray[np.float64], best: dict[str, Place]) -> tuple[float, float]:
    """The squared loss's mean lead over the logistic one, and its standard error over the folds."""
    lead = areas[:, *best["squared"]] - areas[:, *best["logistic"]]
    error = float(np.std(lead, ddof=1)) / len(lead) ** 0.5 if len(lead) > 1 else 0.0
    return float(lead.mean()), error


def _best(results: NDArray[np.float64]) -> Place:
    """The best candidate; of those that tie, the first loss and γ, then the strongest λ, then the widest map."""
    places = np.argwhere(results >= np.nanmax(results) - _TIE)
    order = np.lexsort((-places[:, 0], -places[:, 2], places[:, 1]))
    m, g, r = places[order[0]]
    return int(m), int(g), int(r)
