"""Taggers beside their baselines.

    python -m benchmarks.papers.tag quality [--quick]   P@k, nDCG@5, PSP@k and seconds on the published sets
    python -m benchmarks.papers.tag hidden [--quick] [--seeds 5]    80 % of the training labels hidden (Table 4)
    python -m benchmarks.papers.tag best [--quick]      our best models on Bibtex, chosen by validation
    python -m benchmarks.papers.tag scale [--quick]     200,000 rows × 50,000 features × 20,000 labels, synthetic
    python -m benchmarks.papers.tag audit [--quick]     a fifth of Debian's tags hidden, and found again

Each command writes ``results/tag-COMMAND.json``. With ``--quick`` it takes less than two minutes, skips the slow
baselines and writes ``results/tag-COMMAND-quick.json``.

``quality`` and ``hidden`` take hours, so they and ``audit`` write after every piece: ``--sets bibtex,corel5k`` and
``--methods "SLEEC,LEML"`` measure some, ``--missing`` those that the file lacks. ``quality --times`` trains once more
with the parameters that the file has, twice, methods alternating, and renews the seconds: for an idle machine.

Parameters are chosen by nDCG@5 on a fifth of the training rows, from the grids in ``tag_methods.py``: four points
for every method, peers included; ``hidden`` has grids of its own, as long for ours as for the others.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.machine.kernel_growth import scale
from benchmarks.papers.tag_methods import (
    NAMES,
    Grid,
    Make,
    Split,
    chosen,
    fit_and_rank,
    grid,
    hide,
    paper,
    points,
    precisions,
)
from benchmarks.results import Record
from tacit import BlendTagger, FactorTagger, KernelTagger, NeighbourTagger
from tacit.baselines import LemlImcTagger, OneVsRestTagger, PopularTagger, SleecTagger, leml
from tacit.data.debian import Debian, load_debian
from tacit.data.matrix import as_csr
from tacit.estimators.tag.missing_labels import CrossFitted
from tacit.metrics.labels import ndcg_at_k

COMMANDS = ["quality", "hidden", "best", "scale", "audit"]
SETS = ("bibtex", "delicious", "rcv1v2", "corel5k", "stackex_cooking", "stackex_cs")
_SLOW = ("SLEEC", "NeighbourTagger skipgram", "one-vs-rest logistic", "LEML-IMC", "ExMLDS4")


def quality(record: Record, sets: list[str], methods: list[str], quick: bool) -> None:
    """One piece per set and method; the quick version has Bibtex, one point per grid, and no slow method."""
    for name in sets[:1] if quick else sets:
        split = Split(name)
        for method in methods or [method for method in NAMES if not quick or method not in _SLOW]:
            if record.lacks(name, method):
                record.put(name, method, _measured(method, split, quick))


def _measured(method: str, split: Split, quick: bool) -> dict[str, Any]:
    try:
        point = points(method)[0] if quick else chosen(method, split)
        top, took = fit_and_rank(method, point, split)
    except RuntimeError as reason:
        return {"failed": str(reason)}
    return {**split.measure(top), **_rounded(took), "chosen": point}


def _rounded(took: dict[str, float]) -> dict[str, float]:
    return {name: round(seconds, 2) for name, seconds in took.items()}


def times(record: Record, sets: list[str], methods: list[str]) -> None:
    """Train anew with what was chosen, twice, the methods alternating: for a machine that does nothing else."""
    for name in sets:
        split = Split(name)
        rows = record.figures[name]
        timed = [method for method in methods or rows if "failed" not in rows[method]]
        runs: dict[str, list[dict[str, float]]] = {method: [] for method in timed}
        for _ in range(2):
            for method in timed:
                runs[method].append(fit_and_rank(method, rows[method]["chosen"], split)[1])
        for method, took in runs.items():
            least = {name: min(run[name] for run in took) for name in took[0]}
            record.put(name, method, {**rows[method], **_rounded(least)})


# -- hidden ------------------------------------------------------------------------------------------------------------

HIDDEN_SETS = ("bibtex", "rcv1v2", "delicious")
SEEDS = 5
_CHOOSING = 2
_HIDDEN = 0.8


def joint(**own: Any) -> NeighbourTagger:
    return NeighbourTagger("joint", progress=False, **own)


JOINT = grid(factors=(200,), regularization=(1.0, 3.0), n_imputed=(0, 2), idf_power=(0.5,)) + [
    {"factors": 100, "regularization": strength} for strength in (1.0, 3.0)
]


def kernel(**own: Any) -> KernelTagger:
    return KernelTagger(impute=True, progress=False, **own)


def kernel_and_joint(weight: float, **own: Any) -> BlendTagger:
    near = joint(factors=200, regularization=3.0, n_imputed=2, idf_power=0.5)
    return BlendTagger([("kernel", kernel(**own)), ("joint", near)], weights=[1.0, weight], progress=False)


STRENGTHS = (0.3, 1.0, 3.0)
MU = ((1.0, 1.0, 1.0), (4.0, 1.0, 1.0))
"""μ₁, μ₂ and μ₃: the paper gives the label graph a higher weight than the others, without a number."""
IDF = (0.0, 0.5)
HIDDEN_METHODS: dict[str, tuple[Make, Grid, bool]] = {
    "joint with the graph of all labels": (joint, JOINT, True),
    "joint with the graph of visible labels": (joint, JOINT, False),
    "KernelTagger imputed": (kernel, grid(idf_power=(0.0, 0.5)), False),
    "KernelTagger and joint": (kernel_and_joint, grid(weight=(0.5, 1.0)), False),
    "ExMLDS3": (paper("exmlds3"), grid(regularization=(1.0, 3.0, 10.0), graph_weights=MU), True),
    "LEML-IMC with the graph of all labels": (LemlImcTagger, grid(regularization=STRENGTHS, idf_power=IDF), True),
    "LEML": (lambda **own: leml(100, progress=False, **own), grid(regularization=STRENGTHS, idf_power=IDF), False),
    "SLEEC": (SleecTagger, grid(regularization=STRENGTHS, idf_power=IDF), False),
    "one-vs-rest logistic": (OneVsRestTagger, grid(strength=(3.0, 10.0, 30.0), idf_power=IDF), False),
}
_SLOW_HIDDEN = ("LEML-IMC with the graph of all labels", "SLEEC", "one-vs-rest logistic")


def hidden(record: Record, sets: list[str], methods: list[str], quick: bool, seeds: int) -> None:
    """One piece per set and method; the quick version has Bibtex, one seed, one point, and no slow method."""
    for name in sets[:1] if quick else sets:
        split = Split(name)
        graph = sp.csr_array(split.Y.T @ split.Y)
        for method in methods or [method for method in HIDDEN_METHODS if not quick or method not in _SLOW_HIDDEN]:
            if record.lacks(name, method):
                make, points, told = HIDDEN_METHODS[method]
                given = graph if told else None
                point = points[len(points) // 2] if quick else chosen_hidden(make, points, split, given, seeds)
                record.put(name, method, repeated(make, point, split, given, 1 if quick else seeds))


def chosen_hidden(make: Make, points: Grid, split: Split, graph: sp.csr_array | None, seeds: int) -> dict[str, Any]:
    """Parameters of a set, chosen without looking at a hidden label.

    For two of the seeds at most a fifth of the rows is set aside; the point that ranks their visible labels best
    (nDCG@5, mean) is taken for all seeds.
    """
    scores = np.zeros((len(points), min(seeds, _CHOOSING)))
    for seed in range(scores.shape[1]):
        visible = hide(split.Y, _HIDDEN, seed)
        carrying = np.flatnonzero(np.diff(visible.indptr))
        held = np.random.default_rng(seed).permutation(carrying)[: len(carrying) // 5]
        rest = np.setdiff1d(np.arange(visible.shape[0]), held)
        for number, point in enumerate(points):
            top = _fitted(make, point, split.X[rest], visible[rest], graph).predict_topk(split.X[held], 5)
            scores[number, seed] = ndcg_at_k(visible[held], top, 5)
    return points[int(np.argmax(scores.mean(axis=1)))]


def repeated(make: Make, point: dict[str, Any], split: Split, graph: sp.csr_array | None, seeds: int) -> dict[str, Any]:
    runs = [
        precisions(
            split.Y_test,
            _fitted(make, point, split.X, hide(split.Y, _HIDDEN, seed), graph).predict_topk(split.X_test, 5),
        )
        for seed in range(seeds)
    ]
    return {
        **{f"P@{k}": round(float(mean), 2) for k, mean in zip((1, 3, 5), np.mean(runs, axis=0))},
        "spread of P@1": round(float(np.std([run[0] for run in runs])), 2),
        "seeds": seeds,
        "chosen": point,
    }


def _fitted(make: Make, point: dict[str, Any], X: Any, Y: Any, graph: sp.csr_array | None) -> Any:
    return make(**point).fit(X, Y) if graph is None else make(**point).fit(X, Y, graph)


# -- best --------------------------------------------------------------------------------------------------------------

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
    "NeighbourTagger sppmi": lambda: NeighbourTagger(factors=100, progress=False),
    "FactorTagger LR-wSQ": lambda: FactorTagger(progress=False),
}


def best(record: Record, quick: bool) -> None:
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


# -- audit -------------------------------------------------------------------------------------------------------------

SIZES = (1000, 5000, 10_000, 20_000)
FOLDS = 3
TAGGERS = {
    "NeighbourTagger": NeighbourTagger(factors=100, neighbours=50, regularization=3.0, progress=False),
    "FactorTagger": FactorTagger(progress=False),
    "NeighbourTagger by text alone": NeighbourTagger(factors=100, neighbours=50, regularization=3.0, progress=False),
    "FactorTagger by text alone": FactorTagger(progress=False),
    "one-vs-rest logistic by text alone": OneVsRestTagger(strength=3.0),
    "label frequency": PopularTagger(),
}
LOOKED_AT = Path(__file__).parent / "looked_at.json"
"""Suggestions checked by eye: "package tag" to a word and the reason."""

_WITH_COMPANIONS = ("NeighbourTagger", "FactorTagger")
_QUICK_AUDIT = ("FactorTagger", "FactorTagger by text alone", "label frequency")
RECALL = "recall among the n best"


def audit(record: Record, methods: list[str], quick: bool) -> None:
    """One piece per tagger, then the suggestions; the quick version has fewer taggers and no suggestions."""
    debian = load_debian()
    vectorizer = TfidfVectorizer(min_df=2, sublinear_tf=True)
    X = as_csr(vectorizer.fit_transform(debian.descriptions()), "X")
    Y = as_csr(debian.tags.matrix, "Y")
    visible = as_csr(hide(Y, 0.2, 0), "Y")
    lost = sp.csr_array((Y - visible).astype(bool))
    for name in methods or (_QUICK_AUDIT if quick else TAGGERS):
        if record.lacks(RECALL, name):
            cross_fitted = CrossFitted.fit(
                lambda X, Y, tagger=TAGGERS[name]: clone(tagger).fit(X, Y),
                X,
                visible,
                folds=FOLDS,
                companions=name in _WITH_COMPANIONS,
                rng=np.random.default_rng(0),
            )
            rows, columns, _ = cross_fitted.best_cells(max(SIZES))
            hit = np.asarray(lost[rows, columns]).ravel()
            record.put(RECALL, name, {str(n): round(float(hit[:n].sum()) / lost.nnz, 4) for n in SIZES})
    record.write({**record.figures, "hidden": int(lost.nnz)})
    if not quick and not methods:
        suggestions = suggested(X, Y, debian, vectorizer.get_feature_names_out())
        record.write({**record.figures, "hidden": int(lost.nnz), "suggestions on all tags": suggestions})


def suggested(X: sp.csr_array, Y: sp.csr_array, debian: Debian, words: Any) -> list[dict[str, Any]]:
    """Each tenth of the best two hundred suggestions, one per package, and how it was checked by eye."""
    looked_at = json.loads(LOOKED_AT.read_text(encoding="utf-8"))
    found = FactorTagger(progress=False).missing_labels(
        X, Y, 200, per_row=1, labels=debian.tags.col_ids.all(), row_ids=debian.tags.row_ids.all(),
        feature_names=words, texts=debian.descriptions(),
    )  # fmt: skip
    return [
        {"package": one.row, "tag": one.label, "score": round(one.score, 2), "text": one.text,
         "carries": list(one.carries), "companions": list(one.companions), "features": list(one.features),
         "looked at": looked_at.get(f"{one.row} {one.label}", "not yet")}
        for one in list(found)[::10]
    ]  # fmt: skip


# -- all parts ---------------------------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--quick", action="store_true", help="less than two minutes, into a file of its own")
    parser.add_argument("--sets", help="names of data sets, with commas")
    parser.add_argument("--methods", help="names of methods as in the table, with commas")
    parser.add_argument("--missing", action="store_true", help="only what the results file lacks")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="draws of what is hidden; the file says how many")
    parser.add_argument("--times", action="store_true", help="renew the seconds of quality")
    given = parser.parse_args()
    ending = ("-quick", " --quick") if given.quick else ("", "")
    command = f"python -m benchmarks.papers.tag {given.command}{ending[1]}"
    record = Record(f"tag-{given.command}{ending[0]}", command, given.missing)
    sets = given.sets.split(",") if given.sets else []
    methods = [name for name in (given.methods or "").split(",") if name]
    match given.command:
        case "quality" if given.times:
            times(record, sets or list(record.figures), methods)
        case "quality":
            quality(record, sets or list(SETS), methods, given.quick)
        case "hidden":
            hidden(record, sets or list(HIDDEN_SETS), methods, given.quick, given.seeds)
        case "best":
            best(record, given.quick)
        case "scale":
            record.write(scale(given.quick))
        case _:
            audit(record, methods, given.quick)
    print(f"results/{record.name}.json")


if __name__ == "__main__":
    main()
