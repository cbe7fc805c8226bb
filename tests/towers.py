"""Small towers of every kind, each with a dense twin: P as an obvious function of the flat parameters."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.objective.maps import Identity, as_map
from tacit.objective.penalties import laplacian
from tacit.objective.towers import Field, LinearTower, PairwiseTower, ProductTower, feature_tower, id_tower


@dataclass
class Twin:
    """A tower for n rows and g columns of P, and the same P computed the obvious way."""

    tower: Any
    naive: Any


def _one_hot(rng, n, k):
    return np.eye(k)[rng.integers(0, k, n)]


STRENGTH = 0.3
"""λ_g of the graphs that fields have."""


def ring(size):
    """Similarities of a ring in which the second neighbour counts a third."""
    near = np.eye(size, k=1) + np.eye(size, k=2) / 3 + np.eye(size, k=size - 1)
    return near + near.T


def _graph(size, dtype):
    return laplacian(ring(size), STRENGTH, "graph", size, dtype)


def make_tower(kind, n, g, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 3)) * (rng.random((n, 3)) < 0.7)
    ridge = rng.uniform(0.1, 0.5, 3)
    if kind == "ids":
        return Twin(id_tower(n, g), lambda theta: theta.reshape(n, g))
    if kind in ("sparse", "dense"):
        given = sp.csr_array(features) if kind == "sparse" else features
        tower = feature_tower(as_map(given, "features", dtype=dtype), g, ridge)
        return Twin(tower, lambda theta: features @ theta.reshape(3, g))
    if kind == "ids and features":
        own = Field("ids", Identity(n), np.arange(g), rng.uniform(0.1, 0.5, n), _graph(n, dtype))
        beside = Field("features", as_map(sp.csr_array(features), "features", dtype=dtype), np.arange(g), ridge)
        tower = LinearTower(n, g, [own, beside])
        return Twin(tower, lambda theta: theta[: n * g].reshape(n, g) + features @ theta[n * g :].reshape(3, g))
    if kind == "biases":
        # The last column is the other side's bias, so it is a fixed one here.
        field = Field("features", as_map(features, "features", dtype=dtype), np.arange(g - 1), ridge)
        tower = LinearTower(n, g, [field], fixed=[(g - 1, 1.0)])
        return Twin(tower, lambda theta: np.hstack([features @ theta.reshape(3, g - 1), np.ones((n, 1))]))
    rows, contexts = _one_hot(rng, n, 4), _one_hot(rng, n, 3)
    width = g - 1 if kind == "pairwise" else g
    fields = [
        Field(
            "rows",
            as_map(sp.csr_array(rows), "rows", dtype=dtype),
            np.arange(width),
            rng.uniform(0.1, 0.5, 4),
            _graph(4, dtype),
        ),
        Field("context", as_map(sp.csr_array(contexts), "c", dtype=dtype), np.arange(width), rng.uniform(0.1, 0.5, 3)),
    ]

    def parts(theta):
        return rows @ theta[: 4 * width].reshape(4, width), contexts @ theta[4 * width :].reshape(3, width)

    if kind == "pairwise":

        def pairwise(theta):
            first, second = parts(theta)
            return np.hstack([first + second, (first * second).sum(axis=1, keepdims=True)])

        return Twin(PairwiseTower(n, g, fields), pairwise)
    return Twin(ProductTower(n, g, fields), lambda theta: np.multiply(*parts(theta)))


KINDS = ("ids", "sparse", "dense", "ids and features", "biases", "pairwise", "product")
