"""Exact top-k for few queries that come again and again: items are kept in tiles, and one kernel does it all.

Items are sorted by the length of their vectors, the longest first. No score exceeds the product of both lengths, so
items that are too short to reach a query's k-th best are skipped. Each query gets the bits that it would get alone. The
tiles are a copy of the items.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.kernels import few
from tacit.neighbours.filters import Lists
from tacit.neighbours.selection import NOTHING, Result, capacity, unpacked
from tacit.neighbours.topk import NOT_FINITE, as_factors
from tacit.threads import even_chunks, resolve, run

Array = NDArray[Any]
Numbers = NDArray[np.int32]
Scores = NDArray[np.float32]
Keys = NDArray[np.int64]

TILES_AT_FIRST = 64
"""Tiles that one thread searches before others get the rest: what it finds may spare them all."""


@dataclass(frozen=True)
class Tiled:
    """Items (m, g), the longest first, transposed, in tiles (T, G, WIDTH), filled up with zeros.

    order (m,) and places (m,) : which item lies where, and where it lies
    bounds (T,) : the length of the longest item in each tile
    finite : whether all items are
    """

    tiles: NDArray[np.float32]
    order: NDArray[np.int32]
    places: NDArray[np.int32]
    bounds: NDArray[np.float64]
    finite: bool

    @classmethod
    def of(cls, items: Array) -> "Tiled":
        items = as_factors(items, "items")
        m, g = items.shape
        with np.errstate(over="ignore", invalid="ignore"):  # told in a sentence when it is searched
            lengths = np.sqrt(np.einsum("ij,ij->i", items, items, dtype=np.float64))
        order = np.argsort(-lengths, kind="stable").astype(np.int32)
        places = np.empty(m, dtype=np.int32)
        places[order] = np.arange(m, dtype=np.int32)
        tiles = np.empty((-(-m // few.WIDTH), -(-g // few.STEP) * few.STEP, few.WIDTH), dtype=np.float32)
        few.transpose(items, order, tiles)
        bounds = np.maximum.reduceat(lengths[order], np.arange(0, m, few.WIDTH))
        return cls(tiles, order, places, bounds, bool(np.isfinite(lengths).all()))


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
    block = np.zeros((n, tiled.tiles.shape[1]), dtype=np.float32)
    block[:, : queries.shape[1]] = queries
    width = min(k, m)
    height = n if n == 1 else -(-n // few.STEP) * few.STEP
    lengths = np.empty(n)
    numbers, scores = np.empty((n, width), dtype=np.int32), np.empty((n, width), dtype=np.float32)

    # Annotations of an inner function are evaluated at every call: these are names, spelt out they would take 20 µs.
    def search(begin: int, end: int, floors: Scores, numbers: Numbers, best: Scores) -> Keys:
        room = np.empty((height, tiled.tiles.shape[1]), dtype=np.float32)
        scores = np.empty((height, few.WIDTH), dtype=np.float32)
        keys = np.empty((n, capacity(width, m)), dtype=np.int64)
        said = few.search(
            tiled.tiles, begin, end, tiled.order, tiled.places, tiled.bounds, block, lengths, width, indptr, indices,
            room, scores, scores.view(np.int32), keys, floors, numbers, best.view(np.int32),
        )  # fmt: skip
        if said != few.FOUND:
            raise InputError(NOT_FINITE if said == few.NOT_FINITE else f"seen names items outside 0 to {m - 1}.")
        return keys[:, :width]

    # What the first tiles leave open goes to threads in sections, each with the floors that are known by then.
    floors = np.full(n, -np.inf, dtype=np.float32)
    first = min(count, TILES_AT_FIRST)
    keys = search(0, first, floors, numbers, scores)
    if first < count and (lengths * tiled.bounds[first] > floors).any():
        sections = even_chunks(count - first, max(1, -(-(count - first) // (2 * resolve(threads)))))
        more = run(
            lambda a, b: search(first + a, first + b, floors.copy(), np.empty_like(numbers), np.empty_like(scores)),
            sections,
            threads,
        )
        numbers, scores = unpacked(np.concatenate((keys, *more), axis=1), width)
    if width == k:
        return numbers, scores
    missing = ((0, 0), (0, k - width))
    return np.pad(numbers, missing, constant_values=-1), np.pad(scores, missing, constant_values=np.nan)
