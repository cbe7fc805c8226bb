"""River's factorizations on a stream, and Surprise's batch factorizations on a split, for ``stream*.py``.

The file holds users, items and ratings in order (and ``border``, where the test part begins, for ``batch`` and
``svd``).
"""

import time
from importlib.metadata import version

import numpy as np


def river_models(rank: int = 10):
    from river import optim, reco

    return {
        "river Baseline": reco.Baseline(optimizer=optim.SGD(0.025)),
        "river BiasedMF": reco.BiasedMF(
            n_factors=rank,
            bias_optimizer=optim.SGD(0.025),
            latent_optimizer=optim.SGD(0.05),
            weight_initializer=optim.initializers.Normal(mu=0.0, sigma=0.1, seed=71),
            l2_bias=0.0,
            l2_latent=0.0,
        ),
        "river FunkMF": reco.FunkMF(
            n_factors=rank,
            optimizer=optim.SGD(0.05),
            initializer=optim.initializers.Normal(mu=0.0, sigma=0.1, seed=73),
        ),
    }


def progressive(users, items, ratings):
    """Predict, then learn, over the whole stream; river's documented settings for MovieLens, cut to the range."""
    found = {}
    low, high = min(ratings), max(ratings)
    for name, model in river_models().items():
        error = 0.0
        began = time.process_time()
        for user, item, rating in zip(users, items, ratings):
            error += abs(min(max(model.predict_one(user, item), low), high) - rating)
            model.learn_one(user, item, rating)
        found[name] = {"mae": error / len(ratings), "seconds": time.process_time() - began}
    return found


def speed(users, items, ratings):
    """Ratings per second of ``learn_one`` alone."""
    found = {}
    for name, model in river_models().items():
        rows = list(zip(users, items, ratings))[:30_000]
        began = time.process_time()
        for user, item, rating in rows:
            model.learn_one(user, item, rating)
        found[name] = len(rows) / (time.process_time() - began)
    return found


def batch(users, items, ratings, border):
    """Surprise's NMF and SVD with their defaults, which make twenty or fifty passes."""
    from surprise import NMF, SVD

    models = {"Surprise NMF": NMF(random_state=0), "Surprise SVD": SVD(random_state=0)}
    return surprise(models, users, items, ratings, border)


def svd(users, items, ratings, border):
    """Surprise's SVD with its default of twenty passes, and with one."""
    from surprise import SVD

    models = {"Surprise SVD": SVD(random_state=0), "Surprise SVD, one pass": SVD(random_state=0, n_epochs=1)}
    return surprise(models, users, items, ratings, border)


def surprise(models, users, items, ratings, border):
    import pandas as pd
    from surprise import Dataset, Reader

    frame = pd.DataFrame({"user": users, "item": items, "rating": ratings})
    scale = Reader(rating_scale=(min(ratings), max(ratings)))
    train = Dataset.load_from_df(frame[:border], scale).build_full_trainset()
    found = {}
    for name, model in models.items():
        began = time.process_time()
        model.fit(train)
        seconds = time.process_time() - began
        predicted = [model.predict(*row).est for row in zip(users[border:], items[border:])]
        found[name] = {"mae": float(np.abs(np.array(predicted) - ratings[border:]).mean()), "seconds": seconds}
    return found


def measure(path, what):
    """``what`` is progressive, speed, batch or svd; gives back versions and figures."""
    data = np.load(path)
    columns = [data[name].tolist() for name in ("users", "items", "ratings")]
    if what in ("batch", "svd"):
        answer = {"batch": batch, "svd": svd}[what](*columns, int(data["border"]))
    else:
        answer = {"progressive": progressive, "speed": speed}[what](*columns)
    return {"versions": {name: version(name) for name in ("river", "scikit-surprise")}, "figures": answer}
