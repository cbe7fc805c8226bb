"""What the machine gives: loading, the first use, roofs of kernels, and a fit on a cluster."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.render import Block, Drawing, table
from benchmarks.render.scaling import ClusterSweep, Sweep, duration, size_of, worker_bytes


def load_csv(record: dict[str, Any]) -> str:
    """Loading a large CSV file."""
    rows = [
        [
            f"{row['rows']:,}",
            row["ids"],
            f"{row['file_bytes'] / 1e6:.0f}",
            f"{min(row['seconds']):.1f}",
            f"{min(row['cpu_seconds']):.1f}",
            f"{row['columns_in_memory_bytes'] / 1e6:.0f}",
            f"{row['peak_bytes_above_base'] / 1e6:.0f}",
        ]
        for row in record["figures"]["table"]
    ]
    head = ["lines", "ids", "file, MB", "seconds", "processor seconds", "columns in memory, MB", "peak, MB"]
    busy = record["load_average_before"]
    return table(head, rows) + f"\n\nBest of several; the machine's load was {busy} when it began."


def first_use(record: dict[str, Any]) -> str:
    """What compiling the kernels costs a first fit, and a first question after it."""
    rows = []
    for job, runs in record["figures"].items():
        whole, fit = ([runs[run][part] for run in ("first", "second")] for part in ("cpu_seconds", "fit_cpu_seconds"))
        seconds = *whole, fit[0] - fit[1], (whole[0] - fit[0]) - (whole[1] - fit[1])
        rows.append([job, *(f"{one:.1f}" for one in seconds)])
    head = ["job", "first process, processor seconds", "second", "compiling for the fit", "for the first question"]
    return table(head, rows)


def one_answer(record: dict[str, Any]) -> str:
    """One user's list from few and from many positives."""
    figures = record["figures"]
    rows = [[f"{row['positives']:,}", f"{row['milliseconds']:.2f}"] for row in figures["lists"]]
    told = f"The second over the first, side by side: {figures['ratio']:.2f}."
    return table(["positives", "one list, processor milliseconds"], rows) + f"\n\n{told}"


def readers(record: dict[str, Any]) -> str:
    """What two threads read of one model over what one does."""
    found = record["figures"].items()
    rows = [[f"`{name}`", f"{row['milliseconds']:.2f}", f"{row['two_over_one']:.2f}"] for name, row in found]
    told = (
        f"Turns in which others had more than one percent of the processors were left out and taken again: "
        f"{sum(row['disturbed_turns'] for _, row in found)}."
    )
    return (
        table(["question", "one thread, milliseconds", "answers of two threads over those of one"], rows)
        + f"\n\n{told}"
    )


def service(record: dict[str, Any]) -> str:
    """Answers and events over HTTP."""
    found = record["figures"]
    rate, cost = found["requests_per_second"], found["processor_microseconds"]
    rows = [
        ["`recommend`, k = 10, 16 clients", f"{rate['recommend']:,} a second"],
        ["a bare Starlette route with a constant of that size", f"{rate['bare']:,} a second"],
        ["ratio, in turns; by the servers' processor time",
         f"{found['ratio_to_bare']:.2f}; {found['ratio_to_bare_by_processor_time']:.2f}"],
        ["processor time: `recommend`, bare, an event", f"{cost['recommend']}, {cost['bare']}, {cost['event']} µs"],
        ["`recommend` at half that load, p50 and p99",
         f"{found['p50_ms_at_half_load']:.1f} and {found['p99_ms_at_half_load']:.1f} ms "
         f"(the bare route's p99 at that rate: {found['p99_ms_of_the_bare_route_at_that_load']:.1f} ms)"],
        ["events acknowledged, 64 clients", f"{found['events_per_second_64_clients']:,} a second"],
        ["the disk's own fsyncs", f"{found['fsyncs_per_second_of_the_disk']:,} a second"],
        [f"p99 of {found['asked_per_second']} answers a second, alone and beside "
         f"{found['events_per_second_while_asked']:,} events a second",
         f"{found['p99_ms_without_events']:.1f} and {found['p99_ms_while_events_come']:.1f} ms "
         f"(ratio in turns {found['p99_ratio_while_events_come']:.1f})"],
        ["an event, then a question about it: answers that did not know it",
         f"{found['read_your_writes']['missed']} of {found['read_your_writes']['pairs']:,}"],
        *([f"`model.recommend([user])`, {name} positives", f"{spent:.2f} ms"]
          for name, spent in found["single_answer_ms"].items()),
    ]  # fmt: skip
    told = (
        f"{found['rows']:,} × {found['cols']:,}, {found['positives']:,} positives, {found['factors']} factors; server "
        f"and client on one machine, whose load was {found['load_before'][0]:.0f} before and "
        f"{found['load_after'][0]:.0f} after: other work takes from all figures but the ratios. Turns in which the "
        f"host stole more than one percent of the processors' time were left out of the latencies and taken again: "
        f"{found['turns_left_out_for_stolen_time']}."
    )
    return table(["", ""], rows) + f"\n\n{told}"


