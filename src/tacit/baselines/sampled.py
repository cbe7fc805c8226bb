"""Factor models trained by stochastic gradient on sampled negatives: what fBGD is compared with in its Table 2.

| class        | loss                      | negatives per positive             |
|--------------|---------------------------|------------------------------------|
| `SvdFeature` | squared                   | n, uniform (Chen et al. 2012)      |
| `BprFm`      | pairwise logistic         | one, uniform (Rendle et al. 2009)  |
| `LambdaFm`   | pairwise logistic         | one, by popularity rank (Yuan et al. 2016, static sampler) |
| `Warp`       | weighted pairwise hinge   | drawn until one violates the margin (Weston et al. 2011) |
| `VseEns`     | pairwise logistic         | one, by its rank on a factor that matters to the row (Guo et al. 2018) |

All take ids, features on both sides and contexts, and have a bias per column feature.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.interactions import Interactions
from tacit.data.matrix import Csr, as_csr, one_hot, take_rows
from tacit.errors import DivergedError
from tacit.estimators.ranked import Ranked
from tacit.estimators.recommend import tower_design
from tacit.estimators.recommend.asking import listed
from tacit.estimators.recommend.contexts import Contexts
from tacit.estimators.recommend.joining import as_interactions
from tacit.kernels import sampled as kernels
from tacit.neighbours.filters import Filters
from tacit.neighbours.topk import top_k

Array = NDArray[Any]

LARGEST = 1e15
"""Beyond this the product of two factors leaves single precision."""


class SampledFactors:
    """What the five share; ``epochs`` passes over the positives in random order."""

    method: ClassVar[int] = kernels.PAIRWISE
    sampler: ClassVar[int] = kernels.UNIFORM
    context_model = "additive"

    def __init__(
        self,
        factors: int = 20,
        *,
        epochs: int = 30,
        learning_rate: float = 0.05,
        regularization: float = 0.002,
        rank_scale: float = 0.3,
        negatives: int = 1,
        random_state: Any = 0,
    ) -> None:
        """``rank_scale``: of the columns, the share within which the static and the factor sampler mostly draw."""
        self.factors, self.epochs = factors, epochs
        self.learning_rate, self.regularization = learning_rate, regularization
        self.rank_scale, self.negatives, self.random_state = rank_scale, negatives, random_state

    def fit(self, interactions: Any, callback: Callable[[Self], bool | None] | None = None) -> Self:
        """Learn from ``Interactions`` (features and contexts included) or a sparse matrix of positives.

        ``callback`` gets the model as it stands after every epoch; returning True ends the training.
        """
        data = as_interactions(interactions)
        rows = tower_design.rows_of(data, data.matrix)
        self.row_ids_, self.col_ids_, self.seen_ = data.row_ids, data.col_ids, data.matrix
        self.context_ids_ = dict(data.context_ids)
        of_rows, of_cols = _row_fields(data, rows), _col_fields(data)
        rng = np.random.default_rng(checks.seed(self.random_state))
        width = checks.integer("factors", self.factors, 1) + 1
        x_parameters, y_parameters = (
            rng.normal(0, 0.1 / np.sqrt(width), (fields.shape[1], width)) for fields in (of_rows, of_cols)
        )
        x_parameters[:, -1] = y_parameters[:, -1] = 0.0

        def ends() -> bool:
            if callback is None:
                return False
            self._keep(data, x_parameters, of_cols, y_parameters)
            return bool(callback(self))

        self._train(rows.positives, of_rows, of_cols, x_parameters, y_parameters, rng, ends)
        self._keep(data, x_parameters, of_cols, y_parameters)
        return self

    def _train(
        self,
        positives: sp.csr_array,
        of_rows: Csr,
        of_cols: Csr,
        x: Array,
        y: Array,
        rng: np.random.Generator,
        ends: Callable[[], bool],
    ) -> None:
        row = np.repeat(np.arange(positives.shape[0]), np.diff(positives.indptr))
        state = rng.integers(1, 2**63, 1, dtype=np.uint64)
        m = positives.shape[1]
        cumulative = self._distribution(np.bincount(positives.indices, minlength=m))
        for epoch in range(checks.integer("epochs", self.epochs, 1)):
            columns = of_cols.native() @ y
            rankings = np.ascontiguousarray(np.argsort(-columns, axis=0).T)
            kernels.epoch(
                rng.permutation(len(row)), row, positives.indices, self.method, self.negatives, self.sampler,
                cumulative, rankings, columns.std(axis=0), positives.indptr, positives.indices,
                of_rows.indptr, of_rows.indices, of_rows.data, of_cols.indptr, of_cols.indices, of_cols.data,
                x, y, float(self.learning_rate), float(self.regularization), state,
            )  # fmt: skip
            if not (np.abs(x).max() < LARGEST and np.abs(y).max() < LARGEST):
                raise DivergedError(f"epoch {epoch + 1}: the factors are no longer finite; lower learning_rate.")
            if ends():
                break

    def _distribution(self, counts: Array) -> Array:
        """Cumulative probabilities of the columns for the static sampler; the factor sampler reads the scale only."""
        m = len(counts)
        scale = max(1.0, self.rank_scale * m)
        if self.sampler == kernels.FACTOR:
            return np.full(m, scale)
        rank = np.empty(m)
        rank[np.argsort(-counts, kind="stable")] = np.arange(m)
        weight = np.exp(-(rank + 1) / scale)
        cumulative: Array = np.cumsum(weight / weight.sum())
        return cumulative

    def _keep(self, data: Interactions, x: Array, of_cols: Csr, y: Array) -> None:
        n = data.shape[0]
        self.row_factors_ = x[:n].copy()
        start = n
        self.context_factors_ = {}
        for name, ids in data.context_ids.items():
            self.context_factors_[name] = x[start : start + len(ids)].astype(np.float32)
            start += len(ids)
        if data.row_features is not None:
            self.row_factors_ += data.row_features.native() @ x[start:]
        self.row_factors_[:, -1] = 1.0
        self.row_factors_ = self.row_factors_.astype(np.float32)
        self.col_factors_ = np.asarray(of_cols.native() @ y, dtype=np.float32)

    def recommend(self, rows: Any, k: int = 10, exclude_seen: bool = True, *, context: Any = None) -> Ranked:
        """The k best columns for each row, best first."""
        queries = listed(rows, self.row_ids_)
        numbers = self.row_ids_.require(queries)
        factors = Contexts(self.context_ids_, self.context_factors_, self.context_model).combine(
            self.row_factors_[numbers], context
        )
        lists = take_rows(self.seen_, numbers)[:2] if exclude_seen else None
        best, scores = top_k(factors, self.col_factors_, k, Filters(seen=lists))
        return Ranked(queries, self.col_ids_.take(best), scores, best >= 0)


class SvdFeature(SampledFactors):
    """Squared loss; ``negatives`` uniform ones per positive.

    >>> positives = np.kron(np.eye(2), np.ones((6, 5)))
    >>> positives[0, 0] = 0
    >>> model = SvdFeature(factors=4, epochs=100, negatives=4).fit(positives)
    >>> model.recommend([0], k=1).ids.tolist()
    [[0]]
    """

    method = kernels.POINTWISE


class BprFm(SampledFactors):
    """Bayesian personalised ranking with features."""


class LambdaFm(SampledFactors):
    """BPR whose negatives are popular columns: P(y) ∝ exp(−(rank of y + 1) / (scale · m))."""

    sampler = kernels.STATIC


class Warp(SampledFactors):
    """Weighted approximate-rank pairwise loss."""

    method = kernels.WARP


class VseEns(SampledFactors):
    """BPR whose negatives rank high on a factor of the row, factors chosen by |p_xd| times the columns' spread."""

    sampler = kernels.FACTOR


def _row_fields(data: Interactions, rows: tower_design.Rows) -> Csr:
    """[ids, contexts, features] of every row of the objective."""
    parts = [one_hot(rows.row, data.shape[0], np.float64)]
    parts += [one_hot(rows.context[name], len(ids), np.float64) for name, ids in data.context_ids.items()]
    if data.row_features is not None:
        parts.append(data.row_features.native()[rows.row])
    return as_csr(sp.hstack(parts, format="csr"), "rows", dtype=np.float64)


def _col_fields(data: Interactions) -> Csr:
    parts = [sp.eye_array(data.shape[1], format="csr")]
    if data.col_features is not None:
        parts.append(data.col_features.native())
    return as_csr(sp.hstack(parts, format="csr"), "cols", dtype=np.float64)
