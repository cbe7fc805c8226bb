"""Compare candidates (exponents, ridges, mixtures) on held-out positives.

A fifth of the positives is held out, several times where there are few. Every candidate ranks all other columns for the
same rows. Comparing row by row tells a small lead from chance.
"""

import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.interactions import Interactions
from tacit.data.matrix import Csr, as_csr
from tacit.errors import InputError
from tacit.kernels import evaluation as kernels
from tacit.metrics.ranking import ndcg
from tacit.neighbours.filters import Filters
from tacit.neighbours.topk import top_k_of
from tacit.threads import even_chunks, run, single_threaded_blas

Array = NDArray[Any]
Key = TypeVar("Key", bound=Hashable)

SHARE = 0.2
AT = 10
MOST_ROWS = 4000
BLOCK_CELLS = 1 << 22
"""Scores that a thread holds of each candidate."""
MOST_SPLITS, POSITIVES_PER_SPLIT = 4, 150_000
"""Rows that are ranked in a split, and how many splits there are: as many as it takes to see so many positives."""


@dataclass
class Budget:
    """Time that a choice may take; None for as much as it needs. ``cut`` tells that something was left out for it."""

    seconds: float | None = None
    began: float = field(default_factory=time.monotonic)
    cut: bool = False

    def over(self, share: float = 1.0) -> bool:
        """Whether this share of the time has passed, asked where more would be tried."""
        if self.seconds is None or time.monotonic() - self.began < share * self.seconds:
            return False
        self.cut = True
        return True


@dataclass(frozen=True)
class Part:
    """One split: what may be learned from, and the rows that are ranked, with what they lack."""

    train: Csr
    rows: NDArray[np.int64]
    seen: Csr
    hidden: Csr

    def ndcg(self, score_rows: Callable[[int, int], NDArray[np.float32]], threads: int = 0) -> NDArray[np.float64]:
        """NDCG@10 of every row, by a function that scores blocks of them."""
        return self.ndcg_of_each(lambda start, stop: [score_rows(start, stop)], threads)[0]

    def ndcg_of_each(
        self, score_rows: Callable[[int, int], Iterable[NDArray[np.float32]]], threads: int = 0
    ) -> list[NDArray[np.float64]]:
        """The same for several candidates, whose scores of a block of rows come one after the other."""
        m = self.train.shape[1]

        def lists(start: int, stop: int) -> list[NDArray[np.int32]]:
            first, last = self.seen.indptr[start], self.seen.indptr[stop]
            seen = self.seen.indptr[start : stop + 1] - first, self.seen.indices[first:last]
            return [_best(block, seen) for block in score_rows(start, stop)]

        with single_threaded_blas():
            result = run(lists, even_chunks(len(self.rows), max(1, BLOCK_CELLS // m)), threads)
        wanted = np.diff(self.hidden.indptr)
        figures = []
        for parts in zip(*result):
            best = np.concatenate(parts)
            hits = np.empty(best.shape, dtype=np.bool_)
            kernels.mark_hits(best, self.hidden.indptr, self.hidden.indices, hits)
            figures.append(ndcg(hits, wanted))
        return figures


def split(positives: Csr, seed: int) -> list[Part]:
    """The splits for these positives; too few of them give none."""
    if positives.nnz < 2:
        return []
    count = int(np.clip(round(POSITIVES_PER_SPLIT / positives.nnz), 1, MOST_SPLITS))
    data = Interactions.from_matrix(positives)
    parts = []
    for number in range(count):
        train, hidden = (side.matrix for side in data.split(test=SHARE, seed=seed + number))
        rows = np.flatnonzero(np.diff(hidden.indptr))
        if len(rows) > MOST_ROWS:
            rows = np.sort(np.random.default_rng(seed + number).permutation(rows)[:MOST_ROWS])
        parts.append(Part(as_csr(train, "positives"), rows, _taken(train, rows), _taken(hidden, rows)))
    return parts


def learnable(part: Part, data: Interactions) -> Interactions:
    """What may be learned from in a split of these data."""
    return Interactions(part.train, data.row_ids, data.col_ids, col_features=data.col_features)


def first_near_the_best(
    scores: dict[Key, NDArray[np.float64]], order: Sequence[Key], *, errors: float = 1.0, share: float = np.inf
) -> Key:
    """The first key in ``order`` (preferred ones first) that is near the best.

    errors : by how many standard errors it may lag, which is that of the mean difference to the best, row by row
    share : and by what share of the best mean at most: where rows are few, an error covers what matters

    >>> first_near_the_best({"plain": np.array([0.1, 0.3]), "rich": np.array([0.2, 0.2])}, ["plain", "rich"])
    'plain'
    """
    best = max(order, key=lambda key: float(scores[key].mean()))
    for key in order:
        lag = scores[best] - scores[key]
        if lag.mean() <= min(errors * lag.std() / np.sqrt(len(lag)), share * scores[best].mean()):
            return key
    raise InputError("there is nothing to choose from.")


def climbed(values: Sequence[Any], start: Any, mean: Callable[[Any], float], over: Callable[[], bool]) -> Any:
    """From ``start`` along the ascending ``values`` as long as it gets better and there is time."""
    best = values.index(start)
    for step in (1, -1):
        while 0 <= best + step < len(values) and not over():
            if mean(values[best + step]) <= mean(values[best]):
                break
            best += step
    return values[best]


def clearly_ahead(scores: dict[Key, NDArray[np.float64]], order: Sequence[Key]) -> Key:
    """``first_near_the_best`` where it leads the first key in ``order`` by more than two standard errors, else that.

    Two, since several were tried and splits share their rows.
    """
    found = first_near_the_best(scores, order)
    lead = scores[found] - scores[order[0]]
    return found if lead.mean() > 2 * lead.std() / np.sqrt(len(lead)) else order[0]


def _best(block: NDArray[np.float32], seen: tuple[Array, Array]) -> NDArray[np.int32]:
    n, m = block.shape
    return top_k_of(lambda start, stop: block[start:stop], n, m, AT, Filters(seen=seen), threads=1)[0]


def _taken(matrix: sp.csr_array, rows: NDArray[np.int64]) -> Csr:
    return as_csr(matrix[rows], "positives", allow_empty=True)
