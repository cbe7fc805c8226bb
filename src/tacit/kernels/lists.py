"""The best k of a query among items that lie in lists, one list after another, the most promising first.

Legend: ``items`` (m, g) in the order of the lists, list l being ``starts[l]`` to ``starts[l + 1]``; ``numbers`` (m,)
the item that stands at each index; ``promise`` (n, L) how promising each list is to each query.
"""

import numpy as np

from tacit.kernels._jit import fast
from tacit.kernels.gather_dot import four_products, product
from tacit.kernels.sorted_lists import contains


@fast
def _insert(found, scores, size, number, score):
    """Put an item into the k best so far, best first, equal scores by number; returns how many there are."""
    k = len(found)
    place = min(size, k - 1)
    while place > 0 and (scores[place - 1] < score or (scores[place - 1] == score and found[place - 1] > number)):
        found[place], scores[place] = found[place - 1], scores[place - 1]
        place -= 1
    found[place], scores[place] = number, score
    return min(size + 1, k)


@fast
def _offer(query, number, score, k, size, found, scores, seen, seen_items, excluded, excluded_items, allowed):
    """Take an item in if it is good enough and no filter stands against it; filters are asked last."""
    if size == k and not (score > scores[k - 1] or (score == scores[k - 1] and number < found[k - 1])):
        return size
    if len(allowed) and not allowed[number]:
        return size
    if len(seen) and contains(seen_items, seen[query], seen[query + 1], number):
        return size
    if len(excluded) and contains(excluded_items, excluded[query], excluded[query + 1], number):
        return size
    return _insert(found, scores, size, number, score)


@fast
def search(
    start,
    stop,
    queries,
    promise,
    starts,
    numbers,
    items,
    probes,
    k,
    seen,
    seen_items,
    excluded,
    excluded_items,
    allowed,
    found,
    scores,
):
    """Fill found[start:stop] and scores[start:stop] (n, k), -1 and NaN beforehand.

    At least ``probes`` lists are searched, and more while fewer than k items were found: filters never leave a place
    empty that some item could take. Sorted CSR lists ``seen`` and ``excluded``, and the mask ``allowed``, may be empty.
    """
    lists = promise.shape[1]
    left = np.empty(lists, promise.dtype)
    for i in range(start, stop):
        p = queries[i]
        for j in range(lists):
            left[j] = promise[i - start, j]
        size = 0
        for tried in range(lists):
            if tried >= probes and size == k:
                break
            best = 0
            for j in range(1, lists):
                if left[j] > left[best]:
                    best = j
            left[best] = -np.inf
            place, end = starts[best], starts[best + 1]
            while place + 4 <= end:
                s0, s1, s2, s3 = four_products(items[place], items[place + 1], items[place + 2], items[place + 3], p)
                if size == k and max(max(s0, s1), max(s2, s3)) < scores[i, k - 1]:
                    place += 4
                    continue
                for number, s in (
                    (numbers[place], s0),
                    (numbers[place + 1], s1),
                    (numbers[place + 2], s2),
                    (numbers[place + 3], s3),
                ):
                    size = _offer(
                        i, number, s, k, size, found[i], scores[i], seen, seen_items, excluded, excluded_items, allowed
                    )
                place += 4
            while place < end:
                s = product(items[place], p)
                size = _offer(
                    i,
                    numbers[place],
                    s,
                    k,
                    size,
                    found[i],
                    scores[i],
                    seen,
                    seen_items,
                    excluded,
                    excluded_items,
                    allowed,
                )
                place += 1
