"""The parts of a model file: arrays, ids, matrices, groups of them and whole models.

A part says under which name, with which dtype and shape and in which range an array may stand in a file, and is proved
both when it is read and when it is written. ``Proof`` keeps what has been proved so far: the sizes that were stated,
and the arrays that no part has claimed yet. ``schema.py`` puts parts together to the table of an estimator.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data import ids as data_ids
from tacit.data import matrix
from tacit.errors import InputError, ModelFileError

AnyArray = NDArray[Any]
Arrays = dict[str, AnyArray]

MOST_UNBACKED = 1 << 16
"""The largest size that may stand in a header without a byte of content for it."""
MAGNITUDES = {"f4": 1e12, "f8": 1e100}
"""The largest value unless a part says otherwise: squares and sums of millions of them stay finite."""
_BLOCK = 1 << 18


@dataclass
class Proof:
    """One model under proof.

    arrays : those of the file that no part has claimed yet
    sizes : stated so far; ``backed`` are those that content of the file stands for
    may_be_zero : sizes that need not be at least 1
    left_out : what a file that is written must not hold, of ``PERSONAL``
    """

    model: Any
    facts: dict[str, Any]
    arrays: Arrays
    sizes: dict[str, int]
    may_be_zero: tuple[str, ...] = ()
    backed: set[str] = field(default_factory=set)
    left_out: frozenset[str] = frozenset()

    def bind(self, size: str, value: int, where: str, *, backed: bool = False) -> None:
        """State a size, or agree with what was stated."""
        known = self.sizes.setdefault(size, value)
        if known != value:
            raise ModelFileError(f"{where} has {value} {size}, but the model has {known}")
        if value < 1 and size not in self.may_be_zero:
            raise ModelFileError(f"{where} has no {size}")
        if backed:
            self.backed.add(size)

    def take(self, name: str) -> AnyArray:
        if name not in self.arrays:
            raise ModelFileError(f"the array {name!r} is missing")
        return self.arrays.pop(name)

    def take_under(self, prefix: str) -> Arrays:
        """The arrays whose names begin so, by the rest of their names."""
        return {name.removeprefix(prefix): self.take(name) for name in [*self.arrays] if name.startswith(prefix)}

    def inner(self, arrays: Arrays, shared: tuple[str, ...], may_be_zero: tuple[str, ...]) -> "Proof":
        """The proof of something inside, for which the shared sizes are known."""
        sizes = {name: self.sizes[name] for name in shared}
        return Proof(self.model, self.facts, arrays, sizes, may_be_zero, set(shared))

    def finish(self, prefix: str = "") -> None:
        """Nothing is left over, and no size is a mere claim."""
        if self.arrays:
            raise ModelFileError(f"it has an unknown array {prefix + min(self.arrays)!r}")
        self.require_backed()

    def require_backed(self) -> None:
        """Refuse a size that nothing in the file stands for."""
        for size, value in self.sizes.items():
            if value > MOST_UNBACKED and size not in self.backed:
                raise ModelFileError(f"it claims {value} {size} and holds nothing for them")


class Part:
    """One part of a model, by the name under which ``_state`` gives it; ``optional`` ones may be None."""

    name: str
    optional: bool

    def open(self, proof: Proof) -> Any:
        """The part from the file's arrays, proved."""
        raise NotImplementedError

    def pack(self, value: Any, proof: Proof) -> Arrays:
        """The arrays that hold it, after the same proof."""
        raise NotImplementedError


@dataclass(frozen=True)
class Array(Part):
    """A dense array.

    dtype : ``"f4"``, ``"f8"``, ``"i4"`` or ``"i8"``
    shape : names of sizes
    least, most : of all values; floats are finite and by default within ``MAGNITUDES``
    below : a size that all values are below, and at least 0: what indexes
    ascending : each value above the one before it
    halves : a file may hold it in half precision; it is read as single precision
    """

    name: str
    dtype: str
    shape: tuple[str, ...]
    least: float | None = None
    most: float | None = None
    below: str | None = None
    ascending: bool = False
    optional: bool = False
    halves: bool = False

    def open(self, proof: Proof) -> AnyArray:
        value = proof.take(self.name)
        if self.halves and value.dtype == np.float16:
            value = value.astype(np.float32)
        return self._proved(value, proof)

    def pack(self, value: Any, proof: Proof) -> Arrays:
        proved = self._proved(np.asarray(value, dtype=self.dtype), proof)
        if self.halves and "single_precision" in proof.left_out:
            if np.abs(proved).max(initial=0.0) > np.finfo(np.float16).max:
                raise InputError(f"half_precision=True: {self.name} holds values beyond 65504; leave it away.")
            return {self.name: proved.astype(np.float16)}
        return {self.name: proved}

    def _proved(self, value: AnyArray, proof: Proof) -> AnyArray:
        _prove_shape(value, self.name, self.dtype, self.shape, proof)
        widest = MAGNITUDES.get(self.dtype)
        least = self.least if self.least is not None or widest is None else -widest
        most = self.most if self.most is not None else widest
        if self.below is not None:
            least, most = 0, proof.sizes[self.below] - 1
        _prove_range(value, self.name, least, most)
        if self.ascending and np.any(value[1:] <= value[:-1]):
            raise ModelFileError(f"{self.name} does not ascend")
        return value


