"""The hot kernels: what one call does, counted from its formula, and the call itself.

Operations are multiplications and additions of the formula; bytes are what it must touch: each gathered factor row
counts every time that it is gathered, from the level of memory that holds its matrix (``working_set``). Square roots,
divisions, cosines and comparisons count as one operation each, so that kernels full of them stay below their roof.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit import threads as pool
from tacit.data.matrix import as_csr
from tacit.kernels import positives as kernels
from tacit.objective.losses import resolve
from tacit.objective.side import weighted_moments
from tacit.objective.two_towers import TwoTowers
from tacit.objective.whole_data import WholeData
from tacit.threads import single_threaded_blas

FLOAT, INDEX = 4, 4


@dataclass(frozen=True)
class Work:
    """One call of a kernel: its operations, its bytes, the bytes of what it gathers from, and how to make the call."""

    operations: float
    bytes: float
    working_set: int
    call: Callable[[int], Any]
    unit: str
    count: int
    precision: str = "single"


def skewed(n: int, m: int, count: int, seed: int = 0, tail: float = 2.5) -> Any:
    """Positives of which few rows and columns have most; the larger ``tail``, the fewer columns."""
    rng = np.random.default_rng(seed)
    rows = np.minimum((n * rng.random(count) ** 1.5).astype(np.int64), n - 1)
    cols = np.minimum((m * rng.random(count) ** tail).astype(np.int64), m - 1)
    made = sp.csr_array((np.ones(count, np.float32), (rows, cols)), shape=(n, m))
    made.sum_duplicates()
    made.data[:] = 1
    return as_csr(made, "positives")


def whole_data(cells: Any, loss: str = "square", ridge: float = 1.0) -> WholeData:
    n, m = cells.shape
    return WholeData.build(
        cells,
        loss=resolve(loss),
        weight=np.ones(cells.nnz),
        target=np.ones(cells.nnz),
        row_weight=np.ones(n),
        col_weight=np.full(m, 15 * cells.nnz / (n * m)),
        unlabelled_target=0.0,
        row_ridge=np.full(n, ridge),
        col_ridge=np.full(m, ridge),
    )


def factors(size: int, g: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.1, (size, g)).astype(np.float32)


def positives_pass(n: int = 100_000, m: int = 20_000, count: int = 4_000_000, g: int = 64) -> Work:
    """Σ w ⟨q, p⟩ q over the positives of every row: what each step of conjugate gradient does with them.

    Per positive 2g operations for the score and 2g for the sum; g numbers of q, an index and a weight.
    """
    cells = skewed(n, m, count)
    P, Q, weight = factors(n, g), factors(m, g, 1), np.ones(cells.nnz, np.float32)
    out = np.zeros_like(P)
    side = whole_data(cells).rows
    chunks = side.chunks(g)

    def call(threads: int) -> None:
        def part(a: int, b: int) -> None:
            kernels.curvature_of_rows(a, b, side.indptr, side.indices, weight, P, Q, out)

        pool.run(part, chunks, threads)

    moved = cells.nnz * (g * FLOAT + INDEX + FLOAT) + 3 * n * g * FLOAT
    return Work(4.0 * g * cells.nnz, moved, Q.nbytes, call, "positives", cells.nnz)


def als_half(n: int = 100_000, m: int = 20_000, count: int = 4_000_000, g: int = 64, steps: int = 3) -> Work:
    """SideObjective a sweep: the cache QᵀBQ, then the residual and three steps of conjugate gradient for every row.

    Four passes over the positives, and per row four products with the cache of 2g² operations.
    """
    from tacit.solvers.als import RowSolver

    cells = skewed(n, m, count)
    P, Q = factors(n, g), factors(m, g, 1)
    side = whole_data(cells).rows
    passes = steps + 1

    def call(threads: int) -> None:
        with single_threaded_blas():
            RowSolver(side, g, "cg", steps, threads).improve(P, Q)

    operations = passes * (4.0 * g * cells.nnz + 2.0 * g * g * n) + 2.0 * g * g * m
    moved = passes * cells.nnz * (g * FLOAT + INDEX + 2 * FLOAT) + 4 * n * g * FLOAT + m * g * FLOAT
    return Work(operations, moved, Q.nbytes, call, "positives", cells.nnz)


def gram(n: int = 100_000, g: int = 64) -> Work:
    """FᵀWF: 2g² operations per row, which is read once."""
    F, weight = factors(n, g), np.ones(n, np.float32)

    def call(threads: int) -> None:
        with single_threaded_blas():
            weighted_moments(F, weight, threads, totals=False)

    return Work(2.0 * g * g * n, F.nbytes + weight.nbytes, F.nbytes, call, "rows", n)


def adagrad(n: int = 100_000, m: int = 20_000, count: int = 4_000_000, g: int = 64) -> Work:
    """One iteration of fBGD over both sides: gradient of the positives and of the caches, then the Adagrad step.

    Per side 4g operations a positive, 2g² per row for the cache, 2g² for the product with it, 6g for the step.
    """
    from tacit.progress import Run
    from tacit.solvers.alternation import alternate
    from tacit.solvers.descent import Adagrad

    cells = skewed(n, m, count)
    objective = whole_data(cells)

    def call(threads: int) -> None:
        with Run("adagrad", 1, progress=False) as run:
            alternate(towers, parameters, Adagrad(), run, n_threads=threads)

    towers = TwoTowers.of_ids(objective, g)
    parameters = towers.start(0)
    operations = 2 * 4.0 * g * cells.nnz + (n + m) * (4.0 * g * g + 6.0 * g)
    moved = 2 * cells.nnz * (g * FLOAT + INDEX + 2 * FLOAT) + 8 * (n + m) * g * FLOAT
    return Work(operations, moved, m * g * FLOAT, call, "positives", cells.nnz)


def top_k(n: int = 8_000, m: int = 50_000, g: int = 64, k: int = 10) -> Work:
    """Scores of all items in tiles, the ten best kept: 2g operations and one comparison per cell."""
    from tacit.neighbours.topk import top_k as search

    P, Q = factors(n, g), factors(m, g, 1)
    operations = (2.0 * g + 1) * n * m
    # A tile of 256 queries reads all items once; its scores stay in the cache that holds the tile.
    moved = (n / 256) * Q.nbytes + P.nbytes
    return Work(operations, moved, Q.nbytes, lambda threads: search(P, Q, k, threads=threads), "cells", n * m)


def counting(tokens: int = 2_000_000, words: int = 30_000, window: int = 8) -> Work:
    """Co-occurrences: 16 neighbours of every token, each one addition into the sums of the token's word."""
    from tacit.features.cooccurrence import count_pairs

    rng = np.random.default_rng(0)
    text = np.minimum((np.exp(rng.random(tokens) * np.log(words)) - 1).astype(np.int32), words - 1)
    pairs = 2 * window * tokens

    def call(threads: int) -> None:
        count_pairs(text, words, window=window, threads=threads)

    # The neighbour's number, then its sum is read and written.
    return Work(pairs, pairs * (INDEX + 2 * FLOAT), words * FLOAT, call, "pairs", pairs)


