"""Choosing columns, kernel, λ, loss, γ and trees by cross-validation on the labelled rows, in rounds.

1. Every map of the first preparation of the columns, without unlabelled pairs (unless their weight is given), which is
   cheap: a fold of the squared loss gathers moments of its few labelled rows and one eigendecomposition gives the whole
   path over λ; the logistic loss takes a few Newton steps per λ.
2. Other preparations of the columns, with the leading loss, at the bandwidths that did best.
3. The best maps of each loss alone, without the squared loss where it is behind by more than a standard error and
   without other preparations where they do not lead: as many folds again, since five know an AUC too badly to tell
   neighbours apart, and the candidates with unlabelled pairs, for which (at most 5,000) unlabelled rows are mapped once
   per map and their moments reused in every fold.
4. The winner in equal parts with the linear kernel, unless that one is behind by more than three standard errors or
   a quarter of what the winner has beyond chance. Few labels cannot tell which of two near scores is better, and the
   mean of both is better than most of the choices.
5. That mixed with the score of boosted trees.

One rule keeps chance out: what is less plain has to lead by more than a standard error, paired over the folds. The
squared loss over the logistic one; another preparation of the columns over the first; a candidate that uses unlabelled
rows over the winner so far, whichever its loss (what that one reached is kept beside its figure); the mixture with
trees over the kernel alone.

Held-out scores of the chosen candidate come back as well: thresholds and probabilities are fitted to them, since
scores of rows that were trained on flatter. Models of different folds differ in scale, the more so the less they are
regularised, so each one's scores are given in its own units: zero mean and unit variance over all labelled rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import threads as pool
from tacit.estimators.grade.fold_trees import FoldTrees
from tacit.estimators.grade.folds import MOST_PAIRED, Fold, area, pair_weights
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
CLEARLY_BEHIND = 3.0
"""Standard errors by which the linear kernel has to be behind not to be mixed in."""
MOST_BEHIND = 0.25
"""Of what the winner has beyond chance: with few labels even that may be within the errors."""
LINEAR_SHARE = 0.5
TREE_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""How much of the score the trees make, in standardised units."""
_TIE = 1e-9
_LOGISTIC_TOLERANCE = 1e-4
"""Enough to rank candidates: the score moves by about a hundredth of the distance between thresholds."""


@dataclass(frozen=True)
class Choice:
    """What cross-validation found.

    ``scores`` (maps, losses and γ, λ) are mean ordinal AUCs over the folds, NaN for what was not tried to the end;
    ``place`` is the winner there and ``labelled_only`` the best of γ = 1. ``held_out`` are the winner's scores of
    ``rows`` by models that had not seen them, in each model's own units; a row that two folds held out is there twice.
    ``tried`` counts the candidates; ``folds`` are those that the winner was tried in, ``linear`` is the place of the
    linear score that is mixed in, ``tree_share`` what the trees add to these, and ``area`` the AUC of the mixture.
    """

    place: Place
    labelled_only: Place | None
    scores: NDArray[np.float64]
    rows: NDArray[np.intp]
    held_out: Vector
    tried: int
    folds: Sequence[int]
    area: float
    tree_share: float = 0.0
    linear: Place | None = None

    def report(self) -> dict[str, Any]:
        """Cross-validated AUC of the winner and of the best kernel that ignores unlabelled rows."""
        report: dict[str, Any] = {"auc": self.area, "candidates": self.tried}
        if self.labelled_only is not None:
            report["auc_labelled_only"] = float(self.scores[self.labelled_only])
        return report


@dataclass(frozen=True)
class MapSource:
    """Makes the map to try in a fold; ``per_fold`` says that it depends on the fold's training labels."""

    make: Callable[[int], FeatureMap]
    per_fold: bool = False


