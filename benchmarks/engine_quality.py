"""The claims of fBGD and one-class MF on real data: every method at its best of a small grid, on a validation part.

    python benchmarks/engine_quality.py [figure3] [table4 [--set NAME]] [table5] [table6] [ocmf]

Without names all parts run. Each part replaces its own figures in ``results/engine-quality.json``. 20 factors in the
parts of fBGD, as in the paper. The rules of README.md hold; the grids stand here.
"""

import argparse
import itertools
import json
import time
from typing import Any

import numpy as np
import scipy.sparse as sp

import results
from tacit import FactorRecommender, Interactions
from tacit.baselines import BprFm, LambdaFm, Popularity, SvdFeature, VseEns, Warp
from tacit.data import (
    load_flixster,
    load_lastfm,
    load_lastfm_next,
    load_movielens_1m,
    load_movielens_100k,
    load_multilabel,
)
from tacit.errors import DivergedError
from tacit.estimators.factor_queries import in_context
from tacit.metrics.evaluation import evaluate, evaluate_factors
from tacit.neighbours.topk import top_k

FACTORS = 20


# -- next song -----------------------------------------------------------------------------------------------------


def next_song() -> Interactions:
    """User and last song → song, with the artist as a feature of the song."""
    loaded = load_lastfm_next()
    data = loaded.interactions()
    artist = dict(loaded.songs.iter_rows())
    numbers = np.unique([artist[song] for song in data.col_ids.all().tolist()], return_inverse=True)[1]
    one = sp.csr_array((np.ones(len(numbers), np.float32), (np.arange(len(numbers)), numbers)))
    return data.with_sides(col_features=one)


def without(data: Interactions, *, context: bool = False, artist: bool = False) -> Interactions:
    """The same events without their context, or without the songs' artists."""
    if context:
        data = Interactions(data.matrix, data.row_ids, data.col_ids, times=data.times, col_features=data.col_features)
    if artist:
        kept = {"events": data.events, "context_ids": data.context_ids} if data.context_ids else {}
        data = Interactions(data.matrix, data.row_ids, data.col_ids, times=data.times, **kept)
    return data


def next_song_scores(model: Any, test: Interactions) -> dict[str, float]:
    """NDCG@10 and MRR@10 over held-out transitions; every song may come next, heard or not."""
    events = test.events
    context = {name: test.context_ids[name].take(events.context[name]) for name in model.context_ids_}
    queries = in_context(model, model.row_factors_[events.row], context)
    found, _ = top_k(queries, model.col_factors_, 10)
    hit = found == events.col[:, None]
    rank = np.where(hit.any(axis=1), hit.argmax(axis=1) + 1.0, np.inf)
    return {"ndcg@10": float(np.mean(1 / np.log2(rank + 1))), "mrr@10": float(np.mean(1 / rank))}


def fbgd(**parameters: Any) -> FactorRecommender:
    """fBGD as in the paper: squared loss, Adagrad, 20 factors."""
    settings = {"factors": FACTORS, "solver": "adagrad", "positive_weight": "one", "progress": False, "iterations": 40}
    return FactorRecommender(**(settings | parameters))


def solved(**parameters: Any) -> FactorRecommender:
    """The same objective by alternating solves."""
    return fbgd(solver="als", iterations=None, **parameters)


FBGD_GRID = [
    {"regularization": ridge, "frequency_exponent": rho, "learning_rate": rate}
    for ridge, rho, rate in itertools.product((0.003, 0.03), (0.0, 0.5), (0.05, 0.2))
]
SGD_GRID = [
    {"learning_rate": rate, "regularization": ridge} for rate, ridge in itertools.product((0.02, 0.08), (0.001, 0.01))
]
ALS_GRID = [{"regularization": ridge, "frequency_exponent": rho} for ridge in (0.05, 0.15) for rho in (0.0, 0.15, 0.5)]
BASELINES: dict[str, Any] = {
    "SVDFeature ×1": lambda **p: SvdFeature(FACTORS, negatives=1, epochs=40, **p),
    "SVDFeature ×4": lambda **p: SvdFeature(FACTORS, negatives=4, epochs=20, **p),
    "SVDFeature ×16": lambda **p: SvdFeature(FACTORS, negatives=16, epochs=10, **p),
    "SVDFeature ×64": lambda **p: SvdFeature(FACTORS, negatives=64, epochs=5, **p),
    "BPRFM": lambda **p: BprFm(FACTORS, epochs=40, **p),
    "λFM": lambda **p: LambdaFm(FACTORS, epochs=40, **p),
    "WARP": lambda **p: Warp(FACTORS, epochs=20, **p),
    "VSE-ens": lambda **p: VseEns(FACTORS, epochs=40, **p),
}


