"""A hash table from whole numbers to 0, 1, 2, … in order of first sight: open addressing, linear probing.

``numbers[slot]`` is -1 for an empty slot; the length of the table is a power of two and at most half of it is used.
"""

import numpy as np

from tacit.kernels._jit import strict

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_HIGH = np.uint64(32)


@strict
def slot_of(keys, numbers, value):
    """The slot that holds ``value``, or the empty one where it belongs."""
    mask = len(keys) - 1
    slot = int((np.uint64(value) * _SPREAD) >> _HIGH) & mask
    while numbers[slot] >= 0 and keys[slot] != value:
        slot = (slot + 1) & mask
    return slot


@strict
def encode(keys, numbers, order, count, used, values, out, start, add):
    """Numbers of ``values[start:]``; stops early, for the caller to grow the table, when there is no room to add.

    order : (capacity,) int64, the value of each number, filled as values are added
    out : (n,) int64; -1 for a value that is unknown and not to be added
    count, used : how many ids there are, and how many of them are in this table
    Returns where it stopped, and the new ``count`` and ``used``.
    """
    for t in range(start, len(values)):
        slot = slot_of(keys, numbers, values[t])
        if numbers[slot] < 0 and add:
            if 2 * (used + 1) > len(keys) or count >= len(order):
                return t, count, used
            keys[slot] = values[t]
            numbers[slot] = count
            order[count] = values[t]
            count += 1
            used += 1
        out[t] = numbers[slot]
    return len(values), count, used


@strict
def move(keys, numbers, new_keys, new_numbers):
    """Put everything into a larger, empty table."""
    for old in range(len(keys)):
        if numbers[old] >= 0:
            slot = slot_of(new_keys, new_numbers, keys[old])
            new_keys[slot] = keys[old]
            new_numbers[slot] = numbers[old]


@strict
def find(keys, numbers, values, unknown, out):
    """Numbers of ``values``, ``unknown`` for one that is not in the table."""
    for t in range(len(values)):
        number = numbers[slot_of(keys, numbers, values[t])]
        out[t] = unknown if number < 0 else number