@dataclass
class Trials:
    """Candidates on folds of the labelled ``rows``, and what was seen of those that were tried.

    ``areas`` (folds, maps, candidates, λ) are NaN where nothing was tried; ``held_out`` has the scores of a fold's
    test rows, one column for every λ, by (map, candidate, fold); ``pairs`` are the weights of a fold's pairs.
    """

    table: Any
    codes: Codes
    weights: Vector
    count: int
    maps: Sequence[MapSource]
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
    pairs: dict[int, Matrix] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.labels, self.label_weights = self.codes[self.rows], self.weights[self.rows]
        shape = (len(self.folds), len(self.maps), len(self.candidates), len(self.regularizations))
        self.areas = np.full(shape, np.nan)

    def take(self, number: int, tasks: Sequence[tuple[int, int]]) -> None:
        """Try pairs of a candidate and a fold with one map; what was tried before is left as it is."""
        tasks = [(g, f) for g, f in tasks if (number, g, f) not in self.held_out]
        source = self.maps[number]
        if source.per_fold:
            for fold in sorted({f for _, f in tasks}):
                self._take_with(source.make(fold), number, [(g, f) for g, f in tasks if f == fold])
        elif tasks:
            self._take_with(source.make(0), number, tasks)

    def _take_with(self, features: FeatureMap, number: int, tasks: Sequence[tuple[int, int]]) -> None:
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
            self.held_out[number, g, f] = columns
            self.areas[f, number, g] = [self.area(f, column) for column in columns.T]

    def area(self, fold: int, scores: Vector) -> float:
        """Ordinal AUC of a fold's test rows."""
        test = self.folds[fold][1]
        if len(test) > MOST_PAIRED:
            return ordinal_auc(self.labels[test], scores, self.label_weights[test])
        if fold not in self.pairs:
            self.pairs[fold] = pair_weights(self.labels[test], self.label_weights[test])
        return area(self.pairs[fold], scores)

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

    def choice(self, tried: Sequence[int], opening: int) -> Choice:
        """The winner of the folds ``tried``, among candidates that were tried in all of them."""
        areas = self.areas[list(tried)]
        index, plain = winner(areas, self.candidates, opening)
        m, g, r = index
        rows = np.concatenate([self.rows[self.folds[f][1]] for f in tried])
        held_out = np.concatenate([self.held_out[m, g, f][:, r] for f in tried])
        count = int(np.isfinite(self.areas).any(axis=0).sum())
        means = areas.mean(axis=0)
        return Choice(index, plain, means, rows, held_out, count, list(tried), float(means[index]))

    def with_linear(self, choice: Choice, number: int) -> Choice:
        """The choice in equal parts with the best of the linear map, where that one is not clearly behind."""
        losses = [one.loss for one in self.candidates]
        if choice.place[0] == number or "logistic" not in losses:
            return choice
        plain, folds = losses.index("logistic"), list(choice.folds)
        self.take(number, [(plain, f) for f in folds])
        reached = self.areas[folds, number, plain]
        best = _best(reached.mean(axis=0)[None, None])[2]
        lead, error = _mean_and_error(self.areas[folds, *choice.place] - reached[:, best])
        if lead > CLEARLY_BEHIND * error or lead > MOST_BEHIND * (choice.area - 0.5):
            return choice
        mixed = replace(choice, linear=(number, plain, best))
        held_out = [self.held_out_of(mixed, f) for f in folds]
        areas = [self.area(f, scores) for f, scores in zip(folds, held_out)]
        return replace(mixed, held_out=np.concatenate(held_out), area=float(np.mean(areas)))

    def held_out_of(self, choice: Choice, fold: int) -> Vector:
        """Scores of a fold's test rows by the kernels that were chosen."""
        m, g, r = choice.place
        own = self.held_out[m, g, fold][:, r]
        if choice.linear is None:
            return own
        m, g, r = choice.linear
        return np.asarray((1 - LINEAR_SHARE) * own + LINEAR_SHARE * self.held_out[m, g, fold][:, r])

    def with_trees(self, choice: Choice, trees: FoldTrees, begin: int) -> Choice:
        """The choice mixed with trees, where that leads by more than a standard error over all folds.

        The first folds only save the work: where no mixture leads in them, no more trees are grown. A standard error
        of so few folds would turn away what all of them together are sure of.
        """
        for folds in (choice.folds[:begin], choice.folds):
            trees.prepare(folds, self.threads)
            pairs = [(self.held_out_of(choice, f), trees.held_out(f)) for f in folds]
            mixed = {share: [(1 - share) * own + share * other for own, other in pairs] for share in TREE_SHARES}
            areas = {
                share: np.array([self.area(f, one) for f, one in zip(folds, scores)]) for share, scores in mixed.items()
            }
            best = max(TREE_SHARES, key=lambda share: float(areas[share].mean()))
            lead, error = _mean_and_error(areas[best] - areas[0.0])
            if not lead > (error if folds is choice.folds else 0.0):
                return choice
        return replace(choice, tree_share=best, area=float(areas[best].mean()), held_out=np.concatenate(mixed[best]))