@dataclass(frozen=True)
class Borders(Part):
    """Where consecutive pieces of ``of`` begin and the last one ends: int64 (pieces + 1,)."""

    name: str
    pieces: str
    of: str
    optional: bool = False

    def open(self, proof: Proof) -> AnyArray:
        return self._proved(proof.take(self.name), proof)

    def pack(self, value: Any, proof: Proof) -> Arrays:
        return {self.name: self._proved(np.asarray(value, dtype="i8"), proof)}

    def _proved(self, value: AnyArray, proof: Proof) -> AnyArray:
        _prove_borders(value, self.name, self.pieces, proof.sizes[self.of], proof)
        return value


@dataclass(frozen=True)
class Ids(Part):
    """Distinct ids, as many as ``size``; ``personal`` ones may be those of people."""

    name: str
    size: str
    optional: bool = False
    personal: bool = False

    def open(self, proof: Proof) -> data_ids.Ids:
        ids = data_ids.Ids.from_arrays(proof.take_under(f"{self.name}."), self.size)
        proof.bind(self.size, len(ids), self.name, backed=not ids.is_range)
        return ids

    def pack(self, value: Any, proof: Proof) -> Arrays:
        proof.bind(self.size, len(value), self.name)
        if self.personal and "ids" in proof.left_out:
            value = data_ids.Ids.range(len(value), self.size)
        return {f"{self.name}.{kind}": array for kind, array in value.to_arrays().items()}


@dataclass(frozen=True)
class Csr(Part):
    """A canonical sparse matrix (rows, cols) of float32 from ``least`` up; with ``ones`` only its places are stored.

    A ``personal`` one is the histories of rows that may be people.
    """

    name: str
    rows: str
    cols: str
    least: float = -MAGNITUDES["f4"]
    ones: bool = False
    optional: bool = False
    personal: bool = False

    def open(self, proof: Proof) -> matrix.Csr:
        indptr, indices = proof.take(f"{self.name}.indptr"), proof.take(f"{self.name}.indices")
        values = np.ones(len(indices), np.float32) if self.ones else proof.take(f"{self.name}.data")
        self._prove(indptr, indices, values, proof)
        return matrix.proved_csr(values, indices, indptr, (proof.sizes[self.rows], proof.sizes[self.cols]))

    def pack(self, value: Any, proof: Proof) -> Arrays:
        if self.personal and "histories" in proof.left_out:
            starts = np.zeros(value.shape[0] + 1, np.int64)
            value = matrix.proved_csr(np.empty(0, np.float32), np.empty(0, np.int32), starts, value.shape)
        indptr, indices = value.indptr.astype("i8", copy=False), value.indices.astype("i4", copy=False)
        values = value.data.astype("f4", copy=False)
        proof.bind(self.cols, value.shape[1], self.name)
        self._prove(indptr, indices, values, proof)
        places = {f"{self.name}.indptr": indptr, f"{self.name}.indices": indices}
        return places if self.ones else places | {f"{self.name}.data": values}

    def _prove(self, indptr: AnyArray, indices: AnyArray, values: AnyArray, proof: Proof) -> None:
        cells = proof.inner({}, (), ("cells",))
        _prove_shape(indices, f"{self.name}.indices", "i4", ("cells",), cells)
        _prove_shape(values, f"{self.name}.data", "f4", ("cells",), cells)
        _prove_borders(indptr, f"{self.name}.indptr", self.rows, len(indices), proof)
        _prove_range(indices, f"{self.name}.indices", 0, proof.sizes[self.cols] - 1)
        _prove_range(values, f"{self.name}.data", self.least, MAGNITUDES["f4"])
        rising = indices[1:] > indices[:-1]
        starts = indptr[1:-1]
        rising[starts[(starts > 0) & (starts < len(indices))] - 1] = True
        if not rising.all():
            raise ModelFileError(f"{self.name} has a row whose columns do not ascend")


