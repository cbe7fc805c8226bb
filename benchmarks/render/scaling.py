"""How costs grow: a sweep and its model, a unit of each job, and what one machine can hold.

The model is a formula with few constants, fitted to what was measured.

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

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

from benchmarks.render import Block, table

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


def sweep(record: dict[str, Any]) -> str:
    """One alternating sweep at scale, and how it grows."""
    figures = record["figures"]
    rows = [
        [f"{row['positives']:,}", row["factors"]]
        + [f"{row[name]['sweep_seconds']:.3f}" for name in ("tacit", "implicit", "irspack")]
        + [f"{row[name]['peak_mib']:.0f}" for name in ("tacit", "implicit", "irspack")]
        for row in figures["table"]
    ]
    head = ["positives", "factors", "Tacit (s)", "implicit (s)", "irspack (s)"]
    head += ["Tacit (MiB)", "implicit (MiB)", "irspack (MiB)"]
    size = f"{figures['rows']:,} rows × {figures['columns']:,} columns."
    return f"{size}\n\n{table(head, rows)}"


SIZES = [(10_000, 5_000, 1e6), (100_000, 20_000, 5e6), (1_000_000, 100_000, 5e7), (10_000_000, 1_000_000, 5e8)]
SWEEPS = 10


def costs(records: dict[str, Any]) -> str:
    """The cost model of alternating least squares: fitted constants, how well they fit, and what they predict."""
    figures = records["sweep"]["figures"]
    cost = Sweep.fitted(figures)
    rows, columns = figures["rows"], figures["columns"]
    fit = []
    for row in figures["table"]:
        p, g, ours = row["positives"], row["factors"], row["tacit"]
        guess, size = cost.seconds(rows, columns, p, g), cost.bytes(rows, columns, p, g) / 2**20
        fit.append(
            [f"{p:,}", str(g), f"{ours['sweep_seconds']:.2f}", f"{guess:.2f}", f"{ours['peak_mib']:.0f}", f"{size:.0f}"]
        )
    ahead = [
        [f"{n:,}", f"{m:,}", f"{p:,.0f}", str(g), duration(cost.seconds(n, m, p, g)),
         duration(SWEEPS * cost.seconds(n, m, p, g)), size_of(cost.bytes(n, m, p, g))]
        for n, m, p in SIZES
        for g in (64, 128)
    ]  # fmt: skip
    constants = (
        f"a = {1e9 * cost.per_positive:.2f} ns, b = {1e9 * cost.per_row:.2f} ns, base = "
        f"{cost.base_bytes / 2**20:.0f} MiB, c = {cost.positive_bytes:.0f} bytes, d = {cost.row_bytes:.1f} bytes."
    )
    head = ["positives", "factors", "measured (s)", "model (s)", "measured (MiB)", "model (MiB)"]
    heads = ["rows", "columns", "positives", "factors", "a sweep", f"{SWEEPS} sweeps", "memory"]
    return "\n\n".join([
        constants, "**Measured, and what the model says**", table(head, fit),
        "**What it predicts**", table(heads, ahead),
    ])  # fmt: skip


def duration(seconds: float) -> str:
    """Seconds for people, with two digits that count.

    >>> duration(0.0123), duration(4.56), duration(400), duration(9000)
    ('0.01 s', '4.6 s', '6.7 min', '2.5 h')
    """
    for limit, unit, name in ((120, 1, "s"), (7200, 60, "min"), (float("inf"), 3600, "h")):
        if seconds < limit:
            value = seconds / unit
            return (
                f"{value:.2f} {name}" if value < 0.1 else f"{value:.2g} {name}" if value < 10 else f"{value:.0f} {name}"
            )
    raise AssertionError


def size_of(count: float) -> str:
    """Bytes for people.

    >>> size_of(3.2e8), size_of(4.56e9), size_of(6.3e10)
    ('320 MB', '4.6 GB', '63 GB')
    """
    if count < 1e9:
        return f"{count / 1e6:.0f} MB"
    return f"{count / 1e9:.1f} GB" if count < 1e10 else f"{count / 1e9:.0f} GB"


def unit_costs(records: dict[str, Any]) -> str:
    """What a unit of each job costs: time and memory for a million, and for a hundred million."""
    figures = {name: record["figures"] for name, record in records.items()}
    counted = figures["words-counting"]["table"]
    words = [
        (counted[place]["pairs"], figures[name]["methods"]["tacit"])
        for name, place in (("words-quick", 0), ("words", -1))
    ]
    graded = [point for point in figures["grade-size"]["exact"] if "seconds" in point]
    stream, scale = figures["stream-speed"], figures["tag-scale"]
    experts = _default_experts(stream["memory"]["row_bytes"])
    loaded = figures["load_csv"]["table"][0]
    costs = {
        ("load", "line of CSV"): (
            min(loaded["cpu_seconds"]) / loaded["rows"],
            loaded["peak_bytes_above_base"] / loaded["rows"],
        ),
        ("words", "pair of words that occurs, 200 factors, 8 sweeps"): (
            max(ours["processor_seconds"] / pairs for pairs, ours in words),
            slope([(pairs, ours["peak_mib"] * MIB) for pairs, ours in words])[1],
        ),
        ("rate", "rating, 10 factors; memory is of a user or item"): _stream(
            stream, "partial_fit diagonal k=10", "diagonal k=10"
        ),
        ("rate", f"rating, {experts}; memory is of a user or item"): _stream(
            stream, f"partial_fit {experts} (default)", f"{experts} (default)"
        ),
        ("grade", "row without a grade"): (
            slope([(point["unlabelled"], point["processor_seconds"]) for point in graded])[1],
            slope([(point["unlabelled"], point["peak_mib"] * MIB) for point in graded])[1],
        ),
        ("tag", f"text, {scale['features']:,} words, {scale['labels']:,} labels, {scale['partitions']} partitions"): (
            scale["seconds to fit"] / scale["rows"],
            scale["peak memory in GB"] * 1e9 / scale["rows"],
        ),
    }
    rows = [
        [job, unit, duration(1e6 * seconds), size_of(1e6 * size), duration(1e8 * seconds), size_of(1e8 * size)]
        for (job, unit), (seconds, size) in costs.items()
    ]
    return table(["job", "unit", "a million: time", "memory", "a hundred million: time", "memory"], rows)


def _default_experts(measured: dict[str, Any]) -> str:
    """How many experts the default had when it was measured, such as "6 experts"."""
    return next(name for name in measured if name.endswith(" (default)")).removesuffix(" (default)")


def _stream(figures: dict[str, Any], speed: str, state: str) -> tuple[float, float]:
    memory = figures["memory"]
    return 1 / figures["ratings_per_second"][speed], memory["row_bytes"][state] + memory["id_bytes_whole_number"]


MACHINES = (8, 16, 64)
PER_ROW, ROWS_PER_COLUMN = 50, 10


def capacity(records: dict[str, Any]) -> str:
    """What one machine can hold, job by job."""
    figures = {name: record["figures"] for name, record in records.items()}
    sweep = Sweep.fitted(figures["sweep"])
    words = slope([(figures["words-counting"]["table"][place]["pairs"], one["methods"]["tacit"]["peak_mib"] * MIB)
                   for one, place in ((figures["words-quick"], 0), (figures["words"], -1))])  # fmt: skip
    graded = slope(
        [(one["unlabelled"], one["peak_mib"] * MIB) for one in figures["grade-size"]["exact"] if "seconds" in one]
    )
    stream = figures["stream-speed"]["memory"]
    scale = figures["tag-scale"]

    def held(start: float, each: float) -> Callable[[float], float]:
        return lambda memory: (memory * SHARE - start) / each

    experts = _default_experts(stream["row_bytes"])
    jobs = {
        "recommend, 64 factors: rows": lambda memory: sweep.rows_held(memory, 64, PER_ROW, ROWS_PER_COLUMN),
        "recommend, 128 factors: rows": lambda memory: sweep.rows_held(memory, 128, PER_ROW, ROWS_PER_COLUMN),
        "words, 200 factors: pairs that occur": held(*words),
        "rate, 10 factors: users and items": held(
            figures["stream-speed"]["simulated"]["peak_before_megabytes"] * 1e6,
            stream["row_bytes"]["diagonal k=10"] + stream["id_bytes_whole_number"],
        ),
        f"rate, {experts}: users and items": held(
            figures["stream-speed"]["simulated"]["peak_before_megabytes"] * 1e6,
            stream["row_bytes"][f"{experts} (default)"] + stream["id_bytes_whole_number"],
        ),
        "grade: rows without a grade": held(*graded),
        f"tag, {scale['features']:,} words, {scale['labels']:,} labels: texts": held(
            0.0, scale["peak memory in GB"] * 1e9 / scale["rows"]
        ),
    }
    rows = [[name, *(_rounded(count(gigabytes * 1e9)) for gigabytes in MACHINES)] for name, count in jobs.items()]
    largest = max(figures["sweep"]["table"], key=lambda row: (row["positives"], row["factors"]))
    ours = figures["words"]["methods"]["tacit"]
    speeds = [
        ["recommend", f"a sweep over {largest['positives']:,} positives, {largest['factors']} factors",
         f"{largest['tacit']['sweep_seconds']:.2f} s"],
        ["tag", f"{scale['rows']:,} texts, {scale['features']:,} words, {scale['labels']:,} labels",
         f"{scale['seconds to fit']:.0f} s to fit, then {scale['rows per second to predict']:,} texts a second"],
        ["words", f"{figures['words']['megabytes']} MB of text, {ours['words']:,} words",
         f"{ours['processor_seconds']:.0f} s of processor time"],
        ["rate", "one model of 10 factors, one core",
         f"{figures['stream-speed']['ratings_per_second']['partial_fit diagonal k=10']:,} ratings a second"],
        ["rate", f"{experts}, one core",
         f"{figures['stream-speed']['ratings_per_second'][f'partial_fit {experts} (default)']:,} ratings a second"],
        ["grade", f"{figures['grade-size']['exact'][-1]['unlabelled']:,} rows without a grade",
         f"{figures['grade-size']['exact'][-1]['processor_seconds']:.0f} s of processor time"],
    ]  # fmt: skip
    head = ["job, and what is counted", *(f"{size} GB" for size in MACHINES)]
    note = (
        f"{SHARE:.0%} of the memory is for the model. Recommend counts {PER_ROW} positives a row and {ROWS_PER_COLUMN} "
        "rows a column. Words and tags are drawn from two points and from one, so take them as orders of magnitude."
    )
    parts = ["**What fits into memory**", table(head, rows), note, "**What was measured**"]
    return "\n\n".join([*parts, table(["job", "size", "time"], speeds)])


def _rounded(count: float) -> str:
    """Two digits that count.

    >>> _rounded(12_345_678), _rounded(3.9e9), _rounded(45_678)
    ('12 million', '3.9 billion', '46,000')
    """
    for unit, name in ((1e9, "billion"), (1e6, "million")):
        if count >= unit:
            value = count / unit
            return f"{value:.1f} {name}" if value < 10 else f"{float(f'{value:.2g}'):,.0f} {name}"
    return f"{float(f'{max(count, 0):.2g}'):,.0f}"


BLOCKS = {
    "sweep": Block(sweep),
    "costs": Block(costs, ("sweep",)),
    "unit-costs": Block(
        unit_costs, ("words-quick", "words", "words-counting", "stream-speed", "grade-size", "tag-scale", "load_csv")
    ),
    "capacity": Block(
        capacity, ("sweep", "words-quick", "words", "words-counting", "stream-speed", "grade-size", "tag-scale")
    ),
}
