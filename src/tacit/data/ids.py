"""Ids: the caller's own names for rows and columns, and their numbers 0..n-1.

Ids are of any hashable kind and come back out as they went in. Whole numbers are kept as one int64 array, all other
kinds as Python objects; a bare matrix has the row numbers themselves as ids and stores nothing.
"""

import base64
import datetime
import decimal
import json
import uuid
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tacit import checks
from tacit.errors import InputError, ModelFileError, UnknownIdError

Array = NDArray[Any]


class Ids:
    """Distinct ids in order, with the way back from an id to its number.

    >>> ids = Ids(["anna", "bert"])
    >>> ids.numbers(["bert", "nobody"])
    array([ 1, -1])
    >>> list(ids.take([1, 0]))
    ['bert', 'anna']
    """

    _room: Array | None = None

    def __init__(self, values: Iterable[Hashable] | Array, name: str = "ids") -> None:
        self.name = name
        self.values: Array | None = _as_values(values, name)
        self._length = len(self.values)
        self._numbers: dict[Hashable, int] | None = None
        self._order: Array | None = None
        if self._count_distinct() != self._length:
            seen: set[Hashable] = set()
            twice = next(v for v in self.values.tolist() if v in seen or seen.add(v))  # type: ignore[func-returns-value]
            raise InputError(f"{name} must be distinct, but {twice!r} occurs more than once.")

    @classmethod
    def of_distinct(cls, values: Iterable[Hashable] | Array, name: str = "ids") -> "Ids":
        """Ids that are known to be distinct: the check, and its table of a million entries, are saved."""
        ids = cls.__new__(cls)
        ids.name, ids._numbers, ids._order = name, None, None
        ids.values = _as_values(values, name)
        ids._length = len(ids.values)
        return ids

    @classmethod
    def range(cls, length: int, name: str = "ids") -> "Ids":
        """The numbers 0..length-1 as their own ids."""
        ids = cls.__new__(cls)
        ids.name, ids.values, ids._length, ids._numbers, ids._order = name, None, int(length), None, None
        return ids

    @property
    def is_range(self) -> bool:
        return self.values is None

    @property
    def is_numeric(self) -> bool:
        return self.values is None or self.values.dtype != object

    @property
    def is_text(self) -> bool:
        """By the first one: ids of one table are of one kind. Those that are neither are truths, decimals or dates."""
        return len(self) > 0 and isinstance(self[0], str)

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ids) or len(self) != len(other):
            return NotImplemented if not isinstance(other, Ids) else False
        return bool(np.array_equal(self.all(), other.all()))

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.all().tolist())

    def __getitem__(self, index: Any) -> Any:
        """One id by its number (from the end when negative), or an array of them by a slice, a list or a mask."""
        try:
            result = self.all()[index]
        except IndexError:
            raise InputError(f"{self.name}: there is no place {index!r} among {len(self)} ids.") from None
        return result.item() if isinstance(result, np.generic) else result

    def __repr__(self) -> str:
        """
        >>> Ids(["anna", "bert", "carl", "dora", "eve"], "row")
        Ids of row: 5, 'anna', 'bert', 'carl', …, 'eve'
        """
        shown = [repr(self[index]) for index in range(min(3, len(self)))]
        if len(self) > 4:
            shown.append("…")
        shown += [repr(self[len(self) - 1])] if len(self) > 3 else []
        return ", ".join([f"Ids of {self.name}: {len(self):,}", *shown])

    def __contains__(self, value: object) -> bool:
        return self._find(value) >= 0

    def all(self) -> Array:
        """Every id, in order."""
        return np.arange(self._length) if self.values is None else self.values

    def _lookup(self) -> dict[Hashable, int]:
        if self._numbers is None:
            assert self.values is not None
            try:
                self._numbers = {value: number for number, value in enumerate(self.values.tolist())}
            except TypeError:
                raise InputError(
                    f"{self.name} must be hashable to serve as ids (text, numbers, dates, tuples), not lists or tables."
                ) from None
        return self._numbers

    def _count_distinct(self) -> int:
        assert self.values is not None
        return len(np.unique(self.values)) if self.is_numeric else len(self._lookup())

    def _search(self, values: Array) -> NDArray[np.int64]:
        """Numbers of whole-number ids by bisection: a million at once without a Python object each."""
        assert self.values is not None
        if len(self.values) == 0:
            return np.full(len(values), -1, dtype=np.int64)
        if self._order is None:
            self._order = np.argsort(self.values)
        places = np.searchsorted(self.values, values, sorter=self._order)
        numbers = self._order[np.minimum(places, len(self.values) - 1)]
        return np.where(self.values[numbers] == values, numbers, -1)

    def _find(self, value: Any) -> int:
        if isinstance(value, np.generic):
            value = value.item()
        if self.values is None:
            whole = isinstance(value, int) and not isinstance(value, bool)
            return value if whole and 0 <= value < self._length else -1
        try:
            number = self._lookup().get(value, -1)
            return number if number < self._length else -1
        except TypeError:
            raise InputError(
                f"{self.name}: {checks.shown(value)} cannot be an id because it is not hashable."
            ) from None

    def numbers(self, values: Iterable[Any] | Array) -> NDArray[np.int64]:
        """Numbers of these ids, -1 for those that are unknown."""
        if self.is_numeric and isinstance(values, np.ndarray) and values.dtype.kind == "i" and values.ndim == 1:
            wanted = values.astype(np.int64)
            if self.values is not None and (self._numbers is None or len(wanted) > _FEW):
                return self._search(wanted)
            if self.values is not None:
                return np.fromiter(map(self._find, wanted.tolist()), dtype=np.int64, count=len(wanted))
            return np.where((wanted >= 0) & (wanted < self._length), wanted, -1)
        return np.fromiter((self._find(value) for value in values), dtype=np.int64)

    def few(self, values: list[int] | list[str]) -> list[int]:
        """``numbers`` of a few whole numbers or texts, in less time than their array would take.

        >>> Ids(["anna", "bert"]).few(["bert", "nobody"])
        [1, -1]
        """
        length = self._length
        if self.values is None:
            return [value if isinstance(value, int) and 0 <= value < length else -1 for value in values]
        if self.is_numeric and self._numbers is None:
            numbers: list[int] = self.numbers(np.array(values, dtype=np.int64)).tolist()
            return numbers
        table = self._lookup()
        known = [table.get(value, -1) for value in values]
        return [number if number < length else -1 for number in known]

    def require(self, values: Iterable[Any] | Array) -> NDArray[np.int64]:
        """Numbers of these ids; an unknown one is an error that names it."""
        values = values if isinstance(values, np.ndarray) else checks.listed("ids", values)
        numbers = self.numbers(values)
        unknown = (numbers < 0).nonzero()[0]
        if len(unknown):
            first = values[int(unknown[0])]
            first = first.item() if isinstance(first, np.generic) else first
            more = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
            # Ids may be people's: the sentence shows none but the caller's own.
            kind = f" (0 to {len(self) - 1})" if self.is_range else " (whole numbers)" if self.is_numeric else ""
            raise UnknownIdError(
                f"{self.name}: {checks.shown(first)}{more} is unknown to this model, which knows {len(self)} ids{kind}",
                "check the spelling and type; new ids join by add, fold_in or partial_fit, where the model has them.",
            )
        return numbers

    def take(self, numbers: Iterable[int] | Array) -> Array:
        """Ids of these numbers (any shape); a negative number gives -1 for whole-number ids, None for others."""
        numbers = np.asarray(numbers, dtype=np.int64)
        if self.values is None:
            return np.maximum(numbers, -1)
        if len(self.values) == 0:
            empty: Array = np.full(numbers.shape, -1 if self.is_numeric else None, dtype=self.values.dtype)
            return empty
        taken = self.values[np.maximum(numbers, 0)]
        taken[numbers < 0] = -1 if self.is_numeric else None
        return taken

    def appended(self, value: Hashable) -> "Ids":
        """These ids and one more, at no cost in their number: both share one table, in which older ids see less.

        >>> few = Ids(["anna"])
        >>> more = few.appended("bert")
        >>> more.numbers(["bert"]), few.numbers(["bert"])
        (array([1]), array([-1]))
        """
        new = _as_values([value], self.name)
        if self.values is None and new.dtype != object and new[0] == self._length:
            return Ids.range(self._length + 1, self.name)
        if self.values is None or self.values.dtype != new.dtype or len(self._lookup()) != self._length:
            return self.extended([value])  # another kind of ids, or somebody else has grown the table already
        room = self._room
        if room is None or len(room) == self._length:
            room = np.empty(2 * self._length + 16, dtype=self.values.dtype)
            room[: self._length] = self.values
        room[self._length] = new[0]
        grown = Ids.__new__(Ids)
        grown.name, grown._length, grown._order = self.name, self._length + 1, None
        grown.values, grown._numbers, grown._room = room[: grown._length], self._lookup(), room
        grown._numbers[new.tolist()[0]] = self._length
        return grown

    def extended(self, values: Iterable[Hashable]) -> "Ids":
        """These ids followed by new ones."""
        new = _as_values(values, self.name)
        if self.is_numeric and new.dtype != object:
            return Ids(np.concatenate((self.all(), new)), self.name)
        return Ids([*self.all().tolist(), *new.tolist()], self.name)

    # -- to and from a model file ------------------------------------------------------------------------------

    def to_arrays(self) -> dict[str, Array]:
        """Arrays that hold these ids; the keys say which kind they are."""
        if self.values is None:
            return {"range": np.array([self._length], dtype=np.int64)}
        if self.is_numeric:
            return {"whole": np.ascontiguousarray(self.values)}
        values = self.values.tolist()
        if all(type(value) is str for value in values):
            encoded = [value.encode("utf-8", "surrogatepass") for value in values]
            offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
            return {"text": np.frombuffer(b"".join(encoded), dtype=np.uint8), "offsets": offsets}
        tagged = json.dumps([_tag(value, self.name) for value in values], separators=(",", ":"))
        return {"tagged": np.frombuffer(tagged.encode("utf-8"), dtype=np.uint8)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], name: str = "ids") -> "Ids":
        """The inverse of ``to_arrays``; whatever it cannot have made is refused."""
        try:
            return cls._from_arrays(arrays, name)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
            raise ModelFileError(f"{name}: these ids are damaged ({type(error).__name__}: {error}).") from error

    @classmethod
    def _from_arrays(cls, arrays: Mapping[str, Array], name: str) -> "Ids":
        if "range" in arrays:
            (length,) = _of_type(arrays["range"], np.int64).tolist()
            if not 0 <= length <= _LONGEST_RANGE:
                raise ValueError(f"a range of {length}")
            return cls.range(length, name)
        if "whole" in arrays:
            return cls(_of_type(arrays["whole"], np.int64), name)
        if "text" in arrays:
            data = _of_type(arrays["text"], np.uint8).tobytes()
            offsets = _of_type(arrays["offsets"], np.int64)
            # Compared, not subtracted: differences can overflow.
            falls = len(offsets) == 0 or np.any(offsets[1:] < offsets[:-1])
            if falls or offsets[0] != 0 or offsets[-1] != len(data):
                raise ValueError("offsets that do not fit the text")
            return cls(_cut(data, offsets), name)
        return cls([_untag(value) for value in json.loads(_of_type(arrays["tagged"], np.uint8).tobytes())], name)


