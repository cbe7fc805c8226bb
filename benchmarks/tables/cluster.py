"""One fit in memory, out of core and on workers, and the cost model of a cluster."""

from typing import Any

from benchmarks.machine.cluster_costs import ClusterSweep, worker_bytes
from benchmarks.machine.cost_model import Sweep
from benchmarks.tables import table
from benchmarks.tables.costs import duration, size_of

FILES = ("cluster", "sweep")
AHEAD = [(20_000_000, 1_000_000, 1e9), (100_000_000, 5_000_000, 1e10)]
WORKERS = (16, 64, 256)
THREADS, FACTORS, MBIT = 4, 64, 10_000.0


def render(records: dict[str, Any]) -> str:
    figures = records["cluster"]["figures"]
    blocks = []
    if "same" in figures:
        blocks += _same(figures["same"])
    if "costs" in figures:
        blocks += _costs(Sweep.fitted(records["sweep"]["figures"]), figures["costs"])
    return "\n\n".join(blocks)


def _same(figures: dict[str, Any]) -> list[str]:
    rows = []
    for way in figures["ways"]:
        processor = way["processor_seconds"] + way.get("worker_processor_seconds", 0.0)
        peak = ", ".join(map(str, way["worker_peak_mib"])) if "worker_peak_mib" in way else str(way["peak_mib"])
        rows.append([way["way"], f"{way['seconds']:.0f}", f"{processor:.1f}", f"{way['sweep_seconds']:.1f}", peak])
    about = (
        f"{figures['rows']:,} rows × {figures['columns']:,} columns, {figures['ways'][0]['positives']:,} positives, "
        f"{figures['factors']} factors, {figures['sweeps']} sweeps; the three model files are "
        f"{'the same, byte for byte' if figures['same_file'] else 'NOT the same'}."
    )
    head = ["where", "seconds in all", "processor seconds", "a sweep (s)", "peak of a process (MiB)"]
    return ["**One fit, three ways**", about, table(head, rows)]


def _costs(one: Sweep, figures: dict[str, Any]) -> list[str]:
    cost = ClusterSweep.fitted(one, figures["fitted"])
    constants = (
        f"c = {cost.per_worker:.2f} s of a processor, τ = {cost.traffic_share:.2f}, κ = {cost.crowding:.1f}; a and b "
        "are those of one process."
    )
    rows = [
        [part, f"{run['rows']:,} × {run['columns']:,}", f"{run['positives']:,}", run["factors"], run["workers"],
         f"{run['mbit']:.0f}", f"{run['processor_seconds']:.2f} / {cost.processor(run):.2f}",
         f"{run['traffic'] / 1e6:.1f} / {cost.traffic(run) / 1e6:.1f}",
         f"{run['seconds']:.1f} / {cost.seconds(run):.1f}"]
        for part, runs in figures.items()
        for run in runs
    ]  # fmt: skip
    head = ["", "size", "positives", "factors", "workers", "Mbit/s", "processor (s)", "traffic (MB)", "a sweep (s)"]
    ahead = []
    for n, m, positives in AHEAD:
        for workers in WORKERS:
            run = {"rows": n, "columns": m, "positives": positives, "factors": FACTORS, "workers": workers}
            run |= {"mbit": MBIT}
            ahead.append([
                f"{n:,} × {m:,}", f"{positives:.0e}", workers, duration(cost.seconds_apart(run, THREADS)),
                size_of(worker_bytes(run)),
            ])  # fmt: skip
    heads = ["size", "positives", "workers", "a sweep", "memory of a worker"]
    return [
        "**A sweep on a cluster: measured / model**",
        constants,
        table(head, rows),
        f"**What it predicts**, {FACTORS} factors, workers of {THREADS} threads, a link of 10 Gbit/s each",
        table(heads, ahead),
    ]
