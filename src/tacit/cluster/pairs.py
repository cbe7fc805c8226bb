"""Pairs of words that lie on the workers: words with their contexts, and contexts with their words."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.cluster.sweeps import writable
from tacit.features.cooccurrence import Piece, Places, WindowSide, add_counts
from tacit.features.ppmi import PairPositives
from tacit.kernels.cells import add_masses
from tacit.objective.recipes import SideRule
from tacit.objective.side import Side

Array = NDArray[Any]
Masses = tuple[list[Array], Array]


@dataclass(frozen=True)
class Pairs:
    """Words from ``start`` on with their contexts, in CSR form: the weight c and the target r of each pair."""

    start: int
    indptr: Array
    indices: Array
    weight: Array
    target: Array

    @property
    def stop(self) -> int:
        return self.start + len(self.indptr) - 1

    @property
    def counts(self) -> Array:
        return np.diff(self.indptr)


def tokens_between(pieces: Sequence[Array], skips: Sequence[int], first: int, last: int) -> Array:
    """Tokens first..last-1, counted from the first piece on; so many at the beginning of each piece do not count."""
    return np.concatenate([piece[skip:] for piece, skip in zip(pieces, skips)])[first:last]


def counted(tokens: Array, core: tuple[int, int], words: int, low: int, high: int, weights: Array, side: WindowSide,
            before: sp.csr_array | None) -> sp.csr_array:  # fmt: skip
    """Counts of the words low..high-1 at tokens[core], added to those of the runs before."""
    result = _matrix(Places.of(writable(tokens), *core, words).count(low, high, weights, side), words)
    if before is None:
        return result
    return add_counts(_writable_matrix(before), result, threads=1)


def masses_with(counts: sp.csr_array, before: Array) -> tuple[Array, Array]:
    """Totals of the words of these counts, and those of the contexts with them added."""
    words, contexts = np.zeros(counts.shape[0]), before.copy()
    counts = _writable_matrix(counts)
    add_masses(counts.indptr, counts.indices, counts.data, words, contexts)
    return words, contexts


def positives_of(counts: sp.csr_array, start: int, rule: PairPositives, row_logs: Array, col_logs: Array) -> Pairs:
    """The positives among counted pairs of words from ``start`` on."""
    own = writable(row_logs[start : start + counts.shape[0]])
    targets, weights = rule.of(_writable_matrix(counts), own, writable(col_logs), 1)
    return Pairs(start, targets.indptr, targets.indices, weights, targets.data)


def facts_of(pairs: Pairs, contexts: int) -> tuple[Array, Array, Array]:
    """Positives of every word and of every context, and the weight of every word's."""
    masses = np.zeros(len(pairs.counts))
    add_masses(pairs.indptr, pairs.indices, writable(pairs.weight), masses, np.zeros(contexts))
    return pairs.counts, np.bincount(pairs.indices, minlength=contexts), masses


def rows_between(start: int, stop: int, groups: Sequence[Pairs]) -> Pairs:
    """The words start..stop-1, from the groups that hold them, in order."""
    parts = []
    for group in groups:
        low, high = max(start, group.start) - group.start, min(stop, group.stop) - group.start
        a, b = int(group.indptr[low]), int(group.indptr[high])
        parts.append((group.counts[low:high], group.indices[a:b], group.weight[a:b], group.target[a:b]))
    counts, indices, weight, target = (np.concatenate(part) for part in zip(*parts))
    return Pairs(start, np.concatenate(([0], np.cumsum(counts))), indices, weight, target)


def by_contexts(pairs: Pairs, starts: Array) -> list[tuple[Array, ...]]:
    """Context, word, weight and target of each pair, by the shards of contexts that they go to."""
    words = np.repeat(np.arange(pairs.start, pairs.stop, dtype=np.int32), pairs.counts)
    order = np.argsort(pairs.indices, kind="stable")
    ends = np.searchsorted(pairs.indices[order], starts)
    cells = (pairs.indices, words, pairs.weight, pairs.target)
    return [tuple(array[order[a:b]] for array in cells) for a, b in pairwise(ends)]


def cols_between(start: int, stop: int, pieces: Sequence[tuple[Array, ...]]) -> Pairs:
    """The contexts start..stop-1 with their words, from what the shards of words have of them, in their order."""
    own, words, weight, target = (np.concatenate(part) for part in zip(*pieces))
    order = np.argsort(own, kind="stable")
    counts = np.bincount(own - start, minlength=stop - start)
    return Pairs(start, np.concatenate(([0], np.cumsum(counts))), words[order], weight[order], target[order])


def side_of(pairs: Pairs, borders: tuple[tuple[int, int], ...], rule: SideRule, unlabelled_target: float) -> Side:
    """The objective as these words (or contexts) see it; the other side's weights are filled in where it is solved."""
    return Side(
        pairs.indptr,
        pairs.indices,
        pairs.weight,
        pairs.target,
        rule.weights(pairs.counts).astype(np.float32),
        np.empty(0, dtype=np.float32),
        rule.ridges(pairs.counts, lambda: np.empty(0)).astype(np.float32),
        unlabelled_target,
        borders=borders,
    )


def _matrix(piece: Piece, words: int) -> sp.csr_array:
    sizes, indices, values = piece
    # SciPy's constructor would narrow the row pointers, so the index arrays are set afterwards.
    matrix = sp.csr_array((len(sizes), words), dtype=np.float32)
    matrix.data, matrix.indices, matrix.indptr = values, indices, np.concatenate(([0], np.cumsum(sizes)))
    return matrix


def _writable_matrix(matrix: sp.csr_array) -> sp.csr_array:
    for name in ("indptr", "indices", "data"):
        setattr(matrix, name, writable(getattr(matrix, name)))
    return matrix