@dataclass(frozen=True)
class Plan:
    """The order of trials: the first ``opening`` maps, then those of ``others``, one list for each preparation.

    A list as long as ``opening`` is tried where its counterparts did best, another one as a whole. ``linear`` is the
    map whose score may be mixed in.
    """

    begin: int
    opening: int
    others: Sequence[Sequence[int]] = ()
    linear: int | None = None
    trees: FoldTrees | None = None

    @property
    def steps(self) -> int:
        return self.opening + len(self.others) + 1 + (self.trees is not None)


def cross_validate(trials: Trials, plan: Plan, run: Run) -> Choice:
    """All rounds; ``run`` has ``plan.steps`` iterations."""
    first, every = range(plan.begin), range(len(trials.folds))
    plain = [g for g, one in enumerate(trials.candidates) if one.ignores_unlabelled]
    plain = plain or list(range(len(trials.candidates)))
    tried: Sequence[int] = first
    choice: Choice | None = None
    for number in run.iterations():
        if number < plan.opening:
            trials.take(number, [(g, f) for f in first for g in plain])
        elif number < plan.opening + len(plan.others):
            index, _ = winner(trials.areas[: plan.begin], trials.candidates, plan.opening)
            leading = trials.candidates[index[1]].loss
            tasks = [(g, f) for f in first for g in plain if trials.candidates[g].loss == leading]
            for m in _counterparts(trials, plan, plan.others[number - plan.opening]):
                trials.take(m, tasks)
        elif choice is None and tried is first:
            losses = [one.loss for one in trials.candidates]
            for m, loss in still_open(trials.areas[: plan.begin], losses, plan.opening):
                trials.take(m, [(g, f) for f in every for g, other in enumerate(losses) if other == loss])
            tried = every
            choice = trials.choice(tried, plan.opening)
            if plan.linear is not None:
                choice = trials.with_linear(choice, plan.linear)
        elif plan.trees is not None:
            assert choice is not None
            choice = trials.with_trees(choice, plan.trees, plan.begin)
        reached = choice.area if choice else float(np.nanmax(trials.areas[list(tried)].mean(axis=0)))
        run.report(auc=reached)
    return choice or trials.choice(tried, plan.opening)


def _counterparts(trials: Trials, plan: Plan, maps: Sequence[int]) -> Sequence[int]:
    """Of another preparation's maps, those whose counterparts in the opening did best."""
    if len(maps) != plan.opening:
        return maps
    means = trials.areas[: plan.begin, : plan.opening].mean(axis=0)
    reached = np.where(np.isfinite(means), means, -np.inf).max(axis=(1, 2))
    return [maps[index] for index in np.argsort(-reached, kind="stable")[:MAPS_KEPT]]


