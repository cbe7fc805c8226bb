"""Data of the engine's benchmarks, how a model is scored on them, and every method at its best.

The same number of trials for each method, parameters and iterations chosen on a validation part. A method's parameters
are tried one after the other, each from the best of those before it: ``stages`` lists them with their values. A trial
trains as long as the validation score rises; how long that was is chosen with the rest. The test part is looked at
once, by the model with the best parameters, trained on all of the training part for as many iterations.
"""

import contextlib
import itertools
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from tacit import FactorRecommender, Interactions
from tacit.data import load_lastfm, load_lastfm_next, load_movielens_1m, load_movielens_100k, load_multilabel
from tacit.errors import DivergedError
from tacit.estimators.recommend.contexts import Contexts
from tacit.estimators.recommend.tower_design import rows_of
from tacit.metrics.evaluation import evaluate, evaluate_factors
from tacit.neighbours.topk import top_k
from tacit.objective.default_ridge import noise_level


class Score(Protocol):
    def __call__(self, model: Any, train: Interactions, test: Interactions) -> dict[str, float]:
        """Figures of a model on held-out interactions; the first one is what methods are tuned for."""


@dataclass(frozen=True)
class Task:
    """Training and test part, the same cut once more for validation, and the score."""

    train: Interactions
    test: Interactions
    part: Interactions
    validation: Interactions
    score: Score


def by_chance(data: Interactions, score: Score, share: float = 0.2) -> Task:
    """A share of the positives is the test part; a fifth of the rest is for validation."""
    train, test = data.split(test=share, seed=0)
    return Task(train, test, *train.split(test=0.2, seed=1), score)


def movielens() -> Task:
    return by_chance(load_movielens_1m().positives(4), lists)


def lastfm() -> Task:
    return by_chance(load_lastfm().interactions(binary=True), lists)


def corel() -> Task:
    return by_chance(Interactions.from_matrix(load_multilabel("corel16k001").Y), areas)


def lists(model: Any, train: Interactions, test: Interactions) -> dict[str, float]:
    """NDCG@10 and MRR@10 over all columns but the training ones."""
    found = evaluate(model, train, test, k=10, metrics=("ndcg", "mrr"))
    return {name: float(found[name]) for name in ("ndcg@10", "mrr@10")}


def areas(model: Any, train: Interactions, test: Interactions) -> dict[str, float]:
    """AUC over all columns but the training ones, and NDCG@10."""
    found = evaluate_factors(
        model.row_factors_, model.col_factors_, train.matrix, test.matrix, k=10, metrics=("ndcg", "auc")
    )
    return {name: float(found[name]) for name in ("auc", "ndcg@10")}


def precisions(model: Any, train: Interactions, test: Interactions) -> dict[str, float]:
    """NDCG@10, precision@1 to @5, NDCG@5."""
    found = evaluate_factors(
        model.row_factors_, model.col_factors_, train.matrix, test.matrix, k=(1, 2, 3, 4, 5, 10),
        metrics=("precision", "ndcg"),
    )  # fmt: skip
    return {key: float(found[key]) for key in ("ndcg@10", *(f"precision@{k}" for k in range(1, 6)), "ndcg@5")}


# -- next song ---------------------------------------------------------------------------------------------------------


def next_song(*, previous: bool = True, artist: bool = True) -> Task:
    """User (and last song) → song (with its artist). The ten latest transitions of each user are the test part, the
    ten before them are for validation; both keep their context, so that models with and without it see the same ones.
    """
    loaded = load_lastfm_next()
    data = loaded.interactions()
    artist_of = dict(loaded.songs.iter_rows())
    numbers = np.unique([artist_of[song] for song in data.col_ids.all().tolist()], return_inverse=True)[1]
    one = sp.csr_array((np.ones(len(numbers), np.float32), (np.arange(len(numbers)), numbers)))
    train, test = data.with_sides(col_features=one).split(test=10, by="last", seed=0)
    part, validation = train.split(test=10, by="last", seed=1)
    return Task(_cut(train, previous, artist), test, _cut(part, previous, artist), validation, transitions)


def transitions(model: Any, _train: Interactions, test: Interactions) -> dict[str, float]:
    """NDCG@10 and MRR@10 over held-out transitions; every song may come next, heard or not."""
    events = test.events
    context = {name: test.context_ids[name].take(events.context[name]) for name in model.context_ids_}
    contexts = Contexts(model.context_ids_, model.context_factors_, model.context_model)
    queries = contexts.combine(model.row_factors_[events.row], context)
    found, _ = top_k(queries, model.col_factors_, 10)
    hit = found == events.col[:, None]
    rank = np.where(hit.any(axis=1), hit.argmax(axis=1) + 1.0, np.inf)
    return {"ndcg@10": float(np.mean(1 / np.log2(rank + 1))), "mrr@10": float(np.mean(1 / rank))}


def _cut(data: Interactions, previous: bool, artist: bool) -> Interactions:
    """The same events without their context, or without the songs' artists."""
    kept = {"events": data.events, "context_ids": data.context_ids} if previous else {}
    features = {"col_features": data.col_features} if artist else {}
    return Interactions(data.matrix, data.row_ids, data.col_ids, times=data.times, **kept, **features)


# -- graphs ------------------------------------------------------------------------------------------------------------


