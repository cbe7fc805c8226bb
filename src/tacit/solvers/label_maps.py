"""From features and labels to a linear map V into the label space: one recipe per method.

    sppmi       embed instances by Algorithm 2, then regress the embedding on the features
    weighted    the same with the weighted factorisation of SPPMI in place of the SVD
    skipgram    the same with skip-gram over label-space neighbours (Eq. 4)
    joint       embed instances and labels by Algorithm 3, then regress; the labels keep their vectors
    end_to_end  improve the V of sppmi, or a random one, directly through cosines (Algorithm 5)

Each recipe is (X, Y, label graph, settings, seed) ↦ ``LabelMap``; which one runs is the estimator's ``method``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.errors import UnsoundCombinationError
from tacit.solvers.admm import Penalty, admm_regression
from tacit.solvers.end_to_end import end_to_end_map
from tacit.solvers.label_embedding import joint_embedding, sppmi_embedding
from tacit.solvers.ridge import ridge_regression
from tacit.solvers.skipgram import skipgram_embedding
from tacit.solvers.weighted_embedding import weighted_embedding


@dataclass(frozen=True)
class MapSettings:
    """What the recipes may be told; the estimator's docstring explains each."""

    factors: int
    regularization: float
    regression: str
    shift: float
    max_partners: int | None
    graph_weights: tuple[float, float, float]
    contexts: int
    negatives: int
    iterations: int
    learning_rate: float
    context_neighbours: int | None
    tables: int
    cosine_scale: float
    start: str
    threads: int

    def some(self, *names: str) -> dict[str, Any]:
        """Those of these names, as keywords."""
        return {name: getattr(self, name) for name in names}


class LabelMap(NamedTuple):
    """V (d, g), and vectors of the labels (L, g) in the same space, with no rows where the method has none."""

    weights: NDArray[np.float32]
    labels: NDArray[np.float32]


def _sppmi(X: sp.csr_array, Y: sp.csr_array, graph: sp.csr_array | None, settings: MapSettings, seed: int) -> LabelMap:
    given = settings.some("shift", "max_partners", "threads")
    return _regressed(X, sppmi_embedding(Y, settings.factors, seed=seed, **given), settings)


def _weighted(
    X: sp.csr_array, Y: sp.csr_array, graph: sp.csr_array | None, settings: MapSettings, seed: int
) -> LabelMap:
    given = settings.some("shift", "max_partners", "iterations", "threads")
    return _regressed(X, weighted_embedding(Y, settings.factors, seed=seed, **given), settings)


def _skipgram(
    X: sp.csr_array, Y: sp.csr_array, graph: sp.csr_array | None, settings: MapSettings, seed: int
) -> LabelMap:
    given = settings.some("contexts", "negatives", "iterations", "learning_rate", "tables")
    near = settings.context_neighbours
    return _regressed(X, skipgram_embedding(Y, settings.factors, neighbours=near, seed=seed, **given), settings)


def _end_to_end(
    X: sp.csr_array, Y: sp.csr_array, graph: sp.csr_array | None, settings: MapSettings, seed: int
) -> LabelMap:
    if settings.start == "sppmi":
        first = _sppmi(X, Y, graph, settings, seed).weights
    else:
        first = np.random.default_rng([seed, 1]).standard_normal((X.shape[1], settings.factors), dtype=np.float32)
    given = settings.some("negatives", "iterations", "learning_rate")
    near, scale = settings.context_neighbours, settings.cosine_scale
    V = end_to_end_map(X, Y, first, neighbours=near, scale=scale, seed=seed, **given)
    return LabelMap(V, np.empty((0, settings.factors), np.float32))


def _joint(X: sp.csr_array, Y: sp.csr_array, graph: sp.csr_array | None, settings: MapSettings, seed: int) -> LabelMap:
    graph = sp.csr_array(Y.T @ Y) if graph is None else graph
    given = settings.some("shift", "max_partners", "threads")
    Z, labels = joint_embedding(Y, graph, settings.factors, weights=settings.graph_weights, seed=seed, **given)
    return LabelMap(_regress(X, Z, settings), labels.astype(np.float32))


def _regressed(X: sp.csr_array, Z: NDArray[np.float64], settings: MapSettings) -> LabelMap:
    """The map of a method that has no vectors of labels."""
    return LabelMap(_regress(X, Z, settings), np.empty((0, settings.factors), np.float32))


def _regress(X: sp.csr_array, Z: NDArray[np.float64], settings: MapSettings) -> NDArray[np.float32]:
    if settings.regression == "ridge":
        V = ridge_regression(X, Z, settings.regularization, threads=settings.threads)
    else:
        penalty: Penalty = "l1" if settings.regression == "admm_l1" else "l2"
        V = admm_regression(X, Z, settings.regularization, penalty, threads=settings.threads)
    return np.ascontiguousarray(V, dtype=np.float32)


Method = Callable[[sp.csr_array, sp.csr_array, sp.csr_array | None, MapSettings, int], LabelMap]

METHODS: dict[str, Method] = {
    "sppmi": _sppmi,
    "weighted": _weighted,
    "skipgram": _skipgram,
    "joint": _joint,
    "end_to_end": _end_to_end,
}

STEPS = ("negatives", "iterations", "learning_rate", "context_neighbours")
USES: dict[str, tuple[str, ...]] = {
    "sppmi": (),
    "weighted": ("iterations",),
    "skipgram": (*STEPS, "contexts", "tables"),
    "joint": ("graph_weights",),
    "end_to_end": (*STEPS, "cosine_scale", "start", "online_steps"),
}
"""The settings that only some methods have a use for."""


def require_used(method: str, given: dict[str, Any]) -> None:
    """Refuse what this method would ignore; None is what was not given.

    >>> require_used("skipgram", {"tables": 1, "start": None})
    >>> try:
    ...     require_used("sppmi", {"tables": 1})
    ... except UnsoundCombinationError as error:
    ...     print(error)
    tables=1 is of no use to method='sppmi'; leave it out, or use method='skipgram'.
    """
    for name, value in given.items():
        if value is not None and name not in USES[method]:
            able = " or ".join(repr(other) for other, used in USES.items() if name in used)
            raise UnsoundCombinationError(
                f"{name}={value!r} is of no use to method={method!r}; leave it out, or use method={able}."
            )


REGRESSIONS = ("ridge", "admm_l2", "admm_l1")
