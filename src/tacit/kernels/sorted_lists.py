"""Binary search in one row of a CSR matrix whose rows ascend: indices[start:stop]."""

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
