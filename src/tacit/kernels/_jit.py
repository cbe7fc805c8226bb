"""The only file that imports Numba: three decorators, and a register of what they compiled.

``fast`` lets the compiler reassociate sums, contract to fused multiply-adds, ignore the sign of zero and divide by
reciprocals: without reassociation a dot product does not vectorise and is five times slower. It never permits the
assumption that NaN or infinity do not occur.

``strict`` permits nothing: for kernels that guard against NaN, sum a reported loss, or take exp or log.

Rules, kept by ``tests/kernels/test_rules.py``: no ``prange``, no ``parallel=True``, no signatures at import, at most
two signatures per kernel, functions compose at module level (closures and function arguments defeat the cache).
Numba's cache notices a change of a kernel's own file only: after editing a function that kernels of *another* file
call, run ``tacit warm --clear``.
"""

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])

FAST_FLAGS = frozenset({"reassoc", "contract", "nsz", "arcp"})

REGISTER: list[Any] = []
"""Every compiled dispatcher, for ``tacit warm``, ``tacit doctor`` and the rules' tests."""


def _compile(function: F, fastmath: set[str] | bool) -> F:
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    try:
        compiled = numba.njit(cache=True, **options)(function)
    except RuntimeError:
        # Neither the package's folder nor the user's cache can be written: compile anew in every process.
        compiled = numba.njit(cache=False, **options)(function)
    REGISTER.append(compiled)
    return cast(F, compiled)


def fast(function: F) -> F:
    """Compile with permission to reassociate."""
    return _compile(function, set(FAST_FLAGS))


def strict(function: F) -> F:
    """Compile with IEEE semantics."""
    return _compile(function, False)


def inlined(function: F) -> F:
    """Put the body into every kernel that calls it, before anything is compiled.

    For the inner loops of ``fast`` kernels: as a function of its own such a loop is not vectorised with its neighbours,
    and a pass over the positives takes twice as long.
    """
    return cast(F, numba.njit(inline="always")(function))


NOTICE = (
    "Tacit compiles its kernels for this machine: some 10 seconds for a first fit, once; later runs load them. "
    "`tacit warm` compiles all of them."
)


class CompileNotice(event.Listener):
    """Says on a terminal, once per process, why a first fit takes a while. Kernels from the cache start no event."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: Any) -> None:
        if not self.said and sys.stderr is not None and sys.stderr.isatty():
            self.said = True
            print(NOTICE, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """Nothing is said at the end: the bar of the fit goes on."""


event.register("numba:compile", CompileNotice())


def cache_folder() -> str | None:
    """Where compiled kernels are kept, or None when no folder can be written."""
    for dispatcher in REGISTER:
        path = getattr(getattr(dispatcher, "_cache", None), "cache_path", None)
        if path:
            return str(path)
    return None


def numba_version() -> str:
    return str(numba.__version__)
