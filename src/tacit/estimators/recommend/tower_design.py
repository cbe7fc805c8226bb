"""From interactions with features, graphs and contexts to the towers of a ``FactorRecommender``, and back to factors.

A row of the objective is a row of the data, or a distinct (row, contexts) pair where there are contexts. Its tower adds
up the row's own factor, those of its contexts and of its features (SVDFeature, fBGD Eq. 11–13), or combines row and
context as a tensor (Appendix A). Ids are kept beside features, so that a row whose features say little still has a
factor of its own; ``ids=False`` leaves them out of a side that has features (one-class MF Eq. 2).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.interactions import Interactions
from tacit.data.matrix import as_csr, one_hot
from tacit.estimators.recommend.given_cells import NOTHING, GivenCells
from tacit.estimators.recommend.settings import FitSettings
from tacit.objective.maps import Identity, Map, SparseMap, as_map
from tacit.objective.penalties import laplacian
from tacit.objective.recipes import Recipe, SideRule
from tacit.objective.towers import Field, LinearTower, PairwiseTower, ProductTower, Tower, id_tower
from tacit.objective.two_towers import Parameters, TwoTowers
from tacit.objective.whole_data import WholeData

Array = NDArray[Any]


@dataclass(frozen=True)
class Rows:
    """The rows of the objective: which row and contexts each stands for, and its positives."""

    positives: sp.csr_array
    row: Array
    context: dict[str, Array]


def rows_of(data: Interactions, positives: sp.csr_array) -> Rows:
    """Rows as they are, or the distinct (row, contexts) pairs with the events of each."""
    if not data.context_ids:
        return Rows(positives, np.arange(positives.shape[0]), {})
    events = data.events
    keys = np.stack([events.row, *(events.context[name] for name in data.context_ids)], axis=1)
    pairs, pair_of = np.unique(keys, axis=0, return_inverse=True)
    cells = sp.csr_array((events.weight, (pair_of.ravel(), events.col)), shape=(len(pairs), data.shape[1]))
    context = {name: pairs[:, index + 1] for index, name in enumerate(data.context_ids)}
    return Rows(as_csr(cells, "interactions"), pairs[:, 0], context)


def is_plain(biases: bool, data: Interactions) -> bool:
    """Ids only: every row and column is its own factor."""
    beside = (data.row_features, data.col_features, data.row_graph, data.col_graph)
    return not data.context_ids and not biases and all(side is None for side in beside)


def towers_of(
    settings: FitSettings,
    data: Interactions,
    rows: Rows,
    recipe: Recipe,
    objective: WholeData,
    given: GivenCells = NOTHING,
) -> TwoTowers:
    """The problem that training solves."""
    factors = settings.factors + (2 if settings.biases else 0)
    pairwise = bool(data.context_ids) and settings.context_model == "pairwise"
    factors += 1 if pairwise else 0
    evidence = recipe.evidence(rows.positives, **given.weights())
    graphs = {
        f"{name}_graph": _graph(settings, graph, name, rule, side_evidence)
        for name, graph, rule, side_evidence in (
            ("row", data.row_graph, recipe.rows, np.bincount(rows.row, evidence[0], data.shape[0])),
            ("col", data.col_graph, recipe.cols, evidence[1]),
        )
        if graph is not None
    }
    fields: list[tuple[str, Map]] = [("ids", Identity(data.shape[0]))]
    # With contexts a row of the objective is a pair, so that the graph joins the rows' own factors in them.
    joined = {"ids": graphs.pop("row_graph")} if data.context_ids and "row_graph" in graphs else {}
    if data.context_ids:
        fields = [("ids", SparseMap(one_hot(rows.row, data.shape[0])))]
        fields += [
            (f"context {name}", SparseMap(one_hot(rows.context[name], len(ids))))
            for name, ids in data.context_ids.items()
        ]
    if data.row_features is not None:
        own = ("features", as_map(data.row_features[rows.row], "row_features"))
        fields = [*fields, own] if settings.ids else [own]
    row_tower: Tower
    if data.context_ids and settings.context_model != "additive":
        kind = PairwiseTower if pairwise else ProductTower
        width = np.arange(settings.factors)
        parts = [Field(name, z, width, _ridge(recipe.rows, z, evidence[0]), joined.get(name)) for name, z in fields]
        row_tower = kind(len(rows.row), factors, parts)
    else:
        one = factors - 1 if settings.biases else None
        row_tower = _linear(
            settings, fields, recipe.rows, evidence[0], factors, biased=settings.factors, one=one, graphs=joined
        )
    col_fields: list[tuple[str, Map]] = [("ids", Identity(data.shape[1]))]
    if data.col_features is not None:
        own = ("features", as_map(data.col_features, "col_features"))
        col_fields = [*col_fields, own] if settings.ids else [own]
    one = settings.factors if settings.biases or pairwise else None
    col_tower = _linear(settings, col_fields, recipe.cols, evidence[1], factors, biased=factors - 1, one=one)
    for name, tower in (("rows", row_tower), ("cols", col_tower)):
        # A plain side keeps its ridge on the factors themselves; elsewhere it moves to the parameters.
        if not (isinstance(tower, LinearTower) and tower.is_ids):
            side = getattr(objective, name)
            objective = replace(objective, **{name: replace(side, ridge=np.zeros_like(side.ridge))})
    return TwoTowers(objective, row_tower, col_tower, **graphs)


def _linear(
    settings: FitSettings,
    fields: list[tuple[str, Map]],
    rule: SideRule,
    evidence: Array,
    factors: int,
    *,
    biased: int,
    one: int | None,
    graphs: dict[str, sp.csr_array] | None = None,
) -> LinearTower:
    """The sum of the fields; with biases, column ``biased`` is free here and column ``one`` is the other side's."""
    rows = fields[0][1].rows
    if len(fields) == 1 and isinstance(fields[0][1], Identity) and one is None:
        return id_tower(rows, factors)
    free = np.append(np.arange(settings.factors), biased) if settings.biases else np.arange(settings.factors)
    parts = [Field(name, z, free, _ridge(rule, z, evidence), (graphs or {}).get(name)) for name, z in fields]
    if biased == settings.factors and settings.biases:
        # w₀ of Eq. 11 belongs to the rows' bias.
        parts.append(Field("intercept", as_map(np.ones((rows, 1)), "intercept"), np.array([biased]), np.zeros(1)))
    return LinearTower(rows, factors, parts, [] if one is None else [(one, 1.0)])


