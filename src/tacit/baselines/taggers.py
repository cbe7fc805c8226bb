"""Baselines of the taggers: label frequency, one-vs-rest, LEML, LEML-IMC and SLEEC.

All have the taggers' calls (``fit``, ``predict_topk``, ``decision_function``, ``missing_labels``).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

from tacit.data.matrix import as_csr
from tacit.estimators.model import Array, Callback
from tacit.estimators.tag.factor_tagger import FactorTagger
from tacit.estimators.tag.tagger import Tagger
from tacit.features.label_space import nearest_sets
from tacit.neighbours.partitioned import Learner, Partition, vote
from tacit.neighbours.topk import normalise
from tacit.objective import recipes
from tacit.objective.maps import DenseMap, SparseMap
from tacit.objective.towers import feature_tower
from tacit.objective.two_towers import TwoTowers
from tacit.progress import Run
from tacit.solvers.als import AlternatingLeastSquares
from tacit.solvers.alternation import alternate
from tacit.solvers.ridge import ridge_regression
from tacit.threads import single_threaded_blas


@dataclass(kw_only=True, eq=False, repr=False)
class _Baseline(Tagger):
    """A tagger with the shared parameters alone; a subclass adds its own and says how it learns and scores.

    The fields are the parameters of the constructor, those of the subclass among them.
    """

    top_k: int | None = None
    threshold: float | None = None
    propensity_weighted: bool = False
    idf_power: float = 0.0
    normalize: bool = True
    random_state: int = 0
    threads: int = 0
    progress: bool | None = None
    callback: Callback | None = None

    def fit(self, X: Any, Y: Any, *, labels: Any = None) -> Self:
        """Learn from features and known labels."""
        X, Y, names, form = self._read_training(X, Y, labels)
        self._remember_labels(Y, names, form)
        self.n_features_in_ = X.shape[1]
        self._scales = self._scales[:0]
        self._learn_scales(X)
        with single_threaded_blas():
            self._learn(self._prepared(X), Y)
        return self

    def _learn(self, X: sp.csr_array, Y: sp.csr_array) -> None:
        raise NotImplementedError

    def linear_map(self, x: sp.csr_array) -> tuple[Array, Array]:
        """Rows are compared by their features as they are, folded into few numbers at random."""
        width = np.random.default_rng(0).standard_normal((x.shape[1], 32)).astype(np.float32)
        return np.arange(x.shape[1], dtype=np.int32), width


class PopularTagger(_Baseline):
    """The most frequent labels, whatever the row says."""

    _learned: ClassVar[str] = "share_"

    def _learn(self, X: sp.csr_array, Y: sp.csr_array) -> None:
        self.share_ = (self.label_frequency_ / Y.shape[0]).astype(np.float32)

    def block_scores(self, X: sp.csr_array) -> Array:
        return np.tile(self.share_, (X.shape[0], 1))


@dataclass(kw_only=True, eq=False, repr=False)
class OneVsRestTagger(_Baseline):
    """A logistic regression per label, unlabelled cells as negatives.

    strength : C of each regression
    """

    _learned: ClassVar[str] = "weights_"

    strength: float = 1.0

    def _learn(self, X: sp.csr_array, Y: sp.csr_array) -> None:
        from sklearn.linear_model import LogisticRegression

        columns = sp.csc_array(Y)
        # scikit-learn wants both index arrays of one type.
        native = as_csr(X, "X", allow_empty=True).native()
        self.weights_ = np.zeros((X.shape[1], Y.shape[1]), dtype=np.float32)
        self.offsets_ = np.full(Y.shape[1], -np.inf, dtype=np.float32)
        for label in range(Y.shape[1]):
            target = np.zeros(Y.shape[0])
            target[columns.indices[columns.indptr[label] : columns.indptr[label + 1]]] = 1
            if 0 < target.sum() < len(target):
                model = LogisticRegression(C=self.strength, solver="liblinear", random_state=0).fit(native, target)
                self.weights_[:, label], self.offsets_[label] = model.coef_[0], model.intercept_[0]

    def block_scores(self, X: sp.csr_array) -> Array:
        return np.asarray(self._prepared(X) @ self.weights_ + self.offsets_)

    def chances(self, scores: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp(-scores)))


def leml(factors: int = 150, regularization: float = 0.3, **options: Any) -> FactorTagger:
    """LEML (Yu et al. 2014): the squared loss with all cells alike, which is a case of ``FactorTagger``."""
    return FactorTagger(
        factors,
        loss="square",
        unlabelled_weight=1.0,
        unlabelled_target=0.0,
        regularization=regularization,
        intercept=False,
        **({"iterations": 10} | options),
    )


@dataclass(kw_only=True, eq=False, repr=False)
class LemlImcTagger(_Baseline):
    """LEML with features of the labels: x ↦ ⟨Wᵀx, Vᵀf_l⟩, f_l from the eigenvectors of a label graph.

    The graph is that of the training labels unless one is given to ``fit``.
    """

    _learned: ClassVar[str] = "label_factors_"

    factors: int = 100
    regularization: float = 0.3
    iterations: int = 10

    def fit(self, X: Any, Y: Any, label_graph: Any = None, *, labels: Any = None) -> Self:
        """Learn from features, known labels and how often labels go together."""
        self._graph = label_graph
        return super().fit(X, Y, labels=labels)

    def _learn(self, X: sp.csr_array, Y: sp.csr_array) -> None:
        m = Y.shape[1]
        graph = Y.T @ Y if self._graph is None else as_csr(self._graph, "label_graph", rows=m, cols=m)
        values, vectors = np.linalg.eigh(graph.toarray().astype(np.float64))
        about = vectors[:, values > 1e-8 * values[-1]].astype(np.float32)
        Y = as_csr(Y, "Y")
        recipe = recipes.tags(Y, loss="square", unlabelled_weight=1.0, unlabelled_target=0.0, regularization=0.0)
        ridge = self.regularization
        problem = TwoTowers(
            recipe.objective(Y),
            feature_tower(SparseMap(X), self.factors, np.full(X.shape[1], ridge)),
            feature_tower(DenseMap(np.ascontiguousarray(about)), self.factors, np.full(about.shape[1], ridge)),
        )
        parameters = problem.start(self.random_state, 0.1)
        with Run("fit LEML-IMC", self.iterations, progress=False) as run:
            alternate(problem, parameters, AlternatingLeastSquares(), run, n_threads=self.threads)
        self.weights_ = problem.rows.part(parameters.rows, 0).copy()
        self.label_factors_ = problem.factors(parameters, self.threads)[1]

    def block_scores(self, X: sp.csr_array) -> Array:
        return np.asarray(self._prepared(X) @ self.weights_ @ self.label_factors_.T)


@dataclass(kw_only=True, eq=False, repr=False)
class SleecTagger(_Baseline):
    """SLEEC (Bhatia et al. 2015): embeddings that keep inner products of label-space neighbours, then regression.

        min_Z ‖P_Ω(YYᵀ) − P_Ω(ZZᵀ)‖²,   Ω: each row with its nearest rows by label vector

    by singular value projection; Z is regressed on X, and the nearest rows of the mapped query vote, all alike.
    """

    _learned: ClassVar[str] = "learner_"

    factors: int = 100
    neighbours: int = 15
    kept: int = 50
    regularization: float = 1.0
    iterations: int = 10

    def _learn(self, X: sp.csr_array, Y: sp.csr_array) -> None:
        carrying = np.flatnonzero(np.diff(Y.indptr))
        Z = singular_value_projection(Y[carrying], self.factors, self.kept, self.iterations)
        V = ridge_regression(X[carrying], Z, self.regularization, threads=self.threads).astype(np.float32)
        nothing = np.empty((0, V.shape[1]), np.float32)
        features = np.arange(X.shape[1], dtype=np.int32)
        part = Partition(features, V, carrying, normalise(X[carrying] @ V), nothing)
        self.learner_ = Learner(np.zeros((1, X.shape[1]), np.float32), (part,))
        self._Y = Y

    def block_scores(self, X: sp.csr_array) -> sp.csr_array:
        numbers, cosines = self.learner_.neighbours(self._prepared(X), self.neighbours, self.threads)
        return vote(numbers, cosines, self._Y, 0.0)


def singular_value_projection(Y: sp.csr_array, rank: int, kept: int, iterations: int) -> Array:
    """Z (n, rank) with ZZᵀ ≈ YYᵀ on each row's ``kept`` nearest rows by label vector.

    M ← top eigenvalues of M + P_Ω(YYᵀ − M), where M stays U Λ Uᵀ and the difference stays sparse.

    >>> Z = singular_value_projection(sp.csr_array(np.eye(3, dtype=np.float32)), 2, 1, 3)
    >>> Z.shape
    (3, 2)
    """
    half = nearest_sets(Y, kept)
    target = sp.csr_array(half.maximum(half.T)).astype(np.float64)
    row = np.repeat(np.arange(target.shape[0]), np.diff(target.indptr))
    n, rank_found = target.shape[0], min(rank, target.shape[0] - 1)
    U, values = np.zeros((n, rank_found)), np.zeros(rank_found)
    start = np.random.default_rng(0).uniform(0.5, 1.5, n)
    for _ in range(iterations):
        fitted = np.einsum("ij,ij->i", U[row] * values, U[target.indices])
        gap = sp.csr_array((target.data - fitted, target.indices, target.indptr), shape=target.shape)

        def product(v: Array, U: Array = U, values: Array = values, gap: sp.csr_array = gap) -> Array:
            return np.asarray(U @ (values * (U.T @ v)) + gap @ v)

        operator = LinearOperator((n, n), matvec=product, dtype=np.float64)
        values, U = eigsh(operator, k=rank_found, which="LA", v0=start, tol=1e-4)
        values = np.maximum(values, 0.0)
    embedding = np.zeros((n, rank))
    embedding[:, :rank_found] = U * np.sqrt(values)
    return embedding
