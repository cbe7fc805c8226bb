"""What a unit of each job costs: time and memory for a million, and for a hundred million."""

from typing import Any

from benchmarks.machine.cost_model import MIB, slope
from benchmarks.tables import table
from benchmarks.tables.costs import duration, size_of

FILES = ("words-quick", "words", "words-counting", "stream-speed", "grade-size", "tag-scale", "load_csv")


def render(records: dict[str, Any]) -> str:
    figures = {name: record["figures"] for name, record in records.items()}
    counted = figures["words-counting"]["table"]
    words = [
        (counted[place]["pairs"], figures[name]["methods"]["tacit"])
        for name, place in (("words-quick", 0), ("words", -1))
    ]
    graded = [point for point in figures["grade-size"]["exact"] if "seconds" in point]
    stream, scale = figures["stream-speed"], figures["tag-scale"]
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
        ("rate", "rating, 18 experts; memory is of a user or item"): _stream(
            stream, "partial_fit 18 experts (default)", "18 experts (default)"
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


def _stream(figures: dict[str, Any], speed: str, state: str) -> tuple[float, float]:
    memory = figures["memory"]
    return 1 / figures["ratings_per_second"][speed], memory["row_bytes"][state] + memory["id_bytes_whole_number"]
