"""Alternating least squares over the whole data.

    repeat: for every row x solve A_x p_x = h_x with Q fixed; then the same for the columns with P fixed

For a loss that is not quadratic the row's problem is replaced by a quadratic that touches J where the row is and lies
above it (``kernels.losses.evaluate``), so that a sweep still never raises J.

Three ways to improve a row, each writing to the row's own factor only (kernels/als.py states A and h):

- ``cholesky``: exact, n_x g² + g³/3; for small g
- ``cg``: a few warm-started conjugate-gradient steps, n_x g each, the system is never formed
- ``blocks``: exact in blocks of ``BLOCK`` coordinates with cached predictions, n_x g·BLOCK + g·BLOCK² (iALS++)

``solve_exactly`` finishes the rows after the last sweep, so that folding in a training row gives back its factor.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit import threads
from tacit.errors import DivergedError, InputError, UnsoundCombinationError
from tacit.kernels import als as kernels
from tacit.objective.losses import LOSSES, Loss
from tacit.objective.side_objective import Block
from tacit.objective.vectors import inner
from tacit.objective.whole_data import Side
from tacit.solvers.alternation import Improved, Key, Solver
from tacit.solvers.conjugate import conjugate_gradient

Array = NDArray[Any]
Part = tuple[float, float]
"""By how much J fell in a chunk, and the squared norm of its gradient."""
Method = Literal["auto", "cholesky", "cg", "blocks"]
METHODS = ("auto", "cholesky", "cg", "blocks")

CHOLESKY_UP_TO = 16
"""Factors up to which an exact solve is cheaper than three conjugate-gradient steps."""

SOLVE_BY_CHOLESKY_UP_TO = 32
"""Factors up to which a complete solve by Cholesky is cheaper than conjugate gradient to ``SOLVED``."""

SOLVED = 3e-7
"""Residual, relative to the right-hand side, at which a row counts as solved in single precision."""

BLOCK = 64

ROUNDS = 60
"""Quadratics at most per complete solve of a loss that is not quadratic itself."""

SOLVED_IN_ROUND = 1e-1
"""Residual at which a row is done with one of these."""

SOLVED_IN_ROUNDS = 1e-4
"""Gradient, relative to that at zero, at which all rows count as solved."""


def choose(method: str, factors: int) -> str:
    """What ``auto`` stands for at this number of factors.

    >>> choose("auto", 8), choose("auto", 64)
    ('cholesky', 'cg')
    """
    if method not in METHODS:
        raise InputError(f"solver must be one of {', '.join(map(repr, METHODS))} within als, not {method!r}.")
    if method != "auto":
        return method
    return "cholesky" if factors <= CHOLESKY_UP_TO else "cg"


class RowSolver:
    """One side of the alternation: coefficients are prepared once, ``improve`` runs every sweep."""

    def __init__(
        self,
        side: Side,
        factors: int,
        method: str,
        steps: int,
        n_threads: int,
        loss: Loss = LOSSES["square"],
        *,
        alone: bool = False,
    ) -> None:
        self.side = side
        # Rows share a matrix product in conjugate gradient, whose rounding depends on how many they are.
        self._descend = kernels.conjugate_gradient_each if alone else kernels.conjugate_gradient_rows
        self.loss = loss
        self.steps = steps
        self.threads = n_threads
        # c and r, from which the kernels make w and v; a loss that is not quadratic has w and v put here (``_touch``).
        self.first, self.second = side.weight, side.target
        self.chunks = side.chunks(factors)
        width = factors if method == "cholesky" else BLOCK
        self.blocks = None if method == "cg" else threads.even_chunks(factors, width)

    def improve(self, own: Array, other: Array) -> tuple[float, float]:
        """Improve ``own`` in place; by how much J (or its majoriser) fell, and the squared norm of its gradient."""
        return summed(self.improve_parts(own, other))

    def improve_parts(self, own: Array, other: Array) -> list[Part]:
        """The same with both figures per chunk."""
        gram, offset = self.side.caches(other, self.threads)
        if self.loss.quadratic and self.blocks is None:
            return self._by_conjugate_gradient(own, other, gram, offset, self.steps, 0.0)
        scores = self.side.scores(own, other, self.threads)
        if not self.loss.quadratic:
            self._touch(scores)
        if self.blocks is None:
            return self._by_conjugate_gradient(own, other, gram, offset, self.steps, 0.0)
        return self._by_blocks(own, other, gram, offset, scores)

    def solve(self, own: Array, other: Array) -> None:
        """Set every row of ``own`` to the minimiser of J, wherever it was: both ways start from nothing.

        A loss that is not quadratic takes several quadratics, each touching J where the last one led, until the
        gradient has shrunk to ``SOLVED_IN_ROUNDS`` of what it was.
        """
        gram, offset = self.side.caches(other, self.threads)
        own[:] = 0
        self.blocks = [(0, own.shape[1])]
        first = None
        by_blocks = own.shape[1] <= SOLVE_BY_CHOLESKY_UP_TO
        scores = np.zeros(1, dtype=own.dtype)
        for _ in range(1 if self.loss.quadratic else ROUNDS):
            if not self.loss.quadratic:
                scores = self.side.scores(own, other, self.threads)
                self._touch(scores)
            if not by_blocks:
                enough = SOLVED if self.loss.quadratic else SOLVED_IN_ROUND
                parts = self._by_conjugate_gradient(own, other, gram, offset, 2 * own.shape[1], enough)
            else:
                parts = self._by_blocks(own, other, gram, offset, scores)
            _, gradient = summed(parts)
            first = gradient if first is None else first
            if gradient <= SOLVED_IN_ROUNDS**2 * first:
                break
        if not np.isfinite(own).all():
            raise DivergedError(
                "a factor leaves single precision; divide the weights of the positives by a common factor, "
                "or raise regularization."
            )

    def _touch(self, scores: Array) -> None:
        """w and v of the quadratic that touches φ at the scores: w = ½φ'' (majorised), v = w s − ½φ'."""
        _, slope, w = self.side.derivatives(self.loss, scores, bound=True, n_threads=self.threads)
        w /= 2
        slope /= -2
        slope += w * scores
        self.first, self.second = w, slope

    def _by_conjugate_gradient(
        self, own: Array, other: Array, gram: Array, offset: Array, steps: int, tolerance: float
    ) -> list[Part]:
        side = self.side
        parts: list[Part] = self._run(
            self._descend, side.indptr, side.indices, *self._coefficients, own, other, gram, offset, side.own_weight,
            side.ridge, steps, tolerance,
        )  # fmt: skip
        if not np.isfinite(summed(parts)[1]):
            # A row whose gradient overflows counts as done in the kernel and would be left where it is.
            raise DivergedError(
                "the gradient of the positives leaves single precision; divide their weights by a common factor, "
                "or give positive_weight='log'."
            )
        return parts

    def _by_blocks(self, own: Array, other: Array, gram: Array, offset: Array, scores: Array) -> list[Part]:
        side = self.side
        total = np.zeros((len(self.chunks), 2))
        for low, high in self.blocks or ():
            parts = self._run(
                kernels.block_rows, low, high, side.indptr, side.indices, *self._coefficients, scores, own, other,
                np.ascontiguousarray(gram[:, low:high]), offset, side.own_weight, side.ridge,
            )  # fmt: skip
            total += [part[:2] for part in parts]
            failed = sum(part[2] for part in parts)
            if failed:
                raise DivergedError(
                    f"the ridge term is too weak: {failed} of {side.rows} linear systems are not positive definite "
                    "in single precision; raise regularization."
                )
        return [(float(fall), float(gradient)) for fall, gradient in total]

    @property
    def _coefficients(self) -> tuple[Any, ...]:
        """What the kernels make w and v from: the two arrays, whether they are w and v already, b and t."""
        side = self.side
        return self.first, self.second, not self.loss.quadratic, side.other_weight, side.unlabelled_target

    def _run(self, kernel: Callable[..., Any], *arguments: Any) -> list[Any]:
        return threads.run(lambda start, stop: kernel(start, stop, *arguments), self.chunks, self.threads)


