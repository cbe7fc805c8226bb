"""Training, validation and test parts of a set, and what is measured on them."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.data.loaders.tags import load_multilabel
from tacit.data.matrix import as_csr
from tacit.metrics.labels import inverse_propensities, ndcg_at_k, precision_at_k, psp_at_k


class Split:
    """One data set: its published split, or a fifth of the rows for the test (seed 0)."""

    def __init__(self, name: str) -> None:
        data = load_multilabel(name)
        if data.X_test is None or data.Y_test is None:
            order = np.random.default_rng(0).permutation(data.X.shape[0])
            cut = len(order) // 5
            self.X_test, self.Y_test = data.X[order[:cut]], data.Y[order[:cut]]
            self.X, self.Y = data.X[order[cut:]], data.Y[order[cut:]]
        else:
            self.X, self.Y, self.X_test, self.Y_test = data.X, data.Y, data.X_test, data.Y_test

    def validation(self) -> "Split":
        """The same with a fifth of the training rows in place of the test."""
        order = np.random.default_rng(1).permutation(self.X.shape[0])
        cut = len(order) // 5
        part = object.__new__(Split)
        part.X, part.Y = self.X[order[cut:]], self.Y[order[cut:]]
        part.X_test, part.Y_test = self.X[order[:cut]], self.Y[order[:cut]]
        return part

    def measure(self, top: np.ndarray) -> dict[str, float]:
        """P@k, nDCG@5 and PSP@k of the five best labels of each test row, in percent."""
        inverse = inverse_propensities(np.bincount(self.Y.indices, minlength=self.Y.shape[1]), self.Y.shape[0])
        figures = {f"P@{k}": 100 * precision_at_k(self.Y_test, top, k) for k in (1, 3, 5)}
        figures["nDCG@5"] = 100 * ndcg_at_k(self.Y_test, top, 5)
        figures |= {f"PSP@{k}": 100 * psp_at_k(self.Y_test, top, k, inverse) for k in (1, 3, 5)}
        return {name: round(float(value), 2) for name, value in figures.items()}


def hide(Y: sp.csr_array, share: float, seed: int) -> sp.csr_array:
    """Y without this share of its positives, drawn at random."""
    cells = as_csr(Y, "Y").tocoo()
    kept = np.random.default_rng(seed).permutation(Y.nnz)[: round((1 - share) * Y.nnz)]
    row, col = cells.coords
    return sp.csr_array((cells.data[kept], (row[kept], col[kept])), shape=Y.shape)


def precisions(Y: Any, top: np.ndarray) -> list[float]:
    """P@1, P@3 and P@5 in percent."""
    return [100 * float(precision_at_k(Y, top, k)) for k in (1, 3, 5)]
