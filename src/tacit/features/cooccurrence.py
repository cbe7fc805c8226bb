"""Co-occurrence counts of a text: how often, and how near, each word stands beside each other word.

    X_ij = Σ over places p of word i, q of word j in the same sentence, 0 < |p − q| ≤ window, of weight(|p − q|)

Memory is bounded. The text is counted in runs of a limited number of tokens, each run row by row from an index of
places (``kernels.cooccurrence`` says why), so that only distinct pairs exist at any time; runs are sorted and merged
row by row. Beyond the budget, finished rows live in an unnamed temporary file that is mapped into memory and vanishes
with the matrix. Borders of runs and of chunks depend on the text and the budget alone: the counts are the same to
the bit at any number of threads.
"""

import contextlib
import ctypes
import functools
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit import threads as pool
from tacit.kernels import cooccurrence as kernels
from tacit.progress import Run

Weighting = Literal["inverse", "linear", "flat"]
WindowSide = Literal["both", "left", "right"]
Piece = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]

WIDEST_WINDOW = 1_000_000
"""Words; every distance has a weight in memory."""

_CHUNKS = 256
_GROUP = 16
_GIGABYTE = 1 << 30
_LARGE = 1 << 26
_CELL = 8
"""Bytes of one cell: int32 column, float32 count."""


def distance_weights(window: int, weighting: Weighting) -> NDArray[np.float64]:
    """Weights of a pair at distance d = 1..window: 1/d (GloVe), (window+1−d)/window (word2vec's mean), or 1.

    >>> distance_weights(4, "linear")
    array([1.  , 0.75, 0.5 , 0.25])
    """
    checks.integer("window", window, 1, most=WIDEST_WINDOW)
    checks.choice("weighting", weighting, ("inverse", "linear", "flat"))
    distance = np.arange(1, window + 1, dtype=np.float64)
    if weighting == "inverse":
        return 1 / distance
    if weighting == "linear":
        return (window + 1 - distance) / window
    return np.ones(window)


