"""Instances embedded by skip-gram over label space (ExMLDS2, Eq. 4).

An instance is a word; its context are instances that share a label with it: one of its labels is drawn, then one of
the label's rows, which needs no list of neighbours. (The paper's k nearest instances are few beside the rows
of a frequent label, and tear them apart.) Negatives are drawn evenly from all instances. As in word2vec, an instance
has a second vector c as context, and ⟨z_i, c_j⟩ is what is learned: ⟨z_i, z_j⟩ of one table cannot be negative for
most pairs at once. Instances with equal labels share their vectors. The rate falls linearly.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import as_csr, transpose
from tacit.errors import DivergedError
from tacit.features.label_space import distinct_sets
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
    random_state: int = 0,
) -> NDArray[np.float64]:
    """Z (n, factors).

    Parameters
    ----------
    contexts : pairs drawn for each instance in an iteration
    negatives : n₋, draws per pair
    """
    rng = np.random.default_rng(random_state)
    Y = as_csr(Y, "Y")
    found = distinct_sets(Y)
    rows_with_label = transpose(Y)
    # Small, because what is random at the start stays in directions that no pair ever asks for.
    Z = (_START / np.sqrt(factors) * rng.standard_normal((len(found.count), factors))).astype(np.float32)
    C = np.zeros_like(Z)
    state = rng.integers(2**63, size=1).astype(np.uint64)
    change = np.zeros(factors, np.float32)
    for epoch in range(iterations):
        rate = learning_rate * max(1 - epoch / iterations, 0.05)
        order = rng.permutation(Y.shape[0])
        # The generator wraps around on purpose, which NumPy reports where the kernel runs as Python.
        with np.errstate(over="ignore"):
            skipgram_epoch(
                order, found.of_row, Y.indptr, Y.indices, rows_with_label.indptr, rows_with_label.indices,
                contexts, negatives, rate, Z, C, change, state,
            )  # fmt: skip
        if not np.all(np.isfinite(Z)):
            raise DivergedError(
                f"iteration {epoch + 1}: a vector of the skip-gram is no longer finite; lower learning_rate."
            )
    embedding: NDArray[np.float64] = Z[found.of_row].astype(np.float64)
    return embedding
