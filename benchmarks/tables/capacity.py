"""What one machine can hold, job by job."""

from collections.abc import Callable
from typing import Any

from benchmarks.machine.cost_model import MIB, SHARE, Sweep, slope
from benchmarks.tables import table

FILES = ("sweep", "words-quick", "words", "words-counting", "stream-speed", "grade-size", "tag-scale")
MACHINES = (8, 16, 64)
PER_ROW, ROWS_PER_COLUMN = 50, 10


def render(records: dict[str, Any]) -> str:
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

    jobs = {
        "recommend, 64 factors: rows": lambda memory: sweep.rows_held(memory, 64, PER_ROW, ROWS_PER_COLUMN),
        "recommend, 128 factors: rows": lambda memory: sweep.rows_held(memory, 128, PER_ROW, ROWS_PER_COLUMN),
        "words, 200 factors: pairs that occur": held(*words),
        "rate, 10 factors: users and items": held(
            figures["stream-speed"]["simulated"]["peak_before_megabytes"] * 1e6,
            stream["row_bytes"]["diagonal k=10"] + stream["id_bytes_whole_number"],
        ),
        "rate, 18 experts: users and items": held(
            figures["stream-speed"]["simulated"]["peak_before_megabytes"] * 1e6,
            stream["row_bytes"]["18 experts (default)"] + stream["id_bytes_whole_number"],
        ),
        "grade: rows without a grade": held(*graded),
        f"tag, {scale['features']:,} words, {scale['labels']:,} labels: texts": held(
            0.0, scale["peak memory in GB"] * 1e9 / scale["rows"]
        ),
    }
    rows = [[name, *(rounded(count(gigabytes * 1e9)) for gigabytes in MACHINES)] for name, count in jobs.items()]
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
        ["rate", "18 experts, one core",
         f"{figures['stream-speed']['ratings_per_second']['partial_fit 18 experts (default)']:,} ratings a second"],
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


def rounded(count: float) -> str:
    """Two digits that count.

    >>> rounded(12_345_678), rounded(3.9e9), rounded(45_678)
    ('12 million', '3.9 billion', '46,000')
    """
    for unit, name in ((1e9, "billion"), (1e6, "million")):
        if count >= unit:
            value = count / unit
            return f"{value:.1f} {name}" if value < 10 else f"{float(f'{value:.2g}'):,.0f} {name}"
    return f"{float(f'{max(count, 0):.2g}'):,.0f}"