def with_alike_users() -> Interactions:
    """MovieLens 100k, ratings of at least 4. Users of one sex and occupation within five years of age are neighbours;
    no rating takes part in that."""
    loaded = load_movielens_100k()
    data = loaded.positives(4)
    known = {row["id"]: row for row in loaded.users.iter_rows(named=True)}
    users = [known[user] for user in data.row_ids.all().tolist()]
    age = np.array([user["age"] for user in users])
    kind = np.unique([f"{user['gender']} {user['occupation']}" for user in users], return_inverse=True)[1]
    alike = (kind[:, None] == kind[None, :]) & (np.abs(age[:, None] - age[None, :]) <= 5)
    np.fill_diagonal(alike, False)
    return data.with_sides(row_graph=sp.csr_array(alike.astype(np.float32)))


def without_graph(data: Interactions) -> Interactions:
    return Interactions(data.matrix, data.row_ids, data.col_ids)


# -- trials ------------------------------------------------------------------------------------------------------------

PATIENCE = 2
"""Looks without a better score after which a trial ends."""

LOOKS = 8
"""Times that a stochastic method's trial is looked at."""

Point = dict[str, Any]
Stages = dict[str, list[Any]]
Watch = Callable[[int, Any], bool]
"""(iterations so far, model) → whether to end."""

Train = Callable[[Point, Interactions, int | None, Watch], Any]
"""(parameters, data, iterations or None for the most, watch) → model."""


@dataclass
class Search:
    """One method's trials on one task."""

    task: Task
    train: Train
    tried: dict[str, tuple[float, int]] = field(default_factory=dict)

    def best(self, start: Point, stages: Stages) -> tuple[Point, int, float]:
        """Parameters and iterations with the best validation score, and that score."""
        point = start
        for name, values in stages.items():
            points = [point | {name: value} for value in values]
            point = max(points, key=lambda candidate: self.trial(candidate)[0])
        score, iterations = self.trial(point)
        return point, iterations, score

    def trial(self, point: Point) -> tuple[float, int]:
        """Best validation score of one point, and after how many iterations; made once."""
        key = repr(sorted(point.items()))
        if key not in self.tried:
            self.tried[key] = self._train(point)
        return self.tried[key]

    def _train(self, point: Point) -> tuple[float, int]:
        seen: list[tuple[float, int]] = []

        def watch(iterations: int, model: Any) -> bool:
            figures = self.task.score(model, self.task.part, self.task.validation)
            seen.append((next(iter(figures.values())), iterations))
            return max(seen) not in seen[-PATIENCE:]

        with contextlib.suppress(DivergedError):
            self.train(point, self.task.part, None, watch)
        return max(seen, default=(-1.0, 1))


def at_its_best(task: Task, train: Train, start: Point, stages: Stages) -> dict[str, Any]:
    """Test figures of the best of all trials, its parameters and iterations, and the seconds of that last training."""
    search = Search(task, train)
    point, iterations, score = search.best(start, stages)
    began = time.perf_counter()
    model = train(point, task.train, iterations, lambda *_: False)
    seconds = time.perf_counter() - began
    return {
        **{name: round(value, 4) for name, value in task.score(model, task.train, task.test).items()},
        "seconds": round(seconds, 2),
        "parameters": point | {"iterations": iterations},
        "validation": round(score, 4),
        "trials": len(search.tried),
    }


def sampled(kind: Any, epochs: int, **given: Any) -> Train:
    """A baseline with sampled negatives, looked at ``LOOKS`` times on its way."""
    every = max(1, epochs // LOOKS)

    def train(point: Point, data: Interactions, iterations: int | None, watch: Watch) -> Any:
        count = itertools.count(1)

        def look(model: Any) -> bool:
            epoch = next(count)
            return epoch % every == 0 and watch(epoch, model)

        return kind(**given, **point, epochs=iterations or epochs).fit(data, callback=look)

    return train


def whole_data(looks: tuple[int, ...], **given: Any) -> Train:
    """A ``FactorRecommender``, looked at after so many iterations; it goes on from its checkpoint.

    ``unlabelled_total`` is the weight of all cells together over that of the positives, which carries over from the
    smaller part to the whole, and ``noise`` is the ridge in units of the data's noise, which carries over too.
    """

    def train(point: Point, data: Interactions, iterations: int | None, watch: Watch) -> Any:
        parameters = _in_units_of(data, given | point)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "fit"
            for count in looks if iterations is None else (iterations,):
                model = FactorRecommender(**parameters, iterations=count, checkpoint=file, progress=False).fit(data)
                if watch(count, model):
                    break
        return model

    return train


def once(make: Callable[..., Any]) -> Train:
    """A method without iterations."""

    def train(point: Point, data: Interactions, _iterations: int | None, watch: Watch) -> Any:
        model = make(**point).fit(data)
        watch(1, model)
        return model

    return train


def _in_units_of(data: Interactions, point: Point) -> Point:
    positives = rows_of(data, data.matrix).positives
    point = dict(point)
    if (total := point.pop("unlabelled_total", None)) is not None:
        point["unlabelled_weight"] = total * positives.nnz / (positives.shape[0] * positives.shape[1])
    if (strength := point.pop("noise", None)) is not None:
        point["regularization"] = strength * noise_level(positives)
    return point
