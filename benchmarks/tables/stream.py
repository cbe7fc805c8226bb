"""Rating streams: errors, speed and memory, and what they do with nothing given."""

import itertools
from statistics import mean
from typing import Any

from benchmarks.tables import Block, table


def errors(record: dict[str, Any]) -> str:
    """Errors of rating streams beside the paper's Table 2, and in time order beside river."""
    figures = record["figures"]
    parts = []
    for name, rows in figures["table_2"].items():
        lines = [
            [
                row["method"],
                row["k"] or "–",
                _both(row["train_mae"]),
                _both(row["test_mae"]),
                f"{row['test_mae_clipped']['mean']:.4f}",
                "–" if row["paper_test_mae"] is None else f"{row['paper_test_mae']:.4f}",
                f"{row['seconds']['mean']:.2f}",
            ]
            for row in rows
        ]
        head = ["method", "k", "training MAE", "test MAE", "clipped", "paper's test MAE", "seconds"]
        parts.append(f"**{name}**, {figures['permutations']} permutations, one pass\n\n{table(head, lines)}")
    lines = [[name, f"{found['mae']:.4f}"] for name, found in figures["batch_references"].items()]
    parts.append("**MovieLens 100K, many passes**, first permutation\n\n" + table(["method", "test MAE"], lines))
    lines = [
        [name, f"{found['mae']:.4f}", f"{found['ndcg@10']:.4f}" if "ndcg@10" in found else "–"]
        for name, found in figures["time_order"].items()
    ]
    parts.append(
        "**MovieLens 100K in time order**, predict then learn\n\n" + table(["method", "MAE", "NDCG@10"], lines)
    )
    return "\n\n".join(parts)


def _both(figure: dict[str, float]) -> str:
    return f"{figure['mean']:.4f} ± {figure['deviation']:.4f}"


def speed(record: dict[str, Any]) -> str:
    """Speed and memory of rating streams."""
    figures = record["figures"]
    ratios = figures["times_biased_mf"]
    rows = [
        [name, f"{rate:,}", f"{ratios[name]:g}" if name in ratios else "–"]
        for name, rate in figures["ratings_per_second"].items()
    ]
    simulated, memory = figures["simulated"], figures["memory"]
    tenths = simulated["per_second_by_tenths"]
    ident = memory["id_bytes_whole_number"]
    each = ", ".join(f"{name}: {size}" for name, size in memory["row_bytes"].items())
    parts = [
        table(["one core, MovieLens 1M", "ratings a second", "times river's BiasedMF"], rows),
        f"Bytes for a user or item: {each}; a whole number as its id takes {ident:g} more.",
        f"{simulated['ratings']:,} simulated ratings of {simulated['items']:,} items by {simulated['users']:,} users "
        f"took {simulated['seconds']:g} s of one core, {simulated['ratings_per_second']:,} a second: {tenths[0]:,} in "
        f"the first tenth, {tenths[-1]:,} in the last. Factors take {simulated['state_megabytes']:g} MB; the process "
        f"peaked at {simulated['peak_megabytes']:g} MB, of which {simulated['peak_before_megabytes']:g} MB were there "
        "before the first rating.",
        f"Processor time, best of several; the machine's load was {record['load_average_before']} when it began.",
    ]
    return "\n\n".join(parts)


OURS = ("RatingStream()", "ExpertRatingStream()")
ONE_PASS = ("shrunk running means", "river Baseline", "river BiasedMF", "river FunkMF")
BATCH = ("Surprise SVD",)


def best_peer(methods: dict[str, Any], names: tuple[str, ...], what: str) -> tuple[str, float] | None:
    """The peer with the least error."""
    known = {name: methods[name][what] for name in names if what in methods.get(name, {})}
    return min(known.items(), key=lambda one: one[1]) if known else None


def defaults(record: dict[str, Any]) -> str:
    """Rating streams with nothing given beside river, Surprise and running means, and whether their constants hold."""
    figures = record["figures"]
    parts = []
    for what, names in (("progressive", ONE_PASS), ("test", (*ONE_PASS, *BATCH))):
        rows = []
        for name, one in figures["sets"].items():
            methods, peer = one["methods"], best_peer(one["methods"], names, what)
            before = methods.get(f"{OURS[1]} before", {}).get(what)
            cells = [f"{methods[ours][what]:.4f}" for ours in OURS]
            peers = "–" if peer is None else f"{peer[1]:.4f} ({peer[0]})"
            rows.append([name, f"{one['ratings']:,}", "–" if before is None else f"{before:.4f}", *cells, peers])
        parts.append(table([f"{what} MAE", "ratings", "ExpertRatingStream() before", *OURS, "best peer"], rows))
    speed = {name: one["methods"][OURS[0]]["per_second"] for name, one in figures["sets"].items()}
    fastest = max(speed, key=lambda name: speed[name])
    parts.append(
        f"`RatingStream()` takes in {speed[fastest]:,} ratings a second of one core on {fastest}, best of five; "
        f"{', '.join(f'{name} {rate:,}' for name, rate in speed.items() if name != fastest)}."
    )
    return "\n\n".join([*parts, *_choices(figures)])


def _choices(figures: dict[str, Any]) -> list[str]:
    """Of the grid, what all other sets would choose for the set that is left out."""
    errors = {name: one["grid_errors"] for name, one in figures["sets"].items() if "grid_errors" in one}
    if len(errors) < 2:
        return []
    settings = list(itertools.product(*figures["grid"].values()))
    own = settings.index(tuple(figures["default"]))
    ratios = {name: [error / found[own] for error in found] for name, found in errors.items()}
    rows = []
    for left in ratios:
        others = [mean(found[n] for name, found in ratios.items() if name != left) for n in range(len(settings))]
        chosen = min(range(len(settings)), key=lambda n: others[n])
        rows.append([left, *settings[chosen], f"{others[chosen] - 1:+.2%}", f"{ratios[left][chosen] - 1:+.2%}"])
    header = ["left out", *figures["grid"], "others, to the default", "left out, to the default"]
    return [
        "Constants that all other sets would choose, and what the set that was left out gets by them:",
        table(header, rows),
    ]


BLOCKS = {
    "stream": Block(errors),
    "stream-speed": Block(speed),
    "stream-defaults": Block(defaults),
}
