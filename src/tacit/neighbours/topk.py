"""Exact top-k of inner products, tile by tile.

For each query p the k items with the highest ⟨p, q⟩ + bias; equal scores go to the lower item number. Exactly k come
back when that many are allowed.

Scores are computed as products of fixed shapes: 16, 64 or 256 queries by 1,024 items, the last ones filled up with
zeros; up to 16 queries are multiplied one by one with 8,192 items, so that each gets the bits that it would get alone.
The shape depends on the number of queries alone, BLAS runs on one thread inside a product, and selection compares but
never adds. So the bits are the same at any number of threads, and each thread holds one tile of 1 MiB (``TILE_BYTES``)
beside the result, however many queries and items there are.

Who asks again and again about few queries keeps the items in tiles (``tiled``) and calls ``top_k_of_few``: one kernel
does all, at a third of the time, and each query again gets the bits that it would get alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.kernels import few
from tacit.kernels import topk as kernels
from tacit.threads import even_chunks, resolve, run, single_threaded_blas

Array = NDArray[Any]
Lists = tuple[NDArray[np.int64], NDArray[np.int32]]
"""Item numbers per query: ``indptr`` and ``indices`` of a CSR matrix whose rows are sorted."""

ITEMS = 1024
QUERIES = (16, 64, 256)
TILE_BYTES = QUERIES[-1] * ITEMS * 4

ITEMS_OF_FEW = 8 * ITEMS
"""Items in a tile of few queries."""

TILES_PER_SECTION = 8
"""Tiles below which another thread costs more than it saves."""

BLOCK_BYTES = 16 * 2**20
"""Scores that a thread holds at once where they come as whole rows."""

TILES_OF_FEW = 64
"""Tiles of few queries below which another thread costs more than it saves."""

_NOT_FINITE = "queries and items give scores that are NaN or infinite; check their factors."
_NOTHING = np.empty(0, dtype=np.int32)
_EMPTY = np.iinfo(np.int64).min


def top_k(
    queries: Array,
    items: Array,
    k: int,
    *,
    seen: Lists | None = None,
    excluded: Lists | None = None,
    included: Lists | None = None,
    limited: NDArray[np.bool_] | None = None,
    allowed: NDArray[np.bool_] | None = None,
    bias: Array | None = None,
    threads: int = 0,
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The k best items of every query.

    Parameters
    ----------
    queries : (n, g) factors, one row per query
    items : (m, g) factors, one row per item
    k : how many to return, at least 1; places beyond what is allowed stay empty
    seen, excluded : per query the items that may not come back
    included : per query the only items that may come back
    limited : (n,) mask of the queries that ``included`` speaks of, all when None; the others may get any item
    allowed : (m,) mask of the items that may come back for any query
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
    queries, items = _factors(queries, "queries"), _factors(items, "items")
    n, m = len(queries), len(items)
    if queries.shape[1] != items.shape[1]:
        raise InputError(
            f"queries have {queries.shape[1]} columns but items have {items.shape[1]}; both need the same factors."
        )
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InputError(f"k must be a whole number of at least 1, not {k!r}.")
    plan = _Plan(
        queries,
        _Candidates.of(items, allowed, bias),
        [_checked(lists, name, n, m) for lists, name in ((seen, "seen"), (excluded, "excluded")) if lists is not None],
        None if included is None else _checked(included, "included", n, m),
        np.ones(n, dtype=np.bool_) if limited is None else limited,
    )
    numbers = np.full((n, k), -1, dtype=np.int32)
    scores = np.full((n, k), np.nan, dtype=np.float32)
    width = min(int(k), len(plan.candidates))
    if n and width:
        with single_threaded_blas():
            numbers[:, :width], scores[:, :width] = plan.search(width, threads)
    return numbers, scores


def tiled(items: Array) -> NDArray[np.float32]:
    """The items (m, g) as ``top_k_of_few`` wants them: transposed, in tiles, filled up with zeros."""
    items = _factors(items, "items")
    factors = -(-items.shape[1] // few.STEP) * few.STEP
    tiles = np.empty((-(-len(items) // few.WIDTH), factors, few.WIDTH), dtype=np.float32)
    few.transpose(items, tiles)
    return tiles


def top_k_of_few(
    queries: Array, tiles: NDArray[np.float32], m: int, k: int, *, seen: Lists | None = None, threads: int = 0
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """``top_k`` for up to 16 queries over the m items in ``tiles``.

    >>> numbers, scores = top_k_of_few(np.array([[1.0]]), tiled(np.array([[1.0], [3.0], [2.0]])), 3, k=2)
    >>> numbers, scores
    (array([[1, 2]], dtype=int32), array([[3., 2.]], dtype=float32))
    """
    n = len(queries)
    indptr, indices = (np.zeros(n + 1, dtype=np.int64), _NOTHING) if seen is None else _checked(seen, "seen", n, m)
    block = np.zeros((n if n == 1 else -(-n // few.STEP) * few.STEP, tiles.shape[1]), dtype=np.float32)
    block[:n, : queries.shape[1]] = queries
    width = min(k, m)

    def search(begin: int, end: int) -> NDArray[np.int64]:
        best = min(width, end - begin)
        scores = np.empty((len(block), few.TILES * few.WIDTH), dtype=np.float32)
        keys = np.empty((n, _capacity(best, end - begin)), dtype=np.int64)
        filled, floors = np.zeros(n, dtype=np.int64), np.full(n, -np.inf, dtype=np.float32)
        if not few.search(
            tiles, begin, end, block, n, best, indptr, indices, _NOTHING, scores, scores.view(np.int32),
            keys, filled, floors,
        ):  # fmt: skip
            raise InputError(_NOT_FINITE)
        return keys[:, :best]

    # Few queries over many items would leave threads idle: the items are then cut into sections.
    sections = max(1, min(len(tiles) // TILES_OF_FEW, 2 * resolve(threads)))
    cuts = even_chunks(m, max(1, -(-len(tiles) // sections)) * few.WIDTH)
    found = run(search, cuts, threads)
    numbers, scores = _unpacked(
        _largest(found[0] if len(found) == 1 else np.concatenate(found, axis=1), width), _NOTHING
    )
    if width == k:
        return numbers, scores
    missing = ((0, 0), (0, k - width))
    return np.pad(numbers, missing, constant_values=-1), np.pad(scores, missing, constant_values=np.nan)


def top_k_of(
    score_rows: Callable[[int, int], NDArray[np.float32]],
    n: int,
    m: int,
    k: int,
    *,
    seen: Lists | None = None,
    excluded: Lists | None = None,
    included: Lists | None = None,
    limited: NDArray[np.bool_] | None = None,
    allowed: NDArray[np.bool_] | None = None,
    threads: int = 0,
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The same for scores that are no inner products: ``score_rows(start, stop)`` gives (stop - start, m) of them.

    Each thread holds the scores of some rows, ``BLOCK_BYTES`` or those of 16 rows where that is more. The rows of a
    block depend on m alone.

    >>> top_k_of(lambda start, stop: np.array([[1, 3, 2]], dtype=np.float32), 1, 3, 2)
    (array([[1, 2]], dtype=int32), array([[3., 2.]], dtype=float32))
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise InputError(f"k must be a whole number of at least 1, not {k!r}.")
    forbidden = [
        _checked(lists, name, n, m) for lists, name in ((seen, "seen"), (excluded, "excluded")) if lists is not None
    ]
    included = None if included is None else _checked(included, "included", n, m)
    limited = np.ones(n, dtype=np.bool_) if limited is None else limited
    width = min(int(k), m)

    def search(start: int, stop: int) -> NDArray[np.int64]:
        block = score_rows(start, stop)
        rows = stop - start
        tile = np.empty((rows, ITEMS), dtype=np.float32)
        kept = np.empty(ITEMS, dtype=np.float32)
        keys = np.empty((rows, _capacity(width, m)), dtype=np.int64)
        filled = np.zeros(rows, dtype=np.int64)
        floors = np.full(rows, -np.inf, dtype=np.float32)
        for first, last in even_chunks(m, ITEMS):
            tile[:, : last - first] = block[:, first:last]
            if not kernels.all_finite(tile, rows, last - first):
                raise InputError("the model gives scores that are NaN or infinite; fit it with more regularization.")
            tile[:, last - first :] = -np.inf
            if allowed is not None:
                tile[:, : last - first][:, ~allowed[first:last]] = -np.inf
            where = (tile, rows, first, last - first, start)
            for lists in forbidden:
                kernels.mask_cells(*where, *lists, _NOTHING)
            if included is not None:
                kernels.keep_cells(*where, *included, _NOTHING, limited, kept)
            kernels.select(tile, tile.view(np.int32), rows, first, width, keys, filled, floors)
        kernels.finish(keys, filled, width)
        return _largest(keys[:, :width], width)

    numbers = np.full((n, k), -1, dtype=np.int32)
    scores = np.full((n, k), np.nan, dtype=np.float32)
    if n and width:
        with single_threaded_blas():
            found = run(search, even_chunks(n, max(QUERIES[0], BLOCK_BYTES // (4 * m))), threads)
        numbers[:, :width], scores[:, :width] = _unpacked(np.concatenate(found), _NOTHING)
    return numbers, scores


def fill_zero_rows(factors: Array, known: Array) -> Array:
    """Rows of zeros, of queries without positives, replaced by the mean of ``known``.

    They would list columns in the order of their numbers; the mean lists what most rows would get.

    >>> fill_zero_rows(np.array([[0.0, 0.0], [2.0, 1.0]]), np.array([[3.0, 1.0], [1.0, 1.0]]))
    array([[2., 1.],
           [2., 1.]])
    """
    silent = np.flatnonzero(np.abs(factors).max(axis=1, initial=0.0) == 0)
    if not len(silent):
        return factors
    factors = factors.copy()
    factors[silent] = known.mean(axis=0, dtype=np.float64)
    return factors


def normalise(factors: Array) -> NDArray[np.float32]:
    """Rows scaled to length one, so that their inner products are cosines; rows of zeros stay zeros.

    >>> normalise(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    factors = _factors(factors, "factors")
    # The largest entry is divided out first: squares of very large or small rows would leave float32.
    scale = np.abs(factors).max(axis=1, keepdims=True, initial=0.0)
    scaled = np.divide(factors, np.where(scale > 0, scale, 1), dtype=np.float32)
    length = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    return np.divide(scaled, np.where(length > 0, length, 1), dtype=np.float32)


def _factors(factors: Array, name: str) -> NDArray[np.float32]:
    factors = np.ascontiguousarray(factors, dtype=np.float32)
    if factors.ndim != 2:
        raise InputError(f"{name} must have two dimensions, not {factors.ndim}.")
    return factors


def _checked(lists: Lists, name: str, n: int, m: int) -> Lists:
    indptr = np.ascontiguousarray(lists[0], dtype=np.int64)
    indices = np.ascontiguousarray(lists[1], dtype=np.int32)
    if len(indptr) != n + 1:
        raise InputError(f"{name} must list items for each of the {n} queries, not for {len(indptr) - 1}.")
    if indptr[-1] > len(indices) or (len(indices) and (indices.min() < 0 or indices.max() >= m)):
        raise InputError(f"{name} names items outside 0 to {m - 1}.")
    return indptr, indices


@dataclass(frozen=True)
class _Candidates:
    """The items that may come back: all of them, or those of a mask, in ascending order."""

    items: NDArray[np.float32]
    numbers: NDArray[np.int32]  # candidate → item, empty when they are the same
    places: NDArray[np.int32]  # item → candidate or -1, empty when they are the same
    bias: NDArray[np.float32] | None

    @classmethod
    def of(cls, items: NDArray[np.float32], allowed: Array | None, bias: Array | None) -> "_Candidates":
        m = len(items)
        if bias is not None:
            bias = np.ascontiguousarray(bias, dtype=np.float32)
            if bias.shape != (m,):
                raise InputError(f"bias must have one value for each of the {m} items, not the shape {bias.shape}.")
        if allowed is None:
            return cls(items, _NOTHING, _NOTHING, bias)
        allowed = np.asarray(allowed)
        if allowed.dtype != np.bool_ or allowed.shape != (m,):
            raise InputError(f"allowed must be a mask of {m} booleans, one per item.")
        numbers = np.flatnonzero(allowed).astype(np.int32)
        places = np.full(m, -1, dtype=np.int32)
        places[numbers] = np.arange(len(numbers), dtype=np.int32)
        if len(numbers) == m:
            return cls(items, _NOTHING, _NOTHING, bias)
        return cls(items, numbers, places, None if bias is None else bias[numbers])

    def __len__(self) -> int:
        return len(self.numbers) if len(self.places) else len(self.items)

    def tile(self, first: int, last: int, height: int) -> NDArray[np.float32]:
        """Factors of the candidates first..last-1, filled up with zeros to ``height`` rows."""
        if not len(self.places) and last - first >= height:
            return self.items[first:last]
        padded = np.zeros((max(height, last - first), self.items.shape[1]), dtype=np.float32)
        padded[: last - first] = self.items[self.numbers[first:last] if len(self.places) else slice(first, last)]
        return padded


@dataclass(frozen=True)
class _Plan:
    queries: NDArray[np.float32]
    candidates: _Candidates
    forbidden: list[Lists]
    included: Lists | None
    limited: NDArray[np.bool_]

    @property
    def few(self) -> bool:
        return len(self.queries) <= QUERIES[0]

    @property
    def tile_width(self) -> int:
        return ITEMS_OF_FEW if self.few else ITEMS

    def search(self, k: int, threads: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        room = 8 * _capacity(k, len(self.candidates))
        height = next((size for size in reversed(QUERIES) if size * room <= 8 * TILE_BYTES), QUERIES[0])
        blocks = even_chunks(len(self.queries), height)
        # Few queries over many items would leave threads idle: the items are then cut into sections as well.
        # Selection compares and never adds, so that the cuts cannot change a bit.
        tiles = -(-len(self.candidates) // self.tile_width)
        sections = max(1, min(tiles // TILES_PER_SECTION, 2 * resolve(threads) // len(blocks)))
        cuts = even_chunks(len(self.candidates), -(-tiles // sections) * self.tile_width)
        found = run(self._search_block, [(k, *block, *cut) for block in blocks for cut in cuts], threads)
        joined = [np.concatenate(found[i : i + len(cuts)], axis=1) for i in range(0, len(found), len(cuts))]
        return _unpacked(np.concatenate([_largest(keys, k) for keys in joined]), self.candidates.numbers)

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
        kept = np.empty(tile_width, dtype=np.float32)
        k = min(k, end - begin)
        keys = np.empty((rows, _capacity(k, end - begin)), dtype=np.int64)
        filled = np.zeros(rows, dtype=np.int64)
        floors = np.full(rows, -np.inf, dtype=np.float32)
        for first in range(begin, end, tile_width):
            last = min(first + tile_width, end)
            width = last - first
            # A vector's product needs no filling up: each item's score is a sum of its own.
            tile = self.candidates.tile(first, last, width if self.few else tile_width)
            with np.errstate(over="ignore", invalid="ignore"):  # told in a sentence below
                if self.few:
                    for row in range(rows):
                        np.dot(tile, block[row], out=scores[row, :width])
                else:
                    np.dot(block, tile.T, out=scores)
                if self.candidates.bias is not None:
                    scores[:, :width] += self.candidates.bias[first:last]
                usable = kernels.all_finite(scores, rows, width)
            if not usable:
                raise InputError(_NOT_FINITE)
            scores[:, width:] = -np.inf
            where = (scores, rows, first, width, start)
            for lists in self.forbidden:
                kernels.mask_cells(*where, *lists, self.candidates.places)
            if self.included is not None:
                kernels.keep_cells(*where, *self.included, self.candidates.places, self.limited, kept)
            kernels.select(scores, scores.view(np.int32), rows, first, k, keys, filled, floors)
        kernels.finish(keys, filled, k)
        return keys[:, :k]


def _unpacked(keys: NDArray[np.int64], candidates: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Numbers and scores of packed keys (see ``kernels.topk``); ``candidates`` as in ``_Candidates.numbers``."""
    empty = keys == _EMPTY
    ordered = (keys >> 32).astype(np.int32)
    scores = np.where(ordered >= 0, ordered, ordered ^ np.int32(0x7FFFFFFF)).view(np.float32)
    numbers = (0xFFFFFFFF - (keys & 0xFFFFFFFF)).astype(np.int32)
    numbers[empty], scores[empty] = 0, np.nan
    if len(candidates):
        numbers = candidates[numbers]
    numbers[empty] = -1
    return numbers, scores


def _capacity(k: int, candidates: int) -> int:
    """Places in a buffer: room for as many newcomers as stay, so that a place costs a few comparisons."""
    return min(2 * k + 64, candidates + 1)


def _largest(keys: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """The k largest keys of each row, in descending order."""
    if keys.shape[1] > k:
        keys = np.partition(keys, keys.shape[1] - k, axis=1)[:, keys.shape[1] - k :]
    return np.sort(keys, axis=1)[:, ::-1]
