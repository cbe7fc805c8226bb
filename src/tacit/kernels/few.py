"""The best k of a few queries over all items, in one call that looks at few of them.

Items lie in tiles, transposed and filled up with zeros: ``tiles`` (T, G, WIDTH), with G a multiple of ``STEP``. The
longest come first, and ``bounds`` has the length of the longest of every ``SLICE`` items: no score exceeds the product
of both lengths, so slices that cannot reach a query's k-th best are left out. A score is the sum over the factors in
their order, ((0 + p₁q₁) + p₂q₂) + …, with nothing reassociated; it is the same whether a query is multiplied alone or
beside three others, and wherever an item lies. Four queries share what is loaded of a tile, which takes less than half
the time of one by one.
"""

import numpy as np

from tacit.kernels._jit import fast, inlined, strict
from tacit.kernels.sorted_lists import sort
from tacit.kernels.topk import STRIDE, all_finite, any_above, finish, first_floor, floor_of, keep_largest, pack, unpack

WIDTH = 1024
"""Items in a tile: the sums of four queries over them stay in the first cache."""

SLICE = STRIDE
"""Items that are multiplied or left out as one."""

STEP = 4
"""Factors that are added in one pass over a tile, and queries that are multiplied at once."""

ROUNDED_UP = 1.0 + 2.0**-10
"""By how much a score in single precision may exceed the product of the lengths, and more: g factors make g · 2⁻²³."""

FOUND, NOT_FINITE, OUTSIDE, OPEN, NO_FACTOR = 0, 1, 2, 3, 4
"""What a search says: all is well; a score is not finite; a list names an item that does not exist; other tiles may
hold better ones; a row has a factor of zeros."""

_LOWEST = np.float32(-np.inf)


@inlined
def _factors(tile, j, start, width):
    """Four factors of the items from ``start`` on.

    Slices, because an index ``start + i`` might be negative for all the compiler knows: such a loop stays scalar.
    """
    stop = start + width
    return tile[j, start:stop], tile[j + 1, start:stop], tile[j + 2, start:stop], tile[j + 3, start:stop]


@inlined
def _one(tile, start, width, p, a):
    """a (≥ width,) = the scores of one query p (G,) with the items from ``start`` on."""
    for i in range(width):
        a[i] = np.float32(0)
    for j in range(0, len(p), STEP):
        p1, p2, p3, p4 = p[j], p[j + 1], p[j + 2], p[j + 3]
        q1, q2, q3, q4 = _factors(tile, j, start, width)
        for i in range(width):
            a[i] = (((a[i] + p1 * q1[i]) + p2 * q2[i]) + p3 * q3[i]) + p4 * q4[i]


@inlined
def _four(tile, start, width, p, a, b, c, d):
    """The scores of four queries p (4, G), each summed as ``_one`` does."""
    for i in range(width):
        a[i], b[i], c[i], d[i] = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    for j in range(0, p.shape[1], STEP):
        a1, a2, a3, a4 = p[0, j], p[0, j + 1], p[0, j + 2], p[0, j + 3]
        b1, b2, b3, b4 = p[1, j], p[1, j + 1], p[1, j + 2], p[1, j + 3]
        c1, c2, c3, c4 = p[2, j], p[2, j + 1], p[2, j + 2], p[2, j + 3]
        d1, d2, d3, d4 = p[3, j], p[3, j + 1], p[3, j + 2], p[3, j + 3]
        r1, r2, r3, r4 = _factors(tile, j, start, width)
        for i in range(width):
            q1, q2, q3, q4 = r1[i], r2[i], r3[i], r4[i]
            a[i] = (((a[i] + a1 * q1) + a2 * q2) + a3 * q3) + a4 * q4
            b[i] = (((b[i] + b1 * q1) + b2 * q2) + b3 * q3) + b4 * q4
            c[i] = (((c[i] + c1 * q1) + c2 * q2) + c3 * q3) + c4 * q4
            d[i] = (((d[i] + d1 * q1) + d2 * q2) + d3 * q3) + d4 * q4


