"""Top-k of inner products without looking at every item: an inverted file whose recall was measured.

Items are cut into lists by k-means, and a query looks into the lists whose centres c have the highest ⟨p, c⟩ only. The
scores of what it finds there are exact. How many lists are needed is measured. Half of a sample of queries is answered
exactly too, and the number is doubled until the share of the true k best that is found reaches what was asked for. The
other half then measures the recall, which is stored with the index.

Centres are learned from a sample of items by a seeded k-means in fixed blocks, so the same items and seed give the same
index at any number of threads. The index is arrays only: it is saved in a model file and checked when that is opened.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.errors import InputError
from tacit.kernels import lists as kernels
from tacit.neighbours.filters import NO_FILTERS, Filters
from tacit.neighbours.selection import Result, empty_result
from tacit.neighbours.topk import top_k
from tacit.threads import even_chunks, run, single_threaded_blas

Array = NDArray[Any]

PAYS_FROM = 200_000
"""Items below which the exact search is quick enough to be kept."""

LISTS_PER_ROOT = 2
"""Lists are so many times the root of the number of items."""

SAMPLE_PER_LIST, ROUNDS = 48, 8
QUERIES, DEPTH = 1000, 100
"""Queries on which recall is measured, and the longest list of results that it is measured for."""

_BLOCK = 4096
_NONE = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)


@dataclass(frozen=True)
class ItemIndex:
    """Lists of items, and how many of them to search.

    centres : (L, g) means of the lists
    starts : (L + 1,) where lists begin in ``order``
    order : (m,) item numbers, list by list, ascending in each
    depths, probes, recalls : for up to ``depths[i]`` results, ``probes[i]`` lists gave ``recalls[i]``
    """

    centres: NDArray[np.float32]
    starts: NDArray[np.int64]
    order: NDArray[np.int32]
    depths: NDArray[np.int64]
    probes: NDArray[np.int64]
    recalls: NDArray[np.float64]

    def serves(self, k: int) -> bool:
        """Whether recall was measured for lists as long as this, or as long as can be."""
        return bool(k <= self.depths[-1] or self.depths[-1] >= len(self.order))

    def recall(self, k: int) -> float:
        """The share of the true k best that is found, as it was measured."""
        return float(self.recalls[self._level(k)])

    def lists_for(self, k: int) -> int:
        """How many lists a query looks into for k results."""
        return int(self.probes[self._level(k)])

    def _level(self, k: int) -> int:
        return min(int(np.searchsorted(self.depths, k)), len(self.depths) - 1)

    def __str__(self) -> str:
        parts = ", ".join(f"{recall:.3f} at {depth}" for depth, recall in zip(self.depths, self.recalls))
        return f"{len(self.starts) - 1:,} lists of {len(self.order):,} items, recall {parts}"


def build(items: Array, queries: Array, *, recall: float = 0.95, seed: Any = 0, threads: int = 0) -> ItemIndex:
    """An index of ``items`` (m, g) that finds ``recall`` of the best for queries like ``queries`` (n, g).

    >>> rng = np.random.default_rng(0)
    >>> items = rng.normal(size=(500, 4)).astype(np.float32)
    >>> index = build(items, items[:100], recall=0.9)
    >>> bool(index.recall(10) > 0.8), index.serves(200)
    (True, False)
    """
    items = np.ascontiguousarray(items, dtype=np.float32)
    queries = np.ascontiguousarray(queries, dtype=np.float32)
    if not len(items) or not len(queries):
        raise InputError("an index needs items to find and queries to measure its recall; one of them is empty.")
    checks.number("recall", recall, above=0.0)
    if recall >= 1:
        raise InputError(f"recall must be below 1, not {recall!r}: search exactly instead.")
    rng = np.random.Generator(np.random.Philox(checks.seed(seed, "seed")))
    with single_threaded_blas():
        centres = _centres(items, rng, threads)
        of_item = _nearest(items, centres, threads)
    counts = np.bincount(of_item, minlength=len(centres))
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    order = np.argsort(of_item, kind="stable").astype(np.int32)
    chosen = np.sort(rng.choice(len(queries), min(QUERIES, len(queries)), replace=False))
    return _measured(ItemIndex(centres, starts, order, *_unmeasured()), items, queries[chosen], recall, threads)


def search(
    index: ItemIndex,
    grouped: NDArray[np.float32],
    queries: Array,
    k: int,
    filters: Filters = NO_FILTERS,
    *,
    probes: int | None = None,
    threads: int = 0,
) -> Result:
    """As ``top_k``, among the lists that promise most; ``grouped`` are the items in the index's order.

    Exactly k come back where that many are allowed: filters make a query look into further lists. ``included`` is left
    to the exact search, which looks at listed items alone.
    """
    queries = np.ascontiguousarray(queries, dtype=np.float32)
    n = len(queries)
    numbers, scores = empty_result(n, k)
    allowed = filters.allowed
    if probes is None:
        probes = index.lists_for(k)
    if allowed is not None:
        # Where few items may come back, as many lists are searched as would hold the usual number of candidates.
        probes = min(len(index.centres), -(-probes * len(allowed) // max(1, int(np.count_nonzero(allowed)))))
    forbidden = (*(filters.seen or _NONE), *(filters.excluded or _NONE))
    mask = np.empty(0, dtype=np.bool_) if allowed is None else allowed

    def block(start: int, stop: int) -> None:
        promise = queries[start:stop] @ index.centres.T
        kernels.search(
            start,
            stop,
            queries,
            promise,
            index.starts,
            index.order,
            grouped,
            probes,
            k,
            *forbidden,
            mask,
            numbers,
            scores,
        )

    with single_threaded_blas():
        run(block, even_chunks(n, 64), threads)
    return numbers, scores


def _unmeasured() -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)


def _measured(
    index: ItemIndex, items: NDArray[np.float32], queries: NDArray[np.float32], recall: float, threads: int
) -> ItemIndex:
    """The index with the number of lists that reaches the recall on one half of the queries; the other half tells."""
    grouped = items[index.order]
    halves = queries[::2], queries[1::2] if len(queries) > 1 else queries
    depths = [depth for depth in (10, DEPTH) if depth < len(items)] or [len(items)]
    probes, recalls = [], []
    for depth in depths:
        truth = [top_k(half, items, depth, threads=threads)[0] for half in halves]
        tried = 1
        while True:
            result = search(index, grouped, halves[0], depth, probes=tried, threads=threads)[0]
            if tried >= len(index.centres) or _share_found(result, truth[0]) >= recall:
                break
            tried = min(2 * tried, len(index.centres))
        result = search(index, grouped, halves[1], depth, probes=tried, threads=threads)[0]
        probes.append(tried)
        recalls.append(_share_found(result, truth[1]))
    return ItemIndex(
        index.centres, index.starts, index.order, np.array(depths), np.array(probes), np.array(recalls, dtype=float)
    )


def _share_found(result: Array, truth: Array) -> float:
    """The mean share of each row of ``truth`` that is in the same row of ``result``."""
    width = max(int(result.max()), int(truth.max())) + 1
    offset = np.arange(len(truth))[:, None] * np.int64(width)
    return float(np.isin(truth + offset, result + offset).mean())


def _centres(items: NDArray[np.float32], rng: np.random.Generator, threads: int) -> NDArray[np.float32]:
    """Means of the lists: Lloyd's rounds on a sample of the items."""
    lists = max(1, min(len(items), round(LISTS_PER_ROOT * np.sqrt(len(items)))))
    sample = items[np.sort(rng.choice(len(items), min(len(items), SAMPLE_PER_LIST * lists), replace=False))]
    centres: NDArray[np.float32] = sample[np.sort(rng.choice(len(sample), lists, replace=False))].copy()
    for _ in range(ROUNDS):
        of_item = _nearest(sample, centres, threads)
        counts = np.bincount(of_item, minlength=lists)
        sums = np.add.reduceat(
            sample[np.argsort(of_item, kind="stable")], np.cumsum(counts[counts > 0]) - counts[counts > 0], axis=0
        )
        centres[counts > 0] = sums / counts[counts > 0][:, None]
        # A list that nobody is nearest to begins anew at some item.
        centres[counts == 0] = sample[rng.choice(len(sample), int(np.count_nonzero(counts == 0)))]
    return centres


def _nearest(items: NDArray[np.float32], centres: NDArray[np.float32], threads: int) -> NDArray[np.int64]:
    """The centre at the smallest distance of each item: argmax ⟨q, c⟩ − ½‖c‖²."""
    half = np.einsum("ij,ij->i", centres, centres) / 2
    nearest = np.empty(len(items), dtype=np.int64)

    def block(start: int, stop: int) -> None:
        nearest[start:stop] = np.argmax(items[start:stop] @ centres.T - half, axis=1)

    run(block, even_chunks(len(items), _BLOCK), threads)
    return nearest
