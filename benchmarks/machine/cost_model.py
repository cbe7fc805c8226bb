"""What a job costs, as a formula with few constants; the constants are fitted to what was measured.

Recommend, one alternating sweep over n rows, m columns, P positives and g factors (two threads):

    seconds = a·P·g + b·(n + m)·g²        memory = base + c·P + d·(n + m)·g

The first term reads the positives, the second builds and uses the g × g caches for every row and column. Constants are
those of the smallest relative squared error, none negative.

On a cluster, with W workers and bandwidth B in bytes a second:

    work      = 2 (a P g + b (n + m) g²)                       a and b above are of two threads
    processor = work + c W                                     all workers together; c is what Dask takes in each
    traffic   = τ · 4 g (n + m) (W − 1)                        every worker fetches the factors that it lacks
    seconds   = κ processor / min(W, p) + traffic / B          on one machine of p processors and one shared link

κ is what other programs on the machine take (1 on one of its own). Where every worker has a link of its own, each
fetches its part of the traffic through it, 4 g (n + m) (W − 1) / W bytes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

MIB = 2**20
SHARE = 0.8
"""How much of a machine's memory is for the model; the rest is for the system and for reading data."""
Run = dict[str, Any]


@dataclass(frozen=True)
class Sweep:
    """Constants of alternating least squares."""

    per_positive: float
    per_row: float
    base_bytes: float
    positive_bytes: float
    row_bytes: float

    @classmethod
    def fitted(cls, figures: dict[str, Any]) -> "Sweep":
        """From the table of ``results/sweep.json``."""
        sides = figures["rows"] + figures["columns"]
        points = [(row["positives"], row["factors"], row["tacit"]) for row in figures["table"] if "tacit" in row]
        seconds = np.array([one["sweep_seconds"] for _, _, one in points])
        size = np.array([one["peak_mib"] * MIB for _, _, one in points])
        time = np.array([[p * g, sides * g**2] for p, g, _ in points], dtype=float)
        memory = np.array([[1.0, p, sides * g] for p, g, _ in points])
        return cls(*relative(time, seconds), *relative(memory, size))

    def seconds(self, rows: float, columns: float, positives: float, factors: float) -> float:
        return self.per_positive * positives * factors + self.per_row * (rows + columns) * factors**2

    def bytes(self, rows: float, columns: float, positives: float, factors: float) -> float:
        return self.base_bytes + self.positive_bytes * positives + self.row_bytes * (rows + columns) * factors

    def rows_held(self, memory: float, factors: float, per_row: float, rows_per_column: float) -> float:
        """So many rows fit, with ``per_row`` positives each and ``rows_per_column`` rows for every column."""
        each = self.positive_bytes * per_row + self.row_bytes * factors * (1 + 1 / rows_per_column)
        return max(0.0, (memory * SHARE - self.base_bytes) / each)


def slope(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Intercept and slope of the line of the smallest relative squared error, neither negative.

    >>> tuple(round(float(one), 3) for one in slope([(1, 3.0), (2, 5.0), (3, 7.0)]))
    (1.0, 2.0)
    """
    x, y = np.array(points, dtype=float).T
    start, rise = relative(np.column_stack([np.ones_like(x), x]), y)
    return start, rise


def relative(terms: np.ndarray, measured: np.ndarray) -> list[float]:
    """Constants of the smallest relative squared error, none negative."""
    scaled = terms / measured[:, None]
    # Columns of one size, so that the solver sees no difference between bytes and positives.
    width = np.linalg.norm(scaled, axis=0)
    found, _ = nnls(scaled / width, np.ones(len(measured)))
    return (found / width).tolist()


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
        busy = [(work(one, r) + per_worker * r["workers"]) / _at_once(r) for r in runs]
        left = [max(r["seconds"] - share * moved(r) / _bandwidth(r), 0.0) for r in runs]
        return cls(one, per_worker, share, float(np.sum(left) / np.sum(busy)))

    def processor(self, run: Run) -> float:
        return work(self.one, run) + self.per_worker * run["workers"]

    def traffic(self, run: Run) -> float:
        return self.traffic_share * moved(run)

    def seconds(self, run: Run) -> float:
        """On one machine, whose processors and whose link all workers share."""
        return self.crowding * self.processor(run) / _at_once(run) + self.traffic(run) / _bandwidth(run)

    def seconds_apart(self, run: Run, threads: int) -> float:
        """On machines of their own, with ``threads`` each and a link each; 128 chunks of a side are all there are."""
        busy = min(run["workers"] * threads, 128)
        network = moved(run) / run["workers"] / _bandwidth(run)
        return float(work(self.one, run) / busy + self.per_worker + network)


def work(one: Sweep, run: Run) -> float:
    """Processor seconds of the solves, wherever they run."""
    return 2 * one.seconds(run["rows"], run["columns"], run["positives"], run["factors"])


def worker_bytes(run: Run) -> float:
    """Of one worker: a share of the positives in both orders, all factors of the larger side twice, and its own."""
    positives = 8 * run["positives"] / run["workers"]
    return 4e8 + positives + 4 * run["factors"] * (2 * max(run["rows"], run["columns"]) + _sides(run) / run["workers"])


def moved(run: Run) -> float:
    """Bytes of factors that go from worker to worker."""
    workers = run["workers"]
    return float(4 * run["factors"] * _sides(run) * (workers - 1))


def _at_once(run: Run) -> int:
    """Workers that compute at the same time."""
    return int(min(run["workers"], run["processors"]))


def _sides(run: Run) -> float:
    return float(run["rows"] + run["columns"])


def _bandwidth(run: Run) -> float:
    return float(run["mbit"] * 1e6 / 8)