@strict
def multiply(tile, start, width, queries, sums):
    """sums (R, ≥ width) = the scores of queries (R, G) with the items from ``start`` on; R is 1 or STEP's multiple."""
    if len(queries) == 1:
        _one(tile, start, width, queries[0], sums[0])
        return
    for r in range(0, len(queries), STEP):
        _four(tile, start, width, queries[r : r + STEP], sums[r], sums[r + 1], sums[r + 2], sums[r + 3])


@inlined
def _mask(row, first, items, start, stop, indices, positions):
    """-inf for items that the query may not get, and for the cells behind the last of ``items`` from ``first`` on."""
    for cell in range(start, stop):
        lane = positions[indices[cell]] - first
        if 0 <= lane < items:
            row[lane] = _LOWEST
    for c in range(items, len(row)):
        row[c] = _LOWEST


@strict
def _measure(queries, lengths):
    """The lengths of the queries, rounded up; False where one is not finite."""
    for r in range(len(queries)):
        total = 0.0
        for j in range(queries.shape[1]):
            total += float(queries[r, j]) * float(queries[r, j])
        lengths[r] = ROUNDED_UP * np.sqrt(total)
        if not np.isfinite(lengths[r]):
            return False
    return True


@inlined
def _all_inside(indices, m):
    inside = True
    for cell in range(len(indices)):
        inside = inside and 0 <= indices[cell] < m
    return inside


@inlined
def _lanes(k):
    """For ``first_floor``: four times as many as are wanted, so that the floor is near the k-th best."""
    lanes = STRIDE
    while lanes < 4 * k:
        lanes *= 2
    return lanes


@inlined
def _select(row, bits, order, first, k, best, size, floor, room, maxima):
    """Offer the scores of the items from ``first`` on to a query's buffer; returns its number of keys and the floor.

    As in ``kernels.topk``, but items come in no order of their numbers: a score that equals the k-th best is let in,
    and the keys decide.
    """
    lanes = _lanes(k)
    if floor == _LOWEST and 2 * lanes <= len(row):
        floor = first_floor(row, k, lanes, maxima)
    for start in range(0, len(row), STRIDE):
        if not any_above(row, start, floor):
            continue
        for j in range(start, start + STRIDE):
            if row[j] > floor:
                if size == len(best):
                    size, floor = _lifted(best, size, k, room)
                    if not row[j] > floor:
                        continue
                best[size] = pack(bits[j], np.int64(order[first + j]))
                size += 1
    return _lifted(best, size, k, room) if size >= k else (size, floor)


@inlined
def _lifted(best, size, k, room):
    """The best k alone, and a floor just below the last of them."""
    keep_largest(best, size, k)
    return k, np.nextafter(floor_of(best[k - 1], room), _LOWEST)


@inlined
def _reach(bounds, begin, end, rows, count, lengths, floors, least):
    """How many of the slices begin..end-1 come next: ``least`` while a floor is unknown, else all that may matter.

    rows, count : the queries for which the first of them matters
    """
    for i in range(count):
        if floors[rows[i]] == _LOWEST:
            return min(least, end - begin)
    reach = begin + 1
    for i in range(count):
        while reach < end and lengths[rows[i]] * bounds[reach] > floors[rows[i]]:
            reach += 1
    return reach - begin


