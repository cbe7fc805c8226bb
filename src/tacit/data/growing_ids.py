"""Ids that arrive one at a time and never leave: the stream's counterpart of ``Ids``.

Whole numbers live in a compiled hash table (about 40 bytes each, a million in some milliseconds), every other kind in
a dict. Equality is Python's: 1, 1.0 and True are one id.
"""

import math
from collections.abc import Hashable, Iterable
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import checks
from tacit.data.ids import Ids
from tacit.errors import InputError

Array = NDArray[Any]


class GrowingIds:
    """Distinct ids, numbered in order of arrival.

    >>> ids = GrowingIds("users")
    >>> ids.numbers(["anna", "bert", "anna"], add=True)
    array([0, 1, 0])
    >>> ids.number(7), ids.add(7), ids.number(7), len(ids)
    (-1, 2, 2, 3)
    """

    def __init__(self, name: str = "ids") -> None:
        self.name = name
        # Ids that are no whole numbers, and whole numbers that were asked for singly: ``dict.get`` is the quick way.
        self.seen: dict[Hashable, int] = {}
        self._others: dict[int, Hashable] = {}
        self._keys: NDArray[np.int64] = np.zeros(16, dtype=np.int64)
        self._numbers: NDArray[np.int64] = np.full(16, -1, dtype=np.int64)
        self._order: NDArray[np.int64] = np.zeros(8, dtype=np.int64)
        self._whole = 0
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def number(self, value: Any) -> int:
        """The number of an id, -1 when it is unknown."""
        result = self._get(value)
        if result is None:
            whole = _as_whole(value)
            result = -1 if whole is None else int(self._encode(np.array([whole]), add=False)[0])
            if result >= 0:
                self.seen[value] = result
        return result

    def add(self, value: Any) -> int:
        """The number of an id, which becomes known if it was not."""
        result = self.number(value)
        if result >= 0:
            return result
        value = value.item() if isinstance(value, np.generic) else value
        whole = _as_whole(value)
        if whole is not None:
            result = int(self._encode(np.array([whole]), add=True)[0])
        else:
            if value is None or (isinstance(value, float) and math.isnan(value)):
                raise InputError(
                    f"{self.name}: {checks.shown(value)} cannot be an id; leave out rows whose id is missing."
                )
            result = self._length
            self._others[result] = value
            self._length += 1
            self._reserve(self._length)
        self.seen[value] = result
        return result

    def numbers(self, values: Iterable[Any] | Array, *, add: bool = False) -> NDArray[np.int64]:
        """Numbers of many ids, in order; unknown ones are added, or get -1."""
        array = as_array(values, self.name)
        if array.ndim != 1:
            raise InputError(f"{self.name} must be one-dimensional, not of shape {array.shape}.")
        if array.dtype.kind in "bi" or (array.dtype.kind == "u" and array.dtype.itemsize < 8):
            return self._encode(np.array(array, dtype=np.int64), add=add)
        listed = array.tolist() if array.dtype.kind in "OUSfu" else list(array)
        try:
            result = np.fromiter(map(self.seen.get, listed, repeat(-1)), dtype=np.int64, count=len(listed))
        except TypeError:
            raise InputError(f"{self.name} must be hashable to serve as ids (text, numbers, dates, tuples).") from None
        number = self.add if add else self.number
        for index in np.flatnonzero(result < 0).tolist():
            result[index] = number(listed[index])
        return result

    def find(self, values: Iterable[Any] | Array, unknown: int, out: NDArray[np.int64] | None = None) -> Array:
        """Numbers of many ids, in order, and ``unknown`` for the others; in ``out`` if given, which is as long.

        Of whole numbers in an array in a single step, so that threads that ask side by side hardly meet.
        """
        array = as_array(values, self.name)
        if array.ndim != 1 or array.dtype != np.int64:
            result = self.numbers(array)
            result[result < 0] = unknown
            if out is None:
                return result
            out[:] = result
            return out
        from tacit.kernels.id_table import find

        out = np.empty(len(array), dtype=np.int64) if out is None else out
        find(self._keys, self._numbers, np.ascontiguousarray(array), unknown, out)
        return out

    def all(self) -> Array:
        """Every id in order: an int64 array, or objects as soon as one id is not a whole number."""
        if not self._others:
            return self._order[: self._length]
        values = np.empty(self._length, dtype=object)
        values[:] = self._order[: self._length].tolist()
        for number, value in self._others.items():
            values[number] = value
        return values

    def take(self, numbers: Array) -> Array:
        """Ids of these numbers (any shape); -1 gives -1 among whole-number ids and None among others."""
        if self._others and numbers.size < self._length:
            # All ids would have to be put together for a few.
            listed = (None if number < 0 else self._id(number) for number in numbers.ravel().tolist())
            return np.fromiter(listed, dtype=object, count=numbers.size).reshape(numbers.shape)
        taken = self.all()[np.maximum(numbers, 0)] if self._length else np.full(numbers.shape, -1)
        taken[numbers < 0] = -1 if not self._others else None
        return taken

    def _id(self, number: int) -> Hashable:
        return self._others[number] if number in self._others else int(self._order[number])

    def first(self, length: int) -> "GrowingIds":
        """These ids if there are ``length`` of them, else others that hold the first so many alone."""
        if length == self._length:
            return self
        ids = GrowingIds(self.name)
        ids.numbers(self.all()[:length], add=True)
        return ids

    def to_arrays(self) -> dict[str, Array]:
        """Arrays for a model file."""
        return Ids(self.all(), self.name).to_arrays()

    @classmethod
    def of(cls, ids: Ids) -> "GrowingIds":
        """Ids that are known from the start, in their order."""
        growing = cls(ids.name)
        growing.numbers(ids.all(), add=True)
        if len(growing) != len(ids):
            raise InputError(f"{ids.name} must be distinct, but some are equal as ids.")
        return growing

    def _get(self, value: Any) -> int | None:
        try:
            return self.seen.get(value)
        except TypeError:
            raise InputError(
                f"{self.name}: {checks.shown(value)} cannot be an id because it is not hashable."
            ) from None

    def _encode(self, values: NDArray[np.int64], *, add: bool) -> NDArray[np.int64]:
        from tacit.kernels.id_table import encode

        out = np.empty(len(values), dtype=np.int64)
        done = 0
        while True:
            done, self._length, self._whole = encode(
                self._keys, self._numbers, self._order, self._length, self._whole, values, out, done, add
            )
            if done == len(values):
                return out
            self._reserve(self._length + 1)
            if 2 * (self._whole + 1) > len(self._keys):
                self._rehash()

    def _reserve(self, length: int) -> None:
        if length > len(self._order):
            longer = np.zeros(2 * len(self._order), dtype=np.int64)
            longer[: len(self._order)] = self._order
            self._order = longer

    def _rehash(self) -> None:
        from tacit.kernels.id_table import move

        keys = np.zeros(4 * len(self._keys), dtype=np.int64)
        numbers = np.full(len(keys), -1, dtype=np.int64)
        move(self._keys, self._numbers, keys, numbers)
        self._keys, self._numbers = keys, numbers


def _as_whole(value: Any) -> int | None:
    """The whole number that an id is equal to, if it fits into 64 bits."""
    if isinstance(value, np.timedelta64):  # a whole number to NumPy
        return None
    if isinstance(value, int | np.integer) or (isinstance(value, float | np.floating) and float(value).is_integer()):
        whole = int(value)
        return whole if -(2**63) <= whole < 2**63 else None
    return None


def as_array(values: Iterable[Any] | Array, name: str) -> Array:
    """Ids as an array: int64 where all are whole numbers that fit, else as they come."""
    if isinstance(values, np.ndarray):
        return values
    if hasattr(values, "to_numpy") and not hasattr(values, "columns"):
        array: Array = np.asarray(values.to_numpy())
        return array
    listed = checks.listed(name, values)
    if all(type(value) is int for value in listed):
        try:
            return np.array(listed, dtype=np.int64)
        except OverflowError:
            pass
    return np.fromiter(listed, dtype=object, count=len(listed))
