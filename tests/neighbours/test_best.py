import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacit.neighbours.best import best_columns

blocks = arrays(np.float32, (4, 6), elements=st.sampled_from([0.0, 1.0, 2.0, -1.0]))


@given(blocks, st.integers(1, 8))
def test_dense_ties_go_to_the_lower_column(scores, k):
    columns, values = best_columns(scores, k)
    for row in range(4):
        expected = sorted(range(6), key=lambda j: (-scores[row, j], j))[:k]
        assert columns[row, : len(expected)].tolist() == expected
        assert values[row, : len(expected)].tolist() == scores[row, expected].tolist()
        assert (columns[row, len(expected) :] == -1).all()
        assert np.isnan(values[row, len(expected) :]).all()


@given(blocks, st.integers(1, 8))
def test_sparse_blocks_choose_among_stored_cells(scores, k):
    columns, _ = best_columns(sp.csr_array(scores), k)
    for row in range(4):
        stored = [j for j in range(6) if scores[row, j] != 0]
        expected = sorted(stored, key=lambda j: (-scores[row, j], j))[:k]
        assert columns[row].tolist() == expected + [-1] * (k - len(expected))


def test_minus_infinity_cannot_be_chosen():
    columns, values = best_columns(np.array([[-np.inf, 1.0, -np.inf]], dtype=np.float32), 2)
    assert columns.tolist() == [[1, -1]]
    assert np.isnan(values[0, 1])
