"""Validation of parameters. Constructors only store; ``fit`` and other calls check."""

import os
from typing import Any

import numpy as np

from tacit.errors import InputError


def shown(value: Any) -> str:
    """A value inside a sentence: on one line, and not too long.

    >>> shown("x"), shown([1] * 100)[-5:]
    ("'x'", ', 1 …')
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= 100 else f"{text[:99].rstrip(',')} …"


LARGEST = 2**31 - 1
"""Sizes and counts beyond this do not fit the indices of matrices."""


MOST_FACTORS = 2**16
"""A square matrix of so many factors takes 32 GB in double precision."""


def integer(name: str, value: Any, least: int, most: int = LARGEST) -> int:
    """A whole number of at least ``least`` and at most ``most``.

    >>> integer("factors", 8, 1)
    8
    """
    if isinstance(value, bool | np.timedelta64) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}, not {shown(value)}.")
    if value > most:
        raise InputError(f"{name} must be at most {most}, not {shown(value)}.")
    return int(value)


EMPTY_PLACES = 10_000
"""A list may have so many places even where there is less to put on it; beyond, memory would go to empty ones."""


def places(name: str, value: Any, there: int) -> int:
    """How many places a list is to have, of things of which so many are ``there``.

    >>> places("k", 10, there=3)
    10
    """
    return integer(name, value, 1, max(there, EMPTY_PLACES))


def number(
    name: str, value: Any, least: float | None = None, *, above: float | None = None, most: float | None = None
) -> float:
    """A finite number of at least ``least``, or above ``above``; and of at most ``most``."""
    try:
        sound = isinstance(value, int | float | np.number) and not isinstance(
            value, bool | np.timedelta64 | np.complexfloating
        )
        sound = sound and np.isfinite(float(value))
    except OverflowError:
        sound = False
    if not sound or (least is not None and value < least) or (above is not None and value <= above):
        bound = f" of at least {least:g}" if least is not None else f" above {above:g}" if above is not None else ""
        raise InputError(f"{name} must be a finite number{bound}, not {shown(value)}.")
    if most is not None and value > most:
        raise InputError(f"{name} must be at most {most:g}, not {shown(value)}.")
    return float(value)


STEEPEST = 100.0
"""Exponents beyond it only make numbers that are zero or infinite."""


def exponent(name: str, value: Any, least: float = -STEEPEST) -> float:
    """A number that can be a power of others.

    >>> exponent("vote_power", 8.0, 0.0)
    8.0
    """
    return number(name, value, least, most=STEEPEST)


def truth(name: str, value: Any) -> bool:
    """True or False, nothing that merely counts as one of them."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False, not {shown(value)}.")
    return bool(value)


def choice(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """One of the allowed words."""
    if not isinstance(value, str) or value not in allowed:
        raise InputError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {shown(value)}.")
    return value


def flag(name: str, value: Any) -> bool | None:
    """True, False, or None for whatever suits the data.

    >>> flag("trees", None)
    """
    if value is not None and not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True, False or None, not {shown(value)}.")
    return None if value is None else bool(value)


def listed(name: str, value: Any) -> list[Any]:
    """The parts of any collection but text, as a list.

    >>> listed("members", (1, 2))
    [1, 2]
    """
    try:
        # SciPy trusts the indices of a sparse matrix when its rows are listed, and a wrong one ends the process. The
        # parts of a table would be the names of its columns.
        if isinstance(value, str | bytes) or hasattr(value, "tocsr") or hasattr(value, "columns"):
            raise TypeError
        return list(value)
    except TypeError:
        raise InputError(f"{name} must be a list, not {shown(value)}.") from None


def no_table(name: str, data: Any) -> None:
    """Refuse tables and paths where a matrix is expected: which column is what has to be said first."""
    if isinstance(data, str | os.PathLike) or hasattr(data, "columns"):
        raise InputError(
            f"{name} must be Interactions or a matrix; read a table or a file with "
            "Interactions.from_table(table, row=..., col=...) first."
        )


def seed(given: Any, name: str = "random_state") -> int:
    """A whole number that seeds a counter-based generator; None draws a fresh one."""
    if given is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(given, np.random.RandomState):
        return int(given.randint(2**31))
    if isinstance(given, np.random.Generator):
        return int(given.integers(2**31))
    return integer(name, given, 0, most=2**63 - 1)