@inlined
def search(
    tiles, begin, end, order, positions, bounds, queries, lengths, k, indptr, indices, keys, floors, numbers, best
):
    """Leave the keys of the best k of the tiles begin..end-1 in ``keys`` (R, > k); says whether all is as it should be.

    order (m,) and positions (m,) : the item at each position, and the position of each item
    lengths (R,) : room for those of the queries (R, G)
    indptr, indices : items that a query may not get
    floors (R,) : what a score must exceed, -inf where nothing is known; they are raised
    numbers, best (R, k) : room for the items and the bits of their scores, best first

    The first slices give a floor, by which the rest is measured. One call does it all: a kernel gives the interpreter's
    lock away, and whoever takes it may keep it for longer than the kernel takes.
    """
    rows = len(queries)
    if not _all_inside(indices, len(order)):
        return OUTSIDE
    if not _measure(queries, lengths):
        return NOT_FINITE
    height = 1 if rows == 1 else (rows + STEP - 1) // STEP * STEP
    block = np.empty((height, queries.shape[1]), dtype=np.float32)
    scores = np.empty((height + 2, WIDTH), dtype=np.float32)
    bits = scores.view(np.int32)
    maxima, room = scores[height], (bits[height + 1], scores[height + 1])
    open_rows = np.empty(rows, dtype=np.int64)
    filled = np.empty(rows, dtype=np.int64)
    for r in range(rows):
        filled[r] = 0
    least = 2 * _lanes(k) // SLICE
    first, last = begin * WIDTH, min(end * WIDTH, len(order))
    while first < last:
        now, start = first // SLICE, first % WIDTH
        count = np.int64(0)  # a literal would compile ``_reach`` a second time
        for r in range(rows):
            if lengths[r] * bounds[now] > floors[r]:
                open_rows[count] = r
                count += 1
        if count == 0:
            break
        tile_end = min(now + (WIDTH - start) // SLICE, len(bounds))
        width = SLICE * _reach(bounds, now, tile_end, open_rows, count, lengths, floors, least)
        height = 1 if count == 1 else (count + STEP - 1) // STEP * STEP
        for i in range(height):
            for j in range(block.shape[1]):
                block[i, j] = queries[open_rows[i], j] if i < count else np.float32(0)
        multiply(tiles[first // WIDTH], start, width, block[:height], scores)
        items = min(width, last - first)
        if not all_finite(scores, count, items):
            return NOT_FINITE
        for i in range(count):
            r = open_rows[i]
            _mask(scores[i, :width], first, items, indptr[r], indptr[r + 1], indices, positions)
            filled[r], floors[r] = _select(
                scores[i, :width], bits[i, :width], order, first, k, keys[r], filled[r], floors[r], room, maxima
            )
        first += width
    finish(keys, filled, k)
    for r in range(rows):
        sort(keys[r], k)
    unpack(keys, k, numbers, best)
    return FOUND


@fast
def search_rows(
    tiles, end, order, positions, bounds, factors, indptr, indices, numbers, apart, apart_indptr, apart_indices, mask,
    k, room, items, best,
):  # fmt: skip
    """``search`` of the first tiles for rows of a model, whose factors and lists it puts together itself.

    factors (n, g), indptr, indices : of all rows
    numbers (R,) : which rows; -1 - i is the i-th of those that are stored ``apart``, whose lists are apart_indptr, …
    mask : whether a row may not get what is on its list
    room : how many keys a buffer holds
    items, best (R, k) : room for the items and the bits of their scores, best first

    One call costs a tenth of the array operations that it saves.
    """
    rows, g = len(numbers), factors.shape[1]
    queries = np.empty((rows, tiles.shape[1]), dtype=np.float32)
    ends = np.empty(rows + 1, dtype=np.int64)
    ends[0] = 0
    for r in range(rows):
        number = numbers[r]
        some = False
        for j in range(g):
            queries[r, j] = factors[number, j] if number >= 0 else apart[-1 - number, j]
            some = some or queries[r, j] != 0
        if not some:
            return NO_FACTOR
        for j in range(g, queries.shape[1]):
            queries[r, j] = np.float32(0)
        if not mask:
            ends[r + 1] = ends[r]
        elif number >= 0:
            ends[r + 1] = ends[r] + indptr[number + 1] - indptr[number]
        else:
            ends[r + 1] = ends[r] + apart_indptr[-number] - apart_indptr[-1 - number]
    lists = np.empty(ends[rows], dtype=np.int32)
    for r in range(rows):
        number = numbers[r]
        for i in range(ends[r + 1] - ends[r]):
            cell = indices[indptr[number] + i] if number >= 0 else apart_indices[apart_indptr[-1 - number] + i]
            lists[ends[r] + i] = cell
    lengths, floors = np.empty(rows, dtype=np.float64), np.empty(rows, dtype=np.float32)
    for r in range(rows):
        floors[r] = _LOWEST
    keys = np.empty((rows, room), dtype=np.int64)
    begin = np.int64(0)  # a literal would compile ``search`` a second time
    status = search(
        tiles, begin, end, order, positions, bounds, queries, lengths, k, ends, lists, keys, floors, items, best
    )
    if status == FOUND and end < len(tiles):
        for r in range(rows):
            if lengths[r] * bounds[end * WIDTH // SLICE] > floors[r]:
                return OPEN
    return status
