"""Checked parameters of an ordinal ranker, the result of a fit, and the candidates that cross-validation compares."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.errors import InputError
from tacit.estimators.grade.maps import BANDWIDTH_STEPS, typical_bandwidth
from tacit.estimators.needs import Given
from tacit.features.feature_moments import FeatureMap
from tacit.features.fourier import BLOCK
from tacit.features.scaling import Scaling
from tacit.features.trees import BoostedTrees
from tacit.progress import Callback

Vector = NDArray[np.float64]

REGULARIZATIONS = tuple(10.0**e for e in range(-7, 1))
RELEVANCE_STEPS = BANDWIDTH_STEPS[1:3]
"""Bandwidths tried where columns are weighted by relevance."""
PAPER_REGULARIZATIONS = tuple(2.0**e for e in range(-3, 4))
"""λ of the paper's experiments; its first steps of 1.5/λ throw a smaller one far out."""
UNLABELLED_WEIGHTS = (0.0, 0.25, 0.5, 1.0)


@dataclass(frozen=True)
class Shape:
    """A kernel, how the columns are prepared, and the bandwidth: given, or a multiple of the typical one."""

    kernel: str
    columns: str
    step: float = 1.0
    given: float | None = None

    def bandwidth(self, scaling: Scaling) -> float:
        if self.kernel == "linear":
            return 1.0
        return self.step * typical_bandwidth(self.kernel, scaling) if self.given is None else self.given


@dataclass(frozen=True)
class Candidate:
    """A loss, and γ per split: the share of the labelled pairs."""

    loss: str
    labelled_weight: Vector

    @property
    def ignores_unlabelled(self) -> bool:
        return bool(np.all(self.labelled_weight == 1))


@dataclass(frozen=True)
class Settings:
    """Checked parameters of ``OrdinalRanker``."""

    kernel: str
    loss: str
    features: str
    n_components: int
    bandwidth: float | None
    regularization: float | None
    unlabelled_weight: Any
    solver: str
    iterations: int
    batch_size: int
    step: str
    class_priors: Any
    threshold_rule: str
    classes: Sequence[Any] | None
    standardize: bool | None
    trees: bool | None
    cv: Any
    seed: int
    threads: int
    progress: bool | None
    callback: Callback | None
    given: Given
    streams: bool = False

    @property
    def searches(self) -> bool:
        """Whether other preparations of the columns, and trees, are candidates: nothing but the default asks for them.

        With Fourier features a model file holds no value of any row, which ranks and trees would add.
        """
        return self.kernel == "auto" and self.features == "labelled" and self.solver != "stochastic"

    @property
    def as_printed(self) -> bool:
        """Whether the paper's Algorithm 1 was asked for: fresh frequencies and a step of θ/t."""
        return self.solver == "stochastic" and self.features == "fourier" and self.step == "decay"

    def for_streams(self) -> Self:
        """The same with the squared loss, the only one that is learned step by step."""
        if self.loss == "logistic":
            raise InputError("partial_fit takes steps on the squared loss; set loss='square' or 'auto'.")
        return replace(self, loss="square", streams=True)

    def require_used(self, exact: bool, wide: bool) -> None:
        """Refuse parameters that do nothing: steps beside the exact solver, a map of few columns as they are.

        ``partial_fit`` takes steps whatever the first fit did.
        """
        self.given.require_used(wide=wide, **{"exact_stream" if self.streams else "exact": exact})

    def with_classes(self, classes: Any) -> Self:
        return replace(self, classes=list(classes))

    def keep(self, rows: NDArray[np.intp], count: int) -> Self:
        """The same for a subset of the rows: folds that are listed name rows of the whole table."""
        if isinstance(self.cv, int | np.integer):
            return self
        index = np.full(count, -1, dtype=np.intp)
        index[rows] = np.arange(len(rows))
        folds = [tuple(index[np.asarray(side)] for side in fold) for fold in self.cv]
        return replace(self, cv=[tuple(side[side >= 0] for side in fold) for fold in folds])


@dataclass
class Fitted:
    """What is learned; every field becomes an attribute with an underscore behind its name."""

    kernel: str
    coefficients: Vector
    intercept: float
    thresholds: Vector
    slope: float
    loss: str
    bandwidth: float
    regularization: float
    unlabelled_weight: Vector
    class_prior: Vector
    mean: Vector
    scale: Vector
    seed: int
    selection: dict[str, Any]
    history: list[dict[str, Any]]
    preparation: str = "standard"
    tree_share: float = 0.0
    linear_share: float = 0.0
    block: int = BLOCK
    landmarks: NDArray[np.float64] | None = None
    knots: NDArray[np.float64] | None = None
    column_weights: Vector | None = None
    tree_feature: NDArray[np.int32] | None = None
    tree_threshold: NDArray[np.float64] | None = None
    tree_value: NDArray[np.float64] | None = None

    def trees(self) -> BoostedTrees | None:
        """The trees that are mixed in, if any."""
        if self.tree_feature is None or self.tree_threshold is None or self.tree_value is None:
            return None
        return BoostedTrees(self.tree_feature, self.tree_threshold, self.tree_value, np.zeros(len(self.mean)))


