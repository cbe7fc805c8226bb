"""Word vectors beside their peers, and what their parameters do."""

from statistics import mean
from typing import Any

from matplotlib.figure import Figure

from benchmarks.render import Block, Drawing, table


def quality(record: dict[str, Any]) -> str:
    """Word vectors: accuracy, time and memory beside the peers."""
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


def counting(record: dict[str, Any]) -> str:
    """Counting: speed and memory by size of the text and by budget."""
    head = ["text (MB)", "tokens", "words", "pairs", "budget (GB)", "reading (s)", "counting (s)", "tokens / s",
            "peak memory (MiB)"]  # fmt: skip
    rows = [
        [
            str(row["megabytes"]),
            f"{row['tokens']:,}",
            f"{row['words']:,}",
            f"{row['pairs']:,}",
            f"{row['memory_budget_gb']:g}",
            f"{row['reading_seconds']:.2f}",
            f"{row['counting_seconds']:.2f}",
            f"{row['tokens_per_second']:,}",
            f"{row['peak_mib']:.0f}",
        ]
        for row in record["figures"]["table"]
    ]
    return table(head, rows)


def curve(record: dict[str, Any]) -> str:
    """Accuracy of word vectors, sweep by sweep."""
    rows = [
        [
            row["solver"],
            str(row["sweeps"]),
            f"{row['processor_seconds']:.1f}",
            *(f"{100 * row[part]['of_known']:.1f}" for part in ("semantic", "syntactic", "total")),
        ]
        for row in record["figures"]["table"]
    ]
    head = ["solver", "sweeps", "processor seconds in sweeps", "semantic", "syntactic", "total"]
    return f"The first {record['figures']['megabytes']} MB.\n\n{table(head, rows)}"


def items(record: dict[str, Any]) -> str:
    """Vectors of items in sequences."""
    rows = [
        [
            row["data"],
            f"{row['items']:,}",
            f"{row['seconds']:.1f}",
            f"{row['common_attributes_of_neighbours']:.3f}",
            f"{row['common_attributes_at_random']:.3f}",
        ]
        for row in record["figures"]["table"]
    ]
    head = ["data", "items", "seconds", "shared attributes, 10 neighbours", "shared attributes, 10 at random"]
    return table(head, rows)


WAYS = ("sum", "word", "context")


def output(record: dict[str, Any]) -> str:
    """Word vectors, context vectors or their sum: the same fits by several tests."""
    tests = record["figures"]["tests"]
    rows = [[name, *(f"{found[way]:.4f}" for way in WAYS)] for name, found in tests.items()]
    ratios = [f"{mean(found[way] / found['sum'] for found in tests.values()):.3f}" for way in WAYS]
    return table(["test", *WAYS], [*rows, ["mean ratio to the sum", *ratios]])


def weights(record: dict[str, Any]) -> str:
    """What the weight of unlabelled pairs does to word vectors."""
    rows = [
        [
            f"{row['unlabelled_total']:g}",
            f"{row['frequency_exponent']:g}",
            *(f"{100 * row[part]['of_known']:.1f}" for part in ("semantic", "syntactic", "total")),
            f"{row['wordsim353']['correlation']:.3f}",
        ]
        for row in record["figures"]["table"]
    ]
    head = ["α₀", "ρ", "semantic", "syntactic", "total", "WordSim-353"]
    return f"The first {record['figures']['megabytes']} MB.\n\n{table(head, rows)}"


PARTS = ("semantic", "syntactic", "total")


def percent(rows: list[dict[str, Any]], part: str) -> list[float]:
    return [100 * row[part]["of_known"] for row in rows]


def draw_curve(figures: dict[str, Any]) -> Figure:
    """Accuracy of word vectors against time, by solver."""
    measured = figures["table"]
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="processor seconds in sweeps", ylabel="analogies, % of known", xscale="log")
    for solver in dict.fromkeys(row["solver"] for row in measured):
        rows = [row for row in measured if row["solver"] == solver]
        axes.plot([row["processor_seconds"] for row in rows], percent(rows, "total"), marker="o", label=solver)
    axes.legend()
    return figure


def draw_weights(figures: dict[str, Any]) -> Figure:
    """The effect of α₀ and ρ, as in Figure 4 of the fBGD paper."""
    rows = figures["table"]
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    by_total = [row for row in rows if row["frequency_exponent"] == 0.75]
    best = max(by_total, key=lambda row: row["total"]["of_known"])["unlabelled_total"]
    by_exponent = sorted(
        (row for row in rows if row["unlabelled_total"] == best), key=lambda row: row["frequency_exponent"]
    )
    for part in PARTS:
        left.plot([row["unlabelled_total"] for row in by_total], percent(by_total, part), marker="o", label=part)
        right.plot([row["frequency_exponent"] for row in by_exponent], percent(by_exponent, part), marker="o")
    left.set(xlabel="α₀ (ρ = 0.75)", ylabel="analogies, % of known", xscale="log")
    right.set(xlabel=f"ρ (α₀ = {best:g})")
    left.legend()
    return figure


BLOCKS = {
    "words": Block(quality),
    "words-quick": Block(quality),
    "words-counting": Block(counting),
    "words-curve": Block(curve),
    "words-items": Block(items),
    "words-output": Block(output),
    "words-weights": Block(weights),
}
FIGURES = {
    "words-curve": Drawing("words-curve", draw_curve),
    "words-weights": Drawing("words-weights", draw_weights),
}
