"""What a sweep costs on a cluster: processor time, bytes between workers, and seconds.

n rows, m columns, P positives, g factors, W workers, bandwidth B in bytes a second:

    work      = 2 (a P g + b (n + m) g²)                       a and b of ``cost_model``, which are of two threads
    processor = work + c W                                     all workers together; c is what Dask takes in each
    traffic   = τ · 4 g (n + m) (W − 1)(1 + 1/W)               one worker assembles the factors, all others fetch them
    seconds   = κ (work / W + c) + traffic / B                 on one shared link, as in the benchmark

κ is what other programs on the machine take (1 on one of its own). Where every worker has a link of its own, the
factors reach all of them in 1 + log₂ W rounds, each of 4 g (n + m) / B seconds.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.machine.cost_model import Sweep, relative

Run = dict[str, Any]


@dataclass(frozen=True)
class ClusterSweep:
    """The constants: those of one process, and c, τ and κ."""

    one: Sweep
    per_worker: float
    traffic_share: float
    crowding: float

    @classmethod
    def fitted(cls, one: Sweep, runs: list[Run]) -> "ClusterSweep":
        """From runs that were measured, at least one of them with several workers."""
        beyond = [(r["workers"], max(r["processor_seconds"] - work(one, r), 0.0)) for r in runs]
        per_worker = float(np.mean([rest / workers for workers, rest in beyond]))
        several = [r for r in runs if r["workers"] > 1]
        share = relative(np.array([[moved(r)] for r in several]), np.array([float(r["traffic"]) for r in several]))[0]
        busy = [work(one, r) / r["workers"] + per_worker for r in runs]
        left = [max(r["seconds"] - share * moved(r) / _bandwidth(r), 0.0) for r in runs]
        return cls(one, per_worker, share, float(np.sum(left) / np.sum(busy)))

    def processor(self, run: Run) -> float:
        return work(self.one, run) + self.per_worker * run["workers"]

    def traffic(self, run: Run) -> float:
        return self.traffic_share * moved(run)

    def seconds(self, run: Run) -> float:
        """On one link that all workers share."""
        busy = work(self.one, run) / run["workers"] + self.per_worker
        return self.crowding * busy + self.traffic(run) / _bandwidth(run)

    def seconds_apart(self, run: Run, threads: int) -> float:
        """On machines of their own, with ``threads`` each and a link each; 128 chunks of a side are all there are."""
        rounds = 0.0 if run["workers"] == 1 else 1 + np.log2(run["workers"])
        busy = min(run["workers"] * threads, 128)
        network = rounds * 4 * run["factors"] * _sides(run) / _bandwidth(run)
        return float(work(self.one, run) / busy + self.per_worker + network)


def work(one: Sweep, run: Run) -> float:
    """Processor seconds of the solves, wherever they run."""
    return 2 * one.seconds(run["rows"], run["columns"], run["positives"], run["factors"])


def worker_bytes(run: Run) -> float:
    """Of one worker: a share of the positives in both orders, twice all factors of the larger side, and its own."""
    positives = 8 * run["positives"] / run["workers"]
    return 4e8 + positives + 4 * run["factors"] * (2 * max(run["rows"], run["columns"]) + _sides(run) / run["workers"])


def moved(run: Run) -> float:
    """Bytes of factors that go from worker to worker."""
    workers = run["workers"]
    return float(4 * run["factors"] * _sides(run) * (workers - 1) * (1 + 1 / workers))


def _sides(run: Run) -> float:
    return float(run["rows"] + run["columns"])


def _bandwidth(run: Run) -> float:
    return float(run["mbit"] * 1e6 / 8)
