"""Instances embedded by their labels: factorisation of the SPPMI of label-space co-occurrence (Algorithms 2 and 3).

sppmi    Â = SPPMI(M), M = Y Yᵀ
joint    Â = SPPMI of  [ μ₂ M   μ₃ Y ]
                       [ μ₃ Yᵀ  μ₁ C ]     with the label graph C

Z = U S^½ of the leading singular values. Rows with equal label sets have equal embeddings, so the factorisation runs
on the distinct sets with their multiplicities, which changes nothing but the time.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.features.label_space import LabelSets, distinct_sets, shared_labels
from tacit.features.ppmi import associations
from tacit.solvers.eigen import symmetric_embedding

Array = NDArray[np.float64]


def label_space_sppmi(
    result: LabelSets, shift: float = 1.0, max_partners: int | None = None, threads: int = 0
) -> sp.csr_array:
    """SPPMI(M) between distinct label sets; totals count every row, so the cells are those of the whole M."""
    totals = np.asarray(result.sets @ (result.sets.T @ result.count), dtype=np.float64)
    return _sppmi(shared_labels(result.sets, max_partners), totals, result.count, shift, threads)


def sppmi_embedding(
    Y: sp.csr_array,
    factors: int,
    *,
    shift: float = 1.0,
    max_partners: int | None = None,
    seed: int = 0,
    threads: int = 0,
) -> Array:
    """Z (n, factors), one row per instance (Algorithm 2, steps 1 to 3).

    >>> Z = sppmi_embedding(sp.csr_array([[1, 0], [0, 1], [1, 0]]), 2)
    >>> bool(np.allclose(Z[0], Z[2])), bool(abs(Z[0] @ Z[1]) < 1e-9)
    (True, True)
    """
    result = distinct_sets(Y)
    matrix = label_space_sppmi(result, shift, max_partners, threads)
    if not matrix.data.any():
        # Every row has the same labels: all lie in one place, where each votes for each.
        return np.tile(np.eye(1, factors), (Y.shape[0], 1))
    return symmetric_embedding(matrix, factors, result.count, seed)[result.of_row]


def joint_embedding(
    Y: sp.csr_array,
    label_graph: sp.csr_array,
    factors: int,
    *,
    weights: tuple[float, float, float] = (1.0, 1.0, 1.0),
    shift: float = 1.0,
    max_partners: int | None = None,
    seed: int = 0,
    threads: int = 0,
) -> tuple[Array, Array]:
    """Z₁ (n, factors) of the instances and Z₂ (L, factors) of the labels (Algorithm 3, steps 1 to 3).

    Parameters
    ----------
    label_graph : (L, L) symmetric, non-negative: how often two labels go together
    weights : μ₁ of the label graph, μ₂ of the instances, μ₃ of the labels that instances carry
    """
    result = distinct_sets(Y)
    graph_weight, row_weight, carried_weight = weights
    sets = sp.csr_array(result.sets, dtype=np.float64)
    blocks = [
        [row_weight * shared_labels(sets, max_partners), carried_weight * sets],
        [carried_weight * sets.T, graph_weight * label_graph],
    ]
    matrix = sp.csr_array(sp.block_array(blocks))
    frequency = np.asarray(sets.T @ result.count)
    totals = np.concatenate(
        (
            row_weight * (sets @ frequency) + carried_weight * np.diff(sets.indptr),
            carried_weight * frequency + graph_weight * np.asarray(label_graph.sum(axis=1)),
        )
    )
    count = np.concatenate((result.count, np.ones(Y.shape[1], dtype=np.int64)))
    # A label that nothing mentions has an empty row, no cells and the embedding zero.
    embedding = symmetric_embedding(_sppmi(matrix, totals, count, shift, threads), factors, count, seed)
    return embedding[: len(result.count)][result.of_row], embedding[len(result.count) :]


def _sppmi(counts: sp.csr_array, totals: Array, count: NDArray[np.int64], shift: float, threads: int) -> sp.csr_array:
    """SPPMI of a symmetric matrix given by its distinct rows, whose totals count every row."""
    # log 0 only stands for rows without cells, which do not use it.
    with np.errstate(divide="ignore"):
        logs = np.log(totals)
    return associations(counts, logs, logs - np.log(totals @ count), shift, threads)[0]
