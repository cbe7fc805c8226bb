"""The only file that imports Numba: three decorators, and a register of what they compiled.

``fast`` lets the compiler reassociate sums, contract to fused multiply-adds, ignore the sign of zero and divide by
reciprocals: without reassociation a dot product does not vectorise and is five times slower. It never permits the
assumption that NaN or infinity do not occur.

``strict`` permits nothing: for kernels that guard against NaN, sum a reported loss, or take exp or log.

Rules, kept by ``tests/kernels/test_rules.py``: no ``prange``, no ``parallel=True``, no signatures at import, at most
two signatures per kernel, functions compose at module level (closures and function arguments defeat the cache).
Numba's cache notices a change of a kernel's own file only, and kernels call functions of other files: ``_compile``
therefore stamps what is cached with a digest of all files of this folder.
"""

import gc
import hashlib
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from tacit import progress

F = TypeVar("F", bound=Callable[..., Any])

FAST_FLAGS = frozenset({"reassoc", "contract", "nsz", "arcp"})

REGISTER: list[Any] = []
"""Every compiled dispatcher, for ``tacit warm``, ``tacit doctor`` and the rules' tests."""


@cache
def _digest_of_kernels() -> str:
    """Of the contents of all files of this folder; about a millisecond, once per process."""
    digest = hashlib.blake2b(digest_size=16)
    for file in sorted(Path(__file__).parent.glob("*.py")):
        content = file.read_bytes()
        digest.update(f"{file.name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()


def _stamp(compiled: Any) -> None:
    """Let what was cached count as stale when any kernel file has changed since."""
    index = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    held = {} if index is None else vars(index)
    # Numba has no public place for it; the test of the cache says when a new version has moved this one.
    if "_source_stamp" in held:
        held["_source_stamp"] = held["_source_stamp"], _digest_of_kernels()


def _compile(function: F, fastmath: set[str] | bool, **more: Any) -> F:
    # Nothing here is handed over as a C function, so no entry for such calls is compiled.
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath, "no_cfunc_wrapper": True}
    options |= more
    try:
        compiled = numba.njit(cache=True, **options)(function)
    except RuntimeError:
        # Neither the package's folder nor the user's cache can be written: compile anew in every process.
        compiled = numba.njit(cache=False, **options)(function)
    _stamp(compiled)
    REGISTER.append(compiled)
    return cast(F, compiled)


def fast(function: F) -> F:
    """Compile with permission to reassociate."""
    return _compile(function, set(FAST_FLAGS))


def strict(function: F) -> F:
    """Compile with IEEE semantics."""
    return _compile(function, False)


def inlined(function: F) -> F:
    """Put the body into every kernel that calls it, before anything is compiled; there it has the kernel's flags.

    For the inner loops of ``fast`` kernels: as a function of its own such a loop is not vectorised with its neighbours,
    and a pass over the positives takes twice as long. And for parts of a kernel that has one place to call them: a
    function of its own takes a quarter of a second to compile, and is compiled with its caller once more. One that is
    called from Python, too, is compiled for that as ``fast`` when it happens.
    """
    return _compile(function, set(FAST_FLAGS), inline="always")


def is_ready(kernel: Any) -> bool:
    """Whether a kernel was compiled or loaded in this process, or runs as plain Python."""
    return bool(getattr(kernel, "signatures", True))


NOTICE = (
    "Tacit compiles its kernels for this machine: a few seconds for a first fit, once; later runs load them. "
    "`tacit warm` compiles all of them."
)


class CompileNotice(event.Listener):
    """Says why a first fit takes a while: once per process on a terminal, and on the bar of the fit.

    The garbage collector rests meanwhile: a compiler makes so many objects that looking for rings among them again and
    again takes a fifth of the time. Numba compiles under one lock. Kernels from the cache start no event.
    """

    def __init__(self) -> None:
        self.announced = False
        self.functions = 0
        self.seconds = 0.0
        self._depth = 0
        self._began = 0.0
        self._collects = False

    def on_start(self, event: Any) -> None:
        if not self.announced and sys.stderr is not None and sys.stderr.isatty():
            self.announced = True
            print(NOTICE, file=sys.stderr, flush=True)
        if self._depth == 0:
            self._began, self._collects = time.perf_counter(), gc.isenabled()
            gc.disable()
        self._depth += 1
        self.functions += 1
        passed = self.seconds + time.perf_counter() - self._began
        progress.remark(f"compiling, once: {self.functions} functions, {passed:.0f} s")

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._began
            if self._collects:
                gc.enable()


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
