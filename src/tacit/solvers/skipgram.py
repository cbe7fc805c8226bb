"""Instances embedded by skip-gram over label space (ExMLDS2, Eq. 4).

Instances take the place of words; the context of one are the instances that share a label with it.
Pairs are drawn in one of two ways:

    by labels       one of its labels is drawn, then one of the label's rows, which needs no list of neighbours;
                    instances with equal labels share their vectors
    by neighbours   one of its k nearest instances by the cosine of their labels is drawn, as in the paper; they are few
                    beside the rows of a frequent label, and tear them apart

Negatives are drawn evenly from all instances. As in word2vec, an instance has a second vector c as context, and
⟨z_i, c_j⟩ is what is learned. Eq. 4 has one table, c = z, whose inner products cannot be negative for most pairs at
once. The rate falls linearly.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import Csr, as_csr, transpose
from tacit.errors import DivergedError, InputError
from tacit.features.label_space import distinct_sets, nearest_rows
from tacit.kernels.skipgram import skipgram_epoch

_START = 0.1


def skipgram_embedding(
    Y: sp.csr_array,
    factors: int,
    *,
    contexts: int = 15,
    negatives: int = 15,
    iterations: int = 20,
    learning_rate: float = 0.2,
    neighbours: int | None = None,
    tables: int = 2,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Z (n, factors).

    Parameters
    ----------
    contexts : pairs drawn for each instance in an iteration
    negatives : n₋, draws per pair
    neighbours : k of the nearest instances from which a context is drawn; None draws by labels
    tables : 2 with vectors of contexts apart, 1 with the same for both
    """
    rng = np.random.default_rng(seed)
    rows, of_row, own, holders = _pairs(as_csr(Y, "Y"), neighbours)
    # Small, because what is random at the start stays in directions that no pair ever asks for.
    Z = (_START / np.sqrt(factors) * rng.standard_normal((int(of_row.max()) + 1, factors))).astype(np.float32)
    C = np.zeros_like(Z) if tables == 2 else Z
    state = rng.integers(2**63, size=1).astype(np.uint64)
    change = np.zeros(factors, np.float32)
    for epoch in range(iterations):
        rate = learning_rate * max(1 - epoch / iterations, 0.05)
        order = rng.permutation(rows)
        # The generator wraps around on purpose, which NumPy reports where the kernel runs as Python.
        with np.errstate(over="ignore"):
            skipgram_epoch(
                order, of_row, own.indptr, own.indices, holders.indptr, holders.indices,
                contexts, negatives, rate, Z, C, change, state,
            )  # fmt: skip
        if not np.all(np.isfinite(Z)):
            raise DivergedError(
                f"iteration {epoch + 1}: a vector of the skip-gram is no longer finite; lower learning_rate."
            )
    embedding: NDArray[np.float64] = Z[of_row].astype(np.float64)
    return embedding


def _pairs(Y: Csr, neighbours: int | None) -> tuple[Any, NDArray[np.int64], Csr, Csr]:
    """The rows that have contexts, the vector of each row, and two matrices that a context is drawn through.

    The kernel draws one of a row's labels and one of the label's rows. With neighbours, each row is its own label,
    and the label's rows are the neighbours.
    """
    if neighbours is None:
        return Y.shape[0], distinct_sets(Y).of_row, Y, transpose(Y)
    near = nearest_rows(Y, neighbours)
    result = np.flatnonzero(np.diff(near.indptr))
    if not len(result):
        raise InputError("context_neighbours: no two rows share a label; leave it out.")
    itself = as_csr(sp.eye_array(Y.shape[0], format="csr"), "Y")
    return result, np.arange(Y.shape[0]), itself, as_csr(near, "neighbours")
