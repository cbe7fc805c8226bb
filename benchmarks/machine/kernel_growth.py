"""Time and memory of KernelTagger against rows, features and labels: results/kernel-growth.json and its figure.

    python -m benchmarks.machine.kernel_growth

Synthetic rows as in ``tag.py scale``; one size grows while the others stay. Bandwidth and ridge are given, so that the
solve itself is seen: exact, through 1,000 landmarks, and on the columns. Each fit runs in a fresh process: processor
seconds, and the memory that it needs beyond what was held before. ``docs/figures/kernel-tagger-growth.svg``.
"""

import time
from typing import Any

from benchmarks import results
from benchmarks.processes import ask

NAME = "kernel-growth"
WAYS: dict[str, dict[str, Any]] = {
    "exact": {"kernel": "cosine", "landmarks": 0},
    "landmarks": {"kernel": "cosine", "landmarks": 1000},
    "linear": {"kernel": "linear"},
}
MIDDLE = {"rows": 2000, "features": 1000, "labels": 500}
GROWTH = {"rows": (1000, 2000, 4000), "features": (500, 1000, 2000), "labels": (250, 500, 1000)}


def work(way: str, sizes: dict[str, int]) -> dict[str, float]:
    """One fit, after a small one that loads and compiles what it takes."""
    from benchmarks.machine import memory
    from benchmarks.papers.tagging.scale import made
    from tacit import KernelTagger

    X, Y = made(*sizes.values())
    model = KernelTagger(**WAYS[way], bandwidth=1.0, regularization=0.5, progress=False)
    model.fit(X[:200], Y[:200])
    memory.reset()
    held, began = memory.peak_mib(), time.process_time()
    model.fit(X, Y)
    seconds = time.process_time() - began
    return {"processor seconds": round(seconds, 2), "MiB": round(memory.peak_mib() - held)}


def main() -> None:
    figures: dict[str, Any] = {}
    for size, counts in GROWTH.items():
        for way in WAYS:
            for count in counts:
                found = ask("machine.kernel_growth:work", way=way, sizes=MIDDLE | {size: count})
                figures.setdefault(size, {}).setdefault(way, {})[str(count)] = found
                print(size, count, way, found, flush=True)
    results.write(NAME, {"other sizes": MIDDLE, "growth": figures})


if __name__ == "__main__":
    main()