def as_ids(values: "Ids | Iterable[Hashable] | Array", name: str = "ids") -> Ids:
    """``Ids`` as they are, or of any sequence of distinct ids."""
    if isinstance(values, Ids):
        return values
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InputError(f"{name} must be a list of ids, not {values!r}; put one id in a list.")
    return Ids(values, name)


def _cut(data: bytes, offsets: Array) -> Array:
    """The texts between the offsets, as objects."""
    texts = np.empty(len(offsets) - 1, dtype=object)
    if data.isascii():
        # Letters are bytes: one text is cut, which takes a third of the time.
        whole = data.decode("ascii")
        texts[:] = [whole[a:b] for a, b in pairwise(offsets.tolist())]
    else:
        texts[:] = [data[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(offsets.tolist())]
    return texts


_LONGEST_RANGE = 2**40
_FEW = 64
"""Whole-number ids up to which a table that is there already is quicker than sorting all ids for a bisection."""


def _of_type(array: Array, dtype: DTypeLike) -> Array:
    if array.ndim != 1 or array.dtype != dtype:
        raise TypeError(f"{array.dtype} of shape {array.shape}")
    return array


def _as_values(values: Iterable[Hashable] | Array, name: str) -> Array:
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        if values.ndim != 1:
            raise InputError(f"{name} must be one-dimensional, not of shape {values.shape}.")
        if values.dtype.kind == "i" or not len(values) or values.max() < 2**63:
            return values.astype(np.int64)
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        values = values.astype("datetime64[us]")  # finer units would come out as bare whole numbers
    listed = values.tolist() if isinstance(values, np.ndarray) else checks.listed("ids", values)
    if not all(type(value) is str for value in listed):
        listed = [value.item() if isinstance(value, np.generic) else value for value in listed]
    if listed and all(type(value) is int and -(2**63) <= value < 2**63 for value in listed):
        return np.array(listed, dtype=np.int64)
    # np.array would turn tuples into a second dimension.
    return np.fromiter(listed, dtype=object, count=len(listed))


_TAGS: dict[type, str] = {
    datetime.datetime: "datetime",
    datetime.date: "date",
    datetime.time: "time",
    uuid.UUID: "uuid",
    decimal.Decimal: "decimal",
    bytes: "bytes",
    tuple: "tuple",
}


def _tag(value: Any, name: str) -> Any:
    """JSON for an id that is neither a whole number nor text; plain JSON values stand for themselves."""
    kind = _TAGS.get(type(value))
    if kind is None:
        if value is None or type(value) in (str, int, bool, float):
            return value
        raise InputError(
            f"{name}: ids of type {type(value).__name__} (such as {value!r}) cannot be saved; "
            "use text, numbers, dates, UUIDs or tuples of these as ids."
        )
    if kind == "tuple":
        return {"tuple": [_tag(part, name) for part in value]}
    if kind == "bytes":
        return {"bytes": base64.b64encode(value).decode("ascii")}
    return {kind: value.isoformat() if hasattr(value, "isoformat") else str(value)}


def _untag(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    match kind:
        case "tuple":
            return tuple(_untag(part) for part in content)
        case "bytes":
            return base64.b64decode(content, validate=True)
        case "datetime":
            return datetime.datetime.fromisoformat(content)
        case "date":
            return datetime.date.fromisoformat(content)
        case "time":
            return datetime.time.fromisoformat(content)
        case "uuid":
            return uuid.UUID(content)
        case "decimal":
            return decimal.Decimal(content)
        case _:
            raise ValueError(f"an id of the unknown kind {kind!r}")
