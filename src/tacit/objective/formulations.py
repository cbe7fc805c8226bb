"""One-class MF's formulations by name, and those that are not whole-data, for comparison.

    name       on the positives   on the unlabelled cells
    SQ-SQ      square             square, weight 1 (with features: LEML; with a graph: GRALS)
    SQ-wSQ     square             square, weight below 1
    LR-wSQ     logistic           square, weight below 1
    LR-wLR     logistic           logistic, weight below 1: no caches help, so every cell is stored

``Full`` counts every unlabelled cell. ``Subsampled`` draws as many as there are positives, once, and ignores the rest.
The formulations that are not whole-data store their unlabelled cells as positives with another target, and set the
weight of all other cells to zero. So every solver takes them unchanged.
"""

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import as_csr
from tacit.errors import UnsoundCombinationError
from tacit.objective.losses import Loss
from tacit.objective.whole_data import WholeData

Array = NDArray[Any]
Unlabelled = Literal["all", "sampled", "same_loss"]

BY_NAME: dict[str, dict[str, Any]] = {
    "SQ-SQ": {"loss": "square", "unlabelled_weight": 1.0},
    "SQ-wSQ": {"loss": "square"},
    "LR-wSQ": {"loss": "logistic"},
    "LR-wLR": {"loss": "logistic", "unlabelled": "same_loss"},
    "SQ-wSQ (S)": {"loss": "square", "unlabelled": "sampled"},
    "LR-wLR (S)": {"loss": "logistic", "unlabelled": "sampled"},
}
"""Parameters of ``FactorRecommender`` for each name; "(S)" is Subsampled."""

MOST_CELLS = 20_000_000
"""Cells up to which ``same_loss`` stores all of them: about half a gigabyte."""


def rewritten(objective: WholeData, unlabelled: Unlabelled, seed: int) -> WholeData:
    """The objective with its unlabelled cells counted in another way.

    - ``"all"``: as it is, every unlabelled cell under the squared loss
    - ``"sampled"``: as many unlabelled cells as positives, drawn once, under the positives' loss
    - ``"same_loss"``: every unlabelled cell under the positives' loss; for small data only
    """
    if unlabelled == "all":
        return objective
    n, m = objective.rows.rows, objective.cols.rows
    known = _cells(objective)
    if unlabelled == "same_loss":
        if n * m > MOST_CELLS:
            raise UnsoundCombinationError(
                f"unlabelled='same_loss' stores every cell, and {n} × {m} are more than the {MOST_CELLS:,} it is for; "
                "use unlabelled='all', which sums them by algebra."
            )
        cells = np.setdiff1d(np.arange(n * m), known, assume_unique=True)
    else:
        rng = np.random.default_rng(seed)
        drawn = np.setdiff1d(rng.integers(0, n * m, 2 * len(known)), known)
        cells = np.sort(rng.permutation(drawn)[: len(known)])
    return _with_stored(objective, known, cells)


def _cells(objective: WholeData) -> Array:
    """The positives as numbers row · m + column, ascending."""
    side = objective.rows
    row = np.repeat(np.arange(side.rows, dtype=np.int64), np.diff(side.indptr))
    cells: Array = row * objective.cols.rows + side.indices
    return cells


def _with_stored(objective: WholeData, known: Array, cells: Array) -> WholeData:
    """``cells`` become stored ones under the positives' loss, and together weigh what all unlabelled ones did."""
    side, m = objective.rows, objective.cols.rows
    a, b = side.own_weight.astype(np.float64), side.other_weight.astype(np.float64)
    row, col = np.divmod(cells, m)
    weight = a[row] * b[col]
    known_row, known_col = np.divmod(known, m)
    everything = a.sum() * b.sum() - float(np.sum(a[known_row] * b[known_col]))
    weight *= everything / weight.sum() if len(weight) else 1.0
    order = np.argsort(np.concatenate((known, cells)), kind="stable")
    target = _unlabelled_target(objective.loss, side.unlabelled_target)
    indptr = np.concatenate(([0], np.cumsum(np.bincount(np.concatenate((known_row, row)), minlength=side.rows))))
    stored = sp.csr_array((np.ones(len(order)), np.concatenate((known_col, col))[order], indptr), shape=(side.rows, m))
    return WholeData.build(
        as_csr(stored, "cells", dtype=side.weight.dtype),
        loss=objective.loss,
        weight=np.concatenate((side.weights, weight))[order],
        target=np.concatenate((side.targets, np.full(len(cells), target)))[order],
        row_weight=np.zeros(side.rows),
        col_weight=np.zeros(m),
        unlabelled_target=0.0,
        row_ridge=side.ridge,
        col_ridge=objective.cols.ridge,
        dtype=side.weight.dtype,
    )


def _unlabelled_target(loss: Loss, target: float) -> float:
    """What a stored unlabelled cell should score: −1 where the loss looks at signs, t under the squared loss."""
    return target if loss.quadratic else -1.0
