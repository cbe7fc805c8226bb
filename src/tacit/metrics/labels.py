"""Multi-label metrics of the k best labels per row.

With h_j ∈ {0, 1} for place j = 1..k of a row, l_j the label there, R the row's true labels and p_l the propensity of
a label (the chance that it was noted down where it is true):

    P@k       mean over rows of  Σ h_j / k
    recall@k  mean over rows of  Σ h_j / R
    nDCG@k    mean over rows of  D / I,   D = Σ h_j / log₂(j+1),   I = Σ_{j ≤ min(k,R)} 1 / log₂(j+1)
    PSP@k     Σ_rows Σ_j h_j / p_{l_j}  ÷  the same for the best list possible
    PSnDCG@k  Σ_rows Σ_j h_j / (p_{l_j} log₂(j+1)) / I  ÷  the same for the best list possible

The propensity-scored ones are ratios of sums over rows, not means of ratios, as the extreme classification repository
has it. Rows without true labels count as zero in the means, as there too: leave them out beforehand if they are merely
unlabelled. Places that are empty (-1) are misses.

Propensities follow H. Jain et al., "Extreme multi-label loss functions", KDD 2016: with N rows, N_l of which have l,

    1 / p_l = 1 + C (N_l + B)^−A,   C = (ln N − 1)(B + 1)^A
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import as_csr
from tacit.errors import InputError
from tacit.kernels import evaluation as kernels

Array = NDArray[Any]
Floats = NDArray[np.float64]


def precision_at_k(Y: Any, numbers: Array, k: int) -> float:
    """P@k of label numbers (n, at least k), best first, where Y (n, L) stores the true labels.

    >>> precision_at_k(np.array([[1, 0, 1]]), np.array([[2, 1]]), k=2)
    0.5
    """
    _, hits = _hits(Y, numbers, k)
    return float(hits.mean())


def recall_at_k(Y: Any, numbers: Array, k: int) -> float:
    """Recall@k.

    >>> recall_at_k(np.array([[1, 0, 1]]), np.array([[2, 1]]), k=1)
    0.5
    """
    truth, hits = _hits(Y, numbers, k)
    return float((hits.sum(axis=1) / np.maximum(np.diff(truth.indptr), 1)).mean())


def ndcg_at_k(Y: Any, numbers: Array, k: int) -> float:
    """nDCG@k.

    >>> round(ndcg_at_k(np.array([[1, 0, 1]]), np.array([[1, 2]]), k=2), 4)
    0.3869
    """
    return float(ndcg_of_rows(Y, numbers, k).mean())


def ndcg_of_rows(Y: Any, numbers: Array, k: int) -> Floats:
    """nDCG@k of every row, (n,): what paired comparisons need."""
    truth, hits = _hits(Y, numbers, k)
    return np.asarray(hits @ _discount(k) / _ideal(truth, k))


def psp_at_k(Y: Any, numbers: Array, k: int, inverse: Array) -> float:
    """Propensity-scored P@k; ``inverse`` (L,) holds 1 / p_l.

    >>> psp_at_k(np.array([[1, 1]]), np.array([[1, 0]]), k=1, inverse=np.array([4.0, 1.0]))
    0.25
    """
    truth, hits = _hits(Y, numbers, k)
    inverse = _check_inverse(inverse, truth)
    gained = hits * inverse[np.asarray(numbers)[:, :k]]
    return _ratio(gained.sum(), _best(truth, inverse, np.ones(k)).sum())


def psndcg_at_k(Y: Any, numbers: Array, k: int, inverse: Array) -> float:
    """Propensity-scored nDCG@k.

    >>> psndcg_at_k(np.array([[1, 1]]), np.array([[0, 1]]), k=2, inverse=np.array([4.0, 1.0]))
    1.0
    """
    truth, hits = _hits(Y, numbers, k)
    inverse, discount, ideal = _check_inverse(inverse, truth), _discount(k), _ideal(truth, k)
    gained = (hits * inverse[np.asarray(numbers)[:, :k]]) @ discount
    return _ratio((gained / ideal).sum(), (_best(truth, inverse, discount) / ideal).sum())


def inverse_propensities(frequency: Array, rows: int, A: float = 0.55, B: float = 1.5) -> Floats:
    """1 / p_l of labels that occur ``frequency`` times in so many training rows.

    >>> inverse_propensities(np.array([0, 1000]), rows=1000).round(2)
    array([8.82, 1.22])
    """
    if rows < 3:
        raise InputError(f"propensities need at least 3 training rows, not {rows}: C would be negative.")
    C = (np.log(rows) - 1) * (B + 1) ** A
    return np.asarray(1 + C * (np.asarray(frequency, dtype=np.float64) + B) ** -A)


def propensities(Y: Any, A: float = 0.55, B: float = 1.5) -> Floats:
    """p_l of every label of the training matrix Y (N, L).

    >>> propensities(np.eye(3)).round(3)
    array([0.91, 0.91, 0.91])
    """
    truth = as_csr(Y, "Y")
    frequency = np.bincount(truth.indices, minlength=truth.shape[1])
    return 1 / inverse_propensities(frequency, truth.shape[0], A, B)


def _hits(Y: Any, numbers: Array, k: int) -> tuple[sp.csr_array, NDArray[np.bool_]]:
    truth = as_csr(Y, "Y", allow_empty=True)
    numbers = np.asarray(numbers)
    if numbers.ndim != 2 or numbers.dtype.kind not in "iu" or len(numbers) != truth.shape[0]:
        raise InputError(f"numbers must be whole numbers of shape ({truth.shape[0]}, k), one row per row of Y.")
    if not 1 <= k <= numbers.shape[1]:
        raise InputError(f"k must be between 1 and the {numbers.shape[1]} places that were predicted, not {k}.")
    if numbers.size == 0:
        raise InputError("Y and numbers are empty; give at least one row.")
    if numbers.min() < -1 or numbers.max() >= truth.shape[1]:
        raise InputError(f"numbers must be between -1 and {truth.shape[1] - 1}, the last label of Y.")
    hits = np.empty((len(numbers), k), dtype=np.bool_)
    kernels.mark_hits(np.ascontiguousarray(numbers[:, :k], dtype=np.int32), truth.indptr, truth.indices, hits)
    return truth, hits


def _check_inverse(inverse: Array, truth: sp.csr_array) -> Floats:
    inverse = np.asarray(inverse, dtype=np.float64)
    if inverse.shape != (truth.shape[1],) or not np.all(inverse >= 1):
        raise InputError(
            f"inverse must hold 1 / propensity for each of the {truth.shape[1]} labels, all at least 1; "
            "inverse_propensities makes them."
        )
    return inverse


def _discount(k: int) -> Floats:
    return np.asarray(1 / np.log2(np.arange(2, k + 2)))


def _ideal(truth: sp.csr_array, k: int) -> Floats:
    """DCG of the best list of each row; 1 for rows without labels, which gain nothing anyway."""
    sums = np.concatenate(([1.0], np.cumsum(_discount(k))))
    return np.asarray(sums[np.minimum(np.diff(truth.indptr), k)])


def _best(truth: sp.csr_array, inverse: Floats, discount: Floats) -> Floats:
    """Per row the largest Σ_j discount_j / p: its true labels in descending order of 1 / p."""
    rows = np.repeat(np.arange(truth.shape[0]), np.diff(truth.indptr))
    gains = inverse[truth.indices]
    order = np.lexsort((-gains, rows))
    index = np.arange(len(rows)) - truth.indptr[rows]
    counted = index < len(discount)
    weights = gains[order][counted] * discount[index[counted]]
    return np.asarray(np.bincount(rows[counted], weights=weights, minlength=truth.shape[0]), dtype=np.float64)


def _ratio(gained: float, possible: float) -> float:
    return float(gained / possible) if possible else 0.0
