"""Ordinal classes from few labels and many unlabelled rows."""

from collections.abc import Sequence
from typing import Any, Literal, Self, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, validate_data

from tacit import checks
from tacit import threads as pool
from tacit.data.elsewhere import Elsewhere
from tacit.data.matrix import as_csr
from tacit.errors import InputError, InputTypeError, ModelFileError, UnsoundCombinationError
from tacit.estimators.concurrency import learns
from tacit.estimators.grade.fit import fit_ordinal
from tacit.estimators.grade.grades import encode, read_grades
from tacit.estimators.grade.maps import make_map
from tacit.estimators.grade.settings import Fitted, Settings
from tacit.estimators.grade.streaming import OrdinalStream
from tacit.estimators.grade.tables import SCHEMA, as_classes, kind_of
from tacit.estimators.model import Callback, Model
from tacit.estimators.needs import Given
from tacit.features.feature_moments import FeatureMap, scores
from tacit.features.linear import WithLinear
from tacit.features.scaling import Scaling
from tacit.features.trees import WithTrees
from tacit.solvers.stochastic import STEPS
from tacit.solvers.temperature import decision_values
from tacit.solvers.thresholds import RULES

Array = NDArray[Any]


class OrdinalRanker(ClassifierMixin, Model):  # type: ignore[misc]
    """Ranks rows by grade, learning from the few graded rows and from all the others.

    Over all pairs of rows of different grade, and of graded with ungraded rows, it minimises

        λ/2 ‖f‖² + 1/(k−1) Σ_j [ γ_j R_PN + (1 − γ_j) (R_PU + R_NU − ½) ],     R_AB = mean (1 − f(a) + f(b))²

    over functions f of a kernel space (QS³ORAO, Eq. 9), where split j calls the grades above j positive. Every pair is
    counted exactly, at the cost of one pass over the rows. Thresholds then cut the score f into grades.

    Parameters
    ----------
    kernel : "gaussian", "laplacian", "linear", or "auto", which tries the Gaussian kernel at several bandwidths and the
        linear one, and adds the linear score to the best one unless it is clearly behind
    loss : "square" (the pairs' loss above), "logistic" (every row on the right side of every threshold, from the
        labelled rows alone, by Newton's method) or "auto", which cross-validates both and takes the squared one where
        it leads by more than a standard error; the stochastic solver, streams and ``class_priors`` take that one
    features : how the kernel becomes numbers: "labelled" (the kernel against the labelled rows, in whose span the
        best score from labels alone lies), "fourier" (random frequencies, regenerated from the seed: nothing but
        seed and coefficients is stored) or "nystrom" (k-means landmarks)
    n_components : the number of random frequencies, or of landmarks at most; the linear kernel takes neither, unless
        "nystrom" is asked for
    bandwidth : length scale ℓ of the kernel on standardised columns; None tries several
    regularization : λ; None tries a path from 1e-7 to 1
    unlabelled_weight : 1 − γ, how much the pairs with unlabelled rows count: a number from 0 to 1, or one for each of
        the k − 1 splits; None tries 0, ¼, ½ and 1
    solver : "exact" (moments of all rows, one solve), "stochastic" (batches of rows, for very many features) or "auto"
        (exact up to 4,096 features)
    iterations, batch_size, step : of the stochastic solver; ``step`` is "constant" (preconditioned, averaged) or
        "decay" (θ/t). With features "fourier", "decay" is the paper's Algorithm 1: ``n_components`` fresh frequencies
        at every step, coefficients that grow with the steps, work that grows with their square
    class_priors : shares of the classes among all rows: None takes those of the labels, "matched" those under which
        the labelled classes look like the unlabelled rows, a list states them
    threshold_rule : "logistic" (a smooth fit, steady from few labels), "square" (the paper's), "absolute" (least MAE
        of the labelled rows), "kappa" (greatest QWK) or "accuracy"
    classes : the grades, lowest first; None takes an ordered categorical's order, or numbers by size; text needs one
    unlabelled_mark : what stands in y for an unlabelled row; None and NaN are always that
    standardize : divide every column by its standard deviation (True) or take it as it is (False); None, with the
        kernel on "auto", begins with the former for dense and the latter for sparse rows, and cross-validates it
        against the other (sparse), against ranks and against columns weighted by their relevance (dense)
    trees : mix the kernel's score with that of boosted trees, by a share that cross-validation chooses; None does so
        where kernel and loss are on "auto", features are "labelled", X is dense and 50 rows or more are labelled
    cv : folds over the labelled rows: a list of (train rows, test rows), or a number; as many of another draw are added
        for the kernels that do best in these
    random_state : seed; the same seed gives the same bits at any number of ``threads`` (0 is all cores)
    progress, callback : as everywhere

    Attributes
    ----------
    classes_, thresholds_ : the grades and the k − 1 scores that part them
    kernel_, loss_, coefficients_, intercept_, bandwidth_, regularization_, unlabelled_weight_, class_prior_ : the model
    preparation_, tree_share_, linear_share_ : how columns are prepared ("standard", "raw", "ranks", "relevance"), what
        trees add to the score, and what the linear kernel adds to another one
    selection_ : what cross-validation saw: ``auc`` of the winner, ``auc_labelled_only`` of the best without unlabelled
        rows; empty where the labelled rows are too few to be held out
    history_ : one record per kernel and bandwidth and one for the second round of folds (exact), or one per step
        (stochastic)

    Notes
    -----
    ``rank_score(X)`` is the score f, one number per row. ``decision_function`` follows scikit-learn's shapes: f − b₁
    for two classes, and for more an (n, k) array of j·f − Σ_{i≤j} b_i, every column of which is non-decreasing in f
    (any column but the first ranks rows as f does) and whose largest entry is the predicted class. ``predict_proba``
    is the adjacent-category logit with these thresholds; its slope is fitted to held-out scores.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((300, 2))
    >>> truth = np.digitize(X[:, 0] + X[:, 1] ** 2, [0.3, 1.5])
    >>> y = np.where(np.arange(300) < 60, truth, -1)
    >>> model = OrdinalRanker(n_components=64).fit(X, y)
    >>> bool(np.mean(np.abs(model.predict(X) - truth)) < 0.3)
    True

    References
    ----------
    Shi, Gu, Li, Huang: Quadruply stochastic gradient method for large scale nonlinear semi-supervised ordinal
    regression AUC optimization, AAAI 2020.
    """

    _schema = SCHEMA

    def __init__(
        self,
        kernel: Literal["auto", "gaussian", "laplacian", "linear"] = "auto",
        *,
        loss: Literal["auto", "square", "logistic"] = "auto",
        features: Literal["labelled", "fourier", "nystrom"] = "labelled",
        n_components: int = 512,
        bandwidth: float | None = None,
        regularization: float | None = None,
        unlabelled_weight: float | Sequence[float] | None = None,
        solver: Literal["auto", "exact", "stochastic"] = "auto",
        iterations: int = 200,
        batch_size: int = 128,
        step: Literal["constant", "decay"] = "constant",
        class_priors: Sequence[float] | Literal["matched"] | None = None,
        threshold_rule: Literal["logistic", "square", "absolute", "kappa", "accuracy"] = "logistic",
        classes: Sequence[Any] | None = None,
        unlabelled_mark: Any = -1,
        standardize: bool | None = None,
        trees: bool | None = None,
        cv: Any = 5,
        random_state: Any = 0,
        threads: int = 0,
        progress: bool | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.kernel = kernel
        self.loss = loss
        self.features = features
        self.n_components = n_components
        self.bandwidth = bandwidth
        self.regularization = regularization
        self.unlabelled_weight = unlabelled_weight
        self.solver = solver
        self.iterations = iterations
        self.batch_size = batch_size
        self.step = step
        self.class_priors = class_priors
        self.threshold_rule = threshold_rule
        self.classes = classes
        self.unlabelled_mark = unlabelled_mark
        self.standardize = standardize
        self.trees = trees
        self.cv = cv
        self.random_state = random_state
        self.threads = threads
        self.progress = progress
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows X (n, d), dense or sparse, and their grades y, −1 (or None) where unlabelled."""
        settings = self._settings()
        table, codes, classes, weights = self._read(X, y, sample_weight)
        used = np.flatnonzero(weights > 0)
        if len(used) < len(weights):
            table, codes, weights, settings = table[used], codes[used], weights[used], settings.keep(used, len(weights))
        with pool.single_threaded_blas():
            self._take(fit_ordinal(table, codes, weights, len(classes), settings), classes)
        return self

    @learns
    def fit_elsewhere(self, table: Elsewhere, names: Sequence[str], y: Any) -> Self:
        """As ``fit``, for rows that lie elsewhere: labelled ones and a sample of the others come here, sums of all do.

        names : of the columns
        """
        settings = self._settings()
        if settings.features == "nystrom" or settings.solver == "stochastic":
            asked = "features='nystrom'" if settings.features == "nystrom" else "solver='stochastic'"
            raise UnsoundCombinationError(
                f"{asked} goes over the rows again and again and does not run on a cluster, which adds up moments in "
                "one pass; take features='labelled' or 'fourier' and solver='exact', or fit in one process."
            )
        codes, classes = read_grades(y, self.classes, self.unlabelled_mark)
        with pool.single_threaded_blas():
            self._take(fit_ordinal(table, codes, np.ones(len(codes)), len(classes), settings), classes)
        self.n_features_in_, self.feature_names_in_ = len(names), np.array(names, dtype=object)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on learning from a stream of labelled and unlabelled rows, by steps of the stochastic solver.

        The first call fixes classes, scaling and parameters from what it gets (or goes on from a fit). Even samples
        of bounded size are kept of every class and of the unlabelled rows, and every call takes one step per
        ``batch_size`` new rows, on the squared loss; a score that was fitted by the logistic loss is first brought to
        the squared one's scale.
        """
        settings = self._settings().for_streams()
        first = not hasattr(self, "classes_")
        if first and classes is not None and self.classes is None:
            settings = settings.with_classes(classes)
        known = None if first else self.classes_
        table, codes, order, weights = self._read(X, y, sample_weight, known, settings.classes)
        if first:
            used = np.flatnonzero(weights > 0)
            with pool.single_threaded_blas():
                self._take(fit_ordinal(table[used], codes[used], weights[used], len(order), settings), order)
        if not hasattr(self, "_stream"):
            self._stream = OrdinalStream(self._fitted, self._map(), len(self.classes_), settings)
            if first:
                self._stream.keep(table, codes, weights)
                return self
        with pool.single_threaded_blas():
            self._take(self._stream.learn(table, codes, weights), self.classes_)
        return self

    def rank_score(self, X: Any) -> NDArray[np.float64]:
        """The score f of every row: higher means a higher grade."""
        self._require_fitted("rank_score")
        table = self._table(X, reset=False)
        with pool.single_threaded_blas():
            result = scores(table, self.coefficients_, self._map(), pool.resolve(self.threads))
        return np.asarray(result + self.intercept_)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """f − b₁ for two classes, else the (n, k) decision values of the classes."""
        self._require_fitted("decision_function")
        score = self.rank_score(X)
        if len(self.classes_) == 2:
            return np.asarray(score - self.thresholds_[0])
        return decision_values(score, self.thresholds_)

    def predict(self, X: Any) -> Array:
        """The grade of every row."""
        self._require_fitted("predict")
        return np.asarray(self.classes_[np.searchsorted(self.thresholds_, self.rank_score(X), side="left")])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the grades, (n, k); the most probable one is what ``predict`` returns."""
        self._require_fitted("predict_proba")
        return np.asarray(softmax(self.slope_ * decision_values(self.rank_score(X), self.thresholds_), axis=1))

    def plot(self, X: Any, y: Any, ax: Any = None) -> Any:
        """A strip of scores for each grade, with the thresholds; see ``plot_grades``. Returns matplotlib's axes."""
        from tacit.estimators.grade.grade_plot import plot_grades

        self._require_fitted("plot")
        return plot_grades(self, X, y, ax)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Mean accuracy over the labelled rows, as scikit-learn's classifiers define it."""
        codes, _ = read_grades(y, self.classes_.tolist(), self._mark_beside(self.classes_))
        known = codes >= 0
        table = self._table(X, reset=False)
        check_consistent_length(table, codes)
        weights = _weights(sample_weight, table)[known]
        right = encode(self.predict(table[known]), self.classes_) == codes[known]
        return float(np.average(right, weights=weights))

    def _settings(self) -> Settings:
        return Settings(
            kernel=checks.choice("kernel", self.kernel, ("auto", "gaussian", "laplacian", "linear")),
            loss=checks.choice("loss", self.loss, ("auto", "square", "logistic")),
            features=checks.choice("features", self.features, ("labelled", "fourier", "nystrom")),
            n_components=checks.integer("n_components", self.n_components, 1),
            bandwidth=None if self.bandwidth is None else checks.number("bandwidth", self.bandwidth, above=0.0),
            regularization=None
            if self.regularization is None
            else checks.number("regularization", self.regularization, above=0.0),
            unlabelled_weight=self.unlabelled_weight,
            solver=checks.choice("solver", self.solver, ("auto", "exact", "stochastic")),
            iterations=checks.integer("iterations", self.iterations, 1),
            batch_size=checks.integer("batch_size", self.batch_size, 1),
            step=checks.choice("step", self.step, STEPS),
            class_priors=self.class_priors,
            threshold_rule=checks.choice("threshold_rule", self.threshold_rule, RULES),
            classes=self.classes,
            standardize=checks.flag("standardize", self.standardize),
            trees=checks.flag("trees", self.trees),
            cv=self.cv,
            seed=checks.seed(self.random_state),
            threads=pool.resolve(self.threads),
            progress=self.progress,
            callback=self.callback,
            given=Given.of(self),
        )

    def _read(
        self, X: Any, y: Any, sample_weight: Any, known: Array | None = None, order: Sequence[Any] | None = None
    ) -> tuple[Any, NDArray[np.intp], Array, NDArray[np.float64]]:
        """Checked rows, class numbers, classes and weights."""
        given = known.tolist() if known is not None else (order if order is not None else self.classes)
        table = self._table(X, reset=known is None)
        mark = self.unlabelled_mark if known is None else self._mark_beside(known)
        codes, classes = read_grades(y, given, mark, all_unlabelled=known is not None)
        check_consistent_length(table, codes)
        return table, codes, classes if known is None else known, _weights(sample_weight, table)

    def _table(self, X: Any, *, reset: bool) -> Any:
        """Checked rows: a dense array, or a canonical sparse one."""
        if sp.issparse(X) and X.dtype.kind in "biuf":
            dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
            X = as_csr(X, "X", dtype=dtype, zeros="keep", allow_empty=True).native()
        try:
            # In C order: how BLAS adds up a product depends on how its parts lie in memory.
            table = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=reset)
        except Exception as error:
            raise _in_words(error, "X") from None
        cells = table.data if sp.issparse(table) else table
        # Distances add up squares.
        largest, allowed = float(np.abs(cells).max(initial=0.0)), float(np.finfo(cells.dtype).max) ** 0.5 / 1e3
        if largest > allowed:
            raise InputError(
                f"X holds a value of magnitude {largest:.0e}, whose square is more than a {cells.dtype} can hold; "
                f"keep values below {allowed:.0e}: rescale the column or remove the row."
            )
        return table

    def _mark_beside(self, classes: Array) -> Any:
        """The mark of the unlabelled; none where y = −1, 1 was read as two classes."""
        return None if self.unlabelled_mark in classes.tolist() else self.unlabelled_mark

    def _take(self, fitted: Fitted, classes: Array) -> None:
        self.classes_ = classes
        self._fitted = fitted
        self.kernel_ = fitted.kernel
        self.loss_ = fitted.loss
        self.coefficients_ = fitted.coefficients
        self.intercept_ = fitted.intercept
        self.thresholds_ = fitted.thresholds
        self.slope_ = fitted.slope
        self.bandwidth_ = fitted.bandwidth
        self.regularization_ = fitted.regularization
        self.unlabelled_weight_ = fitted.unlabelled_weight
        self.class_prior_ = fitted.class_prior
        self.selection_ = fitted.selection
        self.preparation_ = fitted.preparation
        self.tree_share_ = fitted.tree_share
        self.linear_share_ = fitted.linear_share
        self.history_ = fitted.history

    def _map(self) -> FeatureMap:
        learned = self._fitted
        scaling = Scaling(learned.mean, learned.scale, np.ones_like(learned.scale), learned.knots)
        # A Fourier map has two features per frequency, and Algorithm 1 adds frequencies with every step.
        size, width, seed = len(learned.coefficients) // 2, learned.bandwidth, learned.seed

        def make() -> FeatureMap:
            return make_map(learned.kernel, size, width, seed, scaling, learned.landmarks, learned.block)

        # The eigenvectors of the landmarks take longer than most questions, and no other thread runs meanwhile.
        features = make() if learned.landmarks is None else self._derived.of("map", (learned,), make)
        if learned.column_weights is not None:
            features = WithLinear(features, learned.column_weights)
        trees = learned.trees()
        return features if trees is None else WithTrees(features, trees)

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        names = getattr(self, "feature_names_in_", None)
        facts: dict[str, Any] = {
            "classes": self.classes_.tolist(),
            "classes_kind": kind_of(self.classes_),
            "columns": self.n_features_in_,
            "column_names": None if names is None else names.tolist(),
        }
        learned = vars(self._fitted)
        facts |= {name: learned[name] for name in learned if name in self._schema.facts}
        return facts, {name: value for name, value in learned.items() if name not in facts}

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        learned = {name: facts[name] for name in Fitted.__dataclass_fields__ if name in facts}
        self._take(Fitted(**learned, **parts), as_classes(facts["classes"], facts["classes_kind"]))
        self.n_features_in_ = facts["columns"]
        if facts["column_names"] is not None:
            self.feature_names_in_ = np.array(facts["column_names"], dtype=object)
        if self._map().size != len(self.coefficients_):
            raise ModelFileError("its landmarks do not fit its coefficients")


def _weights(sample_weight: Any, table: Any) -> NDArray[np.float64]:
    """One for each row."""
    try:
        weights = _check_sample_weight(sample_weight, table, dtype=np.float64, ensure_non_negative=True)
    except Exception as error:
        raise _in_words(error, "sample_weight") from None
    return cast(NDArray[np.float64], weights)


def _in_words(error: Exception, name: str) -> Exception:
    """scikit-learn's own sentences stand; what NumPy or a table's library raised on the way gets one."""
    signs = ("convert", "float() argument", "array element", "promoted", "cast")
    if type(error) in (ValueError, TypeError) and not any(sign in str(error) for sign in signs):
        return error
    kind = InputTypeError if isinstance(error, TypeError) else InputError
    return kind(f"{name} must hold numbers ({str(error).splitlines()[0].rstrip('.')}); code text first.")
