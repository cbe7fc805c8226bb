"""One sweep over rows and columns at scale: 100,000 × 20,000 with 4–5 million zipf-distributed positives.

    python -m benchmarks.machine.sweep [--quick]

Time per sweep is the difference of a fit with 3 sweeps and one with 1, halved, so that loading, starting and finishing
do not count; the best of alternating runs. Growth: the same at half and a quarter of the positives.

Writes ``results/sweep.json``, with ``--quick`` ``sweep-quick.json``.
"""

import argparse
from typing import Any

from benchmarks import results
from benchmarks.machine.kernel_work import skewed
from benchmarks.peers.workers import Worker

SWEEPS = {"tacit": "iterations", "implicit": "iterations", "irspack": "epochs"}


def per_sweep(workers: dict[str, Worker], factors: int, repeats: int) -> dict[str, Any]:
    """Best seconds of one sweep per method, alternating."""
    short: dict[str, list[float]] = {name: [] for name in workers}
    long: dict[str, list[float]] = {name: [] for name in workers}
    peak = {}
    for name, worker in workers.items():
        # Code is compiled and pages are touched before the clock starts.
        worker.fit(factors=8, **{SWEEPS[name]: 1})
    for _ in range(repeats):
        for name, worker in workers.items():
            short[name].append(worker.fit(factors=factors, **{SWEEPS[name]: 1})["seconds"])
            third = worker.fit(factors=factors, **{SWEEPS[name]: 3})
            long[name].append(third["seconds"])
            peak[name] = third["peak_mib"]
    return {
        name: {
            "sweep_seconds": round((min(long[name]) - min(short[name])) / 2, 4),
            "peak_mib": peak[name],
        }
        for name in workers
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the size, 64 factors")
    parser.add_argument("--only", nargs=2, metavar=("SHARE", "FACTORS"), help="measure one row, keep the others")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    quick = arguments.quick
    name = "sweep-quick" if quick else "sweep"
    rows, cols, draws = (10_000, 5_000, 500_000) if quick else (100_000, 20_000, 5_000_000)
    plan = [(1.0, 64)] if quick else [(1.0, 64), (1.0, 128), (1.0, 256), (0.5, 64), (0.25, 64)]
    table: list[dict[str, Any]] = []
    if arguments.only:
        plan = [(float(arguments.only[0]), int(arguments.only[1]))]
        table = results.read(name)["figures"]["table"]
    for share, factors in plan:
        matrix = skewed(rows, cols, int(draws * share), tail=3)
        workers = {adapter: Worker(adapter, matrix) for adapter in SWEEPS}
        row = {"positives": matrix.nnz, "factors": factors, **per_sweep(workers, factors, arguments.repeats)}
        print(row, flush=True)
        for worker in workers.values():
            worker.__exit__()
        table = [old for old in table if (old["positives"], old["factors"]) != (matrix.nnz, factors)] + [row]
        # After every row, so that an interrupted run keeps what it has measured.
        results.write(name, {"rows": rows, "columns": cols, "table": table})


if __name__ == "__main__":
    main()
