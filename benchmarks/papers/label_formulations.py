"""One-class MF on labels: formulations with features (Table 3, Figure 2) and non-linear classifiers (Figure 3).

    python -m benchmarks.papers.label_formulations [--set NAME] [--only METHOD,…] [--times] [--quick]

SQ-SQ is LEML, squares everywhere; SQ-wSQ weighs the unknown cells; LR-wSQ takes the logistic loss on what is known;
LR-wLR the logistic loss on every cell; (S) draws as many unknown cells as there are known ones; LR-wSQ-Nys appends
Nyström features. Each method is chosen by P@1 + P@3 + P@5 on a fifth of the training rows over four
points, then fitted on all of them; sets without a published split give a fifth of their rows to the test (seed 0).
Bibtex and Delicious are the paper's own. Seconds are those of the processor, which hardly change beside other work.
``--quick`` takes Bibtex and two points. Writes ``results/label-formulations.json`` after every method; ``--set`` and
``--only`` keep the other figures, ``--times`` fits once more with what was chosen and renews the seconds alone.
"""

import argparse
import time
from typing import Any

import numpy as np

from benchmarks.contest.tag import held_out, published
from benchmarks.results import Record
from tacit import FactorTagger
from tacit.baselines import SleecTagger, leml
from tacit.metrics.labels import precision_at_k

SETS = ("bibtex", "delicious", "corel5k", "stackex_cooking", "stackex_cs")


def formulation(**parameters: Any) -> FactorTagger:
    """One of the paper's, which have no intercept."""
    return FactorTagger(intercept=False, progress=False, **parameters)


METHODS: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "SQ-SQ": (lambda **p: leml(progress=False, **p), [{"regularization": r} for r in (0.3, 3.0, 0.1, 1.0)]),
    "SQ-wSQ": (
        lambda **p: formulation(loss="square", **p),
        [{"regularization": r, "unlabelled_weight": w} for r, w in ((0.3, 0.3), (0.7, 0.1), (2.0, 0.3), (2.0, 0.7))],
    ),
    "LR-wLR": (
        lambda **p: formulation(unlabelled="same_loss", **p),
        [{"regularization": r, "unlabelled_weight": w} for r, w in ((0.7, 0.05), (0.7, 0.2), (0.3, 0.1), (1.5, 0.1))],
    ),
    "LR-wLR (S)": (
        lambda **p: formulation(unlabelled="sampled", **p),
        [{"regularization": r} for r in (0.7, 1.5, 0.3, 3.0)],
    ),
    "SQ-wSQ (S)": (
        lambda **p: formulation(loss="square", unlabelled="sampled", **p),
        [{"regularization": r} for r in (0.7, 2.0, 0.3, 5.0)],
    ),
    "LR-wSQ": (formulation, [{"regularization": r} for r in (0.7, 1.5, 0.3, 3.0)]),
    "LR-wSQ-Nys": (
        lambda **p: formulation(landmarks=400, **p),
        [{"bandwidth": b, "regularization": r} for b, r in ((1.0, 0.7), (1.0, 1.5), (0.7, 0.7), (1.4, 0.7))],
    ),
    "SLEEC": (SleecTagger, [{"regularization": r} for r in (1.0, 3.0, 0.5, 0.3)]),
}


def precisions(truth: Any, top: np.ndarray) -> dict[str, float]:
    return {f"P@{k}": 100 * precision_at_k(truth, top, k) for k in range(1, 6)}


def measure(parts: tuple[Any, ...], method: str, quick: bool) -> dict[str, Any]:
    """One method on one set, at its best point."""
    X, Y, X_test, Y_test = parts
    part, labels, X_held, Y_held = held_out(X, Y)
    make, points = METHODS[method]

    def quality(point: dict[str, Any]) -> float:
        found = precisions(Y_held, make(**point).fit(part, labels).predict_topk(X_held, 5))
        return found["P@1"] + found["P@3"] + found["P@5"]

    chosen = max(points[:2] if quick else points, key=quality)
    model, seconds = fitted(method, chosen, X, Y)
    return {**precisions(Y_test, model.predict_topk(X_test, 5)), "processor seconds": seconds, "chosen": chosen}


def fitted(method: str, point: dict[str, Any], X: Any, Y: Any) -> tuple[Any, float]:
    """The model, and the processor seconds of its training."""
    began = time.process_time()
    model = METHODS[method][0](**point).fit(X, Y)
    return model, round(time.process_time() - began, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="Bibtex, two points, without SLEEC")
    parser.add_argument("--set", choices=SETS, help="only this set; keep the others")
    parser.add_argument("--only", help="some methods, separated by commas; keep the others")
    parser.add_argument("--times", action="store_true", help="only renew the seconds of what the file has")
    given = parser.parse_args()
    ending = ("-quick", " --quick") if given.quick else ("", "")
    command = f"python -m benchmarks.papers.label_formulations{ending[1]}"
    record = Record(f"label-formulations{ending[0]}", command)
    wanted = given.only.split(",") if given.only else [m for m in METHODS if not (given.quick and m == "SLEEC")]
    for name in SETS[:1] if given.quick else [given.set] if given.set else SETS:
        parts = published(name)
        for method in wanted:
            if given.times:
                if method in record.figures.get(name, {}):
                    row = record.figures[name][method]
                    fitted(method, row["chosen"], parts[0][:300], parts[1][:300])
                    seconds = fitted(method, row["chosen"], *parts[:2])[1]
                    record.put(name, method, row | {"processor seconds": seconds})
            else:
                record.put(name, method, measure(parts, method, given.quick))


if __name__ == "__main__":
    main()
