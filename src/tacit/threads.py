"""The only thread pool.

Work is cut into chunks whose borders depend on the data alone, never on the number of threads; a chunk writes only
what it owns, and partial results come back in chunk order. So every sum is added in the same order and the same
seed gives the same bits at any number of threads. BLAS is held to one thread inside ``single_threaded_blas``, and
scikit-learn's OpenMP loops inside ``single_threaded_openmp``, for the same reason: their own threading changes how a
product or a sum is cut.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError

Result = TypeVar("Result")

_lock = threading.Lock()
_pool: ThreadPoolExecutor | None = None
_pool_size = 0
_inside = threading.local()


def available() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def resolve(threads: int | None) -> int:
    """Turn the parameter ``threads`` into a number: 0 or None means all cores.

    >>> resolve(3)
    3
    """
    if threads is None or threads == 0:
        return available()
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 0:
        raise InputError(f"threads must be 0 (all cores) or a positive whole number, not {threads!r}.")
    return int(threads)


def _get_pool(size: int) -> ThreadPoolExecutor:
    global _pool, _pool_size
    with _lock:
        if _pool is None or _pool_size < size:
            # A smaller pool is not shut down: another thread may be about to use it. Its threads end with it.
            _pool = ThreadPoolExecutor(size, thread_name_prefix="tacit", initializer=_limit_own_blas)
            _pool_size = size
        return _pool


def _after_fork() -> None:
    """A forked child inherits the pool object but none of its threads, and locks that nobody will release."""
    global _lock, _pool, _pool_size, _inside
    _lock, _pool, _pool_size, _inside = threading.Lock(), None, 0, threading.local()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def run(function: Callable[..., Result], chunks: Sequence[tuple[Any, ...]], threads: int = 0) -> list[Result]:
    """Call ``function(*chunk)`` for every chunk and return the results in chunk order.

    At most ``threads`` calls run at once. ``function`` should release the GIL (our kernels and BLAS do). A call from
    inside a chunk runs its own chunks one after the other: waiting for a pool from within it would never end. When
    chunks fail, no new ones are begun, and the error of the first of them in chunk order is raised.

    >>> run(lambda a, b: a + b, [(1, 2), (3, 4)], threads=2)
    [3, 7]
    """
    workers = min(resolve(threads), len(chunks))
    if workers <= 1 or getattr(_inside, "chunk", False):
        return [function(*chunk) for chunk in chunks]
    results: list[Any] = [None] * len(chunks)
    errors: dict[int, BaseException] = {}
    queue = iter(range(len(chunks)))

    # Each worker draws the next chunk when it is done with the last: chunks differ in weight. ``next`` on one
    # iterator is atomic under the GIL; which worker runs a chunk does not change what the chunk writes.
    def drain() -> None:
        _inside.chunk = True
        try:
            for k in queue:
                try:
                    results[k] = function(*chunks[k])
                except BaseException as error:  # handed over to the caller's thread
                    errors[k] = error
                    deque(queue, maxlen=0)
        finally:
            _inside.chunk = False

    pool = _get_pool(workers)
    futures = [pool.submit(drain) for _ in range(workers)]
    try:
        wait(futures)
    finally:
        # An interrupt comes through here: nobody may go on writing into the caller's arrays behind its back.
        deque(queue, maxlen=0)
        wait(futures)
    if errors:
        raise errors[min(errors)]
    return results


def even_chunks(n: int, size: int) -> list[tuple[int, int]]:
    """Borders of consecutive chunks of ``size``; the last one is shorter.

    >>> even_chunks(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(start, min(start + size, n)) for start in range(0, n, size)]


def balanced_chunks(indptr: NDArray[np.int64], row_cost: float = 1.0, most: int = 64) -> list[tuple[int, int]]:
    """Cut the rows of a CSR matrix into at most ``most`` chunks of about equal work.

    Work of a row is ``row_cost`` plus its number of stored cells.

    >>> balanced_chunks(np.array([0, 8, 9, 10]), row_cost=0.0, most=2)
    [(0, 1), (1, 3)]
    """
    rows = len(indptr) - 1
    if rows <= 0:
        return []
    if most == 1:
        return [(0, rows)]
    work = indptr + row_cost * np.arange(rows + 1)
    targets = work[-1] * np.arange(1, most) / most
    inner = np.searchsorted(work, targets)
    borders = np.unique(np.concatenate(([0], inner, [rows])))
    return [(int(a), int(b)) for a, b in pairwise(borders)]


_blas_users = 0
_blas_before: dict[Any, int] = {}


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Hold BLAS to one thread: ours run side by side, and the bits must not depend on how BLAS cuts a product.

    The limit holds for the whole process where the library has one pool for it (the OpenBLAS of NumPy's and SciPy's
    wheels). Calls may nest and overlap in several threads: the first one in sets it, the last one out lifts it.
    """
    global _blas_users
    with _lock:
        if _blas_users == 0:
            for library in _blas_libraries():
                _blas_before[library] = library.num_threads
                _set_blas_threads(library, 1)
        _blas_users += 1
    try:
        yield
    finally:
        with _lock:
            _blas_users -= 1
            if _blas_users == 0:
                while _blas_before:
                    _set_blas_threads(*_blas_before.popitem())


@contextmanager
def single_threaded_openmp() -> Iterator[None]:
    """Hold the OpenMP loops that this thread enters to one thread.

    Scikit-learn's k-means adds up one partial sum per OpenMP thread, so its bits depend on how many there are.
    Libraries are looked up anew: scikit-learn loads its own when a module that needs it is first imported.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="openmp"):
        yield


def _limit_own_blas() -> None:
    """Every thread of the pool begins with this: MKL, and OpenBLAS on OpenMP, keep a limit per calling thread."""
    for library in _blas_libraries():
        if library.internal_api == "mkl" or getattr(library, "threading_layer", "") == "openmp":
            library.set_num_threads(1)


@cache
def _blas_libraries() -> list[Any]:
    """Looking through all loaded libraries takes half a millisecond: once is enough when SciPy's own is among them."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


def _set_blas_threads(library: Any, number: int) -> None:
    # threadpoolctl lets only the thread that set OpenBLAS's limit last change it and ignores all others in silence.
    # Ours are counted under a lock, so whoever comes first or leaves last may.
    release = getattr(library, "clear_controlling_thread", None)
    if release is not None:
        release(force=True)
    library.set_num_threads(number)
    if release is not None:
        release(force=True)