def count_pairs(
    tokens: NDArray[np.int32],
    words: int,
    *,
    window: int = 8,
    weighting: Weighting = "inverse",
    side: WindowSide = "both",
    memory: float = 4.0,
    threads: int = 0,
    progress: bool | None = False,
) -> sp.csr_array:
    """The counts X as canonical CSR of shape (words, words), float32.

    Parameters
    ----------
    tokens : (n,) word numbers, -1 between sentences
    window : neighbours up to this distance count
    weighting : how a neighbour's weight falls with distance (``distance_weights``)
    side : neighbours on "both" sides (X is symmetric), or only those to the "left" or "right" of the word
    memory : gigabytes that may be held; beyond that, counts go to disk

    >>> count_pairs(np.array([0, 1, 0, -1, 1], np.int32), 2, window=2).toarray()
    array([[1., 2.],
           [2., 0.]], dtype=float32)
    """
    weights = distance_weights(window, weighting)
    checks.choice("side", side, ("both", "left", "right"))
    checks.number("memory", memory, above=0.0)
    budget = int(memory * _GIGABYTE)
    runs = runs_of(len(tokens), window, memory)
    total = sp.csr_array((words, words), dtype=np.float32)
    with Run("counting", len(runs) * _CHUNKS // _GROUP, progress=progress) as run:
        for first, last in runs:
            around = tokens[max(first - window, 0) : last + window]
            offset = min(first, window)
            counted = _count_run(around, offset, offset + last - first, words, weights, side, budget, threads, run)
            total = counted if first == 0 else add_counts(total, counted, memory=memory, threads=threads)
    if total.nnz * _CELL > _LARGE:
        _give_back()
    return total


def runs_of(tokens: int, window: int, memory: float) -> list[tuple[int, int]]:
    """Runs that are counted one after the other, so that the index of one takes a part of the memory.

    Neighbours beyond a run's ends are read, not counted as words: no pair is lost at a cut.
    """
    # A quarter of the budget for the index of a run (4 or 8 bytes a token) and the chunks in work (about as much),
    # a quarter for each of the matrices that exist at once: the counts so far, the run's, and their sum.
    return pool.even_chunks(tokens, max(int(memory * _GIGABYTE) // 64, 1000 * window))


def add_counts(a: sp.csr_array, b: sp.csr_array, *, memory: float = 4.0, threads: int = 0) -> sp.csr_array:
    """A + B of two count matrices; the smaller one counts as padded with words that it does not know."""
    words = max(a.shape[0], b.shape[0])
    starts = np.zeros(words + 1, np.int64)
    for matrix in (a, b):
        starts[: matrix.shape[0] + 1] += matrix.indptr
        starts[matrix.shape[0] + 1 :] += matrix.indptr[-1]

    def add(first: int, last: int) -> Piece:
        room = int(starts[last] - starts[first])
        sizes, indices, values = _room(last - first, room)
        written = kernels.add_rows(
            first, last, a.indptr, a.indices, a.data, b.indptr, b.indices, b.data, sizes, indices, values
        )
        return sizes, indices[:written].copy(), values[:written].copy()

    store = _Store(int(memory * _GIGABYTE) // 4)
    _fill(store, add, pool.balanced_chunks(starts, most=_CHUNKS), threads)
    return store.matrix(words)


def _count_run(
    tokens: NDArray[np.int32],
    first: int,
    last: int,
    words: int,
    weights: NDArray[np.float64],
    side: WindowSide,
    budget: int,
    threads: int,
    run: Run,
) -> sp.csr_array:
    """Counts of the words at tokens[first:last]; the tokens before and behind are only neighbours."""
    index = Places.of(tokens, first, last, words)
    store = _Store(budget // 4)
    count = functools.partial(index.count, weights=weights, side=side)
    _fill(store, count, pool.balanced_chunks(index.starts, most=_CHUNKS), threads, run)
    return store.matrix(words)


@dataclass(frozen=True)
class Places:
    """Where each word stands in a run of tokens: word i at ``places[starts[i] : starts[i + 1]]``."""

    tokens: NDArray[np.int32]
    starts: NDArray[np.int64]
    positions: NDArray[Any]

    @classmethod
    def of(cls, tokens: NDArray[np.int32], first: int, last: int, words: int) -> "Places":
        """Those in tokens[first:last]; the tokens before and behind are only neighbours."""
        core = tokens[first:last]
        starts = np.concatenate(([0], np.cumsum(np.bincount(core[core >= 0], minlength=words)))).astype(np.int64)
        positions = np.empty(int(starts[-1]), np.int32 if len(tokens) <= np.iinfo(np.int32).max else np.int64)
        kernels.index_positions(tokens, first, last, starts[:-1].copy(), positions)
        return cls(tokens, starts, positions)

    def count(self, low: int, high: int, weights: NDArray[np.float64], side: WindowSide) -> Piece:
        """The counts of the words low..high-1; each word's are its own, whatever the range."""
        words = len(self.starts) - 1
        before, after = side != "right", side != "left"
        reach = len(weights) * (before + after)
        room = int(np.minimum(np.diff(self.starts[low : high + 1]) * reach, words).sum())
        sizes, indices, values = _room(high - low, room)
        seen = np.zeros(-(-words // 8) * 8, np.uint8)
        written = kernels.count_rows(
            low, high, self.tokens, self.positions, self.starts, weights, before, after, np.zeros(words), seen,
            seen.view(np.uint64), np.empty(words, np.int32), sizes, indices, values,
        )  # fmt: skip
        return sizes, indices[:written].copy(), values[:written].copy()


def _room(rows: int, cells: int) -> Piece:
    return np.empty(rows, np.int64), np.empty(cells, np.int32), np.empty(cells, np.float32)


def _fill(
    store: "_Store",
    work: Callable[[int, int], Piece],
    chunks: list[tuple[int, int]],
    threads: int,
    run: Run | None = None,
) -> None:
    """Do the chunks in groups, so that what is not yet stored stays small."""
    for first in range(0, len(chunks), _GROUP):
        for piece in pool.run(work, chunks[first : first + _GROUP], threads):
            store.append(*piece)
        if run is not None:
            run.report(cells=store.cells)
            if run.interrupted:
                raise KeyboardInterrupt


def _give_back() -> None:
    """Hand what the chunks held back to the system, where its C library does so when asked: some 50 MB."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _nameless_file() -> IO[bytes]:
    return tempfile.TemporaryFile()


class _Store:
    """Rows that arrive in order, held in memory up to a budget and in a temporary file beyond it."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._sizes: list[NDArray[np.int64]] = []
        self._held: tuple[NDArray[Any], NDArray[Any]] = (np.empty(0, np.int32), np.empty(0, np.float32))
        self._files: tuple[IO[bytes], IO[bytes]] | None = None
        self.cells = 0

    def append(self, sizes: NDArray[np.int64], indices: NDArray[np.int32], values: NDArray[np.float32]) -> None:
        self._sizes.append(sizes)
        before, self.cells = self.cells, self.cells + len(indices)
        if self._files is None and self.cells * _CELL > self._budget:
            self._files = (_nameless_file(), _nameless_file())
            for file, array in zip(self._files, self._held):
                file.write(array[:before].data)
            self._held = (np.empty(0, np.int32), np.empty(0, np.float32))
        if self._files is not None:
            for file, array in zip(self._files, (indices, values)):
                file.write(array.data)
            return
        for array, part in zip(self._held, (indices, values)):
            if self.cells > len(array):
                # Large arrays grow where they are, so that parts and whole are never held both; small ones are copied.
                _resize(array, self.cells + max(self.cells // 16, min(self.cells, 1 << 22)))
            array[before : self.cells] = part

    def matrix(self, words: int) -> sp.csr_array:
        indptr = np.zeros(words + 1, np.int64)
        if self._sizes:
            np.cumsum(np.concatenate(self._sizes), out=indptr[1:])
        if self._files is None:
            for array in self._held:
                _resize(array, self.cells)
        indices, values = self._mapped() if self._files is not None else self._held
        # SciPy's constructor would narrow the row pointers, so the index arrays are set afterwards.
        matrix = sp.csr_array((words, words), dtype=np.float32)
        matrix.data, matrix.indices, matrix.indptr = values, indices, indptr
        return matrix

    def _mapped(self) -> tuple[Any, Any]:
        assert self._files is not None
        for file in self._files:
            file.flush()
        indices, values = (
            np.memmap(file, dtype, mode="r+", shape=(self.cells,)).view(np.ndarray)
            for file, dtype in zip(self._files, (np.int32, np.float32))
        )
        # The maps keep the nameless files alive.
        for file in self._files:
            file.close()
        return indices, values


def _resize(array: NDArray[Any], size: int) -> None:
    """In place; nobody has a view of it."""
    array.resize(size, refcheck=False)