def at_its_best(make: Any, grid: list[dict[str, Any]], train: Any, test: Any, score: Any, split: Any) -> dict[str, Any]:
    """The best point of the grid on a validation part of the training data, then its score on the test part."""
    part, validation = split(train)
    tried = []
    for point in grid:
        try:
            tried.append((score(make(**point).fit(part), part, validation)["ndcg@10"], point))
        except DivergedError:
            tried.append((-1.0, point))
    best = max(tried, key=lambda pair: pair[0])[1]
    began = time.perf_counter()
    model = make(**best).fit(train)
    seconds = time.perf_counter() - began
    return {**score(model, train, test), "parameters": best, "seconds": round(seconds, 2)}


def song_score(model: Any, _train: Any, test: Interactions) -> dict[str, float]:
    return next_song_scores(model, test)


def list_score(model: Any, train: Interactions, test: Interactions) -> dict[str, float]:
    found = evaluate(model, train, test, k=10, metrics=("ndcg", "mrr"))
    return {name: float(found[name]) for name in ("ndcg@10", "mrr@10")}


def last_ones(data: Interactions) -> tuple[Interactions, Interactions]:
    return data.split(test=10, by="last", seed=1)


def some(data: Interactions) -> tuple[Interactions, Interactions]:
    return data.split(test=0.2, seed=1)


# -- the papers' tables --------------------------------------------------------------------------------------------


def figure3() -> dict[str, Any]:
    """Plain batch gradient at every rate of a grid against Adagrad, on the data with four features."""
    train, test = next_song().split(test=10, by="last", seed=0)
    figures: dict[str, Any] = {}
    for rate in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2):
        try:
            model = fbgd(solver="gradient", learning_rate=rate, regularization=0.03).fit(train)
            figures[f"gradient, rate {rate:g}"] = next_song_scores(model, test)
        except DivergedError as error:
            figures[f"gradient, rate {rate:g}"] = {"diverged": str(error)}
    for rate in (0.05, 0.2):
        model = fbgd(learning_rate=rate, regularization=0.03).fit(train)
        figures[f"adagrad, rate {rate:g}"] = next_song_scores(model, test)
    return figures


def table4(only: str | None = None) -> dict[str, Any]:
    """fBGD beside all baselines: MovieLens 1M and Last.fm HetRec (20 % held out at random), Last.fm next song."""
    sets: dict[str, tuple[Any, Any, Any, Any]] = {
        "MovieLens 1M": (*load_movielens_1m().positives(4).split(test=0.2, seed=0), list_score, some),
        "Last.fm HetRec": (*load_lastfm().interactions(binary=True).split(test=0.2, seed=0), list_score, some),
        "Last.fm next song": (*next_song().split(test=10, by="last", seed=0), song_score, last_ones),
    }
    figures: dict[str, Any] = {}
    for name, (train, test, score, split) in sets.items():
        if only not in (None, name):
            continue
        figures[name] = {"fBGD": at_its_best(fbgd, FBGD_GRID, train, test, score, split)}
        figures[name]["whole data by als"] = at_its_best(solved, ALS_GRID, train, test, score, split)
        for baseline, make in BASELINES.items():
            figures[name][baseline] = at_its_best(make, SGD_GRID, train, test, score, split)
            print(name, baseline, figures[name][baseline], flush=True)
        if score is list_score:
            figures[name]["popularity"] = list_score(Popularity().fit(train), train, test)
    return figures


def table5() -> dict[str, Any]:
    """Image → label by ids, AUC over the labels an image lacks; 20 % of the pairs held out. corel16k001."""
    loaded = load_multilabel("corel16k001")
    train, test = Interactions.from_matrix(loaded.Y).split(test=0.2, seed=0)

    def score(model: Any, train: Interactions, test: Interactions) -> dict[str, float]:
        found = evaluate_factors(
            model.row_factors_, model.col_factors_, train.matrix, test.matrix, k=10, metrics=("ndcg", "auc")
        )
        return {"ndcg@10": float(found["ndcg@10"]), "auc": float(found["auc"])}

    figures = {"fBGD": at_its_best(fbgd, FBGD_GRID, train, test, score, some)}
    for baseline, make in BASELINES.items():
        figures[baseline] = at_its_best(make, SGD_GRID, train, test, score, some)
    return figures


def table6() -> dict[str, Any]:
    """fBGD with (u, i), (u, p, i) and (u, p, i, a) on Last.fm next song, by Adagrad and by alternating solves."""
    full = next_song()
    kinds = {
        "(u, i)": without(full, context=True, artist=True),
        "(u, p, i)": without(full, artist=True),
        "(u, p, i, a)": full,
    }
    held_out = full.split(test=10, by="last", seed=0)
    figures: dict[str, Any] = {}
    for name, data in kinds.items():
        train = held_out[0].with_sides()
        if not data.context_ids or data.col_features is None:
            train = without(held_out[0], context=not data.context_ids, artist=data.col_features is None)
        figures[name] = at_its_best(fbgd, FBGD_GRID, train, held_out[1], song_score, _split_like(train, held_out[0]))
        print(name, figures[name], flush=True)
    return figures


