"""Graphs from edge lists: symmetric, without loops, aligned with ids."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data import Ids, adjacency
from tacit.errors import InputError

EDGES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 5)), max_size=20)


@given(EDGES)
def test_agrees_with_the_obvious_loop(edges):
    ids = Ids([5, 0, 3, 1])
    expected = np.zeros((4, 4))
    for a, b, weight in edges:
        if a in ids and b in ids and a != b:
            i, j = ids.numbers([a, b])
            expected[i, j] = expected[j, i] = max(expected[i, j], weight)
    columns = dict(zip(("a", "b", "w"), map(list, zip(*edges)))) if edges else {"a": [], "b": [], "w": np.zeros(0)}
    made = adjacency(columns, ids, source="a", target="b", weight="w")
    np.testing.assert_array_equal(made.toarray(), expected)
    assert made.indptr.dtype == np.int64 and made.indices.dtype == np.int32


@pytest.mark.parametrize("ids", [[1.0, 2.0, 4.0], ["1", "2", "4"], [1, 2, 4]])
@pytest.mark.parametrize("written", ["1,2", "1.0,2.0"])
def test_a_file_is_read_with_ids_of_the_kind_that_it_stands_beside(ids, written, tmp_path):
    """Spreadsheets and pandas write whole numbers as 1.0 where some cells of a column are empty."""
    (tmp_path / "friends.csv").write_text(f"from,to\n{written}\n")
    if "." in written and isinstance(ids[0], str):
        ids = ["1.0", "2.0", "4.0"]
    assert adjacency(tmp_path / "friends.csv", Ids(ids), source="from", target="to").nnz == 2


def test_without_weights_every_edge_counts_one(tmp_path):
    path = tmp_path / "friends.tsv"
    path.write_text("from\tto\nanna\tbert\nbert\tanna\nanna\tanna\n")
    assert adjacency(path, Ids(["anna", "bert"])).toarray().tolist() == [[0, 1], [1, 0]]


def test_bad_edges_get_one_sentence():
    ids = Ids(["a", "b"])
    with pytest.raises(InputError, match="target='to' is not a column of edges"):
        adjacency({"from": ["a"], "too": ["b"]}, ids)
    with pytest.raises(InputError, match="source: the column 'from' has no value in 1 of 1 lines"):
        adjacency({"from": [None], "to": ["b"]}, ids)
    with pytest.raises(InputError, match="weight: the column 'w' is negative"):
        adjacency({"from": ["a"], "to": ["b"], "w": [-1.0]}, ids, weight="w")
