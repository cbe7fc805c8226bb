"""The one validator of sparse input: canonical CSR out, the input untouched, SciPy's own methods still working."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import TruncatedSVD

from tacit.data.matrix import as_csr, as_dense, col_counts, take_rows, transpose, transposed_cells
from tacit.errors import InputError
from tests.strategies import any_format, sparse_matrices


@given(any_format(values=st.integers(0, 3).map(float)))
def test_any_format_becomes_canonical_and_the_input_stays(matrix):
    before, stored = matrix.toarray().copy(), matrix.nnz
    csr = as_csr(matrix, "x", allow_empty=True)
    np.testing.assert_array_equal(csr.toarray(), before)
    np.testing.assert_array_equal(matrix.toarray(), before)
    assert matrix.nnz == stored
    assert (csr.indptr.dtype, csr.indices.dtype, csr.dtype) == (np.int64, np.int32, np.float32)
    assert csr.has_canonical_format and np.all(csr.data)


def test_stored_zeros_stay_on_request():
    matrix = sp.csr_array((np.array([0.0, 1.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    assert as_csr(matrix, "x", zeros="keep").nnz == 2 and as_csr(matrix, "x").nnz == 1
    assert matrix.nnz == 2


@given(sparse_matrices())
def test_scipy_methods_that_fill_index_arrays_work(matrix):
    csr, dense = as_csr(matrix, "x"), matrix.toarray()
    np.testing.assert_array_equal(csr.tocoo().toarray(), dense)
    np.testing.assert_array_equal(np.array(csr.nonzero()), np.array(dense.nonzero()))
    np.testing.assert_array_equal(csr.multiply(dense[:, :1]).toarray(), dense * dense[:, :1])
    assert csr.native().indptr.dtype == csr.native().indices.dtype == np.int32


def test_native_suits_compiled_code_of_others():
    csr = as_csr(sp.random_array((8, 6), density=0.6, rng=0), "x")
    assert TruncatedSVD(2, random_state=0).fit_transform(csr.native()).shape == (8, 2)


@given(sparse_matrices())
def test_transpose_is_canonical_and_takes_values_along(matrix):
    csr = as_csr(matrix, "x")
    flipped = transpose(csr)
    np.testing.assert_array_equal(flipped.toarray(), matrix.toarray().T)
    assert flipped.indptr.dtype == np.int64 and flipped.indices.dtype == np.int32
    assert as_csr(flipped, "x").has_sorted_indices
    single = np.ones(1, np.float32)
    indptr, indices, (moved, kept) = transposed_cells(csr, (csr.data * 2, single))
    np.testing.assert_array_equal(indptr, flipped.indptr)
    np.testing.assert_array_equal(indices, flipped.indices)
    np.testing.assert_array_equal(moved, flipped.data * 2)
    assert kept is single
    np.testing.assert_array_equal(col_counts(csr), (matrix.toarray() != 0).sum(axis=0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tacit.data.matrix._BLOCK", 1)
        np.testing.assert_array_equal(col_counts(csr), (matrix.toarray() != 0).sum(axis=0))


def test_arrays_that_must_not_be_written_are_copied():
    matrix = sp.csr_array(np.eye(3, dtype=np.float32))
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.flags.writeable = False
    csr = as_csr(matrix, "x")
    assert csr.data.flags.writeable and csr.indices.flags.writeable and csr.indptr.flags.writeable


BAD_INDEX = sp.csr_array(np.eye(3))
BAD_INDEX.indices = np.array([0, 1, 9], dtype=np.int32)


@pytest.mark.parametrize(
    ("matrix", "options", "sentence"),
    [
        (sp.csr_array((2, 2)), {}, r"x is empty \(shape \(2, 2\), 0 stored cells\)"),
        (np.array([[np.nan, 1.0]]), {}, "x holds NaN or infinity"),
        (sp.csr_array(np.array([[1.0, np.inf]])), {}, "x holds NaN or infinity, first in row 0, column 1"),
        (sp.csr_array(np.array([[1.0], [-2.0]])), {"minimum": 0}, "row 1, column 0 is -2"),
        (np.eye(3), {"rows": 4}, "x must have 4 rows"),
        (np.eye(3), {"cols": 4}, "x must have 4 columns"),
        (np.ones(3), {}, "x must have 2 dimensions, not 1"),
        (np.array([["a"]]), {}, "could not be read as numbers"),
        (sp.coo_array(np.eye(2) * 1j), {}, "x must hold numbers, not values of type complex128"),
        (BAD_INDEX, {}, "index arrays that do not fit its shape"),
    ],
)
def test_what_cannot_be_used_is_said(matrix, options, sentence):
    with pytest.raises(InputError, match=sentence):
        as_csr(matrix, "x", **options)


def test_dense_input_is_checked_the_same_way():
    with pytest.raises(InputError, match="y must have 1 dimensions, not 2"):
        as_dense(np.eye(2), "y", ndim=1)
    with pytest.raises(InputError, match="y holds NaN"):
        as_dense([np.inf], "y", ndim=1)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 8), asked=st.integers(0, 12))
def test_taken_rows_are_those_of_scipy(seed, n, asked):
    rng = np.random.default_rng(seed)
    dense = rng.integers(0, 3, (n, 5)).astype(np.float32)
    numbers = rng.integers(0, n, asked)
    indptr, indices, data = take_rows(as_csr(dense, "x", allow_empty=True), numbers)
    assert (indptr.dtype, indices.dtype) == (np.int64, np.int32)
    assert np.array_equal(sp.csr_array((data, indices, indptr), shape=(asked, 5)).toarray(), dense[numbers])
