"""FactorTagger: labels from a low-rank map of the features, learned over all cells (one-class MF with features)."""

from collections.abc import Hashable, Iterable
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit.data.label_sets import read_labels
from tacit.data.matrix import as_csr
from tacit.errors import InputError, ModelFileError
from tacit.estimators.model import Array, Callback
from tacit.estimators.tag.tables import FACTOR
from tacit.estimators.tag.tagger import Tagger
from tacit.features.nystrom import NystromFeatures
from tacit.neighbours.topk import top_k
from tacit.objective import losses
from tacit.objective.maps import DenseMap, SparseMap, multiply
from tacit.objective.penalties import laplacian
from tacit.objective.towers import Field, LinearTower, id_tower
from tacit.objective.two_towers import Parameters, TwoTowers
from tacit.objective.weights import FrequencyWeight
from tacit.objective.whole_data import WholeData
from tacit.progress import Run
from tacit.solvers.alternation import Solver, alternate
from tacit.solvers.conjugate import Alternating
from tacit.solvers.descent import Adagrad, LineSearch
from tacit.solvers.newton import TruncatedNewton, TrustRegion

_UNLABELLED_TOTAL = 2.0
_TARGETS = {"square": 0.0, "logistic": -2.0, "squared_hinge": -1.0}
_SOLVERS = ("als", "newton", "newton_linesearch", "linesearch", "adagrad")
_START = 0.1


