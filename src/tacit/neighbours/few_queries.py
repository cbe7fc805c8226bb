"""Exact top-k for few queries that come again and again: items are kept in tiles, and one kernel does it all.

Items are sorted by the length of their vectors, the longest first. No score exceeds the product of both lengths, so
items that are too short to reach a query's k-th best are skipped. Each query gets the bits that it would get alone. The
tiles are a copy of the items.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.kernels import few
from tacit.neighbours import first_answers
from tacit.neighbours.filters import Lists
from tacit.neighbours.selection import NOTHING, Result, capacity, unpacked
from tacit.neighbours.topk import NOT_FINITE, as_factors
from tacit.threads import even_chunks, resolve, run

Array = NDArray[Any]

TILES_AT_FIRST = 64
"""Tiles that one thread searches before others get the rest: what it finds may spare them all."""


@dataclass(frozen=True)
class Tiled:
    """Items (m, g), the longest first, transposed, in tiles (T, G, WIDTH), filled up with zeros.

    order (m,) and positions (m,) : the item at each position, and the position of each item
    bounds : the length of the longest of every SLICE items
    finite : whether all items are
    """

    tiles: NDArray[np.float32]
    order: NDArray[np.int32]
    positions: NDArray[np.int32]
    bounds: NDArray[np.float64]
    finite: bool

    @classmethod
    def of(cls, items: Array) -> "Tiled":
        items = as_factors(items, "items")
        m, g = items.shape
        with np.errstate(over="ignore", invalid="ignore"):  # told in a sentence when it is searched
            lengths = np.sqrt(np.einsum("ij,ij->i", items, items, dtype=np.float64))
        order = np.argsort(-lengths, kind="stable").astype(np.int32)
        positions = np.empty(m, dtype=np.int32)
        positions[order] = np.arange(m, dtype=np.int32)
        tiles = np.zeros((-(-m // few.WIDTH), -(-g // few.STEP) * few.STEP, few.WIDTH), dtype=np.float32)
        for tile, (start, stop) in zip(tiles, even_chunks(m, few.WIDTH)):
            tile[:g, : stop - start] = items[order[start:stop]].T
        bounds = np.maximum.reduceat(lengths[order], np.arange(0, m, few.SLICE))
        return cls(tiles, order, positions, bounds, bool(np.isfinite(lengths).all()))


def top_k_of_few(queries: Array, tiled: Tiled, k: int, *, seen: Lists | None = None, threads: int = 0) -> Result:
    """``top_k`` for up to 16 queries over items in tiles.

    >>> numbers, scores = top_k_of_few(np.array([[1.0]]), Tiled.of(np.array([[1.0], [3.0], [2.0]])), k=2)
    >>> numbers, scores
    (array([[1, 2]], dtype=int32), array([[3., 2.]], dtype=float32))
    """
    n, m, count = len(queries), len(tiled.order), len(tiled.tiles)
    indptr, indices = (np.zeros(n + 1, dtype=np.int64), NOTHING) if seen is None else seen
    indptr, indices = np.ascontiguousarray(indptr, dtype=np.int64), np.ascontiguousarray(indices, dtype=np.int32)
    if not tiled.finite:
        raise InputError(NOT_FINITE)
    if len(indptr) != n + 1 or indptr[-1] > len(indices):
        raise InputError(f"seen must list items for each of the {n} queries.")
    if first_answers.allowance.covers(few.search, n * m, queries.shape[1]):
        answer = first_answers.Few(queries, tiled.tiles, tiled.order).best(min(k, m), (indptr, indices))
        if answer is not None:
            return _filled_up(answer, k)
    block = np.zeros((n, tiled.tiles.shape[1]), dtype=np.float32)
    block[:, : queries.shape[1]] = queries
    request = _Request(block, np.empty(n), min(k, m), indptr, indices)
    floors = np.empty(n, dtype=np.float32)
    floors.fill(-np.inf)
    # What the first tiles leave open goes to threads in sections, each with the floors that are known by then.
    first = min(count, TILES_AT_FIRST)
    keys, numbers, scores = _search(tiled, request, 0, first, floors)
    if first < count and (request.lengths * tiled.bounds[first * few.WIDTH // few.SLICE] > floors).any():
        sections = even_chunks(count - first, max(1, -(-(count - first) // (2 * resolve(threads)))))
        more = run(lambda a, b: _search(tiled, request, first + a, first + b, floors.copy())[0], sections, threads)
        numbers, scores = unpacked(np.concatenate((keys, *more), axis=1), request.k)
    return _filled_up((numbers, scores), k)


def _filled_up(result: Result, k: int) -> Result:
    """Lists of length k: -1 and NaN where there are fewer items."""
    numbers, scores = result
    if numbers.shape[1] == k:
        return result
    missing = ((0, 0), (0, k - numbers.shape[1]))
    return np.pad(numbers, missing, constant_values=-1), np.pad(scores, missing, constant_values=np.nan)


class StoredRows(NamedTuple):
    """Factors (n, g) of rows and the items that they have, as kernels take them."""

    factors: NDArray[np.float32]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]

    @classmethod
    def of(cls, factors: Array, indptr: Array, indices: Array) -> "StoredRows | None":
        """None where an array would have to be copied first."""
        given = (factors, np.float32), (indptr, np.int64), (indices, np.int32)
        fit = all(one.dtype == kind and one.flags.c_contiguous and one.flags.writeable for one, kind in given)
        return cls(factors, indptr, indices) if fit else None


NO_ROWS = StoredRows(np.empty((0, 1), dtype=np.float32), np.zeros(1, dtype=np.int64), NOTHING)


def top_k_of_rows(
    numbers: list[int], rows: StoredRows, apart: StoredRows, tiled: Tiled, k: int, *, exclude_seen: bool
) -> Result | None:
    """``top_k_of_few`` for rows by their numbers, to the same bits, in one call of a kernel.

    numbers : up to 16; -1 - i stands for row i of ``apart``, where rows are that have changed

    None where that call cannot tell: a row's factor is zero, something is not finite or does not fit, there are fewer
    than k items, or so many that several threads should search.

    >>> rows = StoredRows.of(np.ones((1, 1), np.float32), np.array([0, 1]), np.array([1], dtype=np.int32))
    >>> tiled = Tiled.of(np.array([[1.0], [3.0], [2.0]]))
    >>> top_k_of_rows([0], rows, NO_ROWS, tiled, 1, exclude_seen=True)
    (array([[2]], dtype=int32), array([[2.]], dtype=float32))
    """
    n, m = len(numbers), len(tiled.order)
    if k > m or not tiled.finite:
        return None
    if first_answers.allowance.covers(few.search_rows, n * m, rows.factors.shape[1]):
        queries, lists = _gathered(numbers, rows, apart, exclude_seen)
        known = queries.any(axis=1).all()
        return first_answers.Few(queries, tiled.tiles, tiled.order).best(k, lists) if known else None
    listed, scores = np.empty((n, k), dtype=np.int32), np.empty((n, k), dtype=np.float32)
    status = few.search_rows(
        tiled.tiles, min(len(tiled.tiles), TILES_AT_FIRST), tiled.order, tiled.positions, tiled.bounds, *rows,
        np.array(numbers, dtype=np.int64), *apart, exclude_seen, k, capacity(k, m), listed, scores.view(np.int32),
    )  # fmt: skip
    return (listed, scores) if status == few.FOUND else None


def _gathered(
    numbers: list[int], rows: StoredRows, apart: StoredRows, exclude_seen: bool
) -> tuple[NDArray[np.float32], Lists]:
    """The factors of these rows, and lists of what they may not get."""
    stored = [(rows, number) if number >= 0 else (apart, -1 - number) for number in numbers]
    queries = np.stack([part.factors[number] for part, number in stored])
    lists = [part.indices[part.indptr[number] : part.indptr[number + 1]] for part, number in stored]
    lists = lists if exclude_seen else [NOTHING] * len(stored)
    return queries, (np.cumsum([0, *map(len, lists)]), np.concatenate(lists))


class _Request(NamedTuple):
    """Queries (n, G) with room for their lengths (n,), how many items each gets, and lists of those it may not get."""

    queries: NDArray[np.float32]
    lengths: NDArray[np.float64]
    k: int
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]


def _search(
    tiled: Tiled, request: _Request, begin: int, end: int, floors: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """Keys (n, k) of the best of some tiles, with their numbers and scores; ``floors`` (n,) are raised."""
    n, m = len(floors), len(tiled.order)
    keys = np.empty((n, capacity(request.k, m)), dtype=np.int64)
    numbers, scores = np.empty((n, request.k), dtype=np.int32), np.empty((n, request.k), dtype=np.float32)
    status = few.search(
        tiled.tiles, begin, end, tiled.order, tiled.positions, tiled.bounds, *request, keys, floors, numbers,
        scores.view(np.int32),
    )  # fmt: skip
    if status != few.FOUND:
        raise InputError(NOT_FINITE if status == few.NOT_FINITE else f"seen names items outside 0 to {m - 1}.")
    return keys[:, : request.k], numbers, scores