def roofline(record: dict[str, Any]) -> str:
    """What the machine can do, and the share of it that each kernel takes."""
    figures = record["figures"]
    able = figures["machine"]
    levels = list(next(iter(able.values()))["bandwidth"])
    rows = [
        [
            threads,
            *(f"{row['bandwidth'][level]:.1f}" for level in levels),
            *(f"{top:.0f}" for top in row["peak"].values()),
        ]
        for threads, row in able.items()
    ]
    heads = ["threads", *(f"triad, {level} (GB/s)" for level in levels), "peak, single (GFLOP/s)", "double"]
    parts = [table(heads, rows)]
    if "kernels" in figures:
        rows = []
        for name, kernel in figures["kernels"].items():
            for threads, row in kernel["threads"].items():
                rows.append(
                    [
                        name, threads, f"{kernel['operations_per_byte']:.2f}", f"{1e3 * row['seconds']:.1f}",
                        f"{row['gigaflops']:.2f}", f"{row['attainable_gigaflops']:.1f}", row["bound"],
                        f"{100 * row['share']:.1f} %",
                    ]
                )  # fmt: skip
        heads = ["kernel", "threads", "operations per byte", "ms", "GFLOP/s", "attainable", "bound by", "share"]
        loss = figures["largest_loss"]
        named = (
            f"Furthest below its roof: {loss['kernel']}, at {100 * loss['share']:.1f} % of what {loss['bound']} allows."
        )
        parts += ["![Kernels below their roofs](figures/roofline.svg)", table(heads, rows), named]
    if "scaling" in figures:
        parts += ["![Time of kernels as data grow](figures/scaling.svg)", _scaling(figures["scaling"])]
    return "\n\n".join(parts)


def _scaling(found: dict[str, Any]) -> str:
    base = ", ".join(f"{name} = {value:,}" for name, value in found["base"].items())
    blocks = [f"Milliseconds on two threads as one quantity grows; the others are {base}."]
    for what, row in found.items():
        if what == "base":
            continue
        heads = [what, *(f"{value:,}" for value in row["values"])]
        rows = [[kernel, *(f"{1e3 * s:.1f}" for s in seconds)] for kernel, seconds in row["seconds"].items()]
        blocks.append(table(heads, rows))
    return "\n\n".join(blocks)


AHEAD = [(20_000_000, 1_000_000, 1e9), (100_000_000, 5_000_000, 1e10)]
WORKERS = (16, 64, 256)
THREADS, FACTORS, MBIT = 4, 64, 10_000.0


def approximate(record: dict[str, Any]) -> str:
    """The index of columns beside the exact search."""
    rows = [
        [row["factors"], f"{row['columns']:,}", f"{row['recall']:.3f}", f"{row['ratio']:.1f} ×",
         f"{row['approximate_per_second']:,.0f}", f"{row['exact_per_second']:,.0f}",
         f"{row['build_processor_seconds']:.0f}", f"{row['index_bytes'] / 1e6:.0f}",
         "all" if row["filter_filled"] else "not all"]
        for row in record["figures"]["table"]
    ]  # fmt: skip
    head = ["factors", "columns", "recall of 10", "faster", "lists a second", "exact", "build (s)", "index (MB)",
            "k filled under a filter"]  # fmt: skip
    return table(head, rows) + (
        "\n\nBy processor time of one core. Factors drawn at random have no structure that an index could use: there "
        "`search='auto'` stays exact. The filter excludes 99 of 100 columns."
    )


def cluster(records: dict[str, Any]) -> str:
    """One fit in memory, out of core and on workers, and the cost model of a cluster."""
    figures = records["cluster"]["figures"]
    blocks = []
    if "same" in figures:
        blocks += _same(figures["same"])
    if "words" in figures:
        blocks += _words(figures["words"])
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


