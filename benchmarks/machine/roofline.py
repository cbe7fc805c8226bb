"""How much of what the machine can do each hot kernel takes, and how kernels scale.

    python -m benchmarks.machine.roofline [--quick] [--only machine|kernels|scaling] [--kernel NAME] [--threads 1|2]

First the machine: bandwidth at four sizes of working set, and operations per second, with one thread and two
(how, see below). Then each kernel with its operations and bytes from the formula (``kernel_work.py``), at

    attainable = min(peak operations, bandwidth × operations per byte)

where the bandwidth is that of the level of memory which holds what the kernel gathers from. Then scaling of a pass over
the positives, half a sweep and an Adagrad iteration in positives, rows and factors, and of all kernels in threads.
Writes ``results/roofline.json``, part by part; ``render/machine.py`` draws it.

* Bandwidth: the triad a ← b + s c of single-precision vectors, two reads and one write per element. The three vectors
  together are as large as the working set named; each thread has its own.
* Operations: a product of two 1,536² matrices by BLAS, and 64 multiply-adds per element of a short vector, which hardly
  need memory. The higher of the two is the peak.
"""

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import results
from benchmarks.machine import kernel_work
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


def measure_machine(threads: int) -> dict[str, Any]:
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


THREADS = (1, 2)
SMALL = {
    "positives, one pass": {"n": 20_000, "m": 5_000, "count": 500_000},
    "ALS, half a sweep": {"n": 20_000, "m": 5_000, "count": 500_000},
    "Gram cache": {"n": 40_000},
    "Adagrad iteration": {"n": 20_000, "m": 5_000, "count": 500_000},
    "top-k scoring": {"n": 1_000, "m": 20_000},
    "co-occurrence counting": {"tokens": 300_000, "words": 10_000},
    "rating stream": {"ratings": 200_000},
    "ordinal moments": {"n": 20_000},
}
"""Sizes of the quick version."""
BASE = {"n": 50_000, "m": 20_000, "count": 2_000_000, "g": 64}
GROWN = {
    "positives": ("count", (500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000)),
    "rows": ("n", (25_000, 50_000, 100_000, 200_000, 400_000)),
    "factors": ("g", (16, 32, 64, 128, 256)),
}
SCALED = ("positives, one pass", "ALS, half a sweep", "Adagrad iteration")


def attainable(load: kernel_work.Work, able: dict[str, Any]) -> float:
    """1e9 operations per second that the roof allows for this kernel."""
    bandwidth = able["bandwidth"][level(load.working_set)]
    return float(min(able["peak"][load.precision], bandwidth * load.operations / load.bytes))


def share(load: kernel_work.Work, seconds: float, able: dict[str, Any]) -> dict[str, Any]:
    """What was measured of one kernel, and which part of the attainable that is."""
    reached, roof = load.operations / seconds / 1e9, attainable(load, able)
    return {
        "seconds": seconds,
        "gigaflops": reached,
        "gigabytes_per_second": load.bytes / seconds / 1e9,
        "attainable_gigaflops": roof,
        "share": reached / roof,
        "lost_seconds": seconds * (1 - reached / roof),
        "bound": "operations" if roof == able["peak"][load.precision] else level(load.working_set),
    }


def kernels(able: dict[str, Any], quick: bool, names: list[str], known: dict[str, Any]) -> dict[str, Any]:
    """Every kernel of ``names`` with every number of threads that the machine was measured with."""
    figures: dict[str, Any] = dict(known)
    for name in names:
        load = kernel_work.KERNELS[name](**SMALL[name]) if quick else kernel_work.KERNELS[name]()
        figures[name] = {
            "operations": load.operations,
            "bytes": load.bytes,
            "operations_per_byte": load.operations / load.bytes,
            "working_set": load.working_set,
            "precision": load.precision,
            "unit": load.unit,
            "count": load.count,
            "threads": {},
        }
        for threads in [1] if name in kernel_work.SEQUENTIAL else map(int, able):
            call = lambda load=load, threads=threads: load.call(threads)  # noqa: E731
            seconds = best_seconds(call, 3 if quick else 5, threads)
            figures[name]["threads"][str(threads)] = share(load, seconds, able[str(threads)])
        print(name, {t: round(row["share"], 3) for t, row in figures[name]["threads"].items()}, flush=True)
    return {name: figures[name] for name in kernel_work.KERNELS if name in figures}


def scaling(quick: bool) -> dict[str, Any]:
    """Seconds of three kernels as one quantity grows, the others fixed, on two threads."""
    base = BASE | {"n": 10_000, "m": 5_000, "count": 300_000} if quick else BASE
    figures: dict[str, Any] = {"base": base}
    for what, (name, values) in GROWN.items():
        taken = [value // 8 for value in values[:3]] if quick and name != "g" else values[: 3 if quick else None]
        figures[what] = {"values": list(taken), "seconds": {kernel: [] for kernel in SCALED}}
        for value in taken:
            for kernel in SCALED:
                load = kernel_work.KERNELS[kernel](**base | {name: value})
                figures[what]["seconds"][kernel].append(best_seconds(lambda load=load: load.call(2), 3, 2))
        print(what, figures[what], flush=True)
    return figures


def largest_loss(found: dict[str, Any]) -> dict[str, Any]:
    """The kernel that is furthest below its roof with all its threads."""
    last = {name: list(row["threads"].values())[-1] for name, row in found.items()}
    name = min(last, key=lambda kernel: last[kernel]["share"])
    return {"kernel": name, "share": last[name]["share"], "bound": last[name]["bound"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small shapes, into a file of its own")
    parser.add_argument("--only", choices=("machine", "kernels", "scaling"), help="this part; keep the others")
    parser.add_argument("--kernel", choices=kernel_work.KERNELS, help="only this kernel; keep the others")
    parser.add_argument("--threads", type=int, choices=THREADS, help="measure the machine with this number only")
    given = parser.parse_args()
    file = "roofline-quick" if given.quick else "roofline"
    path = results.FOLDER / f"{file}.json"
    figures: dict[str, Any] = results.read(file)["figures"] if path.exists() else {}
    parts = [given.only] if given.only else ["machine", "kernels", "scaling"]
    for part in parts:
        if part == "machine":
            asked = [given.threads] if given.threads else THREADS
            figures["machine"] = {str(threads): measure_machine(threads) for threads in asked}
            print(figures["machine"], flush=True)
        elif part == "kernels":
            names = [given.kernel] if given.kernel else list(kernel_work.KERNELS)
            figures["kernels"] = kernels(figures["machine"], given.quick, names, figures.get("kernels", {}))
            figures["largest_loss"] = largest_loss(figures["kernels"])
        else:
            figures["scaling"] = scaling(given.quick)
        results.write(file, figures)
    print(path)


if __name__ == "__main__":
    main()
