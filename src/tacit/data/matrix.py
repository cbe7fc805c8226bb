"""The one validator of sparse input in the whole package.

Whatever comes in (any SciPy sparse format, array or matrix; NumPy; unsorted, duplicated or int64 indices), kernels
get canonical CSR: rows sorted by column, no duplicates, int64 ``indptr``, int32 ``indices``, values of one dtype,
all finite, C-contiguous. The input is never changed.
"""

import mmap
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from tacit import threads
from tacit.errors import InputError
from tacit.kernels import cells as kernels

Array = NDArray[Any]
_BLOCK = 1 << 20


class Csr(sp.csr_array):  # type: ignore[misc]
    """A SciPy CSR array with the index types that kernels want: int64 ``indptr`` and int32 ``indices``.

    SciPy expects both of one type where it fills arrays of its own, so the way to COO, on which ``nonzero``,
    ``multiply`` and others stand, goes through ``native``.
    """

    def native(self) -> sp.csr_array:
        """The same cells with both index arrays of one type, for compiled code of other libraries."""
        one_type = np.int32 if self.nnz <= np.iinfo(np.int32).max else np.int64
        indices, indptr = (array.astype(one_type, copy=False) for array in (self.indices, self.indptr))
        return sp.csr_array((self.data, indices, indptr), shape=self.shape)

    def tocoo(self, copy: bool = True) -> sp.coo_array:
        return self.native().tocoo(copy=copy)