def _split_like(train: Interactions, full: Interactions) -> Any:
    """Validation events are those of the full data, so that every kind is judged by the same ones."""

    def split(_data: Interactions) -> tuple[Interactions, Interactions]:
        part, validation = last_ones(full)
        return without(part, context=not train.context_ids, artist=train.col_features is None), validation

    return split


def ocmf() -> dict[str, Any]:
    """SQ-SQ, SQ-wSQ and LR-wSQ with and without the users' graph; Full against Subsampled; LR-wSQ against LR-wLR."""
    sets = {
        "MovieLens 100k": (_with_alike_users(load_movielens_100k()), 64),
        "flixster": (load_flixster().positives(4), 32),
        "Last.fm HetRec": (load_lastfm().interactions(binary=True), 64),
    }
    ridges = (0.08, 0.2)
    square, logistic = {"loss": "square"}, {"loss": "logistic"}

    def grid(totals: tuple[float, ...], **given: Any) -> list[dict[str, Any]]:
        return [given | {"unlabelled_total": w, "regularization": r} for w in totals for r in ridges]

    grids = {
        "SQ-SQ": [square | {"unlabelled_weight": 1.0, "regularization": r} for r in (0.2, 0.5, 2.0)],
        "SQ-wSQ": grid((5, 20), **square),
        "LR-wSQ": grid((0.6, 2), **logistic, unlabelled_target=-1.0) + grid((0.6, 2), **logistic),
        "SQ-wSQ (S)": grid((1, 5), **square, unlabelled="sampled"),
        "LR-wLR": grid((1, 3), **logistic, unlabelled="same_loss"),
    }
    figures: dict[str, Any] = {}
    for name, (data, factors) in sets.items():
        train, test = data.split(test=0.1, seed=0)
        bare = Interactions(train.matrix, train.row_ids, train.col_ids)
        figures[name] = {}
        for formulation, points in grids.items():
            if formulation == "LR-wLR" and name != "MovieLens 100k":
                continue
            for graph, part in (("", bare), (" + graph", train)):
                if graph and formulation not in ("SQ-SQ", "SQ-wSQ", "LR-wSQ"):
                    continue

                def make(factors: int = factors, part: Interactions = part, **point: Any) -> FactorRecommender:
                    total = point.pop("unlabelled_total", None)
                    if total is not None:
                        point["unlabelled_weight"] = total * part.nnz / (part.shape[0] * part.shape[1])
                    return FactorRecommender(factors, progress=False, **point)

                figures[name][formulation + graph] = at_its_best(make, points, part, test, precision, some)
                print(name, formulation + graph, figures[name][formulation + graph], flush=True)
    return figures


def precision(model: FactorRecommender, train: Interactions, test: Interactions) -> dict[str, float]:
    found = evaluate_factors(
        model.row_factors_, model.col_factors_, train.matrix, test.matrix, k=(1, 2, 3, 4, 5, 10),
        metrics=("precision", "ndcg"),
    )  # fmt: skip
    return {key: round(float(found[key]), 4) for key in (*(f"precision@{k}" for k in range(1, 6)), "ndcg@5", "ndcg@10")}


def _with_alike_users(loaded: Any) -> Interactions:
    """Users of one sex and occupation within five years of age are neighbours; no rating takes part in that."""
    data = loaded.positives(4)
    known = {row["id"]: row for row in loaded.users.iter_rows(named=True)}
    users = [known[user] for user in data.row_ids.all().tolist()]
    age = np.array([user["age"] for user in users])
    kind = np.unique([f"{user['gender']} {user['occupation']}" for user in users], return_inverse=True)[1]
    alike = (kind[:, None] == kind[None, :]) & (np.abs(age[:, None] - age[None, :]) <= 5)
    np.fill_diagonal(alike, False)
    return data.with_sides(row_graph=sp.csr_array(alike.astype(np.float32)))


PARTS = {"figure3": figure3, "table4": table4, "table5": table5, "table6": table6, "ocmf": ocmf}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--set", help="only this data set of table4")
    arguments = parser.parse_args()
    path = results.FOLDER / "engine-quality.json"
    for name in arguments.parts or PARTS:
        found = table4(arguments.set) if name == "table4" else PARTS[name]()
        figures = json.loads(path.read_text())["figures"] if path.exists() else {}
        found = figures.get(name, {}) | found
        results.write("engine-quality", figures | {name: found})
        print(name, json.dumps(found, indent=1, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
