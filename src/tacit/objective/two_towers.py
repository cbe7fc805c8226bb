"""A whole-data objective together with the towers that make its factors: the problem every solver takes.

    J(θ, η) = J(P(θ), Q(η)) + tr(PᵀL_P P) + tr(QᵀL_Q Q) + Σ_j λ_j θ_j² + Σ_j μ_j η_j²

The ridge inside ``WholeData`` acts on P and Q (a row's own factor), the towers' ridges act on parameters (features),
and the graphs (λ_g L already multiplied) act on the factors whatever they are made of. A graph of a tower's field acts
on that field's parameters alone: where rows are (row, context) pairs, it joins the rows in them.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from tacit.errors import InputError
from tacit.objective.maps import multiply
from tacit.objective.side_objective import SideObjective
from tacit.objective.towers import Tower, id_tower
from tacit.objective.vectors import inner
from tacit.objective.whole_data import Side, WholeData

Array = NDArray[Any]
Name = Literal["rows", "cols"]
NAMES: tuple[Name, Name] = ("rows", "cols")


@dataclass
class Parameters:
    """θ of the rows' tower and η of the columns' tower, flat. Solvers change them in place."""

    rows: Array
    cols: Array

    def of(self, name: Name) -> Array:
        return self.rows if name == "rows" else self.cols


@dataclass(frozen=True)
class TwoTowers:
    """The objective, a tower for each side, and graphs or None."""

    objective: WholeData
    rows: Tower
    cols: Tower
    row_graph: sp.csr_array | None = None
    col_graph: sp.csr_array | None = None

    def __post_init__(self) -> None:
        if self.rows.factors != self.cols.factors:
            raise InputError(
                f"the rows' tower makes {self.rows.factors} numbers per row and the columns' tower "
                f"{self.cols.factors}; both must make as many."
            )
        for name in NAMES:
            if self.tower(name).rows != self.side(name).rows:
                raise InputError(
                    f"the tower of the {name} is for {self.tower(name).rows} of them, but the positives have "
                    f"{self.side(name).rows}."
                )

    @classmethod
    def of_ids(cls, objective: WholeData, factors: int) -> "TwoTowers":
        """Both sides have ids only."""
        return cls(objective, id_tower(objective.rows.rows, factors), id_tower(objective.cols.rows, factors))

    def tower(self, name: Name) -> Tower:
        return self.rows if name == "rows" else self.cols

    def side(self, name: Name) -> Side:
        return self.objective.rows if name == "rows" else self.objective.cols

    def graph(self, name: Name) -> sp.csr_array | None:
        return self.row_graph if name == "rows" else self.col_graph

    def start(self, seed: int | None, scale: float = 0.01, dtype: DTypeLike = np.float32) -> Parameters:
        """Parameters drawn from N(0, scale²)."""
        rng = np.random.default_rng(seed)
        return Parameters(self.rows.start(rng, scale, dtype), self.cols.start(rng, scale, dtype))

    def factors(self, parameters: Parameters, n_threads: int = 0) -> tuple[Array, Array]:
        """P (n, g) and Q (m, g)."""
        return self.rows.forward(parameters.rows, n_threads), self.cols.forward(parameters.cols, n_threads)

    def side_objective(self, name: Name, other: Array, *, bound: bool = False, n_threads: int = 0) -> SideObjective:
        """J as a function of this side's factors, the other side's fixed."""
        return SideObjective(
            self.side(name), self.objective.loss, other, graph=self.graph(name), bound=bound, n_threads=n_threads
        )

    def value(self, parameters: Parameters, n_threads: int = 0) -> float:
        """J, in float64."""
        rows, cols = self.factors(parameters, n_threads)
        value = self.objective.value(rows, cols, n_threads)
        for name, factors in zip(NAMES, (rows, cols)):
            value += self._graph_penalty(name, factors, n_threads) + self.ridge(name, parameters.of(name))
        return value

    def penalty(self, name: Name, theta: Array, factors: Array, n_threads: int = 0) -> float:
        """All that one side adds to J by itself: ridge on factors, graph, ridge on parameters."""
        side = self.side(name)
        ridge = inner(side.ridge[:, None] * factors, np.ascontiguousarray(factors), n_threads)
        return ridge + self._graph_penalty(name, factors, n_threads) + self.ridge(name, theta)

    def ridge(self, name: Name, theta: Array, except_for: tuple[int, ...] = (), n_threads: int = 0) -> float:
        """Σ_j λ_j θ_j², and the graphs of fields, over the fields of a tower."""
        tower = self.tower(name)
        return sum(
            field.penalty(tower.part(theta, index), n_threads)
            for index, field in enumerate(tower.fields)
            if index not in except_for and field.penalised
        )

    def _graph_penalty(self, name: Name, factors: Array, n_threads: int) -> float:
        graph = self.graph(name)
        return 0.0 if graph is None else inner(multiply(graph, factors, n_threads), factors, n_threads)
