"""The feature map φ of an ordinal ranker: Nyström, Fourier or linear, for new parameters or from a saved model."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.features.feature_moments import FeatureMap
from tacit.features.fourier import BLOCK, FourierFeatures
from tacit.features.linear import LinearFeatures, ProjectedFeatures
from tacit.features.nystrom import NystromFeatures, choose_landmarks, distinct_rows
from tacit.features.scaling import Scaling

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

BANDWIDTH_STEPS = (0.7, 1.4, 2.8, 5.6, 11.2)
"""Bandwidths tried, as multiples of the typical distance between rows over √2; the widest is all but linear."""


class ScaledNystrom:
    """Nyström features of rows over their scale."""

    def __init__(self, scaling: Scaling, inner: NystromFeatures) -> None:
        self.scaling = scaling
        self.inner = inner

    @property
    def size(self) -> int:
        return self.inner.size

    def transform(self, rows: Any) -> Matrix:
        return self.inner.transform(self.scaling.divide(rows))


def column_weights(features: FeatureMap, coefficients: Vector) -> Vector:
    """v with x·v = φ(x)·w, but for a constant, where φ is a map of the linear kernel."""
    if isinstance(features, ScaledNystrom):
        inner = features.inner
        return np.asarray(inner.landmarks.T @ (inner.projection @ coefficients) / features.scaling.scale)
    assert isinstance(features, LinearFeatures)
    return np.asarray(coefficients / features.scaling.scale)


def typical_bandwidth(kernel: str, scaling: Scaling) -> float:
    """ℓ₀ from the columns' spreads: √Σ spread², half the mean squared distance (gaussian), or Σ spread (laplacian)."""
    total = float(np.sum(scaling.spread**2)) ** 0.5 if kernel == "gaussian" else float(np.sum(scaling.spread))
    return total if total > 0 else 1.0


def make_map(
    kernel: str, size: int, bandwidth: float, seed: int, scaling: Scaling, landmarks: Matrix | None, block: int = BLOCK
) -> FeatureMap:
    """Features of the landmarks where there are any, else linear or Fourier features (in blocks of ``block``)."""
    if landmarks is not None:
        return ScaledNystrom(scaling, NystromFeatures(kernel, bandwidth, landmarks))
    if kernel == "linear":
        return LinearFeatures(scaling)
    return FourierFeatures(kernel, size, bandwidth, seed, scaling, block)


def make_small_map(
    kernel: str, size: int, bandwidth: float, seed: int, scaling: Scaling, landmarks: Matrix | None
) -> FeatureMap:
    """A map of at most 2·size features that resembles the one asked for: what selection can afford to try often."""
    if kernel == "linear" and landmarks is None and len(scaling.mean) > 2 * size:
        return ProjectedFeatures(scaling, 2 * size, seed)
    fewer = None if landmarks is None else landmarks[: 2 * size]
    return make_map(kernel, size, bandwidth, seed, scaling, fewer)


def landmarks_of(
    features: str,
    table: Any,
    codes: NDArray[np.intp],
    weights: NDArray[np.float64],
    scaling: Scaling,
    size: int,
    seed: int,
) -> Matrix:
    """Landmarks among scaled rows: the labelled rows themselves ("labelled") or centres of k-means ("nystrom")."""
    if features == "labelled":
        return distinct_rows(scaling.divide(table[np.flatnonzero(codes >= 0)]), size, seed)
    return choose_landmarks(scaling.divide(table), size, weights=weights, seed=seed)