@dataclass(frozen=True)
class Repeated(Part):
    """A list of groups, each with the same parts under names that begin with its number.

    count : how many groups there are, by the model's facts and parameters
    shared : sizes that are the same in all groups and outside of them; all others are a group's own
    """

    name: str
    count: Callable[[Proof], int]
    parts: tuple[Part, ...]
    shared: tuple[str, ...] = ()
    may_be_zero: tuple[str, ...] = ()
    optional: bool = False

    def open(self, proof: Proof) -> list[dict[str, Any]]:
        groups = []
        for number in range(self.count(proof)):
            prefix = f"{self.name}{number}."
            group = proof.inner(proof.take_under(prefix), self.shared, self.may_be_zero)
            groups.append(opened(self.parts, group))
            group.finish(prefix)
        return groups

    def pack(self, value: Any, proof: Proof) -> Arrays:
        if len(value) != self.count(proof):
            raise ModelFileError(f"{self.name} has {len(value)} groups where {self.count(proof)} are expected")
        arrays: Arrays = {}
        for number, given in enumerate(value):
            group = packed(self.parts, given, proof.inner({}, self.shared, self.may_be_zero))
            arrays |= {f"{self.name}{number}.{key}": array for key, array in group.items()}
        return arrays


@dataclass(frozen=True)
class Members(Part):
    """Whole models inside a model, each with its own table; their facts are the outer fact of this name, a list.

    make : the members before they have learned, from the outer model's parameters and facts
    shared : sizes that must be the outer model's
    """

    name: str
    make: Callable[[Proof], Sequence[Any]]
    shared: tuple[str, ...] = ()
    optional: bool = False

    def open(self, proof: Proof) -> list[Any]:
        members, facts = self.make(proof), proof.facts.pop(self.name, None)
        if not isinstance(facts, list) or len(facts) != len(members):
            raise ModelFileError(f"{self.name} must list the facts of {len(members)} models")
        sizes = {name: proof.sizes[name] for name in self.shared}
        for number, (member, own) in enumerate(zip(members, facts)):
            member._open(own, proof.take_under(f"{self.name}{number}."), sizes)
        return list(members)

    def pack(self, value: Any, proof: Proof) -> Arrays:
        packed = [member._pack(proof.left_out) for member in value]
        proof.facts[self.name] = [facts for facts, _ in packed]
        return {f"{self.name}{n}.{key}": array for n, (_, own) in enumerate(packed) for key, array in own.items()}


PERSONAL = {Ids: "ids", Csr: "histories"}
"""What a part that is personal holds."""


def opened(parts: tuple[Part, ...], proof: Proof) -> dict[str, Any]:
    """The parts by name, from the file's arrays; an optional one that the file does not hold is None."""

    def there(part: Part) -> bool:
        return any(name == part.name or name.startswith(f"{part.name}.") for name in proof.arrays)

    return {part.name: None if part.optional and not there(part) else part.open(proof) for part in parts}


def packed(parts: tuple[Part, ...], values: Mapping[str, Any], proof: Proof) -> Arrays:
    """The arrays that hold these parts."""
    arrays: Arrays = {}
    for part in parts:
        value = values.get(part.name)
        if value is None and not part.optional:
            raise ModelFileError(f"the part {part.name!r} is missing")
        arrays |= {} if value is None else part.pack(value, proof)
    return arrays


def _prove_shape(value: AnyArray, name: str, dtype: str, shape: tuple[str, ...], proof: Proof) -> None:
    """Type and dimensions; sizes are stated or compared."""
    if value.dtype != np.dtype(dtype) or value.ndim != len(shape):
        raise ModelFileError(
            f"{name} must be {dtype} with {len(shape)} dimensions, not {value.dtype} with {value.ndim}"
        )
    for size, extent in zip(shape, value.shape):
        proof.bind(size, int(extent), name, backed=value.size > 0)


def _prove_range(value: AnyArray, name: str, least: float | None, most: float | None) -> None:
    """All values finite and between these; in blocks, so that nothing of the array's size is allocated."""
    flat = value.reshape(-1)
    for start in range(0, len(flat), _BLOCK):
        block = flat[start : start + _BLOCK]
        # NaN is the smallest and the largest of its block and fails both comparisons.
        if (least is not None and not block.min() >= least) or (most is not None and not block.max() <= most):
            bounds = f"{'…' if least is None else f'{least:g}'} to {'…' if most is None else f'{most:g}'}"
            wrong = f"lies outside {bounds}" if np.isfinite(block).all() else "is not finite"
            raise ModelFileError(f"{name} holds a value that {wrong}")


def _prove_borders(value: AnyArray, name: str, pieces: str, end: int, proof: Proof) -> None:
    """From 0 to ``end`` without ever falling: compared, not subtracted, because differences can overflow."""
    if value.dtype != np.int64 or value.ndim != 1 or len(value) == 0:
        raise ModelFileError(f"{name} must be a list of int64")
    proof.bind(pieces, len(value) - 1, name, backed=True)
    if value[0] != 0 or value[-1] != end or np.any(value[1:] < value[:-1]):
        raise ModelFileError(f"{name} does not run from 0 to {end} without falling")