def _ridge(rule: SideRule, z: Map, evidence: Array) -> Array:
    """λ_j = λ (Σ_x z_xj² evidence_x)^ν: what all rows that have the feature say of it."""
    mass = z.squared_transposed_times(np.ascontiguousarray(evidence[:, None], dtype=np.float32))
    return rule.ridge_for(mass[:, 0].astype(np.float64))


def _graph(settings: FitSettings, graph: sp.csr_array, name: str, rule: SideRule, evidence: Array) -> sp.csr_array:
    """λ_g L in units of the side's mean ridge, the graph scaled to a mean degree of one."""
    degree = float(graph.sum()) / graph.shape[0]
    strength = settings.graph_weight * float(np.mean(rule.ridge_for(evidence)))
    return laplacian(graph, strength / degree if degree > 0 else 0.0, f"{name}_graph", graph.shape[0])


@dataclass(frozen=True)
class Learned:
    """What is kept of the parameters: the factors of rows and columns, of their features, and of contexts."""

    row_factors: Array
    col_factors: Array
    row_feature_factors: Array | None
    col_feature_factors: Array | None
    context_factors: dict[str, Array]


def learned(data: Interactions, problem: TwoTowers, parameters: Parameters) -> Learned:
    """Read the parameters back."""
    col_factors = np.array(problem.cols.forward(parameters.cols))
    col_features = _field(problem.cols, parameters.cols, "features")
    if not data.context_ids:
        # Not a copy: rows are the largest array that there is, and training has no further use for them.
        row_factors = np.asarray(problem.rows.forward(parameters.rows))
        return Learned(row_factors, col_factors, _field(problem.rows, parameters.rows, "features"), col_features, {})
    row_factors = _required(problem.rows, parameters.rows, "ids")
    row_features = _field(problem.rows, parameters.rows, "features")
    if isinstance(problem.rows, LinearTower):
        if row_features is not None:
            row_factors = row_factors + np.asarray(data.row_features @ row_features)
        intercept = _field(problem.rows, parameters.rows, "intercept")
        row_factors = row_factors if intercept is None else row_factors + intercept
        for column, value in problem.rows.fixed:
            row_factors[:, column] = value
    context = {name: _required(problem.rows, parameters.rows, f"context {name}") for name in data.context_ids}
    return Learned(row_factors.astype(np.float32), col_factors, row_features, col_features, context)


def _field(tower: Tower, theta: Array, name: str) -> Array | None:
    """V of a field, widened to all columns of a linear tower's factors."""
    for index, field in enumerate(tower.fields):
        if field.name == name:
            part = tower.part(theta, index)
            if not isinstance(tower, LinearTower):
                return part.copy()
            wide = np.zeros((len(part), tower.factors), dtype=part.dtype)
            wide[:, field.columns] = part
            return wide
    return None


def _required(tower: Tower, theta: Array, name: str) -> Array:
    part = _field(tower, theta, name)
    assert part is not None
    return part
