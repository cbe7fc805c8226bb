"""Rows that are not in this process, and the one way to add something up over them.

A sum over the rows of a table is a fold: blocks of rows in a fixed order, each added to what the blocks before it gave.
Several folds, called lanes, run side by side. Where the table lies in memory, threads run the lanes; where it lies
elsewhere, the table does so itself, and only the sums come here. Both add the same blocks in the same order.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacit import threads as pool

Array = NDArray[Any]
State = TypeVar("State")
Numbers = NDArray[np.intp] | slice
Block = tuple[Numbers, tuple[Any, ...]]
"""Which rows, and what the step is told of them."""


@runtime_checkable
class Elsewhere(Protocol):
    """Dense rows that lie elsewhere."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    def __getitem__(self, rows: Numbers) -> Array:
        """A few rows, brought here."""

    def fold(self, step: Callable[..., State], start: State, lanes: Sequence[Sequence[Block]]) -> list[State]:
        """As the function of that name."""


def fold(
    table: Any, step: Callable[..., State], start: State, lanes: Sequence[Sequence[Block]], threads: int = 0
) -> list[State]:
    """For every lane, step(… step(start, first rows, …) …, last rows, …).

    ``step(state, rows, *told)`` returns the next state and leaves the given one as it was; it is a function of a
    module, since it may run in another process.

    >>> add = lambda total, rows, factor: total + factor * rows.sum(axis=0)
    >>> fold(np.eye(2), add, np.zeros(2), [[(slice(0, 1), (1,)), (slice(1, 2), (3,))]])
    [array([1., 3.])]
    """
    if isinstance(table, Elsewhere):
        return table.fold(step, start, lanes)

    def run(*lane: Block) -> State:
        return reduce(lambda state, block: step(state, table[block[0]], *block[1]), lane, start)

    return pool.run(run, [tuple(lane) for lane in lanes], threads)
