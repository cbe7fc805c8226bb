"""Beyond one process: the same fit in memory, out of core and on workers; and what a sweep costs on a cluster.

    python -m benchmarks.machine.cluster same [--rows --columns --positives --factors --sweeps]
    python -m benchmarks.machine.cluster words TEXT
    python -m benchmarks.machine.cluster costs
    python -m benchmarks.machine.cluster same --rows 5000000 --columns 200000 --positives 100000000     (8 GB, an hour)

``same`` writes Parquet parts with a power law on both sides, fits each way in a process of its own, and compares time,
peak memory and the bytes of the model file. ``words`` counts and factorizes a text in one process and on two workers,
``WordVectors`` with nothing else given, and compares the same. ``costs`` measures sweeps with 1 to 4 workers, with the
loopback of a network namespace slowed down by ``tc`` (as root, Linux); the constants of ``render/scaling.py`` are
fitted to those with 1 and 2 workers, and checked on the others.

Writes ``results/cluster.json``, part by part.
"""

import argparse
import hashlib
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.processes import ask, peak_mib

WAYS = ("memory", "out of core", "2 workers")


def write_parts(folder: Path, rows: int, columns: int, positives: int, parts: int, seed: int = 0) -> None:
    """Lines whose rows and columns follow a power law; about as many distinct pairs as were asked for."""
    import polars as pl

    rng = np.random.default_rng(seed)
    for part in range(parts):
        draws = positives // parts
        x = np.minimum((rows * rng.random(draws) ** 1.5).astype(np.int32), rows - 1)
        y = np.minimum((columns * rng.random(draws) ** 3).astype(np.int32), columns - 1)
        pl.DataFrame({"row": x, "col": y}).write_parquet(folder / f"part-{part:04}.parquet")


def fit(way: str, folder: str, factors: int, sweeps: int) -> dict[str, Any]:
    """One way, in this process: seconds and peak memory of loading and of training, and what the model file holds."""
    import tacit
    import tacit.cluster

    parts = str(Path(folder) / "*.parquet")
    model = tacit.FactorRecommender(factors, iterations=sweeps, threads=2, positive_weight="one")
    facts: dict[str, Any] = {"way": way, "imported_mib": round(peak_mib())}
    began, processor = time.perf_counter(), time.process_time()
    if way == "2 workers":
        with tacit.cluster.connected(workers=2) as client:
            tacit.cluster.fit(client, model, parts, row="row", col="col")
            facts["worker_peak_mib"] = [round(one) for one in client.run(peak_mib).values()]
            facts["worker_processor_seconds"] = round(sum(client.run(time.process_time).values()), 1)
    else:
        data = tacit.Interactions.from_parquet(parts, row="row", col="col", out_of_core=way == "out of core")
        facts |= {"load_seconds": round(time.perf_counter() - began, 1), "load_peak_mib": round(peak_mib())}
        model.fit(data)
    facts["positives"] = int(model.seen_.nnz)
    facts["seconds"] = round(time.perf_counter() - began, 1)
    facts["processor_seconds"] = round(time.process_time() - processor, 1)
    facts["sweep_seconds"] = round(float(np.median([one["seconds"] for one in model.history_])), 2)
    facts["peak_mib"] = round(peak_mib())
    facts["sha256"] = digest(model)
    return facts


