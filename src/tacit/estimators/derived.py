"""A cache of what a fitted model computes from its arrays, valid as long as it holds the same array objects."""

from collections.abc import Callable
from operator import is_
from typing import Any, TypeVar

from numpy.typing import NDArray

Array = NDArray[Any]
Value = TypeVar("Value")


class Derived:
    """Values by name, each with the arrays from which it was computed.

    A learned array is replaced and never written to, so the same object means the same numbers. Two threads that ask
    at once may both compute; either result is right.

    >>> import numpy as np
    >>> factors, derived = np.ones((2, 3)), Derived()
    >>> float(derived.of("sum", (factors,), factors.sum)), float(derived.of("sum", (factors,), lambda: 0.0))
    (6.0, 6.0)
    """

    def __init__(self) -> None:
        self._held: dict[str, tuple[tuple[Any, ...], Any]] = {}

    def of(self, name: str, arrays: tuple[Any, ...], compute: Callable[[], Value]) -> Value:
        """What ``compute`` gives for these arrays."""
        held = self._held.get(name)
        if held is None or not _same(held[0], arrays):
            held = self._held[name] = (arrays, compute())
        value: Value = held[1]
        return value

    def taken(self, name: str, arrays: tuple[Any, ...]) -> Any:
        """What was computed for these arrays, if it is there; it is not kept any longer."""
        held = self._held.get(name)
        if held is None or not _same(held[0], arrays):
            return None
        return self._held.pop(name)[1]

    def keep(self, name: str, arrays: tuple[Any, ...], value: Any) -> None:
        """Say what ``compute`` would give for these arrays, where that is known without it."""
        self._held[name] = (arrays, value)


def _same(some: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))
