"""Train a ``FactorTagger``: the towers of features and landmarks, the label graph, and the solver."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.matrix import as_csr
from tacit.estimators.training import RunSettings, train
from tacit.objective import formulations, recipes
from tacit.objective.formulations import Unlabelled
from tacit.objective.maps import DenseMap, SparseMap
from tacit.objective.penalties import laplacian
from tacit.objective.towers import Field, LinearTower, id_tower
from tacit.objective.two_towers import TwoTowers
from tacit.solvers import registry

Array = NDArray[Any]

SOLVERS = tuple(name for name in registry.NAMES if name != "gradient")
"""Plain gradient steps are left out: there is no rate that suits features of all frequencies."""

INNER_STEPS = 10
"""Of conjugate gradient where a caller gives none."""

START = 0.1
"""Standard deviation of the first parameters."""


@dataclass(frozen=True)
class TagSettings:
    """Checked parameters of a ``FactorTagger``."""

    factors: int
    loss: str
    unlabelled_weight: float | None
    unlabelled_target: float | None
    frequency_exponent: float
    unlabelled: Unlabelled
    regularization: float
    intercept: bool
    graph_weight: float
    solver: str
    options: registry.Options
    seed: int


class Factors(NamedTuple):
    """W (d, g), the weights of landmarks or None, w₀ (g,) or None, and H (L, g)."""

    weights: Array
    landmark_weights: Array | None
    intercept: Array | None
    labels: Array


def fit(
    settings: TagSettings,
    run: RunSettings,
    X: sp.csr_array,
    landmarks: Array | None,
    Y: sp.csr_array,
    *,
    row_graph: Any = None,
    known: Factors | None = None,
) -> tuple[Factors, list[dict[str, Any]]]:
    """What was learned, and the history.

    X, landmarks : (n, d) features and (n, l) similarities to landmarks, the latter None where there are none
    known : what to go on from; features and labels behind those begin at random
    """
    problem = _problem(settings, X, landmarks, as_csr(Y, "Y"), row_graph)
    parameters = problem.start(settings.seed, START)
    weights, labels = problem.rows.part(parameters.rows, 0), problem.cols.part(parameters.cols, 0)
    if known is not None:
        weights[: len(known.weights)], labels[: len(known.labels)] = known.weights, known.labels
        if known.landmark_weights is not None:
            problem.rows.part(parameters.rows, 1)[:] = known.landmark_weights
        if known.intercept is not None:
            problem.rows.part(parameters.rows, -1)[:] = known.intercept
    solver = registry.build(settings.solver, settings.options)
    history = train(problem, parameters, solver, run, label="fit FactorTagger")
    of_landmarks = None if landmarks is None else problem.rows.part(parameters.rows, 1).copy()
    of_one = problem.rows.part(parameters.rows, -1)[0].copy() if settings.intercept else None
    return Factors(weights.copy(), of_landmarks, of_one, labels.copy()), history


def _problem(
    settings: TagSettings, X: sp.csr_array, landmarks: Array | None, Y: sp.csr_array, row_graph: Any
) -> TwoTowers:
    """Features, landmarks and a constant on the side of the rows, ids on that of the labels."""
    n, m = Y.shape
    recipe = recipes.tags(
        Y,
        loss=settings.loss,
        unlabelled_weight=settings.unlabelled_weight,
        unlabelled_target=settings.unlabelled_target,
        frequency_exponent=settings.frequency_exponent,
        regularization=settings.regularization,
    )
    columns, ridge = np.arange(settings.factors), settings.regularization
    fields = [Field("features", SparseMap(X), columns, np.full(X.shape[1], ridge))]
    if landmarks is not None:
        fields.append(Field("landmarks", DenseMap(landmarks), columns, np.full(landmarks.shape[1], ridge)))
    if settings.intercept:
        fields.append(Field("one", DenseMap(np.ones((n, 1), dtype=np.float32)), columns, np.full(1, ridge)))
    graph = None if row_graph is None else laplacian(row_graph, settings.graph_weight, "row_graph", n)
    towers = LinearTower(n, settings.factors, fields), id_tower(m, settings.factors)
    counted = formulations.rewritten(recipe.objective(Y), settings.unlabelled, settings.seed)
    return TwoTowers(counted, *towers, row_graph=graph)
