"""Choose the setting of a kernel tagger by leave-one-out on at most 2,000 rows.

One Cholesky factor gives the leave-one-out scores of all rows (``solvers.kernel_ridge``); their mean nDCG@5 is
compared. First the values of sparse rows are taken as given, as their square roots, and as mere presence: counts and
tf-idf often make too much of a word that a text repeats. Values stay as given unless one of the others leads by more
than a standard error, compared row by row. With these the search goes on from the middle of a grid of octaves of
bandwidth and ridge, and moves to the best neighbour until none is better. Narrow kernels gain more from further rows
than wide ones. So where there are more rows than the sample, the narrowest kernel within one standard error of the best
is taken, and then one half an octave narrower still, if that is as close.

Last comes the power p by which rare labels get higher targets (``label_targets``). The ridge shrinks the scores of a
label with few rows more than those of a frequent one, which then outranks it. Scores are linear in the targets, so
powers are compared by scaling the columns of one leave-one-out. The smallest power within one standard error of the
best is taken, because further rows leave less to correct.

Where the best of all is behind a ranking by the labels' frequencies alone, rows say nothing that can be learned, and
the kernel is made so wide that this ranking is what is left. A linear kernel is 1 + cos / ℓ², and ℓ is 1 elsewhere.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.features.kernel_gram import lower_gram
from tacit.metrics.labels import ndcg_of_rows
from tacit.neighbours.best import best_columns
from tacit.progress import Run
from tacit.solvers.cholesky import Cholesky
from tacit.solvers.kernel_ridge import leave_one_out

KERNELS = ("auto", "cosine", "gaussian", "linear")
REMEDY = "raise regularization"
START = {"gaussian": 0.25, "linear": 1.0}
"""λ at which the search begins."""
VALUE_POWERS = (1.0, 0.5, 0.0)
"""Values as given, their square roots, and mere presence."""
LABEL_POWERS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
_SEARCH_POWER = 0.1
"""Power of labels while the kernel and its ridge are searched for."""
_ROWS = 2000
_OCTAVES = 4
_FINER = 0.5
"""Octaves by which a still narrower kernel is tried in the end."""
_K = 5
_ALIKE = 1e-5
_FLAT = 64.0
"""Bandwidths of the start in one that makes all rows alike."""


@dataclass(frozen=True)
class KernelSetting:
    """The kernel, its bandwidth, the ridge λ, the power of values before all else, and that of labels."""

    kernel: str
    bandwidth: float
    ridge: float
    value_power: float = 1.0
    label_power: float = 0.0

    @property
    def divisor(self) -> float:
        """What rows are divided by for a linear kernel, which has no other use for a bandwidth."""
        return self.bandwidth if self.kernel == "linear" else 1.0


@dataclass(frozen=True)
class Free:
    """What may change: the bandwidth, the ridge, the power of labels, and the powers of values to compare.

    The first power of values is the start's.
    """

    bandwidth: bool
    ridge: bool
    value_powers: tuple[float, ...]
    label_power: bool = False

    def __bool__(self) -> bool:
        return self.bandwidth or self.ridge or self.label_power or len(self.value_powers) > 1


class _Place(NamedTuple):
    """Octaves from the start in 1 / bandwidth² and in the ridge, and the power of values."""

    gamma: float
    ridge: int
    value_power: float


def choose(
    X: sp.csr_array, Y: sp.csr_array, prepared: Callable[[sp.csr_array, float], sp.csr_array], start: KernelSetting,
    free: Free, run: Run, seed: int, threads: int,
) -> KernelSetting:  # fmt: skip
    """The best of the candidates that ``run`` has room for.

    Parameters
    ----------
    X : rows with labels, as they were given
    prepared : rows as the kernel sees them, from such rows and a power of their values
    start : where the search begins, which is also the answer where nothing is free
    run : one record per candidate; it ends the search early when it is interrupted or stopped
    """
    if not free:
        return start
    rows = np.arange(X.shape[0])
    sampled = len(rows) > _ROWS
    if sampled:
        rows = np.sort(np.random.default_rng(seed).choice(len(rows), _ROWS, replace=False))
    X, Y = X[rows], Y[rows]
    targets = Y.toarray().astype(np.float32)
    frequency, width = np.bincount(Y.indices, minlength=Y.shape[1]), min(_K, Y.shape[1])
    search_power = _SEARCH_POWER if free.label_power else start.label_power
    seen: dict[_Place, NDArray[np.float64]] = {}
    kept: dict[_Place, NDArray[np.float32]] = {}

    def at(place: _Place) -> KernelSetting:
        # γ = 1 / bandwidth² doubles from one place to the next.
        bandwidth, ridge = start.bandwidth * 2.0 ** (-place.gamma / 2), start.ridge * 2.0**place.ridge
        return replace(start, bandwidth=bandwidth, ridge=ridge, value_power=place.value_power)

    def scores_at(place: _Place) -> NDArray[np.float32]:
        given = at(place)
        gram = lower_gram(given.kernel, prepared(X, given.value_power), given.bandwidth, threads)
        gram[np.diag_indices_from(gram)] += np.float32(given.ridge)
        factor = Cholesky(gram, REMEDY, threads)
        return leave_one_out(factor, targets, factor.solve(targets))

    def reached(scores: NDArray[np.float32], power: float) -> NDArray[np.float64]:
        return ndcg_of_rows(Y, best_columns(scores * label_targets(frequency, power), width)[0], width)

    def look(place: _Place) -> None:
        given, scores = at(place), scores_at(place)
        seen[place] = reached(scores, search_power)
        if all(seen[place].mean() >= rows.mean() for rows in seen.values()):
            # The leader's alone: labels may be many.
            kept.clear()
            kept[place] = scores
        run.report(
            value_power=given.value_power, bandwidth=given.bandwidth, regularization=given.ridge,
            ndcg=float(seen[place].mean()),
        )  # fmt: skip

    def look_at_each(places: list[_Place]) -> _Place:
        for place in places:
            if seen and (run.interrupted or run.stopped or len(run.history) >= run.total):
                break
            if place not in seen and max(abs(place.gamma), abs(place.ridge)) <= _OCTAVES:
                look(place)
        # Equal ones: the place found first, which is nearer to the start.
        return max(seen, key=lambda place: float(seen[place].mean()))

    given = _Place(0, 0, free.value_powers[0])
    best = look_at_each([_Place(0, 0, power) for power in free.value_powers])
    if _is_close(seen[best], seen[given]):
        best = given
    seen = {place: rows for place, rows in seen.items() if place.value_power == best.value_power}
    moves = [(1, 0), (-1, 0)] * free.bandwidth + [(0, 1), (0, -1)] * free.ridge
    while True:
        leader = look_at_each([_Place(best.gamma + gamma, best.ridge + ridge, best[2]) for gamma, ridge in moves])
        if leader == best or run.interrupted or run.stopped or len(run.history) >= run.total:
            break
        best = leader
    chosen = leader
    if sampled:
        chosen = _narrowest(seen, leader)
        if free.bandwidth:
            leader = look_at_each([chosen._replace(gamma=chosen.gamma + _FINER)])
            chosen = _narrowest(seen, leader)
    wider = free.bandwidth or start.kernel == "linear"
    if wider and free.ridge and by_frequency(Y, width).mean() > seen[leader].mean():
        # So wide a kernel, and so strong a ridge, that next to nothing but the labels' frequencies is left.
        return replace(at(chosen), bandwidth=start.bandwidth * _FLAT, ridge=float(X.shape[0]), label_power=0.0)
    if not free.label_power:
        return at(chosen)
    scores = kept[chosen] if chosen in kept else scores_at(chosen)
    tried = [reached(scores, power) for power in LABEL_POWERS]
    leading = max(tried, key=lambda rows: float(rows.mean()))
    close = next(power for power, rows in zip(LABEL_POWERS, tried) if _is_close(leading, rows))
    return replace(at(chosen), label_power=close)


def by_frequency(Y: sp.csr_array, width: int) -> NDArray[np.float64]:
    """nDCG of each row where labels are ranked by how many other rows have them."""
    others = np.bincount(Y.indices, minlength=Y.shape[1]).astype(np.float32) - (Y.toarray() > 0)
    return ndcg_of_rows(Y, best_columns(others, width)[0], width)


def label_targets(frequency: NDArray[Any], power: float) -> NDArray[np.float32]:
    """What a known label is worth, (L,): (f_y / f̄)^−p, where f_y rows have it.

    f̄ is the geometric mean over all known labels, so that targets are about one as a whole.

    >>> label_targets(np.array([1, 4, 4, 0]), 0.5).astype(float).round(2).tolist()
    [1.85, 0.93, 0.93, 1.85]
    """
    logs = np.log(np.maximum(frequency, 1))
    typical = float(frequency @ logs) / max(float(frequency.sum()), 1.0)
    return np.asarray(np.exp(power * (typical - logs)), dtype=np.float32)


def powers_to_compare(X: sp.csr_array) -> tuple[float, ...]:
    """Those powers of the values that could make a difference: one, where some are below zero or each row's are alike.

    >>> powers_to_compare(sp.csr_array([[1.0, 2.0]])), powers_to_compare(sp.csr_array([[0.5, 0.5], [0.0, 1.0]]))
    ((1.0, 0.5, 0.0), (1.0,))
    """
    starts = X.indptr[:-1][np.diff(X.indptr) > 0]
    if not len(starts) or X.data.min() < 0:
        return VALUE_POWERS[:1]
    largest, smallest = np.maximum.reduceat(X.data, starts), np.minimum.reduceat(X.data, starts)
    return VALUE_POWERS if np.any(largest - smallest > _ALIKE * largest) else VALUE_POWERS[:1]


def _is_close(leader: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Whether the leader's mean is ahead by at most one standard error, compared row by row."""
    behind = leader - other
    return bool(behind.mean() <= behind.std() / np.sqrt(len(behind)))


def _narrowest(seen: dict[_Place, NDArray[np.float64]], leader: _Place) -> _Place:
    """Of the places that are close to the leader, the best of the narrowest kernel."""
    close = [place for place in seen if _is_close(seen[leader], seen[place])]
    return max(close, key=lambda place: (place.gamma, float(seen[place].mean())))
