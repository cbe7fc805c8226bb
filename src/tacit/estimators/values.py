"""Kinds of values that a parameter or a fact of a saved model may have, as the tables of the estimators list them.

Each kind has ``read``. It returns the value as the estimator wants it (lists of a file become tuples), or raises
``InputError`` with one sentence. Values are checked both when a model is saved and when it is loaded.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from tacit import checks
from tacit.errors import InputError

LARGEST_NUMBER = 1e30
"""Beyond it, products of two numbers leave the range of float32 twice over."""
LARGEST_WHOLE = 2**31 - 1
RUNTIME = frozenset({"threads", "progress", "callback", "checkpoint"})
"""Parameters that belong to a run and not to a model: no file sets them."""
_DEEPEST = 8


class Value(Protocol):
    """One kind of value."""

    def read(self, name: str, given: Any) -> Any:
        """The value, or an ``InputError`` that names it."""


@dataclass(frozen=True)
class Whole:
    """A whole number from ``least`` to ``most``; with ``size`` it states that size of the model's arrays.

    >>> Whole(1).read("factors", 8)
    8
    """

    least: int = 0
    most: int = LARGEST_WHOLE
    size: str | None = None

    def read(self, name: str, given: Any) -> int:
        value = checks.integer(name, given, self.least)
        if value > self.most:
            raise InputError(f"{name} must be at most {self.most}, not {_shown(given)}.")
        return value


@dataclass(frozen=True)
class Number:
    """A finite number of at least ``least`` or above ``above``, and at most ``most``."""

    least: float | None = None
    above: float | None = None
    most: float = LARGEST_NUMBER

    def read(self, name: str, given: Any) -> Any:
        value = checks.number(name, given, self.least, above=self.above)
        if not -LARGEST_NUMBER <= value <= self.most:
            raise InputError(f"{name} must lie between {-LARGEST_NUMBER:g} and {self.most:g}, not {_shown(given)}.")
        # NumPy takes whole numbers beyond 64 bits for objects.
        return value if isinstance(given, int) and abs(given) >= 2**53 else given


@dataclass(frozen=True)
class Since:
    """A fact that files of older versions do not have: there it is ``before``.

    >>> Since(Whole(0), before=0).read("forgotten_rows", 3)
    3
    """

    kind: Value
    before: Any

    def read(self, name: str, given: Any) -> Any:
        return self.kind.read(name, given)


class Word:
    """One of the allowed words.

    >>> Word("sum", "word").read("output", "word")
    'word'
    """

    def __init__(self, *allowed: str) -> None:
        self.allowed = allowed

    def read(self, name: str, given: Any) -> str:
        return checks.choice(name, given, self.allowed)


@dataclass(frozen=True)
class Checked:
    """A value that is taken as it is, or refused; ``must`` completes "NAME must …".

    >>> Flag().read("biases", True)
    True
    """

    must: str
    fits: Callable[[Any], bool]

    def read(self, name: str, given: Any) -> Any:
        if not self.fits(given):
            raise InputError(f"{name} must {self.must}, not {_shown(given)}.")
        return given


Flag = partial(Checked, "be True or False", lambda given: isinstance(given, bool))
Text = partial(Checked, "be text", lambda given: isinstance(given, str))
Plain = partial(Checked, "hold finite numbers and text", lambda given: _is_plain(given, _DEEPEST))
"""Numbers, text, None, and lists and tables of them, all numbers finite: what is kept and never computed with."""


class Either:
    """The first of several kinds that fits.

    >>> Either(None, Whole(1)).read("top_k", None)
    """

    def __init__(self, *kinds: Value | None) -> None:
        self.kinds = kinds

    def read(self, name: str, given: Any) -> Any:
        if given is None and None in self.kinds:
            return None
        failed = InputError(f"{name} must not be None.")
        for kind in self.kinds:
            try:
                if kind is not None:
                    return kind.read(name, given)
            except InputError as error:
                failed = error
        raise failed


@dataclass(frozen=True)
class Many:
    """A list of values of one kind, in the form in which users mostly write it; ``count`` where that is stated."""

    kind: Value
    count: int | None = None
    least: int = 0
    form: type[list[Any]] | type[tuple[Any, ...]] = tuple

    def read(self, name: str, given: Any) -> list[Any] | tuple[Any, ...]:
        if not isinstance(given, list | tuple) or len(given) < self.least:
            raise InputError(f"{name} must be a list of at least {self.least} values, not {_shown(given)}.")
        if self.count is not None and len(given) != self.count:
            raise InputError(f"{name} must have {self.count} values, not {len(given)}.")
        return self.form(self.kind.read(f"{name}[{index}]", value) for index, value in enumerate(given))


@dataclass(frozen=True)
class Record:
    """A table with these entries; all are required unless ``partial``."""

    entries: Mapping[str, Value] = field(default_factory=dict)
    partial: bool = False

    def read(self, name: str, given: Any) -> dict[str, Any]:
        if not isinstance(given, Mapping):
            raise InputError(f"{name} must be a table, not {_shown(given)}.")
        for entry in given:
            if entry not in self.entries:
                raise InputError(f"{name} has an unknown entry {_shown(entry)}.")
        for entry in self.entries:
            if entry not in given and not self.partial:
                raise InputError(f"{name} lacks the entry {entry!r}.")
        return {entry: self.entries[entry].read(f"{name}.{entry}", value) for entry, value in given.items()}


@dataclass(frozen=True)
class Named:
    """A table from any name to values of one kind."""

    kind: Value

    def read(self, name: str, given: Any) -> dict[str, Any]:
        if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
            raise InputError(f"{name} must be a table with names, not {_shown(given)}.")
        return {key: self.kind.read(f"{name}.{key}", value) for key, value in given.items()}


@dataclass(frozen=True)
class History:
    """One record per sweep, with numbers under the ``required`` names."""

    required: tuple[str, ...] = ()

    def read(self, name: str, given: Any) -> list[dict[str, Any]]:
        records = list(Many(Named(Plain())).read(name, given))
        for record in records:
            for entry in self.required:
                checks.number(f"{name}.{entry}", record.get(entry))
        return records


SEED = Either(None, Whole(0, most=2**128))
"""``random_state``."""


def _is_plain(value: Any, deep: int) -> bool:
    if isinstance(value, list | tuple):
        return deep > 0 and all(_is_plain(part, deep - 1) for part in value)
    if isinstance(value, dict):
        return deep > 0 and all(isinstance(key, str) and _is_plain(part, deep - 1) for key, part in value.items())
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, bool | int | str)


def _shown(value: Any) -> str:
    """A value in an error message, which stays one short sentence whatever the file holds."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