class FactorTagger(Tagger):
    """Multi-label tagging by low-rank factorisation over all cells, none sampled (one-class MF Eq. 2).

        Σ_known ℓ(1, ⟨Wᵀx, h_l⟩) + Σ_unknown b_l (t − ⟨Wᵀx, h_l⟩)² + λ (‖W‖² + ‖H‖²) + λ_g tr(PᵀLP),   P = XW

    With ``loss="logistic"`` it is LR-wSQ; with ``"square"``, ``unlabelled_weight=1`` and target 0 it is LEML.

    Parameters
    ----------
    factors : dimension of Wᵀx and h
    loss : on known labels: ``"logistic"``, ``"square"`` or ``"squared_hinge"``
    unlabelled_weight : mean weight b of a cell that is not known; None lets all of them weigh twice the known ones
    unlabelled_target : t; None for -2 (logistic), 0 (square) or -1 (squared hinge)
    frequency_exponent : above 0, unknown cells of frequent labels weigh more
    regularization : λ
    landmarks : so many Nyström features are appended to X, which makes the tagger non-linear; 0 for none
    bandwidth : width of their Gaussian kernel
    graph_weight : λ_g of ``row_graph``
    solver : ``"als"`` (conjugate gradient on a quadratic bound), ``"newton"`` (trust region), ``"newton_linesearch"``,
        ``"linesearch"``, ``"adagrad"``
    iterations : sweeps over both sides at most; tolerance : stops earlier when the objective changes less, relatively
    inner_steps : conjugate gradient steps on each side per sweep
    idf_power : features weigh log(n / (1 + df)) to this power
    normalize : scale the rows of X to length one
    top_k, threshold, propensity_weighted : see ``NeighbourTagger``

    Attributes
    ----------
    labels_, classes_ : the labels; weights_ : W (d, g); label_factors_ : H (L, g); history_ : one record per sweep

    >>> X = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])
    >>> tagger = FactorTagger(factors=2).fit(X, [["red"], ["red", "round"], ["blue"], ["blue"]])
    >>> tagger.predict_topk(np.array([[0.0, 2.0]]), k=1).tolist()
    [['blue']]
    """

    _learned = "weights_"
    _schema = FACTOR

    def __init__(
        self,
        factors: int = 150,
        loss: Literal["logistic", "square", "squared_hinge"] = "logistic",
        unlabelled_weight: float | None = None,
        unlabelled_target: float | None = None,
        frequency_exponent: float = 0.0,
        regularization: float = 0.7,
        landmarks: int = 0,
        bandwidth: float = 1.0,
        graph_weight: float = 0.1,
        solver: Literal["als", "newton", "newton_linesearch", "linesearch", "adagrad"] = "als",
        iterations: int = 8,
        tolerance: float = 1e-4,
        inner_steps: int = 5,
        idf_power: float = 0.0,
        normalize: bool = True,
        top_k: int | None = None,
        threshold: float | None = None,
        propensity_weighted: bool = False,
        random_state: int = 0,
        threads: int = 0,
        progress: bool | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.factors = factors
        self.loss = loss
        self.unlabelled_weight = unlabelled_weight
        self.unlabelled_target = unlabelled_target
        self.frequency_exponent = frequency_exponent
        self.regularization = regularization
        self.landmarks = landmarks
        self.bandwidth = bandwidth
        self.graph_weight = graph_weight
        self.solver = solver
        self.iterations = iterations
        self.tolerance = tolerance
        self.inner_steps = inner_steps
        self.idf_power = idf_power
        self.normalize = normalize
        self.top_k = top_k
        self.threshold = threshold
        self.propensity_weighted = propensity_weighted
        self.random_state = random_state
        self.threads = threads
        self.progress = progress
        self.callback = callback

    # -- learning ----------------------------------------------------------------------------------------------

    def fit(self, X: Any, Y: Any, *, row_graph: Any = None, labels: Iterable[Hashable] | None = None) -> Self:
        """Learn from features and known labels.

        Parameters
        ----------
        X : (n, d) features, sparse or dense
        Y : (n, L) indicator matrix whose stored cells are known positives, or one collection of labels per row
        row_graph : (n, n) sparse similarities of rows, whose factors are then drawn together
        labels : names of Y's columns, where Y is a matrix
        """
        X, Y, names, form = self._read_training(X, Y, labels)
        self._check_settings()
        self._remember_labels(Y, names, form)
        self.n_features_in_ = X.shape[1]
        self._scales = self._scales[:0]
        self._learn_scales(X)
        X = self._prepared(X)
        self._nystrom = (
            NystromFeatures.fit(X.native(), landmarks=self.landmarks, bandwidth=self.bandwidth, seed=self.random_state)
            if self.landmarks
            else None
        )
        problem = self._problem(X, Y, row_graph)
        self._train(problem, problem.start(self.random_state, _START), self.iterations)
        return self

    def partial_fit(self, X: Any, Y: Any, *, labels: Iterable[Hashable] | None = None) -> Self:
        """Continue from what was learned, on these rows; new labels and new features (columns behind the old) join.

        What the rows do not show is forgotten little by little: give old rows along where they still matter. Cells
        that a reviewer accepted come back as rows with their labels completed.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X, Y, labels=labels)
        X = as_csr(X, "X")
        if X.shape[1] < self.n_features_in_:
            raise InputError(
                f"X has {X.shape[1]} columns, but the model knows {self.n_features_in_} features; "
                "keep the columns of training and append new ones behind them."
            )
        if X.shape[1] > self.n_features_in_ and self._nystrom is not None:
            raise InputError("X has new features, which landmarks cannot take in; fit anew or set landmarks=0.")
        Y, names, _ = read_labels(Y, rows=X.shape[0], names=labels, known=self.labels_)
        self._check_settings()
        self._learn_scales(X)
        problem = self._problem(self._prepared(X), Y, None)
        parameters = problem.start(self.random_state, _START)
        # Features and labels that are known keep what was learned; the new ones keep their random start.
        old = self.n_features_in_
        weights, own = problem.rows.part(parameters.rows, 0), problem.cols.part(parameters.cols, 0)
        weights[:old], own[: len(self.label_factors_)] = self.weights_, self.label_factors_
        if self._nystrom is not None:
            problem.rows.part(parameters.rows, 1)[:] = self._landmark_weights
        self._remember_labels(Y, names, self._form)
        self.n_features_in_ = X.shape[1]
        self._train(problem, parameters, max(2, self.iterations // 4))
        return self

    def _check_settings(self) -> None:
        for name, allowed in (("loss", tuple(_TARGETS)), ("solver", _SOLVERS)):
            if getattr(self, name) not in allowed:
                raise InputError(f"{name} must be one of {', '.join(allowed)}, not {getattr(self, name)!r}.")
        for name, least in (("factors", 1), ("iterations", 1), ("inner_steps", 1), ("landmarks", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise InputError(f"{name} must be a whole number of at least {least}, not {value!r}.")
        if not self.regularization >= 0:
            raise InputError(f"regularization must not be negative, not {self.regularization!r}.")
        if self.unlabelled_weight is not None and not self.unlabelled_weight > 0:
            raise InputError(f"unlabelled_weight must be positive or None, not {self.unlabelled_weight!r}.")

    def _problem(self, X: sp.csr_array, Y: sp.csr_array, row_graph: Any) -> TwoTowers:
        """Objective and towers: features (and landmarks) on the side of the rows, ids on that of the labels."""
        n, m = Y.shape
        Y = as_csr(Y, "Y")
        loss = losses.resolve(self.loss)
        mean = self.unlabelled_weight or _UNLABELLED_TOTAL * Y.nnz / (n * m)
        frequency = np.bincount(Y.indices, minlength=m)
        target = _TARGETS[self.loss] if self.unlabelled_target is None else self.unlabelled_target
        objective = WholeData.build(
            Y,
            loss=loss,
            weight=np.ones(Y.nnz),
            target=np.full(Y.nnz, loss.target),
            row_weight=np.ones(n),
            col_weight=FrequencyWeight.measure(frequency, mean, self.frequency_exponent).of(frequency),
            unlabelled_target=target,
            row_ridge=np.zeros(n),
            col_ridge=np.full(m, self.regularization),
        )
        columns = np.arange(self.factors)
        fields = [Field("features", SparseMap(X), columns, np.full(X.shape[1], self.regularization))]
        if self._nystrom is not None:
            map_ = DenseMap(np.ascontiguousarray(self._nystrom.transform(X.native()), dtype=np.float32))
            fields.append(Field("landmarks", map_, columns, np.full(map_.features, self.regularization)))
        graph = None if row_graph is None else laplacian(row_graph, self.graph_weight, "row_graph", n)
        return TwoTowers(objective, LinearTower(n, self.factors, fields), id_tower(m, self.factors), row_graph=graph)

    def _train(self, problem: TwoTowers, parameters: Parameters, iterations: int) -> None:
        with Run("fit FactorTagger", iterations, progress=self.progress, callback=self.callback) as run:
            alternate(problem, parameters, self._solver(), run, tolerance=self.tolerance, n_threads=self.threads)
        tower = problem.rows
        self.weights_ = tower.part(parameters.rows, 0).copy()
        self._landmark_weights = tower.part(parameters.rows, 1).copy() if self._nystrom is not None else None
        self.label_factors_ = problem.cols.part(parameters.cols, 0).copy()
        self.history_ = run.history

    def _solver(self) -> Solver:
        match self.solver:
            case "als":
                return Alternating(self.inner_steps)
            case "newton":
                return TrustRegion(inner_steps=self.inner_steps)
            case "newton_linesearch":
                return TruncatedNewton(inner_steps=self.inner_steps)
            case "linesearch":
                return LineSearch()
            case _:
                return Adagrad()

    # -- asking ------------------------------------------------------------------------------------------------

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Wᵀx of every row, (n, g)."""
        return self._factors_of(self._read_query(X, "transform"))

    def _factors_of(self, X: sp.csr_array) -> NDArray[np.float32]:
        X = self._prepared(X)
        factors = multiply(X, self.weights_, self.threads)
        if self._nystrom is not None and self._landmark_weights is not None:
            factors += np.asarray(self._nystrom.transform(X.native()), dtype=np.float32) @ self._landmark_weights
        return factors

    def _block_scores(self, X: sp.csr_array) -> Array:
        return np.asarray(self._factors_of(X) @ self.label_factors_.T)

    def _as_chance(self, scores: Array) -> Array:
        if self.loss != "logistic":
            return scores
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp(-scores)))

    def _top(self, X: sp.csr_array, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        if self.propensity_weighted:
            return super()._top(X, k)
        columns, scores = top_k(self._factors_of(X), self.label_factors_, k, threads=self.threads)
        return columns.astype(np.int64), scores

    def _map_for(self, x: sp.csr_array) -> tuple[Array, Array]:
        return np.arange(self.n_features_in_, dtype=np.int32), self.weights_

    # -- to and from a model file ------------------------------------------------------------------------------

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        facts, parts = self._label_state()
        parts |= {"weights": self.weights_, "label_factors": self.label_factors_}
        landmarks = None if self._nystrom is None else self._nystrom.landmarks
        return facts, parts | {"landmarks": landmarks, "landmark_weights": self._landmark_weights}

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        self._restore_labels(facts, parts)
        self.weights_, self.label_factors_ = parts["weights"], parts["label_factors"]
        self._nystrom, self._landmark_weights = None, parts["landmark_weights"]
        if self._landmark_weights is not None:
            self._nystrom = NystromFeatures("gaussian", self.bandwidth, parts["landmarks"])
            if self._nystrom.size != len(self._landmark_weights):
                raise ModelFileError("its landmarks do not fit their weights")
        self.history_ = []
