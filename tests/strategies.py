"""Hypothesis strategies for sparse data: small, odd shapes, with the corners that break things."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

WEIGHTS = st.integers(1, 5).map(float)


@st.composite
def sparse_matrices(draw, max_rows=8, max_cols=7, min_nnz=1, values=WEIGHTS):
    """A COO array with empty rows and columns, stored duplicates and unsorted cells among its kin."""
    rows, cols = draw(st.integers(1, max_rows)), draw(st.integers(1, max_cols))
    cells = st.tuples(st.integers(0, rows - 1), st.integers(0, cols - 1), values)
    drawn = draw(st.lists(cells, min_size=min_nnz, max_size=3 * max_rows))
    r, c, v = zip(*drawn) if drawn else ((), (), ())
    indices = (np.array(r, dtype=np.int32), np.array(c, dtype=np.int32))
    return sp.coo_array((np.array(v, dtype=np.float64), indices), shape=(rows, cols))


@st.composite
def any_format(draw, **options):
    """The same in a random SciPy format, as array or as matrix."""
    coo = draw(sparse_matrices(**options))
    kind = draw(st.sampled_from(["csr", "csc", "coo", "lil", "dok", "bsr"]))
    matrix = sp.coo_matrix(coo) if draw(st.booleans()) else coo
    return matrix.asformat(kind)


ID_KINDS = {
    "whole": st.integers(-(2**40), 2**40),
    "text": st.text(st.characters(codec="utf-8"), max_size=6).filter(str.strip),
    "date": st.dates(),
    "moment": st.datetimes(),
    "float": st.floats(-1e6, 1e6).map(lambda value: value + 0.0),  # no negative zero: it equals zero
    "bytes": st.binary(max_size=4),
    "tuple": st.tuples(st.integers(0, 3), st.text(max_size=2)),
    "uuid": st.uuids(),
}


@st.composite
def event_tables(draw, min_size=1, max_size=30, kind=None):
    """Columns row, col, weight, time with repeated pairs; ids of one random kind on either side."""
    sides = []
    for _ in range(2):
        ids = ID_KINDS[kind or draw(st.sampled_from(sorted(ID_KINDS)))]
        sides.append(draw(st.lists(ids, min_size=1, max_size=6, unique=True)))
    n = draw(st.integers(min_size, max_size))
    place = [draw(st.lists(st.integers(0, len(side) - 1), min_size=n, max_size=n)) for side in sides]
    return {
        "row": [sides[0][k] for k in place[0]],
        "col": [sides[1][k] for k in place[1]],
        "weight": draw(st.lists(WEIGHTS, min_size=n, max_size=n)),
        "time": draw(st.lists(st.integers(0, 20), min_size=n, max_size=n)),
    }
