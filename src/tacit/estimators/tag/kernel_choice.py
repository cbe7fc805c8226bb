"""Choose the setting of a kernel tagger by leave-one-out on at most 2,000 rows.

One Cholesky factor gives the leave-one-out scores of all rows (``solvers.kernel_ridge``); their mean nDCG@5 is
compared. First the values of sparse rows are taken as given, as their square roots, and as mere presence: counts and
tf-idf often make too much of a word that a text repeats. Values stay as given unless one of the others leads by more
than a standard error, compared row by row. With these the search goes on from the middle of a grid of octaves of
bandwidth and ridge, and moves to the best neighbour until none is better. Narrow kernels gain more from further rows
than wide ones. So where there are more rows than the sample, the narrowest kernel within one standard error of the best
is taken.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

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
_ROWS = 2000
_OCTAVES = 4
_K = 5
_ALIKE = 1e-5


@dataclass(frozen=True)
class KernelSetting:
    """The kernel, its bandwidth, the ridge λ, and the power to which values are raised before all else."""

    kernel: str
    bandwidth: float
    ridge: float
    value_power: float = 1.0


@dataclass(frozen=True)
class Free:
    """What may change: the bandwidth, the ridge, and the powers of values to compare, the first of them the start's."""

    bandwidth: bool
    ridge: bool
    value_powers: tuple[float, ...]

    def __bool__(self) -> bool:
        return self.bandwidth or self.ridge or len(self.value_powers) > 1


class _Place(NamedTuple):
    """Octaves from the start in 1 / bandwidth² and in the ridge, and the power of values."""

    gamma: int
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
    width = min(_K, Y.shape[1])
    seen: dict[_Place, NDArray[np.float64]] = {}

    def at(place: _Place) -> KernelSetting:
        # γ = 1 / bandwidth² doubles from one place to the next.
        bandwidth, ridge = start.bandwidth * 2.0 ** (-place.gamma / 2), start.ridge * 2.0**place.ridge
        return replace(start, bandwidth=bandwidth, ridge=ridge, value_power=place.value_power)

    def look(place: _Place) -> None:
        given = at(place)
        gram = lower_gram(given.kernel, prepared(X, given.value_power), given.bandwidth, threads)
        gram[np.diag_indices_from(gram)] += np.float32(given.ridge)
        factor = Cholesky(gram, REMEDY, threads)
        scores = leave_one_out(factor, targets, factor.solve(targets))
        seen[place] = ndcg_of_rows(Y, best_columns(scores, width)[0], width)
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
            return at(_narrowest(seen, leader) if sampled else leader)
        best = leader


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
