"""Fit a kernel tagger in one of three ways: exactly, through landmarks, or by a linear kernel on the columns.

The exact way has two variants that learn twice: ``impute`` learns the second time from guesses of the first model too,
and with ``share`` rows are compared the second time by what the first model says of their labels as well
(``label_similarity``).
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import threads as pool
from tacit.errors import InputError
from tacit.estimators.tag.kernel_choice import REMEDY, KernelSetting
from tacit.estimators.tag.label_similarity import FirstModel, label_profiles, left_out_profiles
from tacit.features.kernel_gram import (
    ConstantAndColumns,
    LandmarkFeatures,
    kernel_between,
    label_moments,
    lower_gram,
)
from tacit.solvers.cholesky import Cholesky
from tacit.solvers.kernel_ridge import conjugate_gradients, leave_one_out, solve_all

Array = NDArray[Any]

LARGEST_EXACT = 15_000
"""Rows, or columns, of a dense matrix that is factorised (0.9 GB)."""
LARGEST_FIT = 4_000_000_000
"""Bytes that a fit may hold."""
DEFAULT_LANDMARKS = 4000
_PROBE = 1000
_ROWS = 512


@dataclass(frozen=True)
class Solved:
    """Scores are k(x, points) @ coefficients; without points, the columns of x and a constant are what is weighed.

    first : by whose scores the kernel compares rows too
    """

    points: sp.csr_array | None
    coefficients: NDArray[np.float32]
    first: FirstModel | None = None

    def compared(self, X: sp.csr_array, setting: KernelSetting, threads: int) -> tuple[Any, Any]:
        """Prepared rows, and the points, as the kernel sees them."""
        if self.first is None:
            return X, self.points
        said = kernel_scores(X, Solved(self.points, self.first.coefficients), setting, threads)
        return self.first.joined(X, label_profiles(said)), self.first.joined(self.points, self.first.profiles)


@dataclass(frozen=True)
class Way:
    """How weights are found: exactly from all rows, from the columns of a linear kernel, or through landmarks.

    size : rows, columns and a constant, or landmarks
    """

    name: Literal["exact", "columns", "landmarks"]
    size: int

    @classmethod
    def of(
        cls, kernel: str, shape: tuple[int, int], carrying: int, labels: int, landmarks: int | None, impute: bool
    ) -> "Way":
        """The way for a kernel and X (n, d), of whose rows ``carrying`` have labels; one sentence if none is open.

        landmarks : so many, 0 for the exact solve, None for whichever memory allows
        impute : learn from all rows in the end
        """
        rows = shape[0] if impute else carrying
        exact, columns = cls("exact", rows), cls("columns", shape[1] + 1)
        by_columns = kernel == "linear" and landmarks is None and shape[1] < min(carrying, LARGEST_EXACT)
        fits = rows <= LARGEST_EXACT and exact.needs(labels) <= LARGEST_FIT
        if impute and (by_columns or landmarks or not fits):
            raise InputError(
                f"impute=True needs the exact solve (at most {LARGEST_EXACT} rows, landmarks None or 0, a kernel that "
                f"is not solved by its columns), not {rows} rows with kernel {kernel!r}; leave it out."
            )
        if landmarks == 0 and rows > LARGEST_EXACT:
            raise InputError(
                f"landmarks=0 factorises a matrix of {rows} × {rows} rows, and at most {LARGEST_EXACT} are allowed; "
                f"set landmarks to {DEFAULT_LANDMARKS} or so, or leave it None."
            )
        if by_columns:
            return columns.require_room(labels)
        if landmarks == 0 or (landmarks is None and fits):
            return exact.require_room(labels)
        return cls("landmarks", min(landmarks or DEFAULT_LANDMARKS, carrying)).require_room(labels)

    def needs(self, labels: int, *, twice: bool = False) -> int:
        """Bytes of a fit: squares in single precision (and the landmarks' own in double), weights and right sides.

        twice : with a first model's weights, and what it says of the rows' labels, beside the second's
        """
        square, beside = {"exact": (4, 4), "columns": (4, 8), "landmarks": (16, 8)}[self.name]
        return self.size * (square * self.size + (beside + 8 * twice) * labels)

    def holds_twice(self, labels: int) -> bool:
        """Whether rows can be compared by a first model's scores too."""
        return self.name == "exact" and self.needs(labels, twice=True) <= LARGEST_FIT

    def require_room(self, labels: int) -> "Way":
        """This way, or one sentence if memory does not hold it."""
        if self.needs(labels) <= LARGEST_FIT:
            return self
        # The largest m with 16 m² + 8 m L bytes.
        most = int((sqrt(labels**2 + LARGEST_FIT) - labels) / 4)
        what = {"exact": "rows", "columns": "columns", "landmarks": "landmarks"}[self.name]
        instead = f"set landmarks to at most {most}, or " if most else ""
        raise InputError(
            f"a fit of {labels} labels on {self.size} {what} would need {1e-9 * self.needs(labels):.1f} GB; "
            f"{instead}use NeighbourTagger, whose memory does not grow with rows times labels."
        )


def fit_kernel(
    X: sp.csr_array, Y: sp.csr_array, way: Way, setting: KernelSetting, targets: NDArray[np.float32],
    weight: Array | None, steps: int, impute: bool, share: float, seed: int, threads: int,
) -> Solved:  # fmt: skip
    """Coefficients of all labels.

    They are linear in the targets, which are therefore multiplied in at the end.

    Parameters
    ----------
    targets : (L,) what a known label is worth
    weight : (L,) what a known label weighs where an unlabelled cell weighs 1; None where that is 1 too
    impute : learn once more, from the leave-one-out guesses too
    share : of the similarity by labels, 0 for none; else ``weight`` is None and the way exact
    """
    carrying = np.flatnonzero(np.diff(Y.indptr))
    if share:
        solved = _by_labels_too(X[carrying], Y[carrying], setting, targets, share, threads)
    elif way.name == "exact":
        solved = _exactly(X, Y, carrying, setting, targets, weight, steps, impute, threads)
    else:
        X, Y = X[carrying], Y[carrying]
        if way.name == "columns":
            columns = ConstantAndColumns(X.shape[1])
            solved = Solved(None, _by_features(X, Y, columns, setting.ridge, weight, steps, threads))
        else:
            picked = choose_landmarks(X, way.size, setting, seed, threads)
            features = LandmarkFeatures(setting.kernel, setting.bandwidth, X[picked])
            weights = _by_features(X, Y, features, setting.ridge, weight, steps, threads)
            solved = Solved(features.landmarks, features.coefficients(weights))
    np.multiply(solved.coefficients, targets, out=solved.coefficients)
    return solved


def _exactly(
    X: sp.csr_array, Y: sp.csr_array, carrying: Array, setting: KernelSetting, targets: NDArray[np.float32],
    weight: Array | None, steps: int, impute: bool, threads: int,
) -> Solved:  # fmt: skip
    known, labels = X[carrying], Y[carrying]
    factor = _factor(known, setting, threads)
    if not impute:
        return Solved(known, solve_all(factor, labels, weight, setting.ridge, steps))
    dense = labels.toarray().astype(np.float32)
    first = factor.solve(dense)
    guesses = np.empty((X.shape[0], Y.shape[1]), np.float32)
    rest = np.setdiff1d(np.arange(X.shape[0]), carrying)
    guesses[carrying] = leave_one_out(factor, dense, first)
    guesses[rest] = kernel_scores(X[rest], Solved(known, first), setting, threads)
    # A guess is a first model's score with its targets, as the second model's scores will be in turn.
    guesses *= targets
    np.maximum(guesses, 0.0, out=guesses)
    guesses /= np.maximum(np.linalg.norm(guesses, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    guesses[carrying] = np.maximum(guesses[carrying], dense)
    return Solved(X, solve_all(_factor(X, setting, threads), guesses, weight, setting.ridge, steps))


def _by_labels_too(
    X: sp.csr_array, Y: sp.csr_array, setting: KernelSetting, targets: NDArray[np.float32], share: float, threads: int
) -> Solved:
    factor = _factor(X, setting, threads)
    weights = solve_all(factor, Y, None, setting.ridge, 0)
    profiles = left_out_profiles(factor.inverse_diagonal(), Y, weights, targets, threads)
    # Its square makes room for the second.
    del factor
    np.multiply(weights, targets, out=weights)
    first = FirstModel(share, weights, profiles)
    second = _factor(first.joined(X, profiles), setting, threads)
    return Solved(X, solve_all(second, Y, None, setting.ridge, 0), first)


def _factor(rows: Any, setting: KernelSetting, threads: int) -> Cholesky:
    gram = lower_gram(setting.kernel, rows, setting.bandwidth, threads)
    gram[np.diag_indices_from(gram)] += np.float32(setting.ridge)
    return Cholesky(gram, REMEDY, threads)


def _by_features(
    X: sp.csr_array, Y: sp.csr_array, features: Any, ridge: float, weight: Array | None, steps: int, threads: int
) -> Array:
    """W of (ΦᵀΦ + λI + (c − 1) Φ⁺ᵀΦ⁺) w = c Φ⁺ᵀ1 for each label, Φ⁺ the features of its rows."""
    gram, right = label_moments(X, Y, features, threads)
    gram[np.diag_indices_from(gram)] += np.float32(ridge)
    factor = Cholesky(gram, REMEDY, threads)
    if weight is None:
        return factor.solve(right)
    scale = weight.astype(np.float32)

    def extra(direction: Array) -> Array:
        total = np.zeros_like(direction)
        for first, last in pool.even_chunks(X.shape[0], _ROWS):
            mapped, here = features.transform(X[first:last]), Y[first:last].toarray()
            total += np.asarray(mapped.T @ (here * (scale - 1) * np.asarray(mapped @ direction)))
        return total

    with pool.single_threaded_blas():
        return conjugate_gradients(factor, extra, right * scale, steps)


def choose_landmarks(X: sp.csr_array, count: int, setting: KernelSetting, seed: int, threads: int) -> Array:
    """Numbers of ``count`` rows, each drawn by how little of it a first thousand of rows explains.

    The share that is left, k(x, x) − k_z(x)ᵀ (K_z + λI)⁻¹ k_z(x), is the row's ridge leverage up to scale (Musco and
    Musco 2017): rows unlike all others are taken almost surely, of many alike only some.
    """
    n = X.shape[0]
    rng = np.random.default_rng(seed)
    if count >= n:
        return np.arange(n)
    probe = np.sort(rng.choice(n, min(_PROBE, n), replace=False))
    factor = _factor(X[probe], setting, threads)
    left = np.empty(n)

    def fill(first: int, last: int) -> None:
        near = kernel_between(setting.kernel, X[probe], X[first:last], setting.bandwidth)
        own = 1.0 if setting.kernel == "gaussian" else 1.0 + X[first:last].multiply(X[first:last]).sum(axis=1)
        left[first:last] = own - np.einsum("ij,ij->j", near, factor.solve(near))

    with pool.single_threaded_blas():
        pool.run(fill, pool.even_chunks(n, _ROWS), threads)
    # Exponential clocks: the first ``count`` to ring are a draw without replacement by these shares.
    clocks = rng.exponential(size=n) / np.maximum(left, 1e-6)
    return np.sort(np.argsort(clocks, kind="stable")[:count])


def kernel_scores(X: sp.csr_array, solved: Solved, setting: KernelSetting, threads: int) -> NDArray[np.float32]:
    """Scores (n, L) of prepared rows."""
    return _weighed(*solved.compared(X, setting, threads), solved.coefficients, setting, threads)


def _weighed(
    X: Any, points: Any, coefficients: NDArray[np.float32], setting: KernelSetting, threads: int
) -> NDArray[np.float32]:
    scores = np.empty((X.shape[0], coefficients.shape[1]), np.float32)

    def fill(first: int, last: int) -> None:
        if points is None:
            scores[first:last] = X[first:last] @ coefficients[:-1] + coefficients[-1]
        else:
            scores[first:last] = kernel_between(setting.kernel, X[first:last], points, setting.bandwidth) @ coefficients

    with pool.single_threaded_blas():
        pool.run(fill, pool.even_chunks(X.shape[0], _ROWS), threads)
    return scores


def grown(
    solved: Solved, X: sp.csr_array, Y: sp.csr_array, targets: NDArray[np.float32], setting: KernelSetting, threads: int
) -> Solved:
    """What was learned stays; the new rows explain what it leaves open of their labels.

    ``solved`` and ``targets`` have the new model's width already: zeros and ones for labels that are new.
    """
    if X.shape[0] > LARGEST_EXACT:
        raise InputError(
            f"partial_fit takes at most {LARGEST_EXACT} rows at once, not {X.shape[0]}; give them in parts."
        )
    if solved.points is not None:
        _require_room_to_grow(solved, *Y.shape)
    rows, known = solved.compared(X, setting, threads)
    left = Y.toarray() * targets - _weighed(rows, known, solved.coefficients, setting, threads)
    more = _factor(rows, setting, threads).solve(left)
    if solved.points is None:
        return Solved(None, solved.coefficients + np.asarray(ConstantAndColumns(X.shape[1]).transform(X).T @ more))
    points = sp.csr_array(sp.vstack((solved.points, X), format="csr"))
    first = None if solved.first is None else solved.first.followed_by(rows.dense)
    return Solved(points, np.concatenate((solved.coefficients, more)), first)


def _require_room_to_grow(solved: Solved, more: int, labels: int) -> None:
    """The square of the new rows alone and their right sides, and all weights, twice while they are joined."""
    rows = len(solved.coefficients) + more
    beside = 0 if solved.first is None else 2 * solved.first.profiles.shape[1]
    needs = 4 * more * (more + labels) + 8 * rows * (labels + beside)
    if needs > LARGEST_FIT:
        raise InputError(
            f"{labels} labels on {rows} rows would need {1e-9 * needs:.1f} GB; fit all rows anew with "
            "landmarks, or use NeighbourTagger, whose memory does not grow with rows times labels."
        )