def _words(figures: dict[str, Any]) -> list[str]:
    rows = []
    for way in figures["ways"]:
        processor = way["processor_seconds"] + way.get("worker_processor_seconds", 0.0)
        peak = ", ".join(map(str, way.get("worker_peak_mib", [way["peak_mib"]])))
        rows.append([way["way"], f"{way['seconds']:.0f}", f"{processor:.1f}", peak])
    about = (
        f"{figures['bytes'] / 1e6:.0f} MB of text, {figures['ways'][0]['words']:,} words, {figures['sweeps']} sweeps; "
        f"the two model files are {'the same, byte for byte' if figures['same_file'] else 'NOT the same'}."
    )
    head = ["where", "seconds in all", "processor seconds", "peak of a process (MiB)"]
    return ["**Words, two ways**", about, table(head, rows)]


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


def draw_roofs(figures: dict[str, Any]) -> Figure:
    """One panel per number of threads: the draw_roofs of each level of memory, and the kernels below them."""
    able = figures["machine"]
    figure = Figure(figsize=(6.4 * len(able), 4.6), layout="constrained")
    axes = figure.subplots(1, len(able), sharey=True)
    for axis, (threads, row) in zip(np.atleast_1d(axes), able.items()):
        intensity = np.geomspace(0.05, 4000, 200)
        for shade, (level, bandwidth) in zip((0.75, 0.6, 0.45, 0.2), row["bandwidth"].items()):
            axis.plot(intensity, np.minimum(row["peak"]["single"], bandwidth * intensity), color=str(shade), lw=1)
            axis.annotate(f"{level} {bandwidth:.0f} GB/s", (0.055, bandwidth * 0.06), fontsize=7, color=str(shade))
        for place, (name, kernel) in enumerate(figures["kernels"].items()):
            if threads not in kernel["threads"]:
                continue
            found = kernel["threads"][threads]
            at = kernel["operations_per_byte"]
            axis.plot([at, at], [found["gigaflops"], found["attainable_gigaflops"]], color="#fdba74", lw=1)
            axis.plot(at, found["gigaflops"], "o", color="#c2410c", markersize=5)
            axis.annotate(
                f"{name} {100 * found['share']:.3g} %", (at, found["gigaflops"]), fontsize=7,
                xytext=(6, (-10, 3, -3, 8)[place % 4]), textcoords="offset points",
            )  # fmt: skip
        plural = "s" if threads != "1" else ""
        axis.set(xscale="log", yscale="log", xlabel="operations per byte", title=f"{threads} thread{plural}")
        axis.grid(alpha=0.2)
    np.atleast_1d(axes)[0].set_ylabel("GFLOP/s")
    return figure


def draw_scaling(figures: dict[str, Any]) -> Figure:
    """Time of kernels as one quantity grows."""
    found = figures["scaling"]
    names = [name for name in found if name != "base"]
    figure = Figure(figsize=(4.6 * len(names), 3.6), layout="constrained")
    axes = figure.subplots(1, len(names))
    for axis, what in zip(np.atleast_1d(axes), names):
        values = found[what]["values"]
        for kernel, seconds in found[what]["seconds"].items():
            axis.plot(values, [1000 * second for second in seconds], "o-", label=kernel, markersize=4)
        axis.set(xscale="log", yscale="log", xlabel=what, ylabel="milliseconds, 2 threads")
        axis.set_xticks(values, [f"{value:,}" for value in values], rotation=20)
        axis.set_yticks([10, 30, 100, 300], ["10", "30", "100", "300"])
        axis.minorticks_off()
        axis.grid(alpha=0.25)
    np.atleast_1d(axes)[0].legend(fontsize=7)
    return figure


QUICK = 120
"""Seconds that a quick version may take."""


def quick_times(record: dict[str, Any]) -> str:
    """What the quick version of every program of ``tacit bench`` takes."""
    found = record["figures"]
    rows = [
        [f"`python -m benchmarks.{program}`", f"{one['processor_seconds']:.0f}", "" if one["ended"] == 0 else "failed"]
        for program, one in sorted(found.items(), key=lambda item: -item[1]["processor_seconds"])
    ]
    longer = [program for program, one in found.items() if one["processor_seconds"] > QUICK]
    told = f"Longer than two minutes: {', '.join(longer)}." if longer else "None of these takes two minutes."
    if record.get("untimed"):
        told += f" Not timed yet: {', '.join(record['untimed'])}."
    return table(["program", "processor seconds", ""], rows) + f"\n\n{told}"


BLOCKS = {
    "quick-times": Block(quick_times),
    "load_csv": Block(load_csv),
    "first-use": Block(first_use),
    "one-answer": Block(one_answer),
    "readers": Block(readers),
    "roofline": Block(roofline),
    "service": Block(service),
    "approximate": Block(approximate),
    "cluster": Block(cluster, ("cluster", "sweep")),
}
FIGURES = {"roofline": Drawing("roofline", draw_roofs), "scaling": Drawing("roofline", draw_scaling)}
