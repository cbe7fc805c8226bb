"""The data of the engine's benchmarks, and how a model is scored on them."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from tacit import Interactions
from tacit.data import load_lastfm, load_lastfm_next, load_movielens_1m, load_movielens_100k, load_multilabel
from tacit.estimators.recommend.contexts import Contexts
from tacit.metrics.evaluation import evaluate, evaluate_factors
from tacit.neighbours.topk import top_k


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
