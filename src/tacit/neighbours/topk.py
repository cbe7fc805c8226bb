"""Exact top-k, tile by tile: of inner products (``top_k``), or of scores that come as whole rows (``top_k_of``).

For each query p the k items with the highest ⟨p, q⟩ + bias; equal scores go to the lower item number. Exactly k come
back when that many are allowed.

Scores are computed as products of fixed shapes: 16, 64 or 256 queries by 1,024 items, the last ones filled up with
zeros; up to 16 queries are multiplied one by one with 8,192 items, so that each gets the bits that it would get alone.
The shape depends on the number of queries alone, BLAS runs on one thread inside a product, and selection compares but
never adds. So the bits are the same at any number of threads, and each thread holds one tile of 1 MiB (``TILE_BYTES``)
beside the result, however many queries and items there are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.neighbours.filters import NO_FILTERS, Filters, whole_k
from tacit.neighbours.selection import NOTHING, Result, capacity, empty_result, selection_of, unpacked
from tacit.threads import even_chunks, resolve, run, single_threaded_blas

Array = NDArray[Any]

ITEMS = 1024
QUERIES = (16, 64, 256)
TILE_BYTES = QUERIES[-1] * ITEMS * 4

ITEMS_OF_FEW = 8 * ITEMS
"""Items in a tile of few queries."""

TILES_PER_SECTION = 8
"""Tiles below which another thread costs more than it saves."""

BLOCK_BYTES = 16 * 2**20
"""Scores that a thread holds at once where they come as whole rows."""

_NOT_FINITE_MODEL = "the model gives scores that are NaN or infinite; fit it with more regularization."
NOT_FINITE = "queries and items give scores that are NaN or infinite; check their factors."


def top_k(
    queries: Array,
    items: Array,
    k: int,
    filters: Filters = NO_FILTERS,
    *,
    bias: Array | None = None,
    threads: int = 0,
) -> Result:
    """The k best items of every query.

    Parameters
    ----------
    queries : (n, g) factors, one row per query
    items : (m, g) factors, one row per item
    k : how many to return, at least 1; places beyond what the filters allow stay empty
    filters : which items may come back
    bias : (m,) added to the scores of each item
    threads : 0 for all cores

    Returns
    -------
    numbers : (n, k) int32, best first, -1 in places that could not be filled
    scores : (n, k) float32, NaN in places that could not be filled

    >>> numbers, scores = top_k(np.array([[1.0]]), np.array([[1.0], [3.0], [2.0]]), k=2)
    >>> numbers, scores
    (array([[1, 2]], dtype=int32), array([[3., 2.]], dtype=float32))
    """
    queries, items = as_factors(queries, "queries"), as_factors(items, "items")
    n, m = len(queries), len(items)
    if queries.shape[1] != items.shape[1]:
        raise InputError(
            f"queries have {queries.shape[1]} columns but items have {items.shape[1]}; both need the same factors."
        )
    k = whole_k(k)
    filters = filters.checked(n, m)
    plan = _Plan(queries, _Candidates.of(items, filters.allowed, bias), filters)
    numbers, scores = empty_result(n, k)
    width = min(k, len(plan.candidates))
    if n and width:
        with single_threaded_blas():
            numbers[:, :width], scores[:, :width] = plan.search(width, threads)
    return numbers, scores


def top_k_of(
    score_rows: Callable[[int, int], NDArray[np.float32]],
    n: int,
    m: int,
    k: int,
    filters: Filters = NO_FILTERS,
    *,
    threads: int = 0,
) -> Result:
    """The same for scores that are no inner products: ``score_rows(start, stop)`` gives (stop - start, m) of them.

    Each thread holds the scores of some rows, ``BLOCK_BYTES`` or those of 16 rows where that is more. The rows of a
    block depend on m alone.

    >>> top_k_of(lambda start, stop: np.array([[1, 3, 2]], dtype=np.float32), 1, 3, 2)
    (array([[1, 2]], dtype=int32), array([[3., 2.]], dtype=float32))
    """
    k = whole_k(k)
    filters = filters.checked(n, m)
    barred = None if filters.allowed is None else ~filters.allowed
    width = min(k, m)

    def search(start: int, stop: int) -> Array:
        block = score_rows(start, stop)
        tile = np.empty((stop - start, ITEMS), dtype=np.float32)
        selection = selection_of(filters, start, stop - start, width, m)
        for first, last in even_chunks(m, ITEMS):
            tile[:, : last - first] = block[:, first:last]
            selection.offer(
                tile, first, last - first, _NOT_FINITE_MODEL, None if barred is None else barred[first:last]
            )
        return selection.finish()

    numbers, scores = empty_result(n, k)
    if n and width:
        with single_threaded_blas():
            keys = run(search, even_chunks(n, max(QUERIES[0], BLOCK_BYTES // (4 * m))), threads)
        numbers[:, :width], scores[:, :width] = unpacked(np.concatenate(keys), width)
    return numbers, scores


def fill_zero_rows(factors: Array, known: Callable[[], Array]) -> Array:
    """Rows of zeros, of queries without positives, replaced by the row (g,) that ``known`` gives.

    They would list columns in the order of their numbers.

    >>> fill_zero_rows(np.array([[0.0, 0.0], [2.0, 1.0]]), lambda: np.array([3.0, 1.0]))
    array([[3., 1.],
           [2., 1.]])
    """
    silent = np.flatnonzero(np.abs(factors).max(axis=1, initial=0.0) == 0)
    if not len(silent):
        return factors
    factors = factors.copy()
    factors[silent] = known()
    return factors


def normalise(factors: Array) -> NDArray[np.float32]:
    """Rows scaled to length one, so that their inner products are cosines; rows of zeros stay zeros.

    >>> normalise(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    factors = as_factors(factors, "factors")
    # The largest entry is divided out first: squares of very large or small rows would leave float32.
    scale = np.abs(factors).max(axis=1, keepdims=True, initial=0.0)
    scaled = np.divide(factors, np.where(scale > 0, scale, 1), dtype=np.float32)
    length = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    return np.divide(scaled, np.where(length > 0, length, 1), dtype=np.float32)


def as_factors(factors: Array, name: str) -> NDArray[np.float32]:
    """Factors (n, g) as kernels take them."""
    factors = np.ascontiguousarray(factors, dtype=np.float32)
    if factors.ndim != 2:
        raise InputError(f"{name} must have two dimensions, not {factors.ndim}.")
    return factors


@dataclass(frozen=True)
class _Candidates:
    """The items that may come back: all of them, or those of a mask, in ascending order."""

    items: NDArray[np.float32]
    numbers: NDArray[np.int32]  # candidate → item, empty when they are the same
    candidate_of: NDArray[np.int32]  # item → candidate or -1, empty when they are the same
    bias: NDArray[np.float32] | None

    @classmethod
    def of(cls, items: NDArray[np.float32], allowed: Array | None, bias: Array | None) -> "_Candidates":
        m = len(items)
        if bias is not None:
            bias = np.ascontiguousarray(bias, dtype=np.float32)
            if bias.shape != (m,):
                raise InputError(f"bias must have one value for each of the {m} items, not the shape {bias.shape}.")
        if allowed is None:
            return cls(items, NOTHING, NOTHING, bias)
        numbers = np.flatnonzero(allowed).astype(np.int32)
        candidate_of = np.full(m, -1, dtype=np.int32)
        candidate_of[numbers] = np.arange(len(numbers), dtype=np.int32)
        if len(numbers) == m:
            return cls(items, NOTHING, NOTHING, bias)
        return cls(items, numbers, candidate_of, None if bias is None else bias[numbers])

    def __len__(self) -> int:
        return len(self.numbers) if len(self.candidate_of) else len(self.items)

    def tile(self, first: int, last: int, height: int) -> NDArray[np.float32]:
        """Factors of the candidates first..last-1, filled up with zeros to ``height`` rows."""
        if not len(self.candidate_of) and last - first >= height:
            return self.items[first:last]
        padded = np.zeros((max(height, last - first), self.items.shape[1]), dtype=np.float32)
        padded[: last - first] = self.items[self.numbers[first:last] if len(self.candidate_of) else slice(first, last)]
        return padded


@dataclass(frozen=True)
class _Plan:
    queries: NDArray[np.float32]
    candidates: _Candidates
    filters: Filters

    @property
    def few(self) -> bool:
        return len(self.queries) <= QUERIES[0]

    @property
    def tile_width(self) -> int:
        return ITEMS_OF_FEW if self.few else ITEMS

    def search(self, k: int, threads: int) -> Result:
        room = 8 * capacity(k, len(self.candidates))
        height = next((size for size in reversed(QUERIES) if size * room <= 8 * TILE_BYTES), QUERIES[0])
        blocks = even_chunks(len(self.queries), height)
        # Few queries over many items would leave threads idle: the items are then cut into sections as well.
        # Selection compares and never adds, so that the cuts cannot change a bit.
        tiles = -(-len(self.candidates) // self.tile_width)
        sections = max(1, min(tiles // TILES_PER_SECTION, 2 * resolve(threads) // len(blocks)))
        cuts = even_chunks(len(self.candidates), -(-tiles // sections) * self.tile_width)
        parts = run(self._search_block, [(k, *block, *cut) for block in blocks for cut in cuts], threads)
        joined = [np.concatenate(parts[i : i + len(cuts)], axis=1) for i in range(0, len(parts), len(cuts))]
        return unpacked(np.concatenate(joined), k, self.candidates.numbers)

    def _search_block(self, k: int, start: int, stop: int, begin: int, end: int) -> NDArray[np.int64]:
        """Keys of the k best candidates among begin..end-1 for the queries start..stop-1."""
        rows = stop - start
        height = rows if self.few else next(size for size in QUERIES if size >= rows)
        block = self.queries[start:stop]
        if rows < height:
            block = np.zeros((height, self.queries.shape[1]), dtype=np.float32)
            block[:rows] = self.queries[start:stop]
        tile_width = self.tile_width
        scores = np.empty((height, tile_width), dtype=np.float32)
        selection = selection_of(
            self.filters, start, rows, min(k, end - begin), end - begin, self.candidates.candidate_of
        )
        with np.errstate(over="ignore", invalid="ignore"):  # told in a sentence by ``offer``
            for first in range(begin, end, tile_width):
                last = min(first + tile_width, end)
                width = last - first
                # A vector's product needs no filling up: each item's score is a sum of its own.
                tile = self.candidates.tile(first, last, width if self.few else tile_width)
                if self.few:
                    for row in range(rows):
                        np.dot(tile, block[row], out=scores[row, :width])
                else:
                    np.dot(block, tile.T, out=scores)
                if self.candidates.bias is not None:
                    scores[:, :width] += self.candidates.bias[first:last]
                selection.offer(scores, first, width, NOT_FINITE)
        return selection.finish()
