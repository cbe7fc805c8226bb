"""Co-occurrence counts, a row at a time.

A sorted file of pairs would hold every pair as often as it occurs. Here the *tokens* are indexed instead: row i visits
the positions at which word i stands, and adds up its neighbours in one dense row of accumulators. So each distinct pair
is written once, in order. A row is the work of one thread, and its sums run in the order of the text.

The loops over neighbours before and after a word are written out twice: as one function, even an inlined one, counting
takes 1.2 to 1.6 times as long.

    tokens     (n,)    int32         word numbers, -1 at the end of a sentence
    positions  (n',)   int32/int64   where word 0 stands, where word 1 stands, …
    starts     (v+1,)  int64         word i stands at positions[starts[i] : starts[i+1]]
    weights    (w,)    float64       weight of a pair at distance 1, 2, …, w
"""

import numpy as np

from tacit.kernels._jit import strict
from tacit.kernels.sorted_lists import sort


@strict
def index_positions(tokens, first, last, following, positions):
    """Fill ``positions`` with where each word stands in tokens[first:last] (a counting sort, stable).

    following : where the positions of each word begin; afterwards where they end
    """
    for position in range(first, last):
        word = tokens[position]
        if word >= 0:
            positions[following[word]] = position
            following[word] += 1


@strict
def _emit(sums, seen, octets, touched, distinct, row, sizes, indices, values, written):
    """Write the accumulated row in order of columns and clear it."""
    if distinct * 256 < seen.shape[0]:
        sort(touched, distinct)
        for k in range(distinct):
            column = touched[k]
            indices[written + k] = column
            values[written + k] = sums[column]
            sums[column] = 0.0
            seen[column] = 0
        written += distinct
    else:
        # Flags are read eight at a time, which soon takes less than sorting.
        for octet in range(octets.shape[0]):
            if octets[octet] != 0:
                for column in range(8 * octet, 8 * octet + 8):
                    if seen[column] != 0:
                        indices[written] = column
                        values[written] = sums[column]
                        written += 1
                        sums[column] = 0.0
                        seen[column] = 0
    sizes[row] = distinct
    return written


@strict
def count_rows(
    first, last, tokens, positions, starts, weights, before, after, sums, seen, octets, touched, sizes, indices, values
):
    """Count the rows ``first``..``last-1``: the cells go to ``indices`` and ``values``, their numbers to ``sizes``.

    before, after : whether neighbours before and after the word count
    sums, seen, touched : accumulators, flags and room, one for each word, all zero; ``octets`` are the flags eight at a
        time. They come from outside, because an array that a kernel makes compiles for a tenth of a second
    Returns the number of cells written.
    """
    window = weights.shape[0]
    length = tokens.shape[0]
    # Typed zeros: an untyped one would compile _emit once more for every guess of its type.
    written = np.int64(0)
    for word in range(first, last):
        distinct = np.int64(0)
        for index in range(starts[word], starts[word + 1]):
            position = np.int64(positions[index])
            for step in range(-1 if before else 1, 2 if after else 0, 2):
                reach = position if step < 0 else length - 1 - position
                for distance in range(1, (reach if reach < window else window) + 1):
                    other = tokens[position + step * distance]
                    if other < 0:
                        break
                    if seen[other] == 0:
                        seen[other] = 1
                        touched[distinct] = other
                        distinct += 1
                    sums[other] += weights[distance - 1]
        written = _emit(sums, seen, octets, touched, distinct, word - first, sizes, indices, values, written)
    return written


@strict
def add_rows(first, last, a_starts, a_indices, a_values, b_starts, b_indices, b_values, sizes, indices, values):
    """Rows ``first``..``last-1`` of A + B, both CSR with sorted rows; a matrix with fewer rows counts as padded."""
    written = 0
    a_rows, b_rows = a_starts.shape[0] - 1, b_starts.shape[0] - 1
    for row in range(first, last):
        begin = written
        i, i_end = (a_starts[row], a_starts[row + 1]) if row < a_rows else (np.int64(0), np.int64(0))
        j, j_end = (b_starts[row], b_starts[row + 1]) if row < b_rows else (np.int64(0), np.int64(0))
        while i < i_end or j < j_end:
            if j >= j_end or (i < i_end and a_indices[i] < b_indices[j]):
                indices[written], values[written] = a_indices[i], a_values[i]
                i += 1
            elif i >= i_end or b_indices[j] < a_indices[i]:
                indices[written], values[written] = b_indices[j], b_values[j]
                j += 1
            else:
                indices[written], values[written] = a_indices[i], a_values[i] + b_values[j]
                i += 1
                j += 1
            written += 1
        sizes[row - first] = written - begin
    return written
