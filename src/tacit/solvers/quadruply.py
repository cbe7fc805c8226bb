"""QS³ORAO as printed (Algorithms 1 and 2): fresh frequencies at every step, and coefficients that grow with t.

Step i draws a batch from every class and from the unlabelled rows, scores it with all steps before (Algorithm 2), draws
new frequencies ω_i from a seed of its own, and keeps

    α_i = −η_i Σ_x l'(x) φ_{ω_i}(x),        η_i = θ / i,  θλ = 1.5 in (1, 2)              (Eq. 13, line 11)
    α_j ← (1 − η_i λ) α_j   for j < i                                                     (Eq. 14, line 12)
    f(x) = Σ_i ⟨α_i, φ_{ω_i}(x)⟩,     φ_ω(x) = m^(−½) [cos ω₁ᵀx … cos ω_mᵀx, sin ω₁ᵀx … sin ω_mᵀx]   (Eq. 12)

where l'(x) is the derivative of the batch's risk by f(x), the sum of l'₁ … l'₆ over the pairs that x is in. Two slips
of the print are corrected. Eq. 14 lets every coefficient decay by the step at which it was made, η_j, once and for all;
the gradient step f ← f − η_i (ζ_i + λ f) that it is to implement multiplies all of them by the current 1 − η_i λ. And
Eq. 13 swaps two points: l'₅ belongs to the unlabelled row and l'₆ to the negative one, as in Eq. 10.

Nothing is approximated by a fixed set of features: f_t approaches the minimiser in the kernel's own space, with a
squared error of O(1/t) (Theorem 1), at the price of O(t²) work and 2mt numbers. All steps together are a Fourier map of
m·t frequencies in blocks of m, so the model scores and saves like any other. ``tacit.solvers.stochastic`` instead
keeps one set of features and converges to its minimiser.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import threads as pool
from tacit.errors import DivergedError
from tacit.features.fourier import FourierFeatures
from tacit.features.scaling import Scaling
from tacit.objective.pairwise import Splits, batch_risk
from tacit.progress import Run
from tacit.solvers.stochastic import RowSampler

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

THETA_LAMBDA = 1.5
"""θλ; Lemma 3 asks for a number between 1 and 2."""


class QuadruplyStochastic:
    """The running state of Algorithm 1.

    Parameters
    ----------
    kernel, size, bandwidth, scaling : m = ``size`` frequencies of this kernel at every step
    splits, labelled_weight, regularization : the objective of ``tacit.objective.pairwise``
    batch_size : rows drawn per class and step
    seed : step i depends on (seed, i) alone
    """

    def __init__(
        self, kernel: str, size: int, bandwidth: float, scaling: Scaling, splits: Splits, labelled_weight: Vector,
        regularization: float, *, batch_size: int = 128, seed: int = 0,
    ) -> None:  # fmt: skip
        self.size = size
        self.splits = splits
        self.labelled_weight = labelled_weight
        self.regularization = regularization
        self.batch_size = batch_size
        self.seed = seed
        self.alphas: list[Vector] = []
        self._frequencies = FourierFeatures(kernel, size, bandwidth, seed, scaling, block=size)

    @property
    def steps(self) -> int:
        return len(self.alphas)

    @property
    def coefficients(self) -> Vector:
        """α_1 … α_t as coefficients of a Fourier map of t·m frequencies: all cosines, then all sines, times √t."""
        pairs = np.stack(self.alphas).reshape(self.steps, 2, self.size)
        return np.asarray(self.steps**0.5 * pairs.transpose(1, 0, 2).ravel())

    def score(self, rows: Any) -> Vector:
        """f of every row, step by step (Algorithm 2)."""
        result = np.zeros(rows.shape[0])
        for number, alpha in enumerate(self.alphas):
            result += self._mapped(rows, number) @ alpha
        return result

    def run(self, rows: RowSampler, run: Run) -> None:
        """Take steps until ``run`` ends."""
        for _ in run.iterations():
            run.report(risk=self.advance(rows))

    def advance(self, rows: RowSampler) -> float:
        """One step; returns the data risk of its batch before the step."""
        number = self.steps
        bits = np.random.Philox(key=np.array([self.seed, number], dtype=np.uint64))
        batch, codes, shares = rows.draw(np.random.Generator(bits), self.batch_size)
        with pool.single_threaded_blas():
            risk, slopes = batch_risk(self.score(batch), codes, shares, self.splits, self.labelled_weight)
            if not np.isfinite(risk):
                raise DivergedError(
                    f"The batch risk is not finite at step {number + 1} of QS³ORAO: raise regularization, or use "
                    "step='constant' or solver='exact'."
                )
            rate = THETA_LAMBDA / self.regularization / (number + 1)
            for alpha in self.alphas:
                alpha *= 1 - rate * self.regularization
            self.alphas.append(-rate * (self._mapped(batch, number).T @ slopes))
        return risk

    def _mapped(self, rows: Any, number: int) -> Matrix:
        return self._frequencies.transform_block(rows, number)
