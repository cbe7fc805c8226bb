"""Weighted means and second moments of mapped rows in one blocked, threaded pass.

Rows are taken in blocks that hold at most 2²² mapped numbers (32 MiB), so n×D never exists. Blocks are dealt to a
fixed number of lanes, which depends on D alone; every lane adds its blocks in order and the lanes are added in order:
the sums have the same bits at any number of threads.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit import threads as pool
from tacit.data.elsewhere import Block, fold

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Sums = tuple[Matrix, Matrix | None]

_BLOCK_NUMBERS = 1 << 22
_LANE_NUMBERS = 1 << 25


class FeatureMap(Protocol):
    """A map from rows (n, d), dense or sparse, to features (n, size)."""

    @property
    def size(self) -> int: ...

    def transform(self, rows: Any) -> Matrix: ...


def block_rows(features: FeatureMap, columns: int) -> int:
    """How many rows make a block: whichever is wider, the raw row or the mapped one, decides."""
    return max(16, _BLOCK_NUMBERS // max(features.size, columns))


def group_means(
    table: Any, rows: NDArray[np.intp], shares: Vector, groups: NDArray[np.intp], count: int, features: FeatureMap,
    threads: int = 0,
) -> Matrix:  # fmt: skip
    """Σ over the rows of each group of share·φ(x), shape (count, D)."""
    return _accumulate(table, rows, shares, groups, count, None, features, threads)[0]


def moments(
    table: Any, rows: NDArray[np.intp], shares: Vector, groups: NDArray[np.intp], count: int, second_shares: Vector,
    features: FeatureMap, threads: int = 0,
) -> tuple[Matrix, Matrix]:  # fmt: skip
    """Group means, and Σ over all rows of second_share·φ(x) φ(x)ᵀ, shape (D, D).

    ``shares``, ``groups`` and ``second_shares`` have one entry per entry of ``rows``.
    """
    means, second = _accumulate(table, rows, shares, groups, count, second_shares, features, threads)
    assert second is not None
    return means, second


def scores(table: Any, coefficients: Matrix, features: FeatureMap, threads: int = 0) -> Matrix:
    """φ(x)·w for every row of the table; ``coefficients`` is (D,) or (D, columns)."""
    chunks = pool.even_chunks(table.shape[0], block_rows(features, table.shape[1]))
    with pool.single_threaded_blas():
        parts = pool.run(lambda a, b: features.transform(table[a:b]) @ coefficients, chunks, threads)
    return np.concatenate(parts) if parts else np.zeros((0, *coefficients.shape[1:]))


def _accumulate(
    table: Any, rows: NDArray[np.intp], shares: Vector, groups: NDArray[np.intp], count: int,
    second_shares: Vector | None, features: FeatureMap, threads: int,
) -> Sums:  # fmt: skip
    size = features.size
    chunks = pool.even_chunks(len(rows), block_rows(features, table.shape[1]))
    lanes = min(len(chunks), max(2, min(16, _LANE_NUMBERS // size**2)))
    everything = len(rows) == table.shape[0] and bool(np.all(np.diff(rows) == 1))
    blocks: list[Block] = [
        (
            slice(a, b) if everything else rows[a:b],
            (features, shares[a:b], groups[a:b], None if second_shares is None else second_shares[a:b]),
        )
        for a, b in chunks
    ]
    zero = np.zeros((count, size)), None if second_shares is None else np.zeros((size, size))
    with pool.single_threaded_blas():
        parts = fold(table, _with_block, zero, [blocks[number::lanes] for number in range(lanes)], threads)
    means, second = np.zeros_like(zero[0]), None if zero[1] is None else np.zeros_like(zero[1])
    for part_means, part_second in parts:
        means += part_means
        if second is not None and part_second is not None:
            second += part_second
    return means, second


def _with_block(
    state: Sums, rows: Any, features: FeatureMap, shares: Vector, groups: NDArray[np.intp], second_shares: Vector | None
) -> Sums:
    """Group means and second moment with one more block of rows."""
    means, second = state[0].copy(), state[1]
    mapped = features.transform(rows)
    for group in range(len(means)):
        members = groups == group
        if members.all():
            means[group] += shares @ mapped
        elif members.any():
            means[group] += shares[members] @ mapped[members]
    if second is not None and second_shares is not None:
        mapped *= np.sqrt(second_shares)[:, None]
        product = mapped.T @ mapped
        product += second
        second = product
    return means, second
