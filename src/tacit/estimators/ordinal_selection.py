"""Choosing bandwidth, λ, loss and γ by cross-validation on the labelled rows.

What is dear is done once: for every bandwidth the unlabelled rows (at most 20,000 of them) are mapped and their
moments gathered, and every fold, every γ and every λ reuses them; a fold adds the moments of its few labelled rows, and
one eigendecomposition per γ gives the whole path over λ of the squared loss. The logistic loss takes a few Newton steps
per λ on the labelled rows of the fold; where both are tried the squared loss has to lead by more than a standard error,
since with few labels it wins by chance more often than by merit. γ = 1, which ignores the unlabelled rows, is always
among the candidates and wins ties; what it would have reached is kept beside the winner's figure.

Held-out scores of the chosen candidate come back as well: thresholds and probabilities are fitted to them, since
scores of rows that were trained on flatter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import threads as pool
from tacit.errors import InputError
from tacit.estimators.ordinal_settings import Candidate
from tacit.objective.pairwise import Moments, Splits, matched_priors
from tacit.progress import Run
from tacit.solvers.all_threshold import solve_logistic_path
from tacit.solvers.feature_moments import FeatureMap
from tacit.solvers.ordinal_exact import class_totals, present_priors, solve_path, unlabelled_moments

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Codes = NDArray[np.intp]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]

MOST_LABELLED = 2_000
MOST_UNLABELLED = 20_000
_TIE = 1e-9
_LOGISTIC_TOLERANCE = 1e-4
"""Enough to rank candidates: the score moves by about a hundredth of the distance between thresholds."""


@dataclass(frozen=True)
class Choice:
    """What cross-validation found.

    ``scores`` (maps, losses and γ, λ) are mean ordinal AUCs over the folds, NaN for maps that an interrupt left out;
    ``place`` is the winner there and ``labelled_only`` the best of γ = 1. ``held_out`` are the winner's scores of
    ``rows`` by models that had not seen them (NaN where no fold held a row out).
    """

    place: tuple[int, int, int]
    labelled_only: tuple[int, int, int] | None
    scores: NDArray[np.float64]
    rows: NDArray[np.intp]
    held_out: Vector

    def report(self) -> dict[str, Any]:
        """Cross-validated AUC of the winner and of the best that ignores unlabelled rows."""
        report: dict[str, Any] = {"auc": float(self.scores[self.place]), "candidates": int(self.scores.size)}
        if self.labelled_only is not None:
            report["auc_labelled_only"] = float(self.scores[self.labelled_only])
        return report


def selection_rows(codes: Codes, seed: int) -> NDArray[np.intp]:
    """At most 2,000 labelled rows, every class in its share."""
    labelled = np.flatnonzero(codes >= 0)
    if len(labelled) <= MOST_LABELLED:
        return labelled
    order = np.argsort(codes[labelled] + np.random.default_rng(seed).random(len(labelled)))
    return np.sort(labelled[order[np.linspace(0, len(labelled) - 1, MOST_LABELLED).astype(np.intp)]])


def make_folds(codes: Codes, rows: NDArray[np.intp], cv: Any, seed: int) -> list[Fold]:
    """Folds over the labelled ``rows``, as positions in ``rows``: stratified, or those that ``cv`` lists."""
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        if cv < 2:
            raise InputError(f"cv must be at least 2 folds, not {cv}.")
        generator = np.random.default_rng(seed)
        order = np.argsort(codes[rows] + generator.random(len(rows)))
        fold = np.empty(len(rows), dtype=np.intp)
        fold[order] = np.arange(len(rows)) % cv
        return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(int(cv))]
    place = np.full(len(codes), -1, dtype=np.intp)
    place[rows] = np.arange(len(rows))
    try:
        given = [(place[np.asarray(train)], place[np.asarray(test)]) for train, test in cv]
    except (TypeError, ValueError, IndexError):
        raise InputError("cv must be a number of folds or a list of (train rows, test rows) pairs.") from None
    return [(train[train >= 0], test[test >= 0]) for train, test in given]


def usable_folds(folds: Sequence[Fold], labels: Codes) -> list[Fold]:
    """Folds with at least two classes on either side: others can neither be fitted nor judged."""
    return [fold for fold in folds if all(len(np.unique(labels[side])) > 1 for side in fold)]


def cross_validate(
    table: Any,
    codes: Codes,
    weights: Vector,
    count: int,
    maps: Sequence[FeatureMap],
    candidates: Sequence[Candidate],
    regularizations: Sequence[float],
    *,
    rows: NDArray[np.intp],
    folds: Sequence[Fold],
    priors: Vector | None = None,
    match: bool = False,
    run: Run,
    seed: int = 0,
    threads: int = 0,
) -> Choice:
    """Ordinal AUC of every candidate, over ``folds`` of the labelled ``rows``; one iteration of ``run`` per map.

    Parameters
    ----------
    maps : one feature map per bandwidth
    candidates : losses with γ
    """
    labels, label_weights = codes[rows], weights[rows]
    rest = np.flatnonzero(codes < 0)
    if len(rest) > MOST_UNLABELLED:
        rest = np.sort(np.random.default_rng(seed).choice(rest, MOST_UNLABELLED, replace=False))
    shape = (len(maps), len(candidates), len(regularizations))
    areas = np.full((len(folds), *shape), np.nan)
    held_out = np.full((*shape, len(rows)), np.nan)
    for number in run.iterations():
        features = maps[number]
        mapped = features.transform(table[rows])
        unlabelled = unlabelled_moments(table, rest, weights[rest], features, threads) if len(rest) else None
        centre = _overall_mean(mapped, label_weights, unlabelled, float(weights[codes < 0].sum()))

        def candidate(
            fold: int,
            which: int,
            mapped: Matrix = mapped,
            unlabelled: tuple[Vector, Matrix] | None = unlabelled,
            centre: Vector = centre,
        ) -> Matrix:
            train, test = folds[fold]
            one = candidates[which]
            if one.loss == "logistic":
                known = mapped[train], labels[train], label_weights[train]
                path = solve_logistic_path(*known, regularizations, _LOGISTIC_TOLERANCE)
                return (mapped[test] - centre) @ path
            data = _fold_moments(mapped[train], labels[train], label_weights[train], count, unlabelled, priors, match)
            quadratic = data.quadratic(one.labelled_weight[data.splits.kept])
            return (mapped[test] - centre) @ solve_path(quadratic, data.linear(), regularizations)

        tasks = [(f, g) for f in range(len(folds)) for g in range(len(candidates))]
        with pool.single_threaded_blas():
            scored = pool.run(candidate, tasks, threads)
        for (f, g), columns in zip(tasks, scored):
            test = folds[f][1]
            held_out[number, g][:, test] = columns.T
            areas[f, number, g] = [
                ordinal_auc(labels[test], column, label_weights[test], count) for column in columns.T
            ]
        run.report(auc=float(areas[:, number].mean(axis=0).max()))
    losses = [one.loss for one in candidates]
    place = winner(areas, losses)
    cautious = np.array([one.ignores_unlabelled for one in candidates])
    plain = None
    if cautious.any():
        plain = winner(np.where(cautious[:, None], areas, np.nan), losses)
    return Choice(place, plain, areas.mean(axis=0), rows, held_out[place])


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


def _overall_mean(
    mapped: Matrix, weights: Vector, unlabelled: tuple[Vector, Matrix] | None, unlabelled_total: float
) -> Vector:
    total = weights @ mapped
    if unlabelled is not None:
        total = total + unlabelled_total * unlabelled[0]
    return np.asarray(total / (weights.sum() + unlabelled_total))


def winner(areas: NDArray[np.float64], losses: Sequence[str]) -> tuple[int, int, int]:
    """The place to choose from ``areas`` (folds, maps, candidates, λ).

    The best of either loss; the squared one is taken over the logistic one where its lead, paired over the folds, is
    greater than its standard error.
    """
    means = areas.mean(axis=0)
    best = {}
    for loss in ("squared", "logistic"):
        own = np.array([one == loss for one in losses])[:, None]
        if np.isfinite(means[:, own[:, 0]]).any():
            best[loss] = _best(np.where(own, means, np.nan))
    if len(best) == 1:
        return next(iter(best.values()))
    lead = areas[:, *best["squared"]] - areas[:, *best["logistic"]]
    error = float(np.std(lead, ddof=1)) / len(lead) ** 0.5 if len(lead) > 1 else 0.0
    return best["squared"] if float(lead.mean()) > error else best["logistic"]


def _best(results: NDArray[np.float64]) -> tuple[int, int, int]:
    """The best candidate; of those that tie, the first loss and γ, then the strongest λ, then the widest map."""
    places = np.argwhere(results >= np.nanmax(results) - _TIE)
    order = np.lexsort((-places[:, 0], -places[:, 2], places[:, 1]))
    m, g, r = places[order[0]]
    return int(m), int(g), int(r)


def ordinal_auc(labels: Codes, scores: Vector, weights: Vector, count: int) -> float:
    """Mean over the splits of the weighted chance that a higher class scores higher (Eq. 2), ties counting half."""
    distinct, group = np.unique(scores, return_inverse=True)
    table = np.zeros((count, len(distinct)))
    np.add.at(table, (labels, group), weights)
    below = np.cumsum(table, axis=0)[:-1]
    above = table.sum(axis=0) - below
    won = np.cumsum(below, axis=1) - below / 2
    pairs = above.sum(axis=1) * below.sum(axis=1)
    kept = pairs > 0
    return float(np.mean((above * won).sum(axis=1)[kept] / pairs[kept]))
