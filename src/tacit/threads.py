"""The only thread pool.

Work is cut into chunks whose borders depend on the data alone, never on the number of threads; a chunk writes only
what it owns, and partial results come back in chunk order. So every sum is added in the same order and the same
seed gives the same bits at any number of threads. BLAS is held to one thread inside ``single_threaded_blas``, for
the same reason: its own threading changes how a product is cut.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InputError

Result = TypeVar("Result")

_pool: ThreadPoolExecutor | None = None
_pool_size = 0
_worker = threading.local()


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
    if not isinstance(threads, int | np.integer) or threads < 0:
        raise InputError(f"threads must be 0 (all cores) or a positive whole number, not {threads!r}.")
    return int(threads)


def _get_pool(size: int) -> ThreadPoolExecutor:
    global _pool, _pool_size
    if _pool is None or _pool_size < size:
        if _pool is not None:
            _pool.shutdown(wait=False)
        _pool = ThreadPoolExecutor(max_workers=size, thread_name_prefix="tacit")
        _pool_size = size
    return _pool


def _forget_pool() -> None:
    """A forked child inherits the pool object but none of its threads."""
    global _pool, _pool_size
    _pool, _pool_size = None, 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def run(function: Callable[..., Result], chunks: Sequence[tuple[Any, ...]], threads: int = 0) -> list[Result]:
    """Call ``function(*chunk)`` for every chunk and return the results in chunk order.

    At most ``threads`` calls run at once. ``function`` should release the GIL (our kernels and BLAS do).

    >>> run(lambda a, b: a + b, [(1, 2), (3, 4)], threads=2)
    [3, 7]
    """
    workers = min(resolve(threads), len(chunks))
    # Work of the pool that waited for the pool would wait for itself.
    if workers <= 1 or getattr(_worker, "busy", False):
        return [function(*chunk) for chunk in chunks]
    results: list[Any] = [None] * len(chunks)
    queue = iter(range(len(chunks)))

    # Each worker draws the next chunk when it is done with the last: chunks differ in weight. ``next`` on one
    # iterator is atomic under the GIL; which worker runs a chunk does not change what the chunk writes.
    def drain() -> None:
        _worker.busy = True
        try:
            for k in queue:
                results[k] = function(*chunks[k])
        finally:
            _worker.busy = False

    pool = _get_pool(workers)
    futures = [pool.submit(drain) for _ in range(workers)]
    errors = [future.exception() for future in futures]
    for error in errors:
        if error is not None:
            raise error
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
    work = indptr + row_cost * np.arange(rows + 1)
    targets = work[-1] * np.arange(1, most) / most
    inner = np.searchsorted(work, targets)
    borders = np.unique(np.concatenate(([0], inner, [rows])))
    return [(int(a), int(b)) for a, b in pairwise(borders)]


_blas_lock = threading.Lock()
_blas_users = 0
_blas_limit: Any = None


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Hold BLAS to one thread: ours run side by side, and the bits must not depend on how BLAS cuts a product.

    The limit holds for the whole process. Calls may nest and overlap in several threads: the first one in sets it, the
    last one out lifts it.
    """
    global _blas_users, _blas_limit
    with _blas_lock:
        if _blas_users == 0:
            _blas_limit = _blas_controller().limit(limits=1, user_api="blas")
        _blas_users += 1
    try:
        yield
    finally:
        with _blas_lock:
            _blas_users -= 1
            if _blas_users == 0:
                _blas_limit.restore_original_limits()
                _blas_limit = None


@cache
def _blas_controller() -> Any:
    """Looking through all loaded libraries takes half a millisecond: once is enough when SciPy's own is among them."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
