"""Selection of the best k of a row of scores, tile by tile.

A score and its item are packed into one int64 key that orders as we rank: higher scores first and, among equal
scores, lower numbers first. The upper half holds the score's bits, mapped so that integers compare as the floats do;
the lower half holds the complement of the number. A row collects keys in a buffer; when it is full, the best k stay
and the k-th of them becomes the floor that later scores must exceed (strictly: items come in ascending order, so an
equal score loses the tie). ``-inf`` marks a cell that may not be chosen.

Legend: ``scores`` (R, C) is one tile whose column 0 is candidate ``first``, ``bits`` the same memory as int32;
``keys`` (R, capacity > k) are the buffers, ``filled`` (R,) their sizes, ``floors`` (R,) the scores to exceed.
"""

import numpy as np

from tacit.kernels._jit import fast, inlined
from tacit.kernels.sorted_lists import first_at_least

_LOWEST = np.float32(-np.inf)
STRIDE = 64
_LOW_HALF = np.int64(0xFFFFFFFF)
_FLIP = np.int32(0x7FFFFFFF)
_MINUS_ZERO = np.int32(-0x80000000)
_EMPTY = np.int64(-0x8000000000000000)
_NAN = np.int32(0x7FC00000)


@fast
def filter_cells(scores, rows, first, width, first_row, indptr, indices, candidate_of, limited, saved):
    """Set the listed cells of a tile to -inf or, where ``saved`` is given, all others.

    Row r of the tile is row ``first_row + r`` of the lists (sorted CSR). ``candidate_of`` gives the candidate of an
    item, -1 for an item that is none; when it is empty, items and candidates are the same. ``saved`` (C,) is room for
    one row, or empty; with it, only rows that are ``limited`` change. (Plain loops: assigning to slices compiles for
    seconds.)
    """
    keeps = len(saved) > 0
    for r in range(rows):
        if keeps:
            if not limited[first_row + r]:
                continue
            for c in range(width):
                saved[c] = scores[r, c]
                scores[r, c] = _LOWEST
        start, stop = indptr[first_row + r], indptr[first_row + r + 1]
        if len(candidate_of) == 0:
            start = first_at_least(indices, start, stop, first)
        for cell in range(start, stop):
            column = indices[cell] if len(candidate_of) == 0 else candidate_of[indices[cell]]
            if column >= first + width:
                break
            if column >= first:
                scores[r, column - first] = saved[column - first] if keeps else _LOWEST


@fast
def all_finite(scores, rows, width):
    """Whether the tile is free of NaN and infinity: zero times either is NaN."""
    total = np.float32(0)
    for r in range(rows):
        for c in range(width):
            total += scores[r, c] * np.float32(0)
    return total == 0


@inlined
def pack(bits, number):
    """The key of a score's bits and an item's number."""
    if bits == _MINUS_ZERO:
        bits = np.int32(0)
    ordered = bits if bits >= 0 else bits ^ _FLIP
    return (np.int64(ordered) << 32) | (_LOW_HALF - number)


@inlined
def floor_of(key, room):
    """The score of a key; ``room`` is one int32 cell and the same cell as float32."""
    ordered = np.int32(key >> 32)
    room[0][0] = ordered if ordered >= 0 else ordered ^ _FLIP
    return room[1][0]


@fast
def keep_largest(keys, size, k):
    """Reorder keys[:size] so that the k largest come first and the smallest of them is at k - 1 (quickselect)."""
    low, high = 0, size - 1
    while low < high:
        a, b, c = keys[low], keys[(low + high) // 2], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while keys[i] > pivot:
                i += 1
            while keys[j] < pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            return


@inlined
def first_floor(row, k, lanes, maxima):
    """A floor for a row of which nothing is known yet: just below the k-th largest of ``lanes`` maxima.

    Lane j holds the cells j, j + lanes, ...; k different lanes reach the k-th largest maximum, so k cells do.
    """
    for j in range(lanes):
        maxima[j] = row[j]
    for start in range(lanes, len(row), lanes):
        for j in range(lanes):
            maxima[j] = row[start + j] if row[start + j] > maxima[j] else maxima[j]
    keep_largest(maxima, lanes, k)
    return np.nextafter(maxima[k - 1], _LOWEST)


@inlined
def any_above(row, start, floor):
    """Whether a stride holds anything above the floor: most do not. Counting a fixed number in int32 vectorises."""
    above = np.int32(0)
    for j in range(STRIDE):
        above += np.int32(row[start + j] > floor)
    return above > 0


@fast
def select(scores, bits, rows, first, k, keys, filled, floors):
    """Offer the cells of a tile to the buffers of its rows; C must be a power of two and at least STRIDE."""
    capacity = keys.shape[1]
    cell = np.empty(1, dtype=np.int32)
    room = (cell, cell.view(np.float32))
    maxima = np.empty(scores.shape[1], dtype=np.float32)
    lanes = STRIDE
    while lanes < 4 * k:
        lanes *= 2
    for r in range(rows):
        row, best, size, floor = scores[r], keys[r], filled[r], floors[r]
        if size > k:
            keep_largest(best, size, k)
            size, floor = k, floor_of(best[k - 1], room)
        elif size < k and 2 * lanes <= len(row):
            floor = first_floor(row, k, lanes, maxima)
        for start in range(0, len(row), STRIDE):
            if not any_above(row, start, floor):
                continue
            for j in range(start, start + STRIDE):
                if row[j] > floor:
                    if size == capacity:
                        keep_largest(best, size, k)
                        size, floor = k, floor_of(best[k - 1], room)
                        if not row[j] > floor:
                            continue
                    best[size] = pack(bits[r, j], first + j)
                    size += 1
        filled[r], floors[r] = size, floor


@fast
def offer(scores, bits, rows, first, width, first_row, indptr, indices, candidate_of, limited, saved, k, keys, filled,
          floors):  # fmt: skip
    """All that a tile of ``width`` candidates usually goes through, in one call; False where a score is not finite.

    Its other columns get -inf, the cells that are listed, too, if there is a list (``indptr`` is empty otherwise; the
    arguments are those of ``filter_cells``), and ``select`` takes the rest. A kernel gives the interpreter's lock away
    and has to wait for it afterwards: with one call in the place of four, threads that read side by side wait less.
    """
    if not all_finite(scores, rows, width):
        return False
    for r in range(rows):
        for c in range(width, scores.shape[1]):
            scores[r, c] = _LOWEST
    if len(indptr) > 0:
        filter_cells(scores, rows, first, width, first_row, indptr, indices, candidate_of, limited, saved)
    select(scores, bits, rows, first, k, keys, filled, floors)
    return True


@fast
def finish(keys, filled, k):
    """Leave the k largest keys of each buffer in its first k places; places that are not filled get the lowest key."""
    for r in range(keys.shape[0]):
        if filled[r] > k:
            keep_largest(keys[r], filled[r], k)
        for index in range(filled[r], min(k, keys.shape[1])):
            keys[r, index] = _EMPTY


@fast
def unpack(keys, k, numbers, bits):
    """Numbers and the bits of scores of the first k keys (R, ≥ k), which ascend, best first; -1 and NaN where there is
    none."""
    for r in range(len(keys)):
        for index in range(k):
            key = keys[r, k - 1 - index]
            if key == _EMPTY:
                numbers[r, index] = -1
                bits[r, index] = _NAN
                continue
            ordered = np.int32(key >> 32)
            numbers[r, index] = np.int32(_LOW_HALF - (key & _LOW_HALF))
            bits[r, index] = ordered if ordered >= 0 else ordered ^ _FLIP
