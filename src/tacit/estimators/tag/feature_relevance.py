"""How much the features of sparse rows say about labels, by which a kernel weighs them before it compares rows.

A cosine takes all words alike, also those that say nothing of any label. A ridge regression of the labels, less their
means, knows better. It gives feature j the weights w_j, one per label, and

    r_j = ((‖w_j‖ / m + ½) / 1½)^p,      m the mean of ‖w_j‖ over all features that rows have

is near 1 for a usual feature and at least 3^−p, so that one that is too rare to tell still counts. This is the first
step of a recursive feature machine (Radhakrishnan et al. 2024). The lengths ‖w_j‖ are all that is asked for, and the
weights are linear in what is regressed: where labels are many, random mixtures of them keep the lengths (Johnson and
Lindenstrauss 1984).
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.solvers.ridge import ridge_regression

_ROWS = 10_000
_MIXTURES = 64
_RIDGE = 1.0
_FLOOR = 0.5


def relevance(X: sp.csr_array, Y: sp.csr_array, power: float, seed: int, threads: int) -> NDArray[np.float32]:
    """r (d,) of the features of prepared rows with labels.

    >>> X, Y = sp.csr_array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]), sp.csr_array([[1.0], [0.0], [1.0]])
    >>> relevance(X, Y, 0.5, 0, 1).astype(float).round(2).tolist()
    [1.05, 0.95]
    """
    rng = np.random.default_rng(seed)
    if X.shape[0] > _ROWS:
        rows = np.sort(rng.choice(X.shape[0], _ROWS, replace=False))
        X, Y = X[rows], Y[rows]
    targets: NDArray[Any]
    if Y.shape[1] > _MIXTURES:
        targets = Y @ rng.standard_normal((Y.shape[1], _MIXTURES))
    else:
        targets = Y.toarray().astype(np.float64)
    targets -= targets.mean(axis=0)
    lengths = np.linalg.norm(ridge_regression(X, targets, _RIDGE, threads=threads), axis=1)
    typical = float(np.mean(lengths[lengths > 0])) if lengths.any() else 1.0
    return np.asarray(((lengths / typical + _FLOOR) / (1 + _FLOOR)) ** power, dtype=np.float32)