class StoredCsr(Csr):
    """The row order as a CSR matrix whose arrays are memory maps, with the column order beside it.

    col_indptr, col_indices, col_values : the transpose
    folder : where both are
    """

    folder: Path
    col_indptr: Array
    col_indices: Array
    col_values: Array

    def mapped(self, function: Callable[[Array], Array], values: Array) -> Array:
        """``function`` of all values, block by block, in a file without a name: memory never holds it as a whole."""
        with tempfile.TemporaryFile(dir=self.folder) as file:
            file.truncate(max(1, values.nbytes))
            result: Array = np.asarray(np.memmap(file, values.dtype, "r+", shape=values.shape))
        for start, stop in threads.even_chunks(len(values), _BLOCK):
            result[start:stop] = function(values[start:stop])
        return result

    def let_go(self) -> None:
        """Give back the memory of what was read so far; it is read again where it is needed."""
        for array in (self.indptr, self.indices, self.data, self.col_indptr, self.col_indices, self.col_values):
            file = getattr(array.base, "base", None)
            if isinstance(file, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
                file.madvise(mmap.MADV_DONTNEED)


def as_csr(
    matrix: Any,
    name: str,
    *,
    dtype: DTypeLike = np.float32,
    rows: int | None = None,
    cols: int | None = None,
    zeros: Literal["drop", "keep"] = "drop",
    minimum: float | None = None,
    allow_empty: bool = False,
) -> Csr:
    """Canonical CSR of ``matrix``, or one sentence on why it cannot be used.

    Parameters
    ----------
    matrix : any SciPy sparse array or matrix, or a two-dimensional NumPy array
    name : what the caller calls it, for the sentence
    rows, cols : the shape it must have
    zeros : stored zeros are dropped (they carry no information in Ω⁺) or kept
    minimum : the smallest value allowed

    >>> as_csr(np.array([[0, 2], [1, 0]]), "interactions").indices
    array([1, 0], dtype=int32)
    """
    if isinstance(matrix, StoredCsr):
        _check_shape(matrix.shape, name, rows, cols)
        return matrix
    if sp.issparse(matrix):
        if matrix.ndim != 2:
            raise InputError(f"{name} must have two dimensions, not {matrix.ndim}.")
        if matrix.dtype.kind not in "biuf":
            raise InputError(f"{name} must hold numbers, not values of type {matrix.dtype}.")
        csr = Csr(_sound(matrix, name), dtype=dtype)
    else:
        dense = as_dense(matrix, name, dtype=dtype)
        csr = Csr(dense)
    # The arrays may be the caller's own, so whatever would change them works on a copy.
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    if zeros == "drop" and csr.nnz and not np.all(csr.data):
        csr = csr.copy()
        csr.eliminate_zeros()
    if not np.all(np.isfinite(csr.data)):
        row, col = _first_cell(csr, ~np.isfinite(csr.data))
        raise InputError(
            f"{name} holds NaN or infinity, first in row {row}, column {col}; drop or replace such cells first."
        )
    if minimum is not None and csr.nnz and csr.data.min() < minimum:
        row, col = _first_cell(csr, csr.data < minimum)
        raise InputError(
            f"{name} must not hold values below {minimum:g}, but row {row}, column {col} is {csr[row, col]:g}; "
            "keep only the positives and leave all else unstored."
        )
    _check_shape(csr.shape, name, rows, cols)
    if not allow_empty and (csr.shape[0] == 0 or csr.shape[1] == 0 or csr.nnz == 0):
        raise InputError(f"{name} is empty (shape {csr.shape}, {csr.nnz} stored cells); give at least one cell.")
    if csr.shape[1] > np.iinfo(np.int32).max:
        raise InputError(f"{name} has {csr.shape[1]} columns; at most {np.iinfo(np.int32).max} are supported.")
    # SciPy's constructor would narrow indptr again, so both index arrays are set afterwards. Arrays that must not be
    # written (memory maps, Arrow buffers) are copied: to Numba they are another type, hence another compilation.
    csr.indptr = np.require(csr.indptr, np.int64, ["C", "W"])
    csr.indices = np.require(csr.indices, np.int32, ["C", "W"])
    csr.data = np.require(csr.data, dtype, ["C", "W"])
    return csr


def as_dense(
    array: Any,
    name: str,
    *,
    dtype: DTypeLike = np.float32,
    rows: int | None = None,
    cols: int | None = None,
    ndim: int = 2,
) -> Array:
    """A finite C-contiguous array of the given dtype, or one sentence on why it cannot be had."""
    try:
        dense = np.ascontiguousarray(array, dtype=dtype)
    except Exception:  # a table raises its own library's errors where a column has no place in an array
        raise InputError(
            f"{name} must be numeric with {ndim} dimensions, but it could not be read as numbers."
        ) from None
    if np.ndim(array) != ndim:
        raise InputError(f"{name} must have {ndim} dimensions, not {np.ndim(array)}.")
    if not np.all(np.isfinite(dense)):
        raise InputError(f"{name} holds NaN or infinity; drop or replace such values first.")
    if ndim == 2:
        _check_shape(dense.shape, name, rows, cols)
    return dense


def proved_csr(data: Array, indices: NDArray[np.int32], indptr: NDArray[np.int64], shape: tuple[int, int]) -> Csr:
    """A matrix of arrays that are known to be canonical: nothing is checked again and nothing is copied."""
    csr = Csr(shape, dtype=data.dtype)
    csr.data, csr.indices, csr.indptr = data, indices, indptr
    csr.has_canonical_format = True
    return csr


def transpose(csr: sp.csr_array) -> Csr:
    """The transpose as canonical CSR.

    >>> transpose(as_csr(np.array([[5., 6.], [7., 0.]]), "x")).data
    array([5., 7., 6.], dtype=float32)
    """
    indptr, indices, (data, _) = transposed_cells(csr, (csr.data, csr.data[:0]))
    return proved_csr(data if csr.nnz > 1 else csr.data.copy(), indices, indptr, csr.shape[::-1])


def transposed_cells(
    csr: sp.csr_array, values: tuple[Array, Array]
) -> tuple[NDArray[np.int64], NDArray[np.int32], tuple[Array, Array]]:
    """``indptr`` and ``indices`` of the transpose, and two values per cell in its order.

    Values of length 1 hold for all cells and stay as they are. Nothing else is held per cell: what SciPy does takes
    several times as much at its peak.
    """
    counts = col_counts(csr)
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    indices = np.empty(csr.nnz, dtype=np.int32)
    moved = [np.empty_like(value) if len(value) > 1 else value for value in values]
    kernels.transpose(csr.indptr, csr.indices, *values, indptr[:-1].copy(), indices, *moved)
    return indptr, indices, (moved[0], moved[1])


def col_counts(csr: sp.csr_array) -> NDArray[np.int64]:
    """Stored cells per column.

    >>> col_counts(as_csr(np.array([[5., 6.], [7., 0.]]), "x"))
    array([2, 1])
    """
    width = csr.shape[1]
    counts = np.zeros(width, dtype=np.int64)
    # A block at a time: NumPy counts in a copy of 8 bytes per cell.
    for start, stop in threads.even_chunks(csr.nnz, max(_BLOCK, width)):
        counts += np.bincount(csr.indices[start:stop], minlength=width)
    return counts


def one_hot(numbers: NDArray[Any], width: int, dtype: DTypeLike = np.float32) -> Csr:
    """A one in column ``numbers[x]`` of every row x.

    >>> one_hot(np.array([1, 0]), 3).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.]], dtype=float32)
    """
    ones, ends = np.ones(len(numbers), dtype=dtype), np.arange(len(numbers) + 1)
    return as_csr(sp.csr_array((ones, numbers, ends), shape=(len(numbers), width)), "ids", dtype=dtype)


def take_rows(csr: sp.csr_array, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32], Array]:
    """``indptr``, ``indices`` and ``data`` of these rows, at the cost of their cells alone.

    SciPy's own indexing first brings both index arrays of the whole matrix to one type.

    >>> indptr, indices, data = take_rows(as_csr(np.array([[5., 6.], [0., 7.]]), "x"), np.array([1, 0]))
    >>> indptr, indices, data
    (array([0, 1, 3]), array([1, 0, 1], dtype=int32), array([7., 5., 6.], dtype=float32))
    """
    starts = csr.indptr[numbers]
    counts = csr.indptr[numbers + 1] - starts
    indptr = np.zeros(len(numbers) + 1, dtype=np.int64)
    np.cumsum(counts, out=indptr[1:])
    places = np.repeat(starts - indptr[:-1], counts) + np.arange(indptr[-1])
    return indptr, csr.indices[places].astype(np.int32, copy=False), csr.data[places]


