"""The claims of fBGD and one-class MF on real data: every method at its best of the same number of trials.

    python -m benchmarks.papers.engine_quality [figure3|table4|table5|table6|ocmf] [--set NAME] [--only NAME] [--quick]

Without names all parts run. ``--set`` and ``--only`` restrict a part to one data set and one method (both by a piece of
the name). Each result replaces the one before it in ``results/engine-quality.json`` as soon as it is there. ``--quick``
takes two trials and few iterations on the smallest data, below two minutes a part, into
``results/engine-quality-quick.json``. 20 factors in the parts of fBGD, as in the paper. The rules of README.md hold:
parameters and iterations are chosen on a validation part (``engine_tasks.py``), and what is tried stands here.
"""

import argparse
import functools
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.papers import engine_tasks as sets
from benchmarks.papers.engine_tasks import Stages, Task, Train, at_its_best, once, sampled, whole_data
from tacit import FactorRecommender, Interactions, LinearRecommender
from tacit.baselines import BprFm, LambdaFm, SvdFeature, VseEns, Warp
from tacit.data import load_flixster, load_lastfm, load_movielens_100k
from tacit.errors import DivergedError

FACTORS = 20
Found = Iterator[tuple[tuple[str, ...], dict[str, Any]]]
"""((part of the results, …), figures), one after the other."""

Method = tuple[Train, dict[str, Any], Stages]


def methods(quick: bool, pairs: bool = False) -> dict[str, Method]:
    """How each method trains, where its search starts, and what it tries: eight trials, two in a quick run.

    ``pairs``: rows are (user, song) pairs, most of them seen once. They want a ridge that is the same for all, and a
    pass over them changes as much as many over users. Where that search starts was found on the validation part.
    """
    whole, adaptive, solved, begun = of_pairs() if pairs else of_rows()
    looks = (25, 50, 100, 200) if pairs else (5, 10, 20, 40, 80, 160, 320)
    stochastic: Stages = {
        "learning_rate": [0.01, 0.03, 0.1, 0.3], "regularization": [0.0005, 0.003, 0.01, 0.03, 0.1]
    }  # fmt: skip
    if quick:
        adaptive = solved = {name: values[:2] for name, values in list(whole.items())[:1]}
        looks, stochastic = (5, 10, 20), {"learning_rate": [0.03, 0.1]}
    given: dict[str, Any] = {"factors": FACTORS, "positive_weight": "one"}
    steps_alone = {"exact_rows": False}
    made: dict[str, Method] = {
        "fBGD": (
            whole_data(looks, **given, **steps_alone, solver="adagrad"),
            begun | {"learning_rate": 0.1},
            adaptive,
        ),
        "fBGD, rows solved at the end": (
            whole_data(looks, **given, solver="adagrad"),
            begun | {"learning_rate": 0.1},
            adaptive,
        ),
        "whole data by als": (whole_data((5, 10, 20), **given, solver="als"), begun, solved),
    }
    # More negatives, fewer epochs: a trial of ×256 costs several times one of ×1 all the same.
    epochs = {1: 100, 4: 50, 16: 24, 64: 8, 256: 3}
    kinds = {f"SVDFeature ×{n}": (SvdFeature, most, {"negatives": n}) for n, most in epochs.items()}
    kinds |= {"BPRFM": (BprFm, 200, {}), "λFM": (LambdaFm, 200, {}), "VSE-ens": (VseEns, 200, {})}
    kinds |= {"WARP": (Warp, 64, {})}
    for name, (kind, most, own) in kinds.items():
        if quick and own.get("negatives", 1) > 16:
            continue
        train = sampled(kind, 5 if quick else most, factors=FACTORS, **own)
        made[name] = train, {"regularization": 0.003}, stochastic
    return made


def of_rows() -> tuple[Stages, Stages, Stages, dict[str, Any]]:
    """What the whole-data methods try: both of them, fBGD, als; and where they start."""
    whole: Stages = {"noise": [0.25, 0.5, 1.0], "biases": [False, True], "frequency_exponent": [0.15, 0.5, 0.8]}
    # Said here, because the default depends on the data: a paper's row does not change with it.
    begun = {
        "unlabelled_total": 12.0, "frequency_exponent": 0.15, "noise": 0.5, "ridge_exponent": 1.0, "biases": False,
    }  # fmt: skip
    return whole, whole | {"learning_rate": [0.05, 0.1, 0.3]}, whole | {"unlabelled_total": [6.0, 12.0, 30.0]}, begun


def of_pairs() -> tuple[Stages, Stages, Stages, dict[str, Any]]:
    """The same where rows are pairs that were mostly seen once."""
    whole: Stages = {
        "regularization": [0.1, 0.3, 1.0], "unlabelled_total": [1.0, 2.0, 4.0], "frequency_exponent": [0.5, 0.8, 1.0],
    }  # fmt: skip
    begun = {
        "unlabelled_total": 4.0, "frequency_exponent": 0.8, "regularization": 0.3, "ridge_exponent": 0.0,
        "biases": False,
    }  # fmt: skip
    return whole, whole | {"learning_rate": [0.05, 0.1]}, whole | {"biases": [False, True]}, begun


