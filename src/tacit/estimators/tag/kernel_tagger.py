"""KernelTagger: labels by least squares over all cells, in the full space of a kernel."""

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import checks
from tacit.data.label_sets import read_labels
from tacit.data.matrix import as_csr
from tacit.errors import DivergedError, InputError
from tacit.estimators import needs
from tacit.estimators.evidence import Evidence
from tacit.estimators.model import Array, Callback
from tacit.estimators.tag.feature_relevance import relevance
from tacit.estimators.tag.kernel_choice import (
    KERNELS,
    START,
    Free,
    KernelSetting,
    choose,
    label_targets,
    powers_to_compare,
)
from tacit.estimators.tag.kernel_fit import Solved, Way, fit_kernel, grown, kernel_scores
from tacit.estimators.tag.label_similarity import LEAST_ROWS, SHARE, FirstModel
from tacit.estimators.tag.tables import KERNEL
from tacit.estimators.tag.tagger import Tagger
from tacit.features.kernel_gram import kernel_between
from tacit.features.scaling import standardised, standardising
from tacit.neighbours.clusters import unit_rows
from tacit.objective.weights import FrequencyWeight
from tacit.progress import Run

_MOSTLY_FILLED = 0.5
_RELEVANCE_POWER = 0.5


class KernelTagger(Tagger):
    """Multi-label tagging by whole-data least squares on kernel features, at full rank and in closed form.

        Σ_{all x,y} w_xy (t_xy − ⟨φ(x), w_y⟩)² + λ ‖w_y‖²,    t = t_y and w = 1 where known, else t = 0 and w = b_y

    One Cholesky factor serves all labels. Rows without labels are left out: nothing is known of them.

    Parameters
    ----------
    kernel : ``"cosine"``: exp(γ (cos − 1)), for text; ``"gaussian"`` on standardised columns; ``"linear"``: 1 + cos,
        or 1 + cos / ℓ² with a large ℓ where rows say nothing, so that labels are ranked by frequency; ``"auto"``:
        gaussian where most cells of X are filled, else cosine
    bandwidth : ℓ, with γ = 1/ℓ² (cosine), or in standard deviations of the columns (gaussian); None lets
        leave-one-out choose it
    regularization : λ, in units of the weight of an unlabelled cell; None lets leave-one-out choose it
    unlabelled_weight : mean weight b of a cell that is not known, where a known label weighs 1; with 1 all labels share
        one solve, else each takes a few steps of conjugate gradient more
    frequency_exponent : above 0, unlabelled cells of frequent labels weigh more, and known rare labels so much more
    landmarks : rows that the kernel is seen from; None for all rows up to 15,000 and 4,000 beyond, 0 for all rows
    impute : learn a second time, from the first model's guesses too, and then from rows without labels as well: for
        data whose labels are mostly missing
    iterations : settings tried by leave-one-out at most
    inner_steps : conjugate gradient steps where weights differ by label
    value_power : values count as sign(x) |x|^power (cosine and linear): 1 as they are, 0.5 by their square roots, 0 by
        mere presence; None lets leave-one-out choose among these three, where no value of X is below zero
    label_power : a known label's target is t_y = (f_y / f̄)^−power, f_y its frequency, because the ridge shrinks the
        scores of rare labels most; 0 for t = 1; None lets leave-one-out choose, up to 0.3, unless
        ``unlabelled_weight``, ``frequency_exponent`` or ``propensity_weighted`` favour rare labels already (then 0)
    idf_power : features weigh log(n / (1 + df)) to this power (cosine and linear)
    relevance_power : features weigh by what they say about labels in a linear model, to this power (cosine and linear);
        0 for all alike; None for 0.5 with the cosine and 0 with the linear kernel
    label_similarity : μ of cos' = (1 − μ) cos(x, x') + μ cos(z, z'), z from what a first model says of the rows'
        labels (cosine, solved exactly): rows without a common word may speak of the same labels. 0 for the
        features alone; None for 0.3 with 500 rows, two labels and room for it, and no ``impute`` nor weights by label
    top_k, threshold : what ``predict`` returns: the best so many, or all with at least this score
    propensity_weighted : favour rare labels by the inverse of the chance that they were tagged at all
    random_state : seed; the same seed gives the same bits at any number of ``threads`` (0 is all cores)
    progress, callback : as everywhere

    Attributes
    ----------
    label_ids_, classes_ : the labels, as ids and as scikit-learn's array
    coefficients_ : (points, L) weights of the training rows or landmarks; (d + 1, L) weights of the columns and of a
        constant, where a linear kernel has more rows than columns
    points_ : the rows that the kernel compares with, prepared, or None
    bandwidth_, regularization_, value_power_, label_power_ : ℓ, λ and the powers of values and labels in use
    label_targets_ : (L,) what a known label is worth; 1 for labels that joined later
    label_similarity_ : μ in use, 0 where rows are compared by their features alone
    first_coefficients_, profiles_ : (points, L) the first model's weights and z of the points, or None
    history_ : one record per setting that was tried

    >>> X = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])
    >>> tagger = KernelTagger("cosine").fit(X, [["red"], ["red", "round"], ["blue"], ["blue"]])
    >>> tagger.predict_topk(np.array([[0.0, 2.0]]), k=1).tolist()
    [['blue']]
    """

    _schema = KERNEL
    _learned = "coefficients_"

    def __init__(
        self,
        kernel: Literal["auto", "cosine", "gaussian", "linear"] = "auto",
        *,
        bandwidth: float | None = None,
        regularization: float | None = None,
        unlabelled_weight: float = 1.0,
        frequency_exponent: float = 0.0,
        landmarks: int | None = None,
        impute: bool = False,
        iterations: int = 16,
        inner_steps: int = 5,
        value_power: float | None = None,
        label_power: float | None = None,
        idf_power: float = 0.0,
        relevance_power: float | None = None,
        label_similarity: float | None = None,
        top_k: int | None = None,
        threshold: float | None = None,
        propensity_weighted: bool = False,
        random_state: int | None = 0,
        threads: int = 0,
        progress: bool | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.regularization = regularization
        self.unlabelled_weight = unlabelled_weight
        self.frequency_exponent = frequency_exponent
        self.landmarks = landmarks
        self.impute = impute
        self.iterations = iterations
        self.inner_steps = inner_steps
        self.value_power = value_power
        self.label_power = label_power
        self.idf_power = idf_power
        self.relevance_power = relevance_power
        self.label_similarity = label_similarity
        self.top_k = top_k
        self.threshold = threshold
        self.propensity_weighted = propensity_weighted
        self.random_state = random_state
        self.threads = threads
        self.progress = progress
        self.callback = callback

    # -- learning ----------------------------------------------------------------------------------------------

    def fit(self, X: Any, Y: Any, *, labels: Iterable[Hashable] | None = None) -> Self:
        """Learn from features and known labels.

        Parameters
        ----------
        X : (n, d) features, sparse or dense
        Y : (n, L) indicator matrix whose stored cells are known positives, or one collection of labels per row
        labels : names of Y's columns, where Y is a matrix
        """
        X, Y, names, form = self._read_training(X, Y, labels)
        self._check_settings()
        needs.require_used(self)
        start = self._start(X)
        free = self._free(X, start)
        carrying = np.flatnonzero(np.diff(Y.indptr))
        # Before anything is tried: what memory cannot hold is refused at once.
        way = Way.of(start.kernel, X.shape, len(carrying), Y.shape[1], self.landmarks, self.impute)
        weight, share = self._weights(Y), self._share(way, start.kernel, Y.shape[1])
        seed = checks.seed(self.random_state)
        with Run("fit KernelTagger", self.iterations, progress=self.progress, callback=self.callback) as run:
            setting = choose(X[carrying], Y[carrying], self._prepared_by, start, free, run, seed, self.threads)
            # Not before: leave-one-out would be misled by weights that its own rows have helped to learn.
            self._learn_relevance(X[carrying], Y[carrying], setting, seed)
            rows, steps = self._prepared_by(X, setting.value_power, setting.divisor), self.inner_steps
            targets = label_targets(np.bincount(Y.indices, minlength=Y.shape[1]), setting.label_power)
            solved = fit_kernel(rows, Y, way, setting, targets, weight, steps, self.impute, share, seed, self.threads)
            if not free:
                run.report(bandwidth=setting.bandwidth, regularization=setting.ridge)
        self.n_features_in_ = X.shape[1]
        self._remember_labels(Y, names, form)
        self._keep(setting, solved, targets)
        self.history_ = run.history
        return self

    def partial_fit(self, X: Any, Y: Any, *, labels: Iterable[Hashable] | None = None) -> Self:
        """Add rows: what was learned stays, and they explain what it leaves open of their labels.

        New labels and new features (columns behind the old) join. Cells that a reviewer accepted come back as rows with
        their labels completed.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X, Y, labels=labels)
        X = as_csr(X, "X")
        if X.shape[1] < self.n_features_in_:
            raise InputError(
                f"X has {X.shape[1]} columns, but the model knows {self.n_features_in_} features; "
                "keep the columns of training and append new ones behind them."
            )
        Y, names, _ = read_labels(Y, rows=X.shape[0], names=labels, known=self.label_ids_)
        self._learn_new_scales(X)
        X = self._prepared(X).native()
        carrying = np.flatnonzero(np.diff(Y.indptr))
        wider = self._widened(X.shape[1], Y.shape[1])
        targets = np.pad(self.label_targets_, (0, Y.shape[1] - len(self.label_targets_)), constant_values=1)
        solved = grown(wider, X[carrying], Y[carrying], targets, self._setting, self.threads)
        self.n_features_in_ = X.shape[1]
        self._remember_labels(Y, names, self._form)
        self._keep(self._setting, solved, targets)
        return self

    def _check_settings(self) -> None:
        checks.choice("kernel", self.kernel, KERNELS)
        for name in ("iterations", "inner_steps"):
            checks.integer(name, getattr(self, name), 1)
        if self.landmarks is not None:
            checks.integer("landmarks", self.landmarks, 0)
        for name in ("bandwidth", "regularization"):
            if getattr(self, name) is not None:
                checks.number(name, getattr(self, name), above=0.0)
        checks.number("unlabelled_weight", self.unlabelled_weight, above=0.0)
        if self.value_power is not None:
            checks.number("value_power", self.value_power, 0.0, most=1.0)
        if self.label_power is not None:
            checks.number("label_power", self.label_power, 0.0, most=1.0)
        if self.relevance_power is not None:
            checks.exponent("relevance_power", self.relevance_power, 0.0)
        if self.label_similarity is not None:
            checks.number("label_similarity", self.label_similarity, 0.0, most=1.0)
        checks.truth("impute", self.impute)
        checks.exponent("frequency_exponent", self.frequency_exponent)

    def _start(self, X: sp.csr_array) -> KernelSetting:
        """Where the search begins; how rows are prepared is settled here."""
        kernel = self.kernel
        if kernel == "auto":
            kernel = "gaussian" if _filled(X) > _MOSTLY_FILLED else "cosine"
        self._unit = kernel != "gaussian"
        needs.require_used(self, unit_rows=self._unit)
        self._scales, self._shifts, typical = self._scales[:0], self._scales[:0], 1.0
        if self._unit:
            self._learn_scales(X)
        else:
            self._learn_new_scales(X)
            typical = float(max(int(np.count_nonzero(self._scales)), 1)) ** 0.5
        family = "linear" if kernel == "linear" else "gaussian"
        power = 1.0 if self.value_power is None else float(self.value_power)
        ridge = float(self.regularization or START[family])
        return KernelSetting(family, float(self.bandwidth or typical), ridge, power, float(self.label_power or 0.0))

    def _free(self, X: sp.csr_array, start: KernelSetting) -> Free:
        """What leave-one-out may choose."""
        powers = powers_to_compare(X) if self._unit and self.value_power is None else (start.value_power,)
        favoured = self.unlabelled_weight != 1 or self.frequency_exponent != 0 or self.propensity_weighted
        return Free(
            bandwidth=self.bandwidth is None and start.kernel == "gaussian",
            ridge=self.regularization is None,
            value_powers=powers,
            label_power=self.label_power is None and not favoured,
        )

    def _learn_relevance(self, X: sp.csr_array, Y: sp.csr_array, setting: KernelSetting, seed: int) -> None:
        """Scale the columns by what they say about labels too."""
        power = self.relevance_power
        if power is None:
            power = _RELEVANCE_POWER if self._unit and setting.kernel == "gaussian" else 0.0
        if power:
            known = self._prepared_by(X, setting.value_power)
            self._scales = self._scales * relevance(known, Y, power, seed, self.threads)

    def _learn_new_scales(self, X: sp.csr_array) -> None:
        """Scales of columns that are not known yet: by rarity, or one over the standard deviation."""
        if self._unit:
            self._learn_scales(X)
            return
        new = X.native()[:, len(self._scales) :]
        scales, shifts = standardising(new, _filled(new) > _MOSTLY_FILLED)
        self._scales, self._shifts = np.concatenate((self._scales, scales)), np.concatenate((self._shifts, shifts))

    def _prepared(self, X: sp.csr_array) -> Any:
        return as_csr(self._prepared_by(X, self.value_power_, self._setting.divisor), "X", allow_empty=True)

    def _prepared_by(self, X: sp.csr_array, power: float, divisor: float = 1.0) -> sp.csr_array:
        """Rows as the kernel sees them, their values raised to this power first."""
        if self._shifts.any():
            return as_csr(sp.csr_array(standardised(X, self._scales, self._shifts)), "X", allow_empty=True).native()
        values = X.data if power == 1 else np.sign(X.data) * np.abs(X.data) ** np.float32(power)
        X = sp.csr_array((values * self._scales[X.indices], X.indices, X.indptr), shape=X.shape)
        X = unit_rows(X) if self._unit else X
        return as_csr(X if divisor == 1 else X / np.float32(divisor), "X", allow_empty=True).native()

    def _weights(self, Y: sp.csr_array) -> Array | None:
        """What a known label weighs beside an unlabelled cell, (L,); None where that is 1 for all."""
        if self.unlabelled_weight == 1 and self.frequency_exponent == 0:
            return None
        frequency = np.bincount(Y.indices, minlength=Y.shape[1])
        rule = FrequencyWeight.measure(frequency, self.unlabelled_weight, self.frequency_exponent)
        return np.asarray(1 / rule.of(frequency))

    def _share(self, way: Way, kernel: str, labels: int) -> float:
        """μ; what is given and cannot be is refused."""
        cosine = self._unit and kernel == "gaussian"
        if self.label_similarity is None:
            alike = self.unlabelled_weight == 1 and self.frequency_exponent == 0
            enough = labels > 1 and way.size >= LEAST_ROWS
            return SHARE if cosine and alike and not self.impute and enough and way.holds_twice(labels) else 0.0
        needs.require_used(self, cosine=cosine, way=way.name, labels=labels)
        if self.label_similarity and not way.holds_twice(labels):
            room = 1e-9 * way.needs(labels, twice=True)
            raise InputError(
                f"label_similarity={self.label_similarity} would need {room:.1f} GB for {labels} labels on {way.size} "
                "rows; leave it out, or set it to 0."
            )
        return float(self.label_similarity)

    def _keep(self, setting: KernelSetting, solved: Solved, targets: NDArray[np.float32]) -> None:
        self._setting, self.value_power_, self.label_power_ = setting, setting.value_power, setting.label_power
        self.bandwidth_, self.regularization_ = setting.bandwidth, setting.ridge
        if not np.isfinite(solved.coefficients).all():
            raise DivergedError("the weights of the kernel are not finite; lower unlabelled_weight or rescale X.")
        self.points_, self.coefficients_, self.label_targets_ = solved.points, solved.coefficients, targets
        first = solved.first
        self.label_similarity_ = 0.0 if first is None else first.share
        self.first_coefficients_ = None if first is None else first.coefficients
        self.profiles_ = None if first is None else first.profiles

    def _solved(self) -> Solved:
        first = None
        if self.first_coefficients_ is not None and self.profiles_ is not None:
            first = FirstModel(self.label_similarity_, self.first_coefficients_, self.profiles_)
        return Solved(self.points_, self.coefficients_, first)

    def _widened(self, features: int, labels: int) -> Solved:
        """The model with zeros for features and labels that are new."""
        more = labels - self.coefficients_.shape[1]
        coefficients = np.pad(self.coefficients_, ((0, 0), (0, more)))
        if self.points_ is None:
            new = np.zeros((features - self.n_features_in_, labels), np.float32)
            return Solved(None, np.concatenate((coefficients[:-1], new, coefficients[-1:])))
        points = self.points_
        wider = sp.csr_array((points.data, points.indices, points.indptr), shape=(points.shape[0], features))
        return replace(self._solved(), points=wider, coefficients=coefficients)

    # -- asking ------------------------------------------------------------------------------------------------

    def block_scores(self, X: sp.csr_array) -> NDArray[np.float32]:
        rows = self._prepared(X).native()
        return kernel_scores(rows, self._solved(), self._setting, self.threads)

    def linear_map(self, x: sp.csr_array) -> tuple[Array, Array]:
        # Rows are compared by the features that this row has, weighed as the kernel weighs them.
        return x.indices, np.diag(self._scales[x.indices])

    @property
    def weighs_features(self) -> bool:
        return self.points_ is None

    def _contributions(self, x: sp.csr_array, column: int) -> Evidence:
        row, weights = self._prepared(x).native(), self.coefficients_[:, column].astype(np.float64)
        if self.points_ is None:
            return Evidence.of(
                row.indices, row.data * weights[:-1][row.indices], float(weights[-1]), "the label's constant"
            )
        row, points = self._solved().compared(row, self._setting, self.threads)
        near = kernel_between(self._setting.kernel, row, points, self._setting.bandwidth)[0]
        return Evidence.of(np.arange(len(near)), near * weights)

    # -- to and from a model file ------------------------------------------------------------------------------

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        facts, parts = self._label_state()
        facts |= {
            "kernel": self._setting.kernel,
            "unit_rows": self._unit,
            "bandwidth": self.bandwidth_,
            "regularization": self.regularization_,
            "value_power": self.value_power_,
            "label_power": self.label_power_,
            "label_similarity": self.label_similarity_,
        }
        learned = {"coefficients": self.coefficients_, "points": self.points_, "label_targets": self.label_targets_}
        learned |= {"first_coefficients": self.first_coefficients_, "profiles": self.profiles_}
        return facts, parts | learned | {"shifts": self._shifts if self._shifts.any() else None}

    def _restore(self, facts: dict[str, Any], parts: dict[str, Any]) -> None:
        self._restore_labels(facts, parts)
        self._unit = facts["unit_rows"]
        self._shifts = np.zeros_like(self._scales) if parts["shifts"] is None else parts["shifts"]
        points = parts["points"]
        setting = KernelSetting(
            facts["kernel"], facts["bandwidth"], facts["regularization"], facts["value_power"], facts["label_power"]
        )
        share, first = facts["label_similarity"], None
        if share:
            first = FirstModel(share, parts["first_coefficients"], parts["profiles"])
        solved = Solved(None if points is None else points.native(), parts["coefficients"], first)
        self._keep(setting, solved, parts["label_targets"])


def _filled(X: sp.csr_array) -> float:
    """The share of cells that hold a value."""
    return float(X.nnz / max(X.shape[0] * X.shape[1], 1))