def _sound(matrix: Any, name: str) -> Any:
    """A sparse matrix whose indices lie within its shape: others would make SciPy and kernels touch foreign memory."""
    try:
        if matrix.format not in {"csr", "csc", "bsr", "coo"}:
            matrix = matrix.tocoo()
        sound = _is_sound(matrix)
    except (TypeError, ValueError, IndexError, OverflowError):
        sound = False
    if not sound:
        raise InputError(f"{name} has index arrays that do not fit its shape {matrix.shape}; build it anew.")
    return matrix


def _is_sound(matrix: Any) -> bool:
    if matrix.format == "coo":
        return all(
            len(axis) == len(matrix.data) and _all_below(axis, size) for axis, size in zip(matrix.coords, matrix.shape)
        )
    height, width = matrix.blocksize if matrix.format == "bsr" else (1, 1)
    rows, cols = matrix.shape[0] // height, matrix.shape[1] // width
    outer, inner = (cols, rows) if matrix.format == "csc" else (rows, cols)
    indptr, indices = matrix.indptr, matrix.indices
    # Compared, not subtracted: differences can overflow.
    return bool(
        len(indptr) == outer + 1
        and indptr[0] == 0
        and indptr[-1] <= len(indices)
        and len(indices) == len(matrix.data)
        and np.all(indptr[1:] >= indptr[:-1])
        and _all_below(indices, inner)
    )


def _all_below(indices: Array, size: int) -> bool:
    return len(indices) == 0 or bool(indices.min() >= 0 and indices.max() < size)


def _check_shape(shape: tuple[int, ...], name: str, rows: int | None, cols: int | None) -> None:
    if rows is not None and shape[0] != rows:
        raise InputError(f"{name} must have {rows} rows, one per row of the data, but has {shape[0]}.")
    if cols is not None and shape[1] != cols:
        raise InputError(f"{name} must have {cols} columns, as in training, but has {shape[1]}.")


def _first_cell(csr: sp.csr_array, where: NDArray[np.bool_]) -> tuple[int, int]:
    index = int(np.flatnonzero(where)[0])
    row = int(np.searchsorted(csr.indptr, index, side="right")) - 1
    return row, int(csr.indices[index])