def still_open(areas: NDArray[np.float64], losses: Sequence[str], opening: int | None = None) -> list[tuple[int, str]]:
    """Maps and losses worth a second round: the best maps of a loss, at least one of them from the opening.

    The squared loss, which would have to lead, is left out where it is behind by more than a standard error, and maps
    that are not from the opening, which would have to lead it too, where they do not lead at all.
    """
    means = areas.mean(axis=0)
    best = _best_of_losses(means, losses)
    if len(best) == 2:
        lead, error = _lead(areas, best["square"], best["logistic"])
        if lead < -error:
            del best["square"]
    result = []
    for loss in best:
        own = means[:, [one == loss for one in losses]]
        reached = np.where(np.isfinite(own), own, -np.inf).max(axis=(1, 2))
        border = len(reached) if opening is None else opening
        reached[border:][reached[border:] <= reached[:border].max()] = -np.inf
        order = np.argsort(-reached, kind="stable")
        kept = order[:MAPS_KEPT]
        begun = order < border
        if not begun[:MAPS_KEPT].any():
            kept = np.append(kept, order[begun][0])
        result += [(int(m), loss) for m in kept if np.isfinite(reached[m])]
    return result


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


def winner(
    areas: NDArray[np.float64], candidates: Sequence[Candidate], opening: int | None = None
) -> tuple[Place, Place | None]:
    """The place to choose from ``areas`` (folds, maps, candidates, λ), and the best place without unlabelled rows.

    What is less plain has to lead by more than a standard error: the squared loss over the logistic one, maps from
    ``opening`` on over those before, candidates with unlabelled rows over those without.
    """
    losses = [one.loss for one in candidates]
    plain = np.array([one.ignores_unlabelled for one in candidates])[:, None]
    means = areas.mean(axis=0)
    labelled = np.where(plain, means, np.nan)
    first, other = labelled.copy(), labelled.copy()
    border = len(labelled) if opening is None else opening
    first[border:], other[:border] = np.nan, np.nan
    cautious = _of_either_loss(areas, first, losses)
    if cautious is None:
        return _best(means), None
    another = _of_either_loss(areas, other, losses)
    if another is not None and _leads(areas, another, cautious):
        cautious = another
    if np.isfinite(np.where(plain, np.nan, means)).any():
        bold = _best(np.where(plain, np.nan, means))
        if _leads(areas, bold, cautious):
            return bold, cautious
    return cautious, cautious


def _of_either_loss(areas: NDArray[np.float64], means: NDArray[np.float64], losses: Sequence[str]) -> Place | None:
    best = _best_of_losses(means, losses)
    if len(best) == 2:
        return best["square"] if _leads(areas, best["square"], best["logistic"]) else best["logistic"]
    return next(iter(best.values()), None)


def _best_of_losses(means: NDArray[np.float64], losses: Sequence[str]) -> dict[str, Place]:
    best = {}
    for loss in ("square", "logistic"):
        own = np.array([one == loss for one in losses])[:, None]
        if np.isfinite(means[:, own[:, 0]]).any():
            best[loss] = _best(np.where(own, means, np.nan))
    return best


def _lead(areas: NDArray[np.float64], one: Place, other: Place) -> tuple[float, float]:
    """The mean lead of one place over another, and its standard error over the folds."""
    return _mean_and_error(areas[:, *one] - areas[:, *other])


def _mean_and_error(leads: NDArray[np.float64]) -> tuple[float, float]:
    error = float(np.std(leads, ddof=1)) / len(leads) ** 0.5 if len(leads) > 1 else 0.0
    return float(leads.mean()), error


def _leads(areas: NDArray[np.float64], one: Place, other: Place) -> bool:
    lead, error = _lead(areas, one, other)
    return lead > error


def _best(results: NDArray[np.float64]) -> Place:
    """The best candidate; of those that tie, the first loss and γ, then the strongest λ, then the widest map."""
    places = np.argwhere(results >= np.nanmax(results) - _TIE)
    order = np.lexsort((-places[:, 0], -places[:, 2], places[:, 1]))
    m, g, r = places[order[0]]
    return int(m), int(g), int(r)
