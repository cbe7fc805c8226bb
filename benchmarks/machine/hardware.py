"""What this machine can do: bytes per second at several sizes of working set, and floating point operations per second.

* Bandwidth: the triad a ← b + s c of single-precision vectors, two reads and one write per element. The three vectors
  together are as large as the working set named; each thread has its own.
* Operations: a product of two 1,536² matrices by BLAS, and 64 multiply-adds per element of a short vector, which hardly
  need memory. The higher of the two is the peak.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from tacit.kernels._jit import fast

SIZES = {"L1": 24 << 10, "L2": 1 << 20, "L3": 12 << 20, "memory": 384 << 20}
"""Name of the level → bytes of the working set of one thread that is measured for it."""
CHAIN = 64
SIDE = 1536


@fast
def triad(rounds, a, b, c, s):
    """a ← b + s c, ``rounds`` times."""
    for r in range(rounds):
        # Another factor each time: the same one would let the compiler do the work once.
        factor = s + np.float32(r)
        for i in range(a.shape[0]):
            a[i] = b[i] + factor * c[i]


@fast
def _four(s, a):
    return (((s * a + a) * a + a) * a + a) * a + a


@fast
def _sixteen(s, a):
    return _four(_four(_four(_four(s, a), a), a), a)


@fast
def multiply_adds(rounds, x, y):
    """64 multiply-adds on each element, ``rounds`` times; written out, so that elements go side by side."""
    for _ in range(rounds):
        for i in range(x.shape[0]):
            a = y[i]
            x[i] = _sixteen(_sixteen(_sixteen(_sixteen(x[i], a), a), a), a)


def best_seconds(work: Callable[[], Any], repeats: int = 5, threads: int = 1) -> float:
    """The shortest of several runs, after one that does not count.

    One thread is timed by the processor's clock, which other work on the machine hardly touches; more by the wall's.
    """
    clock = time.process_time if threads == 1 else time.perf_counter
    work()
    seconds = []
    for _ in range(repeats):
        began = clock()
        work()
        seconds.append(clock() - began)
    return min(seconds)


def together(threads: int, work: Callable[[int], Any], repeats: int = 5) -> float:
    """Seconds until ``threads`` calls, made at once, are all done."""
    with ThreadPoolExecutor(threads) as pool:
        return best_seconds(lambda: list(pool.map(work, range(threads))), repeats, threads)


def bandwidth(size: int, threads: int) -> float:
    """Bytes per second of the triad with working sets of ``size`` bytes."""
    length = size // 12
    rounds = max(1, (192 << 20) // size)
    vectors = [[np.ones(length, np.float32) for _ in range(3)] for _ in range(threads)]
    seconds = together(threads, lambda t: triad(rounds, *vectors[t], np.float32(0.5)))
    return threads * rounds * length * 12 / seconds


def chained(threads: int) -> float:
    """Operations per second of multiply-adds in registers."""
    length, rounds = 4096, 400
    vectors = [[np.full(length, 0.5, np.float32), np.full(length, 0.25, np.float32)] for _ in range(threads)]
    seconds = together(threads, lambda t: multiply_adds(rounds, *vectors[t]))
    return threads * 2 * CHAIN * length * rounds / seconds


def product(threads: int, number: type) -> float:
    """Operations per second of a matrix product."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((SIDE, SIDE)).astype(number) for _ in range(2))
    out = np.empty((SIDE, SIDE), number)
    with threadpool_limits(threads, user_api="blas"):
        return 2 * SIDE**3 / best_seconds(lambda: np.matmul(a, b, out=out), threads=threads)


def measure(threads: int) -> dict[str, Any]:
    """Both, for a number of threads, in units of 1e9 per second; the peak of each precision."""
    operations = {
        "matrix product": product(threads, np.float32) / 1e9,
        "multiply-adds": chained(threads) / 1e9,
        "matrix product, double": product(threads, np.float64) / 1e9,
    }
    return {
        "bandwidth": {name: bandwidth(size, threads) / 1e9 for name, size in SIZES.items()},
        "operations": operations,
        "peak": {
            "single": max(operations["matrix product"], operations["multiply-adds"]),
            "double": operations["matrix product, double"],
        },
    }


def level(working_set: int) -> str:
    """The level of memory that a working set of so many bytes is measured against: the smallest that holds it.

    >>> level(600_000), level(1 << 30)
    ('L2', 'memory')
    """
    return next((name for name, size in SIZES.items() if working_set <= size), "memory")
