"""How much of what the machine can do each hot kernel takes, and how kernels scale.

    python -m benchmarks.machine.roofline [--quick] [--only machine|kernels|scaling] [--kernel NAME] [--threads 1|2]

First the machine: bandwidth at four sizes of working set, and operations per second, with one thread and two
(``hardware.py``). Then each kernel with its operations and bytes from the formula (``kernel_work.py``), at

    attainable = min(peak operations, bandwidth × operations per byte)

where the bandwidth is that of the level of memory which holds what the kernel gathers from. Then scaling of a pass over
the positives, half a sweep and an Adagrad iteration in positives, rows and factors, and of all kernels in threads.
Writes ``results/roofline.json``, part by part; ``render/machine.py`` draws it.
"""

import argparse
from typing import Any

from benchmarks import results
from benchmarks.machine import hardware, kernel_work

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
    bandwidth = able["bandwidth"][hardware.level(load.working_set)]
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
        "bound": "operations" if roof == able["peak"][load.precision] else hardware.level(load.working_set),
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
            seconds = hardware.best_seconds(call, 3 if quick else 5, threads)
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
                figures[what]["seconds"][kernel].append(hardware.best_seconds(lambda load=load: load.call(2), 3, 2))
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
            figures["machine"] = {str(threads): hardware.measure(threads) for threads in asked}
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
