"""FactorTagger: labels from a low-rank map of the features, learned over all cells (one-class MF with features)."""

from collections.abc import Hashable, Iterable
from typing import Any, Literal, Self, cast, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.label_sets import read_labels
from tacit.data.matrix import as_csr
from tacit.errors import InputError, ModelFileError
from tacit.estimators import needs
from tacit.estimators.evidence import Evidence
from tacit.estimators.model import Array, Callback
from tacit.estimators.tag import factor_fit
from tacit.estimators.tag.tables import FACTOR
from tacit.estimators.tag.tagger import Tagger
from tacit.estimators.training import RunSettings
from tacit.features.nystrom import NystromFeatures
from tacit.neighbours.topk import top_k
from tacit.objective.formulations import Unlabelled
from tacit.objective.maps import multiply
from tacit.objective.recipes import TAG_RIDGES, TAG_TARGETS
from tacit.solvers import registry


class FactorTagger(Tagger):
    """Multi-label tagging by low-rank factorisation over all cells, none sampled (one-class MF Eq. 2).

        Σ_known ℓ(1, ⟨p_x, h_l⟩) + Σ_unknown b_l (t − ⟨p_x, h_l⟩)² + λ (‖W‖² + ‖w₀‖² + ‖H‖²) + λ_g tr(PᵀLP)

    with p_x = Wᵀx + w₀.

    Without ``intercept``, ``loss="logistic"`` is LR-wSQ; ``"square"`` with ``unlabelled_weight=1`` and target 0 is
    LEML; ``unlabelled="same_loss"`` is LR-wLR, and ``"sampled"`` Subsampled.

    Parameters
    ----------
    factors : dimension of Wᵀx and h
    loss : on known labels: ``"logistic"``, ``"square"`` or ``"squared_hinge"``
    unlabelled_weight : mean weight b of a cell that is not known; None lets them all weigh twice the known ones, and
        for the squared loss forty times them, at most 1 each
    unlabelled_target : t; None for -2 (logistic), 0 (square) or -1 (squared hinge)
    frequency_exponent : above 0, unknown cells of frequent labels weigh more
    unlabelled : ``"all"`` counts every unknown cell; ``"sampled"`` as many as there are known ones, drawn once under ℓ
        (one-class MF's Subsampled); ``"same_loss"`` all of them under ℓ (LR-wLR; up to 20 million cells). The last two
        are there for comparison
    regularization : λ; None for 2 (square) or 0.7
    intercept : whether rows have w₀ in common, by which frequent labels are likelier than rare ones whatever x says
    landmarks : so many Nyström features are appended to X, which makes the tagger non-linear; 0 for none
    bandwidth : width of their Gaussian kernel
    graph_weight : λ_g of ``row_graph``
    solver : ``"als"`` (conjugate gradient on a quadratic bound), ``"newton"`` (trust region), ``"newton_linesearch"``,
        ``"linesearch"``, ``"adagrad"``
    iterations : sweeps over both sides at most
    tolerance : stops earlier when the objective changes less, relatively
    inner_steps : conjugate gradient steps on each side per sweep; None for 10 where the solver takes any
    trust_steps, trust_radius : of ``"newton"``: steps on a side in a sweep (None: 1), and the first radius (None: the
        length of the gradient), which is kept from sweep to sweep
    idf_power : features weigh log(n / (1 + df)) to this power
    normalize : scale the rows of X to length one
    top_k, threshold, propensity_weighted : see ``NeighbourTagger``

    Attributes
    ----------
    label_ids_, classes_ : the labels; weights_ : W (d, g); intercept_ : w₀ (g,) or None; label_factors_ : H (L, g);
    history_ : one record per sweep

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
        *,
        loss: Literal["logistic", "square", "squared_hinge"] = "logistic",
        unlabelled_weight: float | None = None,
        unlabelled_target: float | None = None,
        frequency_exponent: float = 0.0,
        unlabelled: Unlabelled = "all",
        regularization: float | None = None,
        intercept: bool = True,
        landmarks: int = 0,
        bandwidth: float = 1.0,
        graph_weight: float = 0.1,
        solver: Literal["als", "newton", "newton_linesearch", "linesearch", "adagrad"] = "als",
        iterations: int = 8,
        tolerance: float = 1e-4,
        inner_steps: int | None = None,
        trust_steps: int | None = None,
        trust_radius: float | None = None,
        idf_power: float = 0.0,
        normalize: bool = True,
        top_k: int | None = None,
        threshold: float | None = None,
        propensity_weighted: bool = False,
        random_state: int | None = 0,
        threads: int = 0,
        progress: bool | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.factors = factors
        self.loss = loss
        self.unlabelled_weight = unlabelled_weight
        self.unlabelled_target = unlabelled_target
        self.frequency_exponent = frequency_exponent
        self.unlabelled = unlabelled
        self.regularization = regularization
        self.intercept = intercept
        self.landmarks = landmarks
        self.bandwidth = bandwidth
        self.graph_weight = graph_weight
        self.solver = solver
        self.iterations = iterations
        self.tolerance = tolerance
        self.inner_steps = inner_steps
        self.trust_steps = trust_steps
        self.trust_radius = trust_radius
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
        self._settings()
        needs.require_used(self, graphs=row_graph is not None)
        self._remember_labels(Y, names, form)
        self.n_features_in_ = X.shape[1]
        self._scales = self._scales[:0]
        self._learn_scales(X)
        X = self._prepared(X)
        seed = checks.seed(self.random_state)
        self._nystrom = (
            NystromFeatures.fit(X.native(), landmarks=self.landmarks, bandwidth=self.bandwidth, seed=seed)
            if self.landmarks
            else None
        )
        self._learn(X, Y, self.iterations, row_graph=row_graph)
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
        Y, names, _ = read_labels(Y, rows=X.shape[0], names=labels, known=self.label_ids_)
        self._settings()
        self._learn_scales(X)
        known = factor_fit.Factors(self.weights_, self._landmark_weights, self.intercept_, self.label_factors_)
        self._remember_labels(Y, names, self._form)
        self.n_features_in_ = X.shape[1]
        self._learn(self._prepared(X), Y, max(2, self.iterations // 4), known=known)
        return self

    def _settings(self) -> factor_fit.TagSettings:
        """The parameters of training, or one sentence on the first that cannot be used."""
        checks.integer("iterations", self.iterations, 1)
        checks.integer("landmarks", self.landmarks, 0)
        checks.number("bandwidth", self.bandwidth, above=0.0)
        weight, target, ridge = self.unlabelled_weight, self.unlabelled_target, self.regularization
        loss = checks.choice("loss", self.loss, tuple(TAG_TARGETS))
        solver = checks.choice("solver", self.solver, factor_fit.SOLVERS)
        return factor_fit.TagSettings(
            factors=checks.integer("factors", self.factors, 1, checks.MOST_FACTORS),
            loss=loss,
            unlabelled_weight=None if weight is None else checks.number("unlabelled_weight", weight, above=0.0),
            unlabelled_target=None if target is None else checks.number("unlabelled_target", target),
            frequency_exponent=checks.exponent("frequency_exponent", self.frequency_exponent),
            unlabelled=cast(Unlabelled, checks.choice("unlabelled", self.unlabelled, get_args(Unlabelled))),
            regularization=TAG_RIDGES[loss] if ridge is None else checks.number("regularization", ridge, 0.0),
            intercept=checks.truth("intercept", self.intercept),
            graph_weight=checks.number("graph_weight", self.graph_weight, 0.0),
            solver=solver,
            options=self._options(solver),
            seed=checks.seed(self.random_state),
        )

    def _options(self, solver: str) -> registry.Options:
        """Of the solver, or one sentence on the first that it has no use for."""
        steps, times, radius = self.inner_steps, self.trust_steps, self.trust_radius
        if steps is None and "inner_steps" in registry.SOLVERS[solver].takes:
            steps = factor_fit.INNER_STEPS
        options = registry.Options(
            inner_steps=None if steps is None else checks.integer("inner_steps", steps, 1),
            trust_steps=None if times is None else checks.integer("trust_steps", times, 1),
            trust_radius=None if radius is None else checks.number("trust_radius", radius, above=0.0),
        )
        registry.require_used(solver, options)
        return options

    def _learn(
        self,
        X: sp.csr_array,
        Y: sp.csr_array,
        iterations: int,
        *,
        row_graph: Any = None,
        known: factor_fit.Factors | None = None,
    ) -> None:
        tolerance = checks.number("tolerance", self.tolerance, 0.0)
        run = RunSettings(iterations, tolerance, self.threads, self.progress, self.callback)
        learned, self.history_ = factor_fit.fit(
            self._settings(), run, X, self._similarities(X), Y, row_graph=row_graph, known=known
        )
        self.weights_, self._landmark_weights, self.intercept_, self.label_factors_ = learned

    def _similarities(self, X: sp.csr_array) -> NDArray[np.float32] | None:
        """To the landmarks, (n, l)."""
        if self._nystrom is None:
            return None
        return np.ascontiguousarray(self._nystrom.transform(X.native()), dtype=np.float32)

    # -- asking ------------------------------------------------------------------------------------------------

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Wᵀx + w₀ of every row, (n, g)."""
        return self._factors_of(self._read_query(X, "transform"))

    def _factors_of(self, X: sp.csr_array) -> NDArray[np.float32]:
        X = self._prepared(X)
        factors = multiply(X, self.weights_, self.threads)
        similarities = self._similarities(X)
        if similarities is not None and self._landmark_weights is not None:
            factors += similarities @ self._landmark_weights
        if self.intercept_ is not None:
            factors += self.intercept_
        return factors

    def block_scores(self, X: sp.csr_array) -> Array:
        return np.asarray(self._factors_of(X) @ self.label_factors_.T)

    def chances(self, scores: Array) -> Array:
        if self.loss != "logistic":
            return scores
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp(-scores)))

    def _top(self, X: sp.csr_array, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        if self.propensity_weighted:
            return super()._top(X, k)
        columns, scores = top_k(self._factors_of(X), self.label_factors_, k, threads=self.threads)
        return columns.astype(np.int64), scores

    def linear_map(self, x: sp.csr_array) -> tuple[Array, Array]:
        return np.arange(self.n_features_in_, dtype=np.int32), self.weights_

    @property
    def weighs_features(self) -> bool:
        return True

    def _contributions(self, x: sp.csr_array, column: int) -> Evidence:
        row, own = self._prepared(x), self.label_factors_[column].astype(np.float64)
        remainder, named = 0.0 if self.intercept_ is None else float(self.intercept_ @ own), "the label's constant"
        if self._nystrom is not None and self._landmark_weights is not None:
            remainder += float((self._nystrom.transform(row.native()) @ self._landmark_weights)[0] @ own)
            named = "likeness to landmarks" if self.intercept_ is None else f"{named}, likeness to landmarks"
        return Evidence.of(row.indices, row.data * (self.weights_[row.indices] @ own), remainder, named)

    # -- to and from a model file ------------------------------------------------------------------------------

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        facts, parts = self._label_state()
        parts |= {"weights": self.weights_, "intercept": self.intercept_, "label_factors": self.label_factors_}
        landmarks = None if self._nystrom is None else self._nystrom.landmarks
        return facts, parts | {"landmarks": landmarks, "landmark_weights": self._landmark_weights}

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        self._restore_labels(facts, parts)
        self.weights_, self.intercept_ = parts["weights"], parts["intercept"]
        self.label_factors_ = parts["label_factors"]
        self._nystrom, self._landmark_weights = None, parts["landmark_weights"]
        if self._landmark_weights is not None:
            self._nystrom = NystromFeatures("gaussian", self.bandwidth, parts["landmarks"])
            if self._nystrom.size != len(self._landmark_weights):
                raise ModelFileError("its landmarks do not fit their weights")
