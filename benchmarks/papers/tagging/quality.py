"""P@k, nDCG@5, PSP@k and seconds of training on the published sets, beside the baselines."""

from typing import Any

from benchmarks.papers.tagging.methods import NAMES, chosen, fit_and_rank, points
from benchmarks.papers.tagging.record import Record
from benchmarks.papers.tagging.split import Split

SETS = ("bibtex", "rcv1v2", "corel5k", "stackex_cooking", "stackex_cs")
_SLOW = ("SLEEC", "NeighbourTagger skipgram", "one-vs-rest logistic", "LEML-IMC")


def measure(record: Record, sets: list[str], methods: list[str], quick: bool) -> None:
    """One piece per set and method; the quick version has Bibtex, one point per grid, and no slow method."""
    for name in sets[:1] if quick else sets:
        split = Split(name)
        for method in methods or [method for method in NAMES if not quick or method not in _SLOW]:
            if record.lacks(name, method):
                record.put(name, method, _measured(method, split, quick))


def _measured(method: str, split: Split, quick: bool) -> dict[str, Any]:
    try:
        point = points(method)[0] if quick else chosen(method, split)
        top, seconds = fit_and_rank(method, point, split)
    except RuntimeError as reason:
        return {"failed": str(reason)}
    return {**split.measure(top), "seconds": round(seconds, 2), "chosen": point}


def times(record: Record, sets: list[str], methods: list[str]) -> None:
    """Train anew with what was chosen, twice, the methods alternating: for a machine that does nothing else."""
    for name in sets:
        split = Split(name)
        rows = record.figures[name]
        timed = [method for method in methods or rows if "failed" not in rows[method]]
        seconds: dict[str, list[float]] = {method: [] for method in timed}
        for _ in range(2):
            for method in timed:
                seconds[method].append(fit_and_rank(method, rows[method]["chosen"], split)[1])
        for method in timed:
            record.put(name, method, {**rows[method], "seconds": round(min(seconds[method]), 2)})
