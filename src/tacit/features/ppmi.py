"""From co-occurrence counts to what the factorisation fits: targets r and weights c of the positives.

    r_ij = max(0, log( x_ij · |x| / (x_i· · x_·j) ) − log k)        PPMI, shifted by k
    c_ij = min(1, (x_ij / ceiling)^exponent)                        the weight that GloVe gives a pair

Cells with r = 0 are dropped and so become unlabelled; ``PairPositives`` makes both. With ``smoothing`` s < 1 the
contexts' totals are x_·j^s, scaled back to their sum, which lowers the PMI of rare contexts.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit import threads as pool
from tacit.kernels import ppmi as kernels
from tacit.kernels.cells import add_masses


def totals(counts: sp.csr_array) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """x_i· and x_·j: how much each word and each context was counted in all.

    >>> totals(sp.csr_array(np.array([[4, 1], [0, 2]], np.float32)))
    (array([5., 2.]), array([4., 3.]))
    """
    words, contexts = np.zeros(counts.shape[0]), np.zeros(counts.shape[1])
    if counts.nnz:
        add_masses(counts.indptr.astype(np.int64, copy=False), counts.indices, counts.data, words, contexts)
    return words, contexts


def log_shares(totals: NDArray[np.float64], smoothing: float = 1.0) -> NDArray[np.float64]:
    """log( x_j^s / Σ_k x_k^s ), −∞ for a total of zero.

    >>> np.exp(log_shares(np.array([1.0, 3.0])))
    array([0.25, 0.75])
    """
    checks.number("context_smoothing", smoothing, above=0.0, most=1.0)
    with np.errstate(divide="ignore"):
        logs = smoothing * np.log(totals)
    shares: NDArray[np.float64] = logs - np.log(np.exp(logs).sum())
    return shares


def ppmi(
    counts: sp.csr_array, *, shift: float = 1.0, smoothing: float = 1.0, threads: int = 0
) -> tuple[sp.csr_array, NDArray[np.float32]]:
    """Shifted PPMI as canonical float32 CSR, and the count of each cell that it kept.

    Parameters
    ----------
    counts : (n, v) positive counts, canonical CSR
    shift : k; more keeps only stronger associations
    smoothing : power of the contexts' totals, in (0, 1]

    >>> values, kept = ppmi(sp.csr_array(np.array([[4, 1], [1, 4]], np.float32)))
    >>> values.toarray().round(3), kept
    (array([[0.47, 0.  ],
           [0.  , 0.47]], dtype=float32), array([4., 4.], dtype=float32))
    """
    # A row without cells never uses its log, which may then be −∞.
    with np.errstate(divide="ignore"):
        words, contexts = totals(counts)
        row_logs = np.log(words)
    return associations(counts, row_logs, log_shares(contexts, smoothing), shift, threads)


def associations(
    counts: sp.csr_array,
    row_logs: NDArray[np.float64],
    col_logs: NDArray[np.float64],
    shift: float = 1.0,
    threads: int = 0,
    *,
    consume: bool = False,
) -> tuple[sp.csr_array, NDArray[np.float32]]:
    """The cells where log x_ij − row_logs_i − col_logs_j − log k is above zero, with that value and their counts.

    With ``consume`` they are written over the counts, which are given up: the matrix has no cells afterwards.
    """
    shift = checks.number("shift", shift, above=0.0)
    indptr = counts.indptr.astype(np.int64, copy=False)
    indices, data = counts.indices.astype(np.int32, copy=False), counts.data.astype(np.float32, copy=False)
    if consume:
        counts.indices, counts.data, counts.indptr = indices[:0].copy(), data[:0].copy(), np.zeros_like(indptr)
    # Room for all cells; what is not written to takes no memory.
    kept = [indices, data] if consume else [np.empty_like(indices), np.empty_like(data)]
    values = np.empty(len(indices), np.float32)
    chunks = pool.balanced_chunks(indptr)
    sizes = np.zeros(len(indptr) - 1, np.int64)
    given = (indptr, indices, data, row_logs, col_logs, -np.log(shift), sizes, kept[0], values, kept[1])
    pool.run(lambda a, b: kernels.keep_positive(a, b, *given), chunks, threads)
    kept_indptr = np.concatenate(([0], np.cumsum(sizes)))
    kept_indices, kept_counts, values = (_closed_up(array, chunks, indptr, kept_indptr) for array in (*kept, values))
    matrix = sp.csr_array(counts.shape, dtype=np.float32)
    matrix.data, matrix.indices, matrix.indptr = values, kept_indices, kept_indptr
    return matrix, kept_counts


def _closed_up(
    array: NDArray[Any], chunks: list[tuple[int, int]], begins: NDArray[np.int64], starts: NDArray[np.int64]
) -> NDArray[Any]:
    """The cells of every chunk of rows, which begin where those of its first row did, without gaps between chunks."""
    for first, last in chunks:
        size = starts[last] - starts[first]
        array[starts[first] : starts[last]] = array[begins[first] : begins[first] + size]
    cells = int(starts[-1])
    if not array.flags.owndata:  # a file that is mapped
        return array[:cells]
    array.resize(cells, refcheck=False)  # gives back what lies behind; nobody has a view of it
    return array


def glove_weights(
    counts: NDArray[np.float32],
    ceiling: float = 100.0,
    exponent: float = 0.75,
    out: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """min(1, (count / ceiling)^exponent): rare pairs are known less surely. ``out`` may be the counts themselves.

    >>> glove_weights(np.array([6.25, 1000], np.float32))
    array([0.125, 1.   ], dtype=float32)
    """
    checks.number("weight_ceiling", ceiling, above=0.0)
    checks.exponent("weight_exponent", exponent, 0.0)
    weights: NDArray[np.float32] = np.divide(counts, np.float32(ceiling), out=out)
    np.minimum(weights, np.float32(1), out=weights)
    np.power(weights, np.float32(exponent), out=weights)
    return weights


@dataclass(frozen=True)
class PairPositives:
    """How counts of pairs become the positives of the objective: targets r and weights c."""

    shift: float = 1.0
    context_smoothing: float = 1.0
    weight_ceiling: float = 100.0
    weight_exponent: float = 0.75

    def logs(
        self, words: NDArray[np.float64], contexts: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """log x_i· and log of the contexts' shares, from the totals: what PMI takes off log x_ij."""
        # Words without neighbours have no cells, and so no use for their log.
        with np.errstate(divide="ignore"):
            return np.log(words), log_shares(contexts, self.context_smoothing)

    def of(
        self,
        counts: sp.csr_array,
        row_logs: NDArray[np.float64],
        col_logs: NDArray[np.float64],
        threads: int = 0,
        *,
        consume: bool = False,
    ) -> tuple[sp.csr_array, NDArray[np.float32]]:
        """Targets as CSR, and the weight of each of its cells; with ``consume`` the counts are given up for them."""
        targets, kept = associations(counts, row_logs, col_logs, self.shift, threads, consume=consume)
        return targets, glove_weights(kept, self.weight_ceiling, self.weight_exponent, out=kept)
