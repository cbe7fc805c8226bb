"""Our best models on Bibtex: blends compared on parts of the training rows, and the two single taggers, timed."""

import time
from typing import Any

import numpy as np
from sklearn.base import clone

from benchmarks.papers.tag_methods import Split, precisions
from benchmarks.results import Record
from tacit import BlendTagger, FactorTagger, KernelTagger, NeighbourTagger

NEAR = NeighbourTagger("end_to_end", iterations=3, negatives=1, neighbours=40, vote_power=4.0)
NEAR_RARE = clone(NEAR).set_params(idf_power=0.5, regularization=2.0)
KERNEL, LOGISTIC = KernelTagger(), FactorTagger(idf_power=0.5)
BLENDS: dict[str, tuple[list[tuple[str, Any]], list[float]]] = {
    "kernel + neighbours": ([("kernel", KERNEL), ("near", NEAR)], [1.0, 0.25]),
    "kernel + neighbours, more of them": ([("kernel", KERNEL), ("near", NEAR)], [1.0, 0.5]),
    "kernel + neighbours twice + logistic": (
        [("kernel", KERNEL), ("near", NEAR), ("rare", NEAR_RARE), ("logistic", LOGISTIC)],
        [1.0, 0.25, 0.25, 0.25],
    ),
}
SINGLE = {
    "KernelTagger": lambda: KernelTagger(progress=False),
    "NeighbourTagger sppmi": lambda: NeighbourTagger(progress=False),
    "FactorTagger LR-wSQ": lambda: FactorTagger(progress=False),
}


def measure(record: Record, quick: bool) -> None:
    """The blend with the best P@1 + P@3 + P@5 on three parts of the training rows meets the test rows."""
    split = Split("bibtex")
    names = list(BLENDS)[:1] if quick else list(BLENDS)
    for name in names:
        if record.lacks("validation", name):
            first, third, fifth = validated(BLENDS[name], split, 1 if quick else 3)
            record.put("validation", name, {"P@1": first, "P@3": third, "P@5": fifth})
    tried = {name: sum(record.figures["validation"][name].values()) for name in names}
    winner = max(tried, key=lambda name: tried[name])
    taggers = SINGLE | {"BlendTagger": lambda: _made(BLENDS[winner])}
    for name, make in taggers.items():
        if record.lacks("test", name):
            record.put("test", name, tested(make, split, 1 if quick else 3))
    blend = {**record.figures["test"]["BlendTagger"], "blend": winner}
    record.put("test", "BlendTagger", blend)


def _made(blend: tuple[list[tuple[str, Any]], list[float]]) -> BlendTagger:
    members, weights = blend
    return BlendTagger(members, weights=weights, progress=False)


def validated(blend: tuple[list[tuple[str, Any]], list[float]], split: Split, folds: int) -> list[float]:
    order = np.random.default_rng(0).permutation(split.X.shape[0])
    runs = []
    for fold in range(folds):
        held = order[fold::5]
        rest = np.setdiff1d(order, held)
        model = _made(blend).fit(split.X[rest], split.Y[rest])
        runs.append(precisions(split.Y[held], model.predict_topk(split.X[held], 5)))
    return [round(float(mean), 2) for mean in np.mean(runs, axis=0)]


def tested(make: Any, split: Split, repeats: int) -> dict[str, Any]:
    """Figures on the test rows, and the least seconds of several trainings after one that compiles.

    Processor seconds add up those of all threads, and hardly depend on what else the machine does.
    """
    model = make().fit(split.X, split.Y)
    seconds, processor = [], []
    for _ in range(repeats):
        began, busy = time.perf_counter(), time.process_time()
        make().fit(split.X, split.Y)
        seconds.append(time.perf_counter() - began)
        processor.append(time.process_time() - busy)
    return {
        **split.measure(model.predict_topk(split.X_test, 5)),
        "seconds": round(min(seconds), 2),
        "processor seconds": round(min(processor), 2),
    }
