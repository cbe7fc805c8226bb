"""How good ordinal grades are: of scores (higher should mean a higher class) and of predicted classes.

Classes are whole numbers whose differences are meant: predicting 1 for 3 is twice as wrong as 2 for 3. Rows that are
unlabelled (-1) say nothing and are refused.

    ordinal AUC  mean over the splits {≤ c | > c} between neighbouring classes of the AUC of the scores
    C-index      share of pairs of different class whose scores are in the right order; equal scores count ½
    MAE          mean |y − ŷ|                        (``tacit.metrics.mae``)
    MZE          share of y ≠ ŷ
    AMAE         mean over the true classes of their MAE: small classes weigh as much as large ones
    QWK          1 − Σ_ij (i−j)² O_ij / Σ_ij (i−j)² E_ij, with the observed counts O of (true, predicted) classes and E
                 those expected of independent ones
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError
from tacit.metrics.ratings import mae

Array = NDArray[Any]


def ordinal_auc(y: Array, scores: Array, weights: Array | None = None) -> float:
    """Mean over the k − 1 splits of the classes in y of the weighted chance that a higher class scores higher.

    Equal scores count half. Needs two classes. One sort: O(n log n + n k).

    >>> ordinal_auc([0, 1, 2], [0.1, 0.5, 0.3])
    0.75
    """
    y, scores = _classes(y, "y"), _scores(scores, len(y))
    classes = _two_classes(y)
    share = np.ones(len(y)) if weights is None else _scores(weights, len(y), "weights")
    distinct, group = np.unique(scores, return_inverse=True)
    every = np.bincount(group, share, len(distinct))
    low, areas = np.zeros(len(distinct)), []
    for border in classes[:-1]:
        own = np.flatnonzero(y == border)
        low = low + np.bincount(group[own], share[own], len(distinct))
        high = every - low
        areas.append(high @ (np.cumsum(low) - low / 2) / (high.sum() * low.sum()))
    return float(np.mean(areas))


def concordance_index(y: Array, scores: Array) -> float:
    """Share of comparable pairs in the right order, in O(n log n). y may be any numbers, not classes alone.

    >>> concordance_index([0, 1, 2], [0.1, 0.5, 0.3]).__round__(4)
    0.6667
    """
    from tacit.kernels.concordance import concordant_pairs

    y = _numbers(y, "y")
    scores = _scores(scores, len(y))
    _two_classes(y)
    order = np.argsort(y, kind="stable")
    groups = np.unique(y, return_inverse=True)[1][order].astype(np.int64)
    distinct, ranks = np.unique(scores, return_inverse=True)
    twice, comparable = concordant_pairs(groups, ranks[order].astype(np.int64) + 1, len(distinct))
    return float(twice / (2 * comparable))


def zero_one_error(y: Array, predicted: Array) -> float:
    """MZE: share of wrong classes.

    >>> zero_one_error([0, 1, 2, 2], [0, 2, 2, 0])
    0.5
    """
    y, predicted = _pair(y, predicted)
    return float((y != predicted).mean())


def average_mae(y: Array, predicted: Array) -> float:
    """AMAE: mean over the true classes of their mean absolute error.

    >>> average_mae([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    y, predicted = _pair(y, predicted)
    return float(np.mean([np.abs(predicted[y == c] - c).mean() for c in np.unique(y)]))


def quadratic_kappa(y: Array, predicted: Array) -> float:
    """QWK; NaN when both lists hold one and the same class only, where chance is always right.

    >>> quadratic_kappa([0, 1, 2], [0, 2, 2]).__round__(4)
    0.8
    """
    y, predicted = _pair(y, predicted)
    # Σ E_ij (i−j)² = n (mean y² + mean ŷ² − 2 mean y mean ŷ): no table is needed.
    y, predicted = y - y[0], predicted - y[0]
    observed = np.square(y - predicted).mean()
    expected = np.square(y).mean() + np.square(predicted).mean() - 2 * y.mean() * predicted.mean()
    return float(1 - observed / expected) if expected > 0 else float("nan")


def ordinal_metrics(y: Array, scores: Array | None = None, predicted: Array | None = None) -> dict[str, float]:
    """Everything that can be said of scores, of predicted classes, or of both.

    >>> sorted(ordinal_metrics([0, 1], scores=[1.0, 2.0], predicted=[0, 1]))
    ['amae', 'auc', 'c_index', 'mae', 'mze', 'qwk']
    """
    result: dict[str, float] = {}
    if scores is not None:
        result |= {"auc": ordinal_auc(y, scores), "c_index": concordance_index(y, scores)}
    if predicted is not None:
        y, predicted = _pair(y, predicted)
        result |= {"mae": mae(y, predicted), "mze": zero_one_error(y, predicted)}
        result |= {"amae": average_mae(y, predicted), "qwk": quadratic_kappa(y, predicted)}
    return result


def _classes(values: Array, name: str) -> NDArray[np.int64]:
    values = np.asarray(values)
    if values.ndim != 1 or not len(values):
        raise InputError(f"{name} must be one list of classes, at least one, not of shape {values.shape}.")
    whole = values.dtype.kind in "biu" or (values.dtype.kind == "f" and bool(np.all(values == np.round(values))))
    if not whole:
        raise InputError(f"{name} must hold classes as whole numbers.")
    values = values.astype(np.int64)
    if values.min() < 0:
        raise InputError(f"{name} holds {values.min()}; leave unlabelled rows (-1) out before measuring.")
    return values


def _pair(y: Array, predicted: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    y, predicted = _classes(y, "y"), _classes(predicted, "predicted")
    if len(y) != len(predicted):
        raise InputError(f"predicted must have one class for each of the {len(y)} rows of y, not {len(predicted)}.")
    return y, predicted


def _numbers(values: Array, name: str) -> NDArray[np.float64]:
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not np.all(np.isfinite(values)):
        raise InputError(f"{name} must be one list of numbers without NaN or infinity.")
    return values


def _scores(scores: Array, rows: int, name: str = "scores") -> NDArray[np.float64]:
    scores = _numbers(scores, name)
    if len(scores) != rows:
        raise InputError(f"{name} must have one number for each of the {rows} rows of y, not {len(scores)}.")
    return scores


def _two_classes(y: Array) -> Array:
    classes = np.unique(y)
    if len(classes) < 2:
        raise InputError("y holds a single class, so that no pair can be compared; give rows of at least two classes.")
    return classes