def summed(parts: Sequence[Part]) -> Part:
    """Fall and gradient of all chunks, added in their order."""
    return sum(part[0] for part in parts), sum(part[1] for part in parts)


def solve_exactly(side: Side, own: Array, other: Array, n_threads: int = 0, *, loss: Loss = LOSSES["square"]) -> None:
    """Set every row of ``own`` (n, g) to the minimiser of J given ``other`` (m, g)."""
    RowSolver(side, own.shape[1], "cholesky", 0, n_threads, loss).solve(own, other)


def solve_each(side: Side, own: Array, other: Array, n_threads: int = 0, *, loss: Loss = LOSSES["square"]) -> None:
    """The same, each row to the bits that it would get alone, however many are solved together."""
    if loss.quadratic:
        RowSolver(side, own.shape[1], "cholesky", 0, n_threads, loss, alone=True).solve(own, other)
        return
    for x in range(side.rows):
        # Rounds go on until all rows are solved: alone, then, in a call of its own.
        solve_exactly(side.only(x), own[x : x + 1], other, n_threads, loss=loss)


def require_majoriser(loss: Loss) -> None:
    """Refuse a loss that no quadratic is known to lie above."""
    if not loss.has_majoriser:
        raise UnsoundCombinationError(
            f"solver='als' needs a quadratic above the loss, but loss {loss.name!r} states no curvature_bound; "
            "give one, or use solver='newton'."
        )


