"""Speed and memory of rating streams."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
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
