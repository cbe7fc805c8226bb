"""The best k of a few queries over all items, in one call.

Items lie in tiles, transposed and filled up with zeros: ``tiles`` (T, G, WIDTH), with G a multiple of ``STEP``. A score
is the sum over the factors in their order, ((0 + p₁q₁) + p₂q₂) + …, with nothing reassociated; it is the same whether a
query is multiplied alone or beside three others, and wherever an item lies. Four queries share what is loaded of a
tile, which takes less than half the time of one by one.
"""

import numpy as np

from tacit.kernels._jit import fast, strict
from tacit.kernels.topk import all_finite, filter_cells, finish, select

WIDTH = 1024
"""Items in a tile: the sums of four queries over them stay in the first cache."""

TILES = 8
"""Tiles whose scores are selected from at once: each selection has a price of its own."""

STEP = 4
"""Factors that are added in one pass over a tile, and queries that are multiplied at once."""

_LOWEST = np.float32(-np.inf)


@strict
def transpose(items, tiles):
    """Fill ``tiles`` (T, G, WIDTH) with ``items`` (m, g)."""
    m, g = items.shape
    for t in range(len(tiles)):
        # Sixteen items at a time: what is read of a line of memory is used before it leaves the cache.
        for first in range(0, WIDTH, 16):
            for j in range(tiles.shape[1]):
                for i in range(first, first + 16):
                    item = t * WIDTH + i
                    tiles[t, j, i] = items[item, j] if item < m and j < g else np.float32(0)


@strict
def _one(tile, p, a):
    """a (WIDTH,) = the scores of one query p (G,)."""
    for i in range(WIDTH):
        a[i] = np.float32(0)
    for j in range(0, len(p), STEP):
        p1, p2, p3, p4 = p[j], p[j + 1], p[j + 2], p[j + 3]
        for i in range(WIDTH):
            a[i] = (((a[i] + p1 * tile[j, i]) + p2 * tile[j + 1, i]) + p3 * tile[j + 2, i]) + p4 * tile[j + 3, i]


@strict
def _four(tile, p, a, b, c, d):
    """The scores of four queries p (4, G), each summed as ``_one`` does."""
    for i in range(WIDTH):
        a[i], b[i], c[i], d[i] = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    for j in range(0, p.shape[1], STEP):
        a1, a2, a3, a4 = p[0, j], p[0, j + 1], p[0, j + 2], p[0, j + 3]
        b1, b2, b3, b4 = p[1, j], p[1, j + 1], p[1, j + 2], p[1, j + 3]
        c1, c2, c3, c4 = p[2, j], p[2, j + 1], p[2, j + 2], p[2, j + 3]
        d1, d2, d3, d4 = p[3, j], p[3, j + 1], p[3, j + 2], p[3, j + 3]
        for i in range(WIDTH):
            q1, q2, q3, q4 = tile[j, i], tile[j + 1, i], tile[j + 2, i], tile[j + 3, i]
            a[i] = (((a[i] + a1 * q1) + a2 * q2) + a3 * q3) + a4 * q4
            b[i] = (((b[i] + b1 * q1) + b2 * q2) + b3 * q3) + b4 * q4
            c[i] = (((c[i] + c1 * q1) + c2 * q2) + c3 * q3) + c4 * q4
            d[i] = (((d[i] + d1 * q1) + d2 * q2) + d3 * q3) + d4 * q4


@strict
def multiply(tiles, queries, sums):
    """sums (R, T, WIDTH) = the scores of all queries (R, G); R is 1 or a multiple of STEP."""
    for t in range(len(tiles)):
        if len(queries) == 1:
            _one(tiles[t], queries[0], sums[0, t])
        else:
            for r in range(0, len(queries), STEP):
                _four(tiles[t], queries[r : r + STEP], sums[r, t], sums[r + 1, t], sums[r + 2, t], sums[r + 3, t])


@fast
def search(tiles, begin, end, queries, rows, k, indptr, indices, nothing, scores, bits, keys, filled, floors):
    """Leave the keys of the best k among the items begin..end-1 in ``keys``; False where a score is not finite.

    ``begin`` is a multiple of WIDTH; ``queries`` (R, G) hold ``rows`` of which answers are wanted, then zeros. What a
    query may not get is in ``indptr`` and ``indices``; the rest as in ``kernels.topk``.
    """
    unlimited, unsaved = np.empty(0, np.bool_), np.empty(0, np.float32)
    sums = scores.reshape((len(scores), TILES, WIDTH))
    for first in range(begin, end, TILES * WIDTH):
        width = min(TILES * WIDTH, end - first)
        multiply(tiles[first // WIDTH : first // WIDTH + TILES], queries, sums)
        if not all_finite(scores, rows, width):
            return False
        for r in range(rows):
            for c in range(width, TILES * WIDTH):
                scores[r, c] = _LOWEST
        filter_cells(scores, rows, first, width, np.int64(0), indptr, indices, nothing, unlimited, unsaved)
        select(scores, bits, rows, first, k, keys, filled, floors)
    finish(keys, filled, k)
    return True