def digest(model: Any) -> str:
    """Of the model's file."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model")
        return hashlib.sha256((Path(folder) / "model").read_bytes()).hexdigest()


def same(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        sizes = (arguments.rows, arguments.columns, arguments.positives)
        write_parts(Path(folder), *sizes, max(4, arguments.positives // 5_000_000))
        found = []
        for way in WAYS:
            asked = {"way": way, "folder": folder, "factors": arguments.factors, "sweeps": arguments.sweeps}
            found.append(ask("machine.cluster:fit", **asked))
            print(found[-1])
    about = {"rows": sizes[0], "columns": sizes[1], "factors": arguments.factors, "sweeps": arguments.sweeps}
    equal = len({one["sha256"] for one in found}) == 1
    results.write_part("cluster", "same", about | {"ways": found, "same_file": equal})


def embed(way: str, text: str, sweeps: int) -> dict[str, Any]:
    """Vectors of the words of a text, one way, in this process."""
    import tacit
    import tacit.cluster

    model = tacit.WordVectors(iterations=sweeps, threads=2)
    facts: dict[str, Any] = {"way": way}
    began, processor = time.perf_counter(), time.process_time()
    if way == "2 workers":
        with tacit.cluster.connected(workers=2) as client:
            tacit.cluster.fit(client, model, text)
            facts["worker_peak_mib"] = [round(one) for one in client.run(peak_mib).values()]
            facts["worker_processor_seconds"] = round(sum(client.run(time.process_time).values()), 1)
    else:
        model.fit(text)
    facts |= {"seconds": round(time.perf_counter() - began, 1), "words": len(model.words_)}
    facts["processor_seconds"] = round(time.process_time() - processor, 1)
    facts |= {"peak_mib": round(peak_mib()), "sha256": digest(model)}
    return facts


def words(arguments: argparse.Namespace) -> None:
    found = []
    for way in ("memory", "2 workers"):
        found.append(ask("machine.cluster:embed", way=way, text=arguments.text, sweeps=arguments.sweeps))
        print(found[-1], flush=True)
    about = {"bytes": Path(arguments.text).stat().st_size, "sweeps": arguments.sweeps}
    results.write_part("cluster", "words", about | {"ways": found, "same_file": len({f["sha256"] for f in found}) == 1})


def sweep_costs(rows: int, columns: int, positives: int, factors: int, workers: int, mbit: float) -> dict[str, Any]:
    """Seconds, processor seconds of all workers and bytes between them, per sweep."""
    import tacit
    import tacit.cluster

    marks = []

    def look(dask_worker: Any) -> tuple[float, int]:
        return time.process_time(), dask_worker.transfer_outgoing_bytes_total

    with tempfile.TemporaryDirectory() as folder, tacit.cluster.connected(workers=workers) as client:
        write_parts(Path(folder), rows, columns, positives, 2)
        model = tacit.FactorRecommender(
            factors, iterations=6, positive_weight="one", callback=lambda _: marks.append(client.run(look).values())
        )
        tacit.cluster.fit(client, model, str(Path(folder) / "*.parquet"), row="row", col="col")
    totals = np.array([np.sum(list(mark), axis=0) for mark in marks])
    # The first sweep also evaluates J and loads kernels.
    seconds = float(np.median([one["seconds"] for one in model.history_[1:]]))
    processor, traffic = np.median(np.diff(totals, axis=0)[1:], axis=0).tolist()
    return {
        "rows": model.seen_.shape[0], "columns": model.seen_.shape[1], "positives": int(model.seen_.nnz),
        "factors": factors, "workers": workers, "processors": os.cpu_count(), "mbit": mbit,
        "seconds": round(seconds, 3), "processor_seconds": round(processor, 3), "traffic": round(traffic),
    }  # fmt: skip


ASKED = ("rows", "columns", "positives", "factors", "workers", "mbit")
SIZE = (200_000, 20_000, 4_000_000, 32)
FITTED = [(*SIZE, workers, mbit) for workers, mbit in ((1, 400.0), (2, 100.0), (2, 400.0))]
CHECKED = [(*SIZE, 3, 200.0), (300_000, 30_000, 6_000_000, 48, 3, 400.0), (*SIZE, 4, 400.0)]


def costs() -> None:
    found: dict[str, list[Any]] = {"fitted": [], "checked": []}
    for part, runs in (("fitted", FITTED), ("checked", CHECKED)):
        for run in runs:
            slow = f"ip link set lo up && tc qdisc add dev lo root tbf rate {run[-1]:g}mbit burst 256kb latency 2s"
            slowed = ["unshare", "-n", "sh", "-c", f'{slow} && exec "$@"', "sh"]
            found[part].append(ask("machine.cluster:sweep_costs", prefix=slowed, **dict(zip(ASKED, run))))
            print(found[part][-1], flush=True)
            results.write_part("cluster", "costs", found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("same")
    for name, default in (("rows", 500_000), ("columns", 20_000), ("positives", 10_000_000)):
        verb.add_argument(f"--{name}", type=int, default=default)
    verb.add_argument("--factors", type=int, default=32)
    verb.add_argument("--sweeps", type=int, default=5)
    verb.add_argument("--folder", help="where the parts are written for the time being")
    verb = verbs.add_parser("words")
    verb.add_argument("text", help="a file of text, not compressed")
    verb.add_argument("--sweeps", type=int, default=3)
    verbs.add_parser("costs")
    arguments = parser.parse_args()
    if arguments.verb == "same":
        same(arguments)
    elif arguments.verb == "words":
        words(arguments)
    else:
        costs()


if __name__ == "__main__":
    main()