def figure3(quick: bool) -> Found:
    """Plain batch gradient at every rate of a grid against Adagrad, on the data with four features."""
    task = sets.next_song()
    iterations = 10 if quick else 40
    rates = (1e-4, 1e-2) if quick else (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
    for solver, grid in (("gradient", rates), ("adagrad", (0.05,) if quick else (0.05, 0.2))):
        for rate in grid:
            model = FactorRecommender(
                FACTORS, solver=solver, learning_rate=rate, regularization=0.03, positive_weight="one",
                iterations=iterations, exact_rows=False, progress=False,
            )  # fmt: skip
            try:
                figures: dict[str, Any] = sets.transitions(model.fit(task.train), task.train, task.test)
            except DivergedError as error:
                figures = {"diverged": str(error)}
            yield (f"{solver}, rate {rate:g}",), figures


def table4(quick: bool, only_set: str, only: str) -> Found:
    """fBGD beside all baselines: MovieLens 1M and Last.fm HetRec (20 % held out at random), Last.fm next song."""
    tasks: dict[str, Any] = {
        "MovieLens 1M": sets.movielens,
        "Last.fm HetRec": sets.lastfm,
        "Last.fm next song": sets.next_song,
    }
    if quick:
        tasks = {"MovieLens 100k": lambda: sets.by_chance(load_movielens_100k().positives(4), sets.lists)}
    for name, load in tasks.items():
        if only_set not in name:
            continue
        task = load()
        for method, figures in _compared(task, quick, only, pairs="next" in name):
            yield (name, method), figures
        if only in "popularity":
            yield (name, "popularity"), task.score(popularity(task.train), task.train, task.test)
        if only in "EASE":
            yield (name, "EASE"), ease(task, quick)


def _compared(
    task: Task, quick: bool, only: str, pairs: bool = False, leave: str = ""
) -> Iterator[tuple[str, dict[str, Any]]]:
    for method, (train, start, stages) in methods(quick, pairs).items():
        if only in method and method != leave:
            yield method, at_its_best(task, train, start, stages)


def popularity(train: Interactions) -> Any:
    """Columns by their positives, as factors of length one."""
    counts = np.bincount(train.matrix.indices, minlength=train.shape[1])
    ones = np.ones((train.shape[0], 1), np.float32)
    return SimpleNamespace(row_factors_=ones, col_factors_=counts[:, None].astype(np.float32), context_ids_={})


def ease(task: Task, quick: bool) -> dict[str, Any]:
    """EASE inverts a dense matrix of all columns by all columns."""
    if task.train.shape[1] > 10_000:
        return {"left out": f"eight inverses of a dense {task.train.shape[1]:,}² matrix"}
    strengths = [1.0, 3.0] if quick else [0.1, 0.3, 1.0, 3.0, 5.0, 10.0, 30.0, 100.0]
    fixed = {"method": "dense", "dense_exponents": (0.0, 0.0), "positive_weight": "one"}
    return at_its_best(task, once(functools.partial(LinearRecommender, **fixed)), {}, {"regularization": strengths})


def table5(quick: bool, only_set: str, only: str) -> Found:
    """Image → label by ids, AUC over the labels an image lacks; 20 % of the pairs held out. corel16k001.

    Biases are chosen here, beside which rows are not solved at the end: that row would be fBGD once more.
    """
    task = sets.corel()
    for method, figures in _compared(task, quick, only, leave="fBGD, rows solved at the end"):
        yield (method,), figures
    if only in "popularity":
        yield ("popularity",), task.score(popularity(task.train), task.train, task.test)


def table6(quick: bool, only_set: str, only: str) -> Found:
    """fBGD with (u, i), (u, p, i) and (u, p, i, a) on Last.fm next song."""
    kinds = {"(u, i)": (False, False), "(u, p, i)": (True, False), "(u, p, i, a)": (True, True)}
    for name, (previous, artist) in kinds.items():
        if only in ("", name):
            task = sets.next_song(previous=previous, artist=artist)
            train, start, stages = methods(quick, pairs=True)["fBGD"]
            yield (name,), at_its_best(task, train, start, stages)


def ocmf(quick: bool, only_set: str, only: str) -> Found:
    """SQ-SQ, SQ-wSQ and LR-wSQ with and without the users' graph; Full against Subsampled; LR-wSQ against LR-wLR."""
    loaded: dict[str, tuple[Any, int]] = {
        "MovieLens 100k": (sets.with_alike_users, 64),
        "flixster": (lambda: load_flixster().positives(4), 32),
        "Last.fm HetRec": (lambda: load_lastfm().interactions(binary=True), 64),
    }
    for name, (load, factors) in loaded.items():
        if only_set not in name or (quick and name != "MovieLens 100k"):
            continue
        data = load()
        tasks = {
            "": sets.by_chance(sets.without_graph(data), sets.precisions, 0.1),
            " + graph": sets.by_chance(data, sets.precisions, 0.1),
        }
        for formulation, (fixed, start, stages) in formulations(quick).items():
            slow = fixed.get("unlabelled") == "same_loss"
            if only not in formulation or (slow and name != "MovieLens 100k"):
                continue
            looks = (2,) if quick else (5, 10) if slow else (5, 10, 20)
            train = whole_data(looks, factors=factors, **fixed)
            task = tasks[" + graph" if formulation.endswith(" + graph") else ""]
            yield (name, formulation), at_its_best(task, train, start, stages)


def formulations(quick: bool) -> dict[str, tuple[dict[str, Any], dict[str, Any], Stages]]:
    """What is fixed, where the search starts, and nine trials of each (two in a quick run)."""
    square, logistic = {"loss": "square"}, {"loss": "logistic"}
    few, many = [0.3, 0.6, 1.0, 1.6], [0.2, 0.4, 0.7, 1.2, 2.0, 3.5, 6.0, 10.0]
    weighted = {"unlabelled_total": 12.0, "frequency_exponent": 0.0}
    # A logistic positive pulls an eighth as hard as a squared one, so its unlabelled cells weigh less too.
    light = {"unlabelled_total": 1.5, "frequency_exponent": 0.0, "unlabelled_target": 0.0}
    totals: Stages = {"unlabelled_total": [4.0, 12.0, 24.0, 36.0], "frequency_exponent": [0.0, (0.5, 0.15)]}
    lighter: Stages = {
        "unlabelled_total": [0.75, 1.5, 3.0],
        "frequency_exponent": [0.0, (0.5, 0.15)],
        "unlabelled_target": [0.0, -1.0],
    }
    graph: Stages = {"graph_weight": [1.0, 0.2]}
    pulled = {"graph_weight": 1.0}
    made: dict[str, tuple[dict[str, Any], dict[str, Any], Stages]] = {
        "SQ-SQ": (square | {"unlabelled_weight": 1.0}, {}, {"noise": [*many, 17.0]}),
        "SQ-SQ + graph": (square | {"unlabelled_weight": 1.0}, pulled, {"noise": many} | graph),
        "SQ-wSQ": (square, weighted, {"noise": [*few, 2.5]} | totals),
        "SQ-wSQ + graph": (square, weighted | pulled, {"noise": few} | totals | graph),
        "LR-wSQ": (logistic, light, {"noise": [*few, 2.5]} | lighter),
        "LR-wSQ + graph": (logistic, light | pulled, {"noise": few} | lighter | graph),
        "SQ-wSQ (S)": (
            square | {"unlabelled": "sampled"},
            {"unlabelled_total": 1.0},
            {"noise": [*few, 2.5], "unlabelled_total": [0.3, 1.0, 3.0, 6.0, 12.0]},
        ),
        "LR-wLR": (
            logistic | {"unlabelled": "same_loss"},
            {"unlabelled_total": 1.0},
            {"noise": [*few, 2.5], "unlabelled_total": [0.3, 1.0, 3.0, 6.0, 12.0]},
        ),
    }
    if quick:
        made = {name: (fixed, start, {"noise": stages["noise"][1:3]}) for name, (fixed, start, stages) in made.items()}
    return made


PARTS = {"figure3": figure3, "table4": table4, "table5": table5, "table6": table6, "ocmf": ocmf}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--set", default="", help="only data sets with this in their name")
    parser.add_argument("--only", default="", help="only methods with this in their name")
    parser.add_argument("--quick", action="store_true", help="two trials each on small data")
    asked = parser.parse_args()
    for part in asked.parts or PARTS:
        restricted = () if part == "figure3" else (asked.set, asked.only)
        for keys, figures in PARTS[part](asked.quick, *restricted):
            save((part, *keys), figures, "engine-quality-quick" if asked.quick else "engine-quality")
            print(part, *keys, json.dumps(figures, ensure_ascii=False), flush=True)


def save(keys: tuple[str, ...], found: dict[str, Any], name: str) -> None:
    """Replace one entry of the results file and leave the others."""
    path = results.FOLDER / f"{name}.json"
    figures = json.loads(path.read_text("utf-8"))["figures"] if path.exists() else {}
    place = figures
    for key in keys[:-1]:
        place = place.setdefault(key, {})
    place[keys[-1]] = found
    quick = " --quick" if name.endswith("-quick") else ""
    # The command of a part measures all of it, in however many sittings it was done.
    results.write(name, figures, keys[0], command=f"python -m benchmarks.papers.engine_quality {keys[0]}{quick}")


if __name__ == "__main__":
    main()