def read_priors(given: Any, count: int) -> tuple[Vector | None, bool]:
    """Priors as numbers, and whether they are to be matched to the unlabelled rows.

    >>> read_priors([1, 3], 2)
    (array([0.25, 0.75]), False)
    """
    if given is None:
        return None, False
    if isinstance(given, str):
        if given != "matched":
            raise InputError(f"class_priors must be None, 'matched' or a list of shares, not {given!r}.")
        return None, True
    priors = np.array([checks.number("class_priors", share) for share in checks.listed("class_priors", given)])
    if priors.shape != (count,) or not np.all(np.isfinite(priors)) or np.any(priors < 0) or priors.sum() <= 0:
        raise InputError(f"class_priors must list {count} shares of at least 0, one for each class, not {given!r}.")
    return priors / priors.sum(), False


def candidate_mixes(given: Any, count: int, has_unlabelled: bool) -> list[Vector]:
    """Candidates for γ per split, γ = 1 first.

    >>> candidate_mixes(0.25, 3, True)
    [array([0.75, 0.75])]
    """
    if not has_unlabelled:
        return [np.ones(count - 1)]
    if given is None:
        return [np.full(count - 1, 1 - weight) for weight in UNLABELLED_WEIGHTS]
    parts = given if isinstance(given, int | float | np.number) else checks.listed("unlabelled_weight", given)
    read = [checks.number("unlabelled_weight", part) for part in (parts if isinstance(parts, list) else [parts])]
    weights = np.array(read) if isinstance(parts, list) else np.array(read[0])
    fits = weights.ndim == 0 or weights.shape == (count - 1,)
    if not fits or not np.all((weights >= 0) & (weights <= 1)):
        raise InputError(
            f"unlabelled_weight must be a number from 0 to 1, or a list of {count - 1} such numbers, not {given!r}."
        )
    return [1 - np.broadcast_to(weights, count - 1)]


def candidate_losses(settings: Settings, count: int, has_unlabelled: bool, may_be_logistic: bool) -> list[Candidate]:
    """The losses to try with every γ; those that ignore unlabelled rows come first and win ties.

    The logistic loss sees labelled rows alone and takes classes as often as they occur there, so a positive
    ``unlabelled_weight`` and ``class_priors`` ask for the squared one.
    """
    mixes = candidate_mixes(settings.unlabelled_weight, count, has_unlabelled)
    squared = [Candidate("square", mix) for mix in mixes]
    plain = [Candidate("logistic", mix) for mix in mixes if np.all(mix == 1)]
    if settings.loss == "logistic":
        if settings.class_priors is not None:
            raise InputError("class_priors need loss='square'; leave them out with loss='logistic'.")
        if not plain:
            raise InputError(
                "loss='logistic' learns from the labelled rows alone; set unlabelled_weight to 0 or None, or "
                "loss='square'."
            )
        return plain
    if settings.loss == "square" or settings.class_priors is not None or not may_be_logistic:
        return squared
    return [*squared[:1], *plain, *squared[1:]]


def candidate_shapes(settings: Settings, columns: str) -> list[Shape]:
    """Kernels with their bandwidths: the one given, or multiples of the typical one; the linear kernel has none.

    "auto" tries the Gaussian kernel, and the linear one as what it becomes in the limit of wide bandwidths.
    """
    kernel = "gaussian" if settings.kernel == "auto" else settings.kernel
    if kernel == "linear":
        return [Shape("linear", columns)]
    if settings.bandwidth is not None:
        return [Shape(kernel, columns, given=settings.bandwidth)]
    if columns == "relevance":
        return [Shape(kernel, columns, step) for step in RELEVANCE_STEPS]
    shapes = [Shape(kernel, columns, step) for step in BANDWIDTH_STEPS]
    return [*shapes, Shape("linear", columns)] if settings.kernel == "auto" else shapes


def candidate_strengths(settings: Settings, features: FeatureMap, rows: Any, weights: Vector) -> list[float]:
    """The λ given, or a path in units of a mapped row's mean squared length: 1 for waves, about d for linear ones."""
    if settings.regularization is not None:
        return [settings.regularization]
    if settings.as_printed:
        return list(PAPER_REGULARIZATIONS)
    lengths = np.square(features.transform(rows)).sum(axis=1)
    unit = max(float(weights @ lengths / weights.sum()), 1e-12)
    return [unit * strength for strength in REGULARIZATIONS]
