"""The best items of users of a rating stream, in one call.

A kernel gives the interpreter's lock away, and so does every operation on a long array; whoever takes it may keep it
for longer than the operation takes. A list that is one call lets readers run side by side.
"""

import numpy as np

from tacit.kernels._jit import strict
from tacit.kernels.rating_rounds import answers


@strict
def best_items(users, items, memory, settings, rules, numbers, count, left_out, order, values):
    """Fill order and values (n, k) with the best of the first ``count`` items for each user of ``numbers`` (n,).

    Best first, ties to the lower number; -1 and NaN in places that could not be filled.
    left_out : numbers of items that nobody gets
    """
    cells = np.empty((2, count), dtype=np.int64)
    outcomes = np.empty((2, count))
    for r in range(len(numbers)):
        for j in range(count):
            cells[0, j] = numbers[r]
            cells[1, j] = j
        answers(users, items, memory, settings, rules, cells, outcomes)
        for t in range(len(left_out)):
            if left_out[t] < count:
                outcomes[1, left_out[t]] = -np.inf
        size = best_of(outcomes[1], order[r])
        for t in range(order.shape[1]):
            if t < size:
                values[r, t] = outcomes[1, order[r, t]]
            else:
                order[r, t] = -1
                values[r, t] = np.nan


@strict
def best_of(row, order):
    """Put the places of the largest values into ``order`` (k,), largest first, ties to the lower place.

    Minus infinity is never chosen. Returns how many there are. ``order`` is a heap meanwhile, with the worst on top.
    """
    size = 0
    for j in range(len(row)):
        if not row[j] > -np.inf:
            continue
        if size < len(order):
            place = size
            size += 1
            while place > 0 and is_worse(row, j, order[(place - 1) // 2]):
                order[place] = order[(place - 1) // 2]
                place = (place - 1) // 2
            order[place] = j
        elif row[j] > row[order[0]]:
            sink(row, order, size, j)
    for last in range(size - 1, 0, -1):
        worst = order[0]
        sink(row, order, last, order[last])
        order[last] = worst
    return size


@strict
def is_worse(row, one, other):
    """Whether a place ranks behind another."""
    return row[one] < row[other] or (row[one] == row[other] and one > other)


@strict
def sink(row, order, size, j):
    """Put j on top of the heap in the place of what is there, and let it sink to where it belongs."""
    place = 0
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and is_worse(row, order[below + 1], order[below]):
            below += 1
        if not is_worse(row, order[below], j):
            break
        order[place] = order[below]
        place = below
    order[place] = j
