"""Choose the bandwidth and the ridge of a kernel tagger by leave-one-out on at most 2,000 rows.

One Cholesky factor gives the leave-one-out scores of all rows (``solvers.kernel_ridge``); their mean nDCG@5 is
compared. The search starts in the middle of a grid of octaves and moves to the best neighbour until none is better.
Narrow kernels gain more from further rows than wide ones. So where there are more rows than the sample, the narrowest
kernel within one standard error of the best is taken, compared row by row.
"""

from dataclasses import dataclass

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
_ROWS = 2000
_OCTAVES = 4
_K = 5


@dataclass(frozen=True)
class Smoothness:
    """What decides how smooth the scores are: the kernel, its bandwidth, and the ridge λ."""

    kernel: str
    bandwidth: float
    ridge: float


def choose(
    X: sp.csr_array, Y: sp.csr_array, start: Smoothness, free: tuple[bool, bool], run: Run, seed: int, threads: int
) -> Smoothness:
    """The best of the candidates that ``run`` has room for.

    Parameters
    ----------
    start : where the search begins, which is also the answer where nothing is free
    free : whether the bandwidth, and whether the ridge, may change
    run : one record per candidate; it ends the search early when it is interrupted or stopped
    """
    if not any(free):
        return start
    rows = np.arange(X.shape[0])
    sampled = len(rows) > _ROWS
    if sampled:
        rows = np.sort(np.random.default_rng(seed).choice(len(rows), _ROWS, replace=False))
    X, Y = X[rows], Y[rows]
    targets = Y.toarray().astype(np.float32)
    width = min(_K, Y.shape[1])
    seen: dict[tuple[int, int], NDArray[np.float64]] = {}

    def at(index: tuple[int, int]) -> Smoothness:
        # γ = 1 / bandwidth² doubles from one place to the next.
        return Smoothness(start.kernel, start.bandwidth * 2.0 ** (-index[0] / 2), start.ridge * 2.0 ** index[1])

    def look(index: tuple[int, int]) -> None:
        given = at(index)
        gram = lower_gram(given.kernel, X, given.bandwidth, threads)
        gram[np.diag_indices_from(gram)] += np.float32(given.ridge)
        factor = Cholesky(gram, REMEDY, threads)
        scores = leave_one_out(factor, targets, factor.solve(targets))
        seen[index] = ndcg_of_rows(Y, best_columns(scores, width)[0], width)
        run.report(bandwidth=given.bandwidth, regularization=given.ridge, ndcg=float(seen[index].mean()))

    best = (0, 0)
    look(best)
    while True:
        moves = [(1, 0), (-1, 0)] * free[0] + [(0, 1), (0, -1)] * free[1]
        for move in moves:
            index = (best[0] + move[0], best[1] + move[1])
            if run.interrupted or run.stopped or len(run.history) >= run.total:
                break
            if index not in seen and max(map(abs, index)) <= _OCTAVES:
                look(index)
        # Equal ones: the place found first, which is nearer to the start.
        leader = max(seen, key=lambda index: float(seen[index].mean()))
        if leader == best or run.interrupted or run.stopped or len(run.history) >= run.total:
            return at(_narrowest(seen, leader) if sampled else leader)
        best = leader


def _narrowest(seen: dict[tuple[int, int], NDArray[np.float64]], leader: tuple[int, int]) -> tuple[int, int]:
    """Of the places whose mean lies within one standard error of the leader's, the best of the narrowest kernel."""

    def is_close(index: tuple[int, int]) -> bool:
        behind = seen[leader] - seen[index]
        return bool(behind.mean() <= behind.std() / np.sqrt(len(behind)))

    return max(filter(is_close, seen), key=lambda index: (index[0], float(seen[index].mean())))