class AlternatingLeastSquares(Solver):
    """The solver ``als`` for any tower, with or without a graph.

    Where rows are separate problems (ids only, no graph), each is improved by the row solver, in ``row_steps`` steps
    of conjugate gradient or exactly, as ``method`` says. Elsewhere a block takes ``steps`` of conjugate gradient on
    ℓ's quadratic majoriser, matrix-free and preconditioned by the diagonal, because features differ in frequency by
    orders of magnitude (LEML, GRALS). For the squared loss the majoriser is the loss; for others it touches J where we
    are and lies above it, so no number of steps can raise J and no line search is needed.
    """

    name = "als"
    bound = True

    def __init__(self, steps: int = 5, row_steps: int = 3, method: str = "auto") -> None:
        super().__init__()
        self.steps, self.row_steps, self.method = steps, row_steps, method
        self._rows: dict[Key, RowSolver] = {}

    def improve(self, block: Block, key: Key) -> Improved:
        require_majoriser(block.objective.loss)
        if block.rows_are_separate:
            return self._by_rows(block, key)
        here = block.here
        point = block.at(here)
        gradient = block.gradient(point, here)
        scale = np.maximum(block.diagonal(point), np.finfo(here.dtype).tiny)
        product = functools.partial(block.product, point)
        here += conjugate_gradient(product, gradient, steps=self.steps, tolerance=0.0, scale=scale)[0]
        return Improved(inner(gradient, gradient), value=block.at(here).value)

    def _by_rows(self, block: Block, key: Key) -> Improved:
        objective, factors = block.objective, block.tower.forward(block.theta)
        rows = self._rows.get(key)
        if rows is None or rows.side is not objective.side:
            method = choose(self.method, factors.shape[1])
            rows = RowSolver(
                objective.side, factors.shape[1], method, self.row_steps, objective.threads, objective.loss
            )
            self._rows[key] = rows
        fall, squared_norm = rows.improve(factors, objective.other)
        # What a step takes off a quadratic is known, so J need not be evaluated again.
        return Improved(squared_norm, fall=fall if objective.loss.quadratic else None)
