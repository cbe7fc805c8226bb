"""Random Fourier features that are regenerated from a seed, block by block.

A shift-invariant kernel is a mean of waves (Bochner): k(x, x') = E_ω cos(ωᵀ(x − x')). With m frequencies drawn from
the kernel's density,

    φ(x) = m^(−1/2) [cos ω₁ᵀx, …, cos ω_mᵀx, sin ω₁ᵀx, …, sin ω_mᵀx],     E ⟨φ(x), φ(x')⟩ = k(x, x').

    kernel       k(x, x')                        density of ω
    gaussian     exp(−‖x − x'‖² / (2 ℓ²))        normal, standard deviation 1/ℓ
    laplacian    exp(−‖x − x'‖₁ / ℓ)             Cauchy in every coordinate, scale 1/ℓ

Block b of the frequencies depends on (seed, b) alone: a model stores the seed, never the frequencies. Uniforms come
from Philox's raw bits and pass through the inverse distribution function, because NumPy promises the raw bits forever
but not its own normal variates: a model file must mean the same in ten years.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tacit.errors import InputError
from tacit.features.scaling import Scaling
from tacit.kernels.sincos import sincos

Matrix = NDArray[np.float64]

KERNELS = ("gaussian", "laplacian")
BLOCK = 64
"""Frequencies per block."""

_KEPT_NUMBERS = 1 << 23
"""Frequencies are kept during a run while they are fewer numbers than this (64 MiB), else made anew per block."""


def frequency_block(kernel: str, dimension: int, seed: int, block: int, size: int = BLOCK) -> Matrix:
    """``size`` frequencies of length scale 1 as columns, shape (dimension, size).

    >>> frequency_block("gaussian", 2, seed=0, block=5, size=3).shape
    (2, 3)
    """
    bits = np.random.Philox(key=np.array([seed, block], dtype=np.uint64)).random_raw(dimension * size)
    uniform = ((bits >> np.uint64(11)) + 0.5) * 2.0**-53
    draws: Matrix = ndtri(uniform) if kernel == "gaussian" else np.tan(np.pi * (uniform - 0.5))
    return draws.reshape(size, dimension).T


class FourierFeatures:
    """The map φ for scaled rows, in blocks of frequencies.

    Parameters
    ----------
    kernel : "gaussian" or "laplacian"
    frequencies : m; the map has 2m features
    bandwidth : ℓ, in units of the scaled columns
    seed : from which every block is made
    scaling : mean and scale of the columns
    block : frequencies per block

    >>> unit = Scaling(np.zeros(2), np.ones(2), np.ones(2))
    >>> phi = FourierFeatures("gaussian", 5000, 1.0, 0, unit).transform(np.array([[0.0, 0.0], [1.0, 0.5]]))
    >>> bool(abs(phi[0] @ phi[1] - np.exp(-1.25 / 2)) < 0.02)
    True
    """

    def __init__(
        self, kernel: str, frequencies: int, bandwidth: float, seed: int, scaling: Scaling, block: int = BLOCK
    ) -> None:
        if kernel not in KERNELS:
            raise InputError(f"kernel must be one of {', '.join(KERNELS)} for Fourier features, not {kernel!r}.")
        self.kernel = kernel
        self.frequencies = frequencies
        self.bandwidth = bandwidth
        self.seed = seed
        self.scaling = scaling
        self.block = block
        self._cached: dict[int, tuple[Matrix, NDArray[np.float64]]] = {}

    @property
    def size(self) -> int:
        return 2 * self.frequencies

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """Borders of the blocks of frequencies."""
        return [(a, min(a + self.block, self.frequencies)) for a in range(0, self.frequencies, self.block)]

    def transform(self, rows: Any) -> Matrix:
        """(n, d) → (n, 2m): all cosines, then all sines."""
        dimension = len(self.scaling.mean)
        if dimension * self.frequencies <= _KEPT_NUMBERS:
            phases = np.asarray(rows @ self._kept[0]) - self._kept[1]
        else:
            phases = np.empty((rows.shape[0], self.frequencies))
            for block, (a, b) in enumerate(self.blocks):
                directions, offset = self._directions(block)
                phases[:, a:b] = rows @ directions - offset
        out = np.empty((rows.shape[0], self.size))
        sincos(phases, self.frequencies**-0.5, out)
        return out

    def transform_block(self, rows: Any, block: int) -> Matrix:
        """One block's own map, (n, d) → (n, 2·block size), scaled as if its frequencies were all there are.

        Blocks beyond ``frequencies`` are there too: their number is without end.
        """
        if block not in self._cached:
            made = self._made(block, self.block)
            if (len(self._cached) + 1) * made[0].size > _KEPT_NUMBERS:
                self._cached.clear()
            self._cached[block] = made
        directions, offset = self._cached[block]
        phases = np.asarray(rows @ directions) - offset
        out = np.empty((rows.shape[0], 2 * phases.shape[1]))
        sincos(phases, phases.shape[1] ** -0.5, out)
        return out

    def _directions(self, block: int) -> tuple[Matrix, NDArray[np.float64]]:
        """Frequencies of a block for raw rows, and the phase that centring takes away."""
        start, end = self.blocks[block]
        return self._made(block, end - start)

    def _made(self, block: int, size: int) -> tuple[Matrix, NDArray[np.float64]]:
        draws = frequency_block(self.kernel, len(self.scaling.mean), self.seed, block, size)
        directions = np.ascontiguousarray(draws / (self.bandwidth * self.scaling.scale[:, None]))
        return directions, self.scaling.mean @ directions

    @cached_property
    def _kept(self) -> tuple[Matrix, NDArray[np.float64]]:
        parts = [self._directions(block) for block in range(len(self.blocks))]
        return np.concatenate([part[0] for part in parts], axis=1), np.concatenate([part[1] for part in parts])
