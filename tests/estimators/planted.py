"""Positives in groups, and how to make a small model of them."""

import numpy as np
import scipy.sparse as sp

from tacit import FactorRecommender, Interactions


def planted(seed=0, n=120, m=80, groups=4, noise=0.02):
    """Rows and columns in groups; a row likes most columns of its group and a few others."""
    rng = np.random.default_rng(seed)
    same = (np.arange(n) % groups)[:, None] == (np.arange(m) % groups)[None, :]
    likes = rng.random((n, m)) < np.where(same, 0.5, noise)
    return sp.csr_array(likes.astype(np.float32))


def small(**parameters):
    return FactorRecommender(**{"factors": 8, "iterations": 5} | parameters)


def named(matrix, **sides):
    rows = [f"row {x}" for x in range(matrix.shape[0])]
    cols = [f"col {y}" for y in range(matrix.shape[1])]
    return Interactions.from_matrix(matrix, row_ids=rows, col_ids=cols, **sides)
