"""Rows of a CSR matrix that ascend: sorting a few numbers, and binary search in indices[start:stop]."""

from tacit.kernels._jit import fast


@fast
def first_at_least(indices, start, stop, value):
    """The first index in start..stop at which ``value`` or more stands, ``stop`` where there is none."""
    while start < stop:
        middle = (start + stop) // 2
        if indices[middle] < value:
            start = middle + 1
        else:
            stop = middle
    return start


@fast
def contains(indices, start, stop, value):
    """Whether ``value`` stands in the row."""
    index = first_at_least(indices, start, stop, value)
    return index < stop and indices[index] == value


@fast
def sort(numbers, size):
    """numbers[:size] in ascending order (Shell's way, for few of them: ``np.sort`` compiles for two seconds)."""
    gap = 1
    while 3 * gap < size:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, size):
            number, place = numbers[i], i
            while place >= gap and numbers[place - gap] > number:
                numbers[place] = numbers[place - gap]
                place -= gap
            numbers[place] = number
        gap //= 3
