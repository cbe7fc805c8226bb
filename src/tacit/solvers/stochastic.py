"""Ordinal AUC by stochastic gradients over classes and unlabelled rows, on one set of features.

The steps are those of QS³ORAO, but the features stay: every step draws a batch from each class and from the unlabelled
rows, scores it with the coefficients so far, and moves the coefficients of one block of features along the gradient of
that batch; blocks take turns. The paper's own algorithm, with fresh frequencies at every step, is
``tacit.solvers.quadruply``.

    step = "decay"       w ← (1 − η_t λ) w,  w_b ← w_b − η_t (D/D_b) ∇_b R,        η_t = θ / (t + t₀), θ = 1.5/λ
    step = "constant"    w_b ← w_b − η (2 A_bb + ρ I)⁻¹ (∇_b R + λ w_b),           iterates averaged

The first is the paper's rule of steps (θλ in (1, 2)); t₀ keeps the first steps below the curvature, without which θ/1
would throw the coefficients far out for a small λ. The second measures each block's curvature A_bb once on a sample of
rows and takes the ill-conditioning away down to ρ = max(λ, a thousandth of the largest curvature), below which a batch
knows nothing but noise. Under this preconditioner a rare row can weigh as much as thousands of others (its leverage),
so rows are drawn half evenly and half by leverage, weighted to stay unbiased, and η is the largest step at which no
single row can make the iteration diverge. Iterates are averaged, w̄_t = (1 − 2/(t+2)) w̄ + 2/(t+2) w_t. Both rules
approach the exact minimiser with a squared error of O(1/t).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray

from tacit import threads as pool
from tacit.errors import DivergedError
from tacit.features.feature_moments import FeatureMap, scores
from tacit.features.fourier import FourierFeatures
from tacit.objective.pairwise import Splits, batch_risk
from tacit.progress import Run
from tacit.solvers.ordinal_exact import collect_moments

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Codes = NDArray[np.intp]

STEPS = ("decay", "constant")
BLOCK_FEATURES = 512
_DECAY = 1.5
_DAMPING = 1e-3
_SKETCH = 16
_SAFETY = 2.0
_SAMPLE = 4_000
_GROWTH = 1.1


@dataclass
class RowSampler:
    """Rows to draw from, by class; number ``count`` are the unlabelled rows."""

    table: Any
    codes: Codes
    weights: Vector
    count: int
    members: list[NDArray[np.intp]] = field(init=False)
    chances: list[Vector] = field(init=False)
    shares: list[Vector] = field(init=False)

    def __post_init__(self) -> None:
        self.members = [np.flatnonzero(self.codes == c) for c in range(self.count)] + [np.flatnonzero(self.codes < 0)]
        self.prefer(np.ones(len(self.codes)))

    def prefer(self, leverage: Vector) -> None:
        """Draw rows half by weight and half by weight times leverage; ``shares`` keeps their sums unbiased."""
        self.chances, self.shares = [], []
        for rows in self.members:
            share = self.weights[rows] / self.weights[rows].sum() if len(rows) else self.weights[rows]
            mean = float(share @ leverage[rows])
            chance = share * (0.5 + 0.5 * leverage[rows] / mean) if mean > 0 else share
            self.chances.append(np.cumsum(chance))
            self.shares.append(np.divide(share, chance, out=np.zeros_like(share), where=chance > 0))

    def comes_whole(self, group: int, size: int) -> bool:
        """Whether a batch takes every row of a group: that is its exact mean, at no more cost."""
        return len(self.members[group]) <= self.batch(group, size)

    def batch(self, group: int, size: int) -> int:
        """Rows of a group in a batch: ``size`` of every class and as many unlabelled as labelled ones."""
        return size if group < self.count else size * self.count

    def draw(self, generator: np.random.Generator, size: int) -> tuple[Any, Codes, Vector]:
        """A batch with replacement, and shares whose sums estimate the means of the groups without bias."""
        picked, shares = [], []
        for group, rows in enumerate(self.members):
            count = self.batch(group, size)
            if self.comes_whole(group, size):
                picked.append(rows)
                shares.append(self.weights[rows] / max(self.weights[rows].sum(), 1e-300))
                continue
            chance = self.chances[group]
            drawn = np.searchsorted(chance, generator.random(count) * chance[-1], side="right")
            drawn = np.minimum(drawn, len(rows) - 1)
            picked.append(rows[drawn])
            shares.append(self.shares[group][drawn] / count)
        chosen = np.concatenate(picked)
        return self.table[chosen], self.codes[chosen], np.concatenate(shares)

    def totals(self) -> Vector:
        return np.array([self.weights[rows].sum() for rows in self.members[:-1]])

    def sample(self, seed: int) -> tuple[Any, Codes, Vector]:
        """At most 4,000 labelled and 4,000 unlabelled rows, to measure curvature on."""
        generator = np.random.default_rng(seed)
        sides = [np.flatnonzero(self.codes >= 0), self.members[-1]]
        samples = [
            np.sort(generator.choice(side, _SAMPLE, replace=False)) if len(side) > _SAMPLE else side for side in sides
        ]
        rows = np.concatenate(samples)
        return self.table[rows], self.codes[rows], self.weights[rows]


class Descent:
    """The running state: coefficients, their average and the number of steps taken.

    Parameters
    ----------
    features : the map; Fourier features are updated by blocks of frequencies, others by blocks of columns
    splits, labelled_weight, regularization : the objective of ``tacit.objective.pairwise``
    batch_size : rows drawn per class and step
    step : "decay" or "constant"
    seed : of the draws; step t depends on (seed, t) alone
    """

    def __init__(
        self, features: FeatureMap, splits: Splits, labelled_weight: Vector, regularization: float, *,
        batch_size: int = 128, step: str = "constant", seed: int = 0,
    ) -> None:  # fmt: skip
        self.features = features
        self.splits = splits
        self.labelled_weight = labelled_weight
        self.regularization = regularization
        self.batch_size = batch_size
        self.step = step
        self.seed = seed
        self.steps = 0
        self.current = np.zeros(features.size)
        self.average = np.zeros(features.size)
        self.blocks = list(feature_blocks(features))
        self._factors: list[Any] = []
        self._step_size = 1.0
        self._curvature = 1.0
        self._sketch = np.zeros((features.size, 0))
        self._measured = 0

    @property
    def coefficients(self) -> Vector:
        """w: the average under the constant step, the last iterate under the decaying one."""
        return self.average if self.step == "constant" else self.current

    def measure(self, rows: RowSampler, threads: int = 0) -> None:
        """Curvature of every block, how rows are best drawn, and the step that this allows."""
        table, codes, weights = rows.sample(self.seed)
        self._factors, self._curvature = [], 0.0
        sketch = np.zeros((self.features.size, _SKETCH * len(self.blocks)))
        generator = np.random.default_rng(self.seed)
        for number, columns in enumerate(self.blocks):
            part = _Columns(self.features, columns)
            moments = collect_moments(
                table, codes, weights, rows.count, part, priors=self.splits.priors, threads=threads
            )
            matrix = 2 * moments.quadratic(self.labelled_weight)
            with pool.single_threaded_blas():
                largest = float(np.linalg.eigvalsh(matrix)[-1])
                damping = max(self.regularization, _DAMPING * largest)
                factor = _cholesky(matrix + damping * np.eye(len(matrix)))
                directions = generator.standard_normal((len(columns), _SKETCH)) / np.sqrt(_SKETCH)
                sketch[columns, number * _SKETCH : (number + 1) * _SKETCH] = scipy.linalg.solve_triangular(
                    factor, directions, lower=True, trans="T"
                )
            self._factors.append((factor, True))
            self._curvature = max(self._curvature, self.features.size / len(columns) * largest)
        self._sketch, self._measured = sketch, len(rows.codes)
        self._aim(rows, threads)

    def look_at(self, rows: RowSampler, threads: int = 0) -> None:
        """Prepare for draws from other rows; where they are many more than were measured, measure again."""
        if len(rows.codes) > _GROWTH * self._measured:
            self.measure(rows, threads)
        else:
            self._aim(rows, threads)

    def _aim(self, rows: RowSampler, threads: int) -> None:
        """How rows are drawn, and the step that no drawn row can overthrow."""
        if self.step == "constant":
            # ‖L⁻¹φ‖² of every row and block, by random projection to a few numbers.
            sketched = scores(rows.table, self._sketch, self.features, threads).reshape(-1, len(self.blocks), _SKETCH)
            leverage = np.square(sketched).sum(axis=2).max(axis=1)
            rows.prefer(leverage)
            self._step_size = 1.0 / (1.0 + _SAFETY * self._worst(rows, leverage))

    def _worst(self, rows: RowSampler, leverage: Vector) -> float:
        """The most that one drawn row can add to the preconditioned curvature of a batch."""
        row_weight = 2 * np.append(self.splits.class_weight, 2 * np.mean(1 - self.labelled_weight))
        worst = 0.0
        for group, members in enumerate(rows.members):
            if not rows.comes_whole(group, self.batch_size):
                share = rows.shares[group] / rows.batch(group, self.batch_size)
                worst = max(worst, float(row_weight[group] * np.max(share * leverage[members])))
        return worst

    def run(self, rows: RowSampler, run: Run) -> None:
        """Steps until ``run`` has had enough."""
        for _ in run.iterations():
            run.report(risk=self.advance(rows))

    def advance(self, rows: RowSampler) -> float:
        """One step; returns the data risk of its batch before the step."""
        bits = np.random.Philox(key=np.array([self.seed, self.steps], dtype=np.uint64))
        batch, codes, shares = rows.draw(np.random.Generator(bits), self.batch_size)
        columns = self.blocks[self.steps % len(self.blocks)]
        with pool.single_threaded_blas():
            mapped = self.features.transform(batch)
            risk, slopes = batch_risk(mapped @ self.current, codes, shares, self.splits, self.labelled_weight)
            gradient = mapped[:, columns].T @ slopes
        if not np.isfinite(risk):
            raise DivergedError(
                f"The batch risk is not finite at step {self.steps + 1} of the stochastic solver: raise "
                "regularization, or use step='constant' or solver='exact'."
            )
        self.steps += 1
        if self.step == "constant":
            slope = gradient + self.regularization * self.current[columns]
            factor = self._factors[(self.steps - 1) % len(self.blocks)]
            self.current[columns] -= self._step_size * scipy.linalg.cho_solve(factor, slope, check_finite=False)
            self.average += 2.0 / (self.steps + 2) * (self.current - self.average)
        else:
            theta = _DECAY / self.regularization
            size = theta / (self.steps + theta * (self._curvature + self.regularization))
            self.current *= 1 - size * self.regularization
            self.current[columns] -= size * len(self.current) / len(columns) * gradient
        return risk


def _cholesky(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    try:
        factor: NDArray[np.float64] = scipy.linalg.cholesky(matrix, lower=True)
    except (np.linalg.LinAlgError, ValueError):
        raise DivergedError(
            "the risk has no minimum along some direction of the features; raise regularization or lower "
            "unlabelled_weight."
        ) from None
    return factor


class _Columns:
    """Some columns of a feature map, as a map of their own."""

    def __init__(self, features: FeatureMap, columns: NDArray[np.intp]) -> None:
        self.features = features
        self.columns = columns

    @property
    def size(self) -> int:
        return len(self.columns)

    def transform(self, rows: Any) -> Matrix:
        return self.features.transform(rows)[:, self.columns]


def feature_blocks(features: FeatureMap) -> Iterator[NDArray[np.intp]]:
    """Columns of every block: cosine and sine of a frequency stay together."""
    if isinstance(features, FourierFeatures):
        m = features.frequencies
        for a, b in pool.even_chunks(m, BLOCK_FEATURES // 2):
            yield np.concatenate([np.arange(a, b), np.arange(m + a, m + b)])
    else:
        for a, b in pool.even_chunks(features.size, BLOCK_FEATURES):
            yield np.arange(a, b)


class Reservoir:
    """A bounded, even sample of an endless stream of rows (Vitter's algorithm R)."""

    def __init__(self, capacity: int, seed: int) -> None:
        self.capacity = capacity
        self.seen = 0
        self.rows: list[Any] = []
        self.weights: list[float] = []
        self._generator = np.random.default_rng(seed)

    def add(self, table: Any, weights: Vector) -> None:
        """See the rows of a table in order; row number s of the stream is kept with chance capacity / s."""
        first = min(self.capacity - len(self.rows), table.shape[0])
        self.rows += [table[[number]] for number in range(first)]
        self.weights += weights[:first].tolist()
        later = np.arange(first, table.shape[0])
        slots = self._generator.integers(self.seen + later + 1)
        for number, index in zip(later[slots < self.capacity], slots[slots < self.capacity]):
            self.rows[index] = table[[number]]
            self.weights[index] = float(weights[number])
        self.seen += table.shape[0]

    def stack(self) -> Any:
        if any(sp.issparse(row) for row in self.rows):
            return sp.vstack([sp.csr_array(row) for row in self.rows], format="csr")
        return np.concatenate(self.rows)
