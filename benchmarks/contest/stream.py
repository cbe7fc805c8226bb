"""Stream: ratings are learned one after the other, then others are predicted.

MovieLens in random order (seed 0), 80 % to learn from; the synthetic set has 200,000 users, 20,000 items, and ratings
from biases and ten factors with noise. River and ours see every rating once, Surprise makes its twenty or fifty passes,
and one of ours makes two. Predictions of all are clipped to 1–5. River has the settings of its documentation for
MovieLens, Surprise its defaults; ours run as they are set.
"""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest import Data, Method, save
from benchmarks.peers.adapters import river_models

SYNTHETIC = "synthetic, 3 million"
SIZES = ("MovieLens 100K", "MovieLens 1M", SYNTHETIC)
MEASURES = {"MAE": False, "RMSE": False}


def made(count: int = 3_750_000, users: int = 200_000, items: int = 20_000) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    user = (users * rng.random(count) ** 2).astype(np.int64)
    item = (items * rng.random(count) ** 3).astype(np.int64)
    tastes, kinds = rng.gamma(1.0, 1.0, (users, 10)), rng.gamma(1.0, 1.0, (items, 10))
    tastes, kinds = tastes / tastes.sum(axis=1)[:, None], kinds / kinds.sum(axis=1)[:, None]
    liking = np.einsum("ij,ij->i", tastes[user], kinds[item])
    level = 2.6 + 6 * liking + 0.4 * rng.standard_normal(users)[user] + 0.5 * rng.standard_normal(items)[item]
    return user, item, np.clip(np.rint(level + 0.7 * rng.standard_normal(count)), 1, 5)


def prepare(size: str, folder: Path) -> dict[str, Any]:
    from tacit.data import load_movielens_1m, load_movielens_100k

    if size == SYNTHETIC:
        columns = made()
    else:
        table = {"MovieLens 100K": load_movielens_100k, "MovieLens 1M": load_movielens_1m}[size]().ratings
        columns = tuple(table[name].to_numpy() for name in ("user", "item", "rating"))
    order = np.random.default_rng(0).permutation(len(columns[0]))
    cut = int(0.8 * len(order))
    names = ("users", "items", "ratings")
    learned = {name: column[order[:cut]] for name, column in zip(names, columns)}
    asked = {f"{name}_test": column[order[cut:]] for name, column in zip(names, columns)}
    save(folder, "main", **learned, **asked)
    save(folder, "small", **{name: column[:2000] for name, column in (learned | asked).items()})
    return {"ratings": cut, "asked": len(order) - cut}


def evaluate(data: Data, answers: np.ndarray) -> dict[str, float]:
    from tacit.metrics.ratings import mae, rmse

    clipped = np.clip(answers, 1, 5)
    return {"MAE": mae(data["ratings_test"], clipped), "RMSE": rmse(data["ratings_test"], clipped)}


def fit_stream(data: Data, threads: int, **point: Any) -> Any:
    from tacit import RatingStream

    return RatingStream(**point).partial_fit(data["users"], data["items"], data["ratings"].astype(float))


def fit_experts(data: Data, threads: int, passes: int = 1) -> Any:
    from tacit import ExpertRatingStream

    return ExpertRatingStream().fit(data["users"], data["items"], data["ratings"].astype(float), passes=passes)


def predict_stream(model: Any, data: Data, threads: int) -> np.ndarray:
    return np.asarray(model.predict(data["users_test"], data["items_test"]))


def fit_river(data: Data, threads: int) -> Any:
    model = river_models()["river BiasedMF"]
    for user, item, rating in zip(data["users"].tolist(), data["items"].tolist(), data["ratings"].tolist()):
        model.learn_one(user, item, rating)
    return model


def predict_river(model: Any, data: Data, threads: int) -> np.ndarray:
    pairs = zip(data["users_test"].tolist(), data["items_test"].tolist())
    return np.array([model.predict_one(user, item) for user, item in pairs])


def fit_surprise(data: Data, threads: int, method: str) -> Any:
    import pandas as pd
    import surprise

    frame = pd.DataFrame({"user": data["users"], "item": data["items"], "rating": data["ratings"]})
    train = surprise.Dataset.load_from_df(frame, surprise.Reader(rating_scale=(1, 5))).build_full_trainset()
    return getattr(surprise, method)(random_state=0).fit(train)


def predict_surprise(model: Any, data: Data, threads: int) -> np.ndarray:
    pairs = zip(data["users_test"].tolist(), data["items_test"].tolist())
    return np.array([model.predict(user, item).est for user, item in pairs])


METHODS = {
    "Tacit RatingStream": Method(fit_stream, predict_stream, "tacit"),
    "Tacit RatingStream, biased": Method(
        fit_stream, predict_stream, "tacit", ({"biases": "learned", "adaptation": "full"},)
    ),
    "Tacit ExpertRatingStream": Method(fit_experts, predict_stream, "tacit"),
    "Tacit ExpertRatingStream, two passes": Method(fit_experts, predict_stream, "tacit", ({"passes": 2},)),
    "river BiasedMF": Method(fit_river, predict_river, "river"),
    "Surprise SVD": Method(fit_surprise, predict_surprise, "scikit-surprise", ({"method": "SVD"},)),
    "Surprise NMF": Method(fit_surprise, predict_surprise, "scikit-surprise", ({"method": "NMF"},)),
}
