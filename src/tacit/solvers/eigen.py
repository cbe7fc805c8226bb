"""Embeddings from a symmetric sparse matrix: Z = U |Λ|^½ of its eigenvalues of largest magnitude.

For a symmetric matrix these are its leading singular values and left singular vectors, so Z is the U S^½ of a
truncated SVD. Rows that occur several times are given once with their number of occurrences c: if P repeats row a
c_a times, then P S Pᵀ has the eigenvectors P C^−½ Q, where Q are those of C^½ S C^½.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from tacit.errors import DivergedError
from tacit.threads import single_threaded_blas

_DENSE = 400


def symmetric_embedding(
    matrix: sp.csr_array, rank: int, count: NDArray[np.int64] | None = None, seed: int = 0
) -> NDArray[np.float64]:
    """The (u, rank) embedding of a symmetric matrix whose row a stands for ``count[a]`` equal rows.

    Columns beyond the matrix's own size are zero. Deterministic, at any number of BLAS threads.

    >>> Z = symmetric_embedding(sp.csr_array([[2.0, 0.0], [0.0, 1.0]]), rank=1)
    >>> np.abs(Z).round(6).tolist()
    [[1.414214], [0.0]]
    """
    size = matrix.shape[0]
    root = np.ones(size) if count is None else np.sqrt(count)
    scaled = sp.csr_array(sp.diags_array(root) @ matrix @ sp.diags_array(root))
    rank_found = min(rank, size)
    with single_threaded_blas():
        if size <= max(_DENSE, 2 * rank):
            values, vectors = eigh(scaled.toarray())
        else:
            start = np.random.default_rng(seed).uniform(0.5, 1.5, size)
            try:
                values, vectors = eigsh(scaled, k=rank_found, v0=start, tol=1e-6)
            except ArpackNoConvergence as error:
                raise DivergedError(
                    f"the label embedding's eigenvalues did not converge ({error}); lower factors or raise shift."
                ) from error
    order = np.argsort(-np.abs(values), kind="stable")[:rank_found]
    embedding = np.zeros((size, rank))
    embedding[:, :rank_found] = vectors[:, order] * np.sqrt(np.abs(values[order])) / root[:, None]
    return embedding