def stream(ratings: int = 1_000_000, k: int = 10) -> Work:
    """One round of diagonal NN-APA per rating, in order: prediction 2k, both sides 9k operations each.

    Rounds follow each other, so there is one thread. Both rows have k factors, k sums and a mark, read and written.
    """
    from tacit import RatingStream

    rng = np.random.default_rng(0)
    users = (6_000 * rng.random(ratings) ** 1.5).astype(np.int64)
    items = (3_700 * rng.random(ratings) ** 2).astype(np.int64)
    stars = rng.integers(1, 6, ratings).astype(float)

    def call(threads: int) -> None:
        RatingStream(k).partial_fit(users, items, stars)

    moved = ratings * (2 * 2 * (2 * k + 1) * FLOAT + 24)
    return Work(ratings * 20.0 * k, moved, (6_000 + 3_700) * (2 * k + 1) * FLOAT, call, "ratings", ratings)


def ordinal(n: int = 100_000, columns: int = 32, frequencies: int = 256) -> Work:
    """Means and second moments of Fourier features over all rows, which is the whole-data gradient of ranks.

    In double precision; per row 2dD operations for the phases, 2D cosines and sines, (2D)² for the moments, of which
    only one triangle is computed. The row is read once.
    """
    from tacit.features.fourier import FourierFeatures
    from tacit.features.scaling import Scaling
    from tacit.solvers.ordinal_exact import collect_moments

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, columns), dtype=np.float32)
    y = np.where(np.arange(n) < 500, rng.integers(0, 5, n), -1)
    weights = np.ones(n)
    features = FourierFeatures("gaussian", frequencies, 8.0, 0, Scaling.of(X, weights))

    def call(threads: int) -> None:
        collect_moments(X, y, weights, 5, features, threads=threads)

    width = 2 * frequencies
    operations = n * (2.0 * columns * frequencies + width + 1.0 * width * width)
    return Work(operations, X.nbytes, X.nbytes, call, "rows", n, "double")


KERNELS: dict[str, Callable[..., Work]] = {
    "positives, one pass": positives_pass,
    "ALS, half a sweep": als_half,
    "Gram cache": gram,
    "Adagrad iteration": adagrad,
    "top-k scoring": top_k,
    "co-occurrence counting": counting,
    "rating stream": stream,
    "ordinal moments": ordinal,
}
SEQUENTIAL = ("rating stream",)
"""Kernels whose order is part of their meaning: one thread whatever is asked."""
