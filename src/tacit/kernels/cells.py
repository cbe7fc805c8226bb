"""Passes over the cells of a sparse matrix that need no memory beyond their output.

Arrays such as ``weight`` have one value per cell, or a single value for all.
"""

from tacit.kernels._jit import fast, strict


@fast
def counting_argsort(numbers, cursor, out):
    """out = argsort(numbers), stable, by counting; ``cursor[y]`` is where the numbers equal to y begin in ``out``."""
    for k in range(len(numbers)):
        index = cursor[numbers[k]]
        cursor[numbers[k]] = index + 1
        out[index] = k


@strict
def add_masses(indptr, indices, weight, of_rows, of_cols):
    """of_rows[x] += Σ weight of the row's cells, of_cols[y] += Σ weight of the column's, in float64 and in order."""
    per_cell = 1 if len(weight) > 1 else 0
    for x in range(len(indptr) - 1):
        total = 0.0
        for k in range(indptr[x], indptr[x + 1]):
            c = float(weight[k * per_cell])
            total += c
            of_cols[indices[k]] += c
        of_rows[x] += total


@strict
def row_masses(indptr, weight, of_rows):
    """of_rows[x] = Σ weight of the row's cells, as ``add_masses`` adds them up."""
    per_cell = 1 if len(weight) > 1 else 0
    for x in range(len(indptr) - 1):
        total = 0.0
        for k in range(indptr[x], indptr[x + 1]):
            total += float(weight[k * per_cell])
        of_rows[x] = total


@strict
def merge(indptr, indices, values, new_indptr, new_indices, new_values, out_indptr, out_indices, out_values):
    """Rows of cells and new cells of each, as rows again, ascending: a cell that is there gains the new values in turn.

    The new cells of a row come in any order, and more than once. ``out_indices`` and ``out_values`` have room for all.
    """
    end = 0
    for x in range(len(indptr) - 1):
        begin = end
        for k in range(indptr[x], indptr[x + 1]):
            out_indices[end] = indices[k]
            out_values[end] = values[k]
            end += 1
        for k in range(new_indptr[x], new_indptr[x + 1]):
            place = end
            while place > begin and out_indices[place - 1] > new_indices[k]:
                place -= 1
            if place > begin and out_indices[place - 1] == new_indices[k]:
                out_values[place - 1] += new_values[k]
                continue
            for later in range(end, place, -1):
                out_indices[later] = out_indices[later - 1]
                out_values[later] = out_values[later - 1]
            out_indices[place] = new_indices[k]
            out_values[place] = new_values[k]
            end += 1
        out_indptr[x + 1] = end


@fast
def transpose(indptr, indices, first, second, cursor, out_indices, out_first, out_second):
    """Cells and up to two values of each in the order of the columns; ``cursor[y]`` is where column y begins.

    Values of length 0 or 1 have nothing to put in order and are left alone. The cursor ends where columns end.
    """
    moves_first, moves_second = len(first) > 1, len(second) > 1
    for x in range(len(indptr) - 1):
        for k in range(indptr[x], indptr[x + 1]):
            index = cursor[indices[k]]
            cursor[indices[k]] = index + 1
            out_indices[index] = x
            if moves_first:
                out_first[index] = first[k]
            if moves_second:
                out_second[index] = second[k]
