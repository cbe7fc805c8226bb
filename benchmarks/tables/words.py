"""Word vectors: accuracy, time and memory beside the peers."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    figures = record["figures"]
    ours = figures["methods"]["tacit"]
    head = [
        "method", "semantic", "syntactic", "total", "total, of all", "WordSim-353", "seconds", "processor seconds",
        "processor time / Tacit", "peak memory (MiB)", "19,544 questions (s)",
    ]  # fmt: skip
    rows = [
        [
            method,
            *(f"{100 * row[part]['of_known']:.1f}" for part in ("semantic", "syntactic", "total")),
            f"{100 * row['total']['of_all']:.1f}",
            f"{row['wordsim353']['correlation']:.3f}",
            f"{row['seconds']:.0f}",
            f"{row['processor_seconds']:.0f}",
            f"{row['processor_seconds'] / ours['processor_seconds']:.2f}",
            f"{row['peak_mib']:.0f}",
            f"{row['questions']['seconds']:.1f}",
        ]
        for method, row in figures["methods"].items()
    ]
    exchanged = [
        f"In the {name}, gensim and Tacit find the same ten neighbours of {found['same_ten_neighbours']} of "
        f"{found['words']} words (cosines differ by {found['largest_gap_of_cosines']:.0e} at most)."
        for name, found in figures["exchange"].items()
    ]
    return "\n\n".join([table(head, rows), *exchanged])
