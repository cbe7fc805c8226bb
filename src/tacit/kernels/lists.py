"""The best k of a query among items that lie in lists, one list after another, the most promising first.

Legend: ``items`` (m, g) in the order of the lists, list l being ``starts[l]`` to ``starts[l + 1]``; ``numbers`` (m,)
the item that stands at each index; ``promise`` (n, L) how promising each list is to each query.
"""

import numpy as np

from tacit.kernels._jit import fast
from tacit.kernels.gather_dot import four_products, product
from tacit.kernels.sorted_lists import contains


@fast
def _insert(best, scores, size, number, score):
    """Put an item into the k best so far, best first, equal scores by number; returns how many there are."""
    k = len(best)
    index = min(size, k - 1)
    while index > 0 and (scores[index - 1] < score or (scores[index - 1] == score and best[index - 1] > number)):
        best[index], scores[index] = best[index - 1], scores[index - 1]
        index -= 1
    best[index], scores[index] = number, score
    return min(size + 1, k)


@fast
def _offer(query, number, score, k, size, best, scores, seen, seen_items, excluded, excluded_items, allowed):
    """Take an item in if it is good enough and no filter stands against it; filters are asked last."""
    if size == k and not (score > scores[k - 1] or (score == scores[k - 1] and number < best[k - 1])):
        return size
    if len(allowed) and not allowed[number]:
        return size
    if len(seen) and contains(seen_items, seen[query], seen[query + 1], number):
        return size
    if len(excluded) and contains(excluded_items, excluded[query], excluded[query + 1], number):
        return size
    return _insert(best, scores, size, number, score)


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
    best,
    scores,
):
    """Fill best[start:stop] and scores[start:stop] (n, k), -1 and NaN beforehand.

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
            chosen = 0
            for j in range(1, lists):
                if left[j] > left[chosen]:
                    chosen = j
            left[chosen] = -np.inf
            index, end = starts[chosen], starts[chosen + 1]
            while index + 4 <= end:
                s0, s1, s2, s3 = four_products(items[index], items[index + 1], items[index + 2], items[index + 3], p)
                if size == k and max(max(s0, s1), max(s2, s3)) < scores[i, k - 1]:
                    index += 4
                    continue
                for number, s in (
                    (numbers[index], s0),
                    (numbers[index + 1], s1),
                    (numbers[index + 2], s2),
                    (numbers[index + 3], s3),
                ):
                    size = _offer(
                        i, number, s, k, size, best[i], scores[i], seen, seen_items, excluded, excluded_items, allowed
                    )
                index += 4
            while index < end:
                s = product(items[index], p)
                size = _offer(
                    i,
                    numbers[index],
                    s,
                    k,
                    size,
                    best[i],
                    scores[i],
                    seen,
                    seen_items,
                    excluded,
                    excluded_items,
                    allowed,
                )
                index += 1
