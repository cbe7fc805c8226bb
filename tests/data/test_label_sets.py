import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

from tacit.data.ids import Ids
from tacit.data.label_sets import read_labels, write_labels
from tacit.errors import InputError


@pytest.mark.parametrize("make", [np.array, sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_every_matrix_form_gives_the_same_ones(make):
    cells = [[0, 2, 0], [1, 0, 3]]
    matrix, names, form = read_labels(make(cells), rows=2)
    assert matrix.toarray().tolist() == [[0, 1, 0], [1, 0, 1]]
    assert names.is_range
    assert form == "matrix"


def test_a_table_brings_its_names():
    matrix, names, _ = read_labels(pl.DataFrame({"red": [1, 0], "round": [0, 1]}), rows=2)
    assert list(names.all()) == ["red", "round"]
    assert matrix.nnz == 2


def test_lists_give_columns_that_do_not_depend_on_the_order_of_rows():
    rows = [["b", "a"], [], ["c", "c"]]
    matrix, names, form = read_labels(rows, rows=3)
    turned, turned_names, _ = read_labels(rows[::-1], rows=3)
    assert list(names.all()) == ["a", "b", "c"] == list(turned_names.all())
    assert (matrix.toarray() == turned.toarray()[::-1]).all()
    assert matrix.max() == 1
    assert write_labels(matrix, names, form) == [["a", "b"], [], ["c"]]


def test_known_labels_keep_their_columns_and_new_ones_follow():
    known = Ids(["x", "a"])
    matrix, names, _ = read_labels([["a", "new"]], rows=1, known=known)
    assert list(names.all()) == ["x", "a", "new"]
    assert matrix.toarray().tolist() == [[0, 1, 1]]
    matrix, names, _ = read_labels(np.array([[1, 0, 1]]), rows=1, names=["a", "x", "new"], known=known)
    assert matrix.toarray().tolist() == [[0, 1, 1]]


@pytest.mark.parametrize(
    ("labels", "options", "words"),
    [
        (["red", "blue"], {"rows": 2}, "row 0 is 'red'"),
        ([["red"]], {"rows": 2}, "must have 2 rows"),
        ([[], []], {"rows": 2}, "no row has a label"),
        (np.array([[1, -1]]), {"rows": 1}, "below 0"),
        (np.array([[1, 1]]), {"rows": 1, "names": ["a"]}, "one name per column"),
        (np.array([[1, 1]]), {"rows": 1, "known": Ids(["a", "b", "c"])}, "append new labels"),
        (np.array([[1, 1]]), {"rows": 1, "known": Ids(["a"])}, "name all of them"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(labels, options, words):
    with pytest.raises(InputError, match=words):
        read_labels(labels, **options)
