"""What methods do in processes of their own (``processes.ask``): other libraries, and our estimators beside them.

Libraries run in the interpreter of the peers: mord and skordinal on labelled rows, river and Surprise on ratings,
napkinXC and omikuji on labels. Ours, with default parameters, run under whichever Tacit is on the path, so that commits
can be compared. Each function imports what it needs: no interpreter has all of them.
"""

import resource
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import scipy.sparse as sp


def ordinal_model(name, columns):
    """The model and the grid that it is tuned over."""
    if name == "mord":
        import mord

        return mord.LogisticAT(), {"alpha": [0.01, 0.1, 1.0, 10.0, 100.0]}
    from skordinal.classifiers import SVOR

    return SVOR(constraints="explicit"), {
        "C": [0.1, 1.0, 10.0, 100.0],
        "gamma": [0.02 / columns, 0.1 / columns, 0.5 / columns],
    }


def tuned_grades(folder, name):
    """Write ``found.npz`` (score, grade) of the model, tuned by 3-fold cross-validation of the mean absolute error."""
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    warnings.filterwarnings("ignore")
    folder = Path(folder)
    job = np.load(folder / "job.npz")
    X, y, test = job["X"], job["y"], job["test"]
    model, grid = ordinal_model(name, X.shape[1])
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    best = GridSearchCV(model, grid, scoring="neg_mean_absolute_error", cv=splitter).fit(X, y).best_estimator_
    score = test @ best.coef_ if name == "mord" else best.predict_projection(test)
    np.savez(folder / "found.npz", score=score, grade=best.predict(test))


def grade_seconds(folder, name):
    """One fit with the library's defaults: seconds, processor seconds, peak MiB, MiB grown."""
    warnings.filterwarnings("ignore")
    job = np.load(Path(folder) / "job.npz")
    X, y = job["X"], job["y"]
    model, _ = ordinal_model(name, X.shape[1])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, worked = time.perf_counter(), time.process_time()
    model.fit(X, y)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return seconds, worked, peak / 1024, (peak - before) / 1024


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


def _progressive(users, items, ratings):
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


def _speed(users, items, ratings):
    """Ratings per second of ``learn_one`` alone."""
    found = {}
    for name, model in river_models().items():
        rows = list(zip(users, items, ratings))[:30_000]
        began = time.process_time()
        for user, item, rating in rows:
            model.learn_one(user, item, rating)
        found[name] = len(rows) / (time.process_time() - began)
    return found


def _batch(users, items, ratings, border):
    """Surprise's NMF and SVD with their defaults, which make twenty or fifty passes."""
    from surprise import NMF, SVD

    models = {"Surprise NMF": NMF(random_state=0), "Surprise SVD": SVD(random_state=0)}
    return _surprise(models, users, items, ratings, border)


def _svd(users, items, ratings, border):
    """Surprise's SVD with its default of twenty passes, and with one."""
    from surprise import SVD

    models = {"Surprise SVD": SVD(random_state=0), "Surprise SVD, one pass": SVD(random_state=0, n_epochs=1)}
    return _surprise(models, users, items, ratings, border)


def _surprise(models, users, items, ratings, border):
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


def ratings(path, what):
    """River on a stream (``what`` is progressive or speed) or Surprise on a split (batch or svd): versions and figures.

    The file holds users, items and ratings in order, and for a split ``border``, where the test part begins.
    """
    data = np.load(path)
    columns = [data[name].tolist() for name in ("users", "items", "ratings")]
    if what in ("batch", "svd"):
        answer = {"batch": _batch, "svd": _svd}[what](*columns, int(data["border"]))
    else:
        answer = {"progressive": _progressive, "speed": _speed}[what](*columns)
    return {"versions": {name: version(name) for name in ("river", "scikit-surprise")}, "figures": answer}


K = 5


def _napkinxc_plt(X, Y, X_test, folder, own):
    from napkinxc.models import PLT

    labels = [Y.indices[a:b].tolist() for a, b in zip(Y.indptr[:-1], Y.indptr[1:])]
    began = time.perf_counter()
    model = PLT(str(folder / "plt"), threads=2, seed=0, **own)
    model.fit(X, labels)
    seconds = time.perf_counter() - began
    found = model.predict(X_test, top_k=K)
    return seconds, [list(row) for row in found]


def _omikuji_tree(X, Y, X_test, folder, own, bonsai):
    import omikuji

    # A row without features teaches nothing, and the reader of the library's format refuses it.
    filled = np.flatnonzero(np.diff(X.indptr))
    lines = [f"{len(filled)} {X.shape[1]} {Y.shape[1]}"]
    for row in filled:
        labels = ",".join(map(str, Y.indices[Y.indptr[row] : Y.indptr[row + 1]]))
        span = slice(X.indptr[row], X.indptr[row + 1])
        lines.append(labels + " " + " ".join(f"{f}:{v:.6g}" for f, v in zip(X.indices[span], X.data[span])))
    path = folder / "train.txt"
    path.write_text("\n".join(lines) + "\n")
    parameters = omikuji.Model.default_hyper_param()
    if bonsai:
        parameters.cluster_balanced, parameters.cluster_k, parameters.collapse_every_n_layers = False, 100, 0
        parameters.max_depth = 3
    for name, value in own.items():
        setattr(parameters, name, value)
    began = time.perf_counter()
    model = omikuji.Model.train_on_data(str(path), parameters, n_threads=2)
    seconds = time.perf_counter() - began
    found = []
    for row in range(X_test.shape[0]):
        span = slice(X_test.indptr[row], X_test.indptr[row + 1])
        pairs = list(zip(X_test.indices[span].tolist(), X_test.data[span].tolist()))
        found.append([label for label, _ in model.predict(pairs, top_k=K)])
    return seconds, found


TREES = {
    "napkinXC PLT": _napkinxc_plt,
    "omikuji Parabel": lambda *data: _omikuji_tree(*data, bonsai=False),
    "omikuji Bonsai": lambda *data: _omikuji_tree(*data, bonsai=True),
}


def rank(method, folder, parameters):
    """Trees of labels on one split; gives back the seconds of training.

    The folder holds X.npz, Y.npz and X_test.npz, and gets top.npy, the five best labels of each test row. Parameters
    have the library's own names.
    """
    folder = Path(folder)
    X, Y, X_test = (sp.csr_matrix(sp.load_npz(folder / f"{name}.npz")) for name in ("X", "Y", "X_test"))
    seconds, found = TREES[method](X, Y, X_test, folder, parameters)
    top = np.full((len(found), K), -1)
    for row, labels in enumerate(found):
        top[row, : len(labels)] = labels[:K]
    np.save(folder / "top.npy", top)
    return {"seconds": seconds}


def our_grade(path):
    """OrdinalRanker on the arrays of a file; scores go to ``path`` with ``.npy`` added."""
    from tacit import OrdinalRanker

    warnings.filterwarnings("ignore")
    job = np.load(path)
    parts = "data", "indices", "indptr"
    X = job["X"] if "X" in job else sp.csr_array(tuple(job[part] for part in parts), shape=tuple(job["shape"]))
    OrdinalRanker(classes=[0, 1]).fit(np.arange(40.0)[:, None] % 7, np.arange(40) % 2)  # compiles
    began = time.process_time()
    model = OrdinalRanker(random_state=int(job["seed"]), classes=job["classes"].tolist(), threads=1).fit(X, job["seen"])
    seconds = time.process_time() - began
    np.save(path + ".npy", model.rank_score(X[job["evaluated"]]))
    kept = ("kernel_", "loss_", "bandwidth_", "regularization_", "preparation_", "tree_share_", "linear_share_")
    chosen = {name: getattr(model, name) for name in kept if hasattr(model, name)}
    return {"seconds": seconds, "unlabelled": float(np.mean(model.unlabelled_weight_)), **chosen}


def our_stream(path, estimator, repeats):
    """A rating stream on the arrays of a file: errors before each rating and on the test part, and speed."""
    import tacit

    make = getattr(tacit, estimator)
    job = np.load(path)
    users, items, ratings, border, most = (job[name] for name in ("users", "items", "ratings", "border", "most"))
    low, high = ratings.min(), ratings.max()
    try:
        make().partial_fit(users[:100], items[:100], ratings[:100])
        order = job["order"]
        before = np.clip(make().predict_then_learn(users[:most], items[:most], ratings[:most]), low, high)
        seconds = []
        for _ in range(repeats):
            model = make()
            start = time.process_time()
            model.partial_fit(users[order[:border]], items[order[:border]], ratings[order[:border]])
            seconds.append(time.process_time() - start)
        asked = order[border:]
        after = np.clip(model.predict(users[asked], items[asked]), low, high)
        return {
            "progressive": float(np.abs(before - ratings[:most]).mean()),
            "test": float(np.abs(after - ratings[asked]).mean()),
            "per_second": round(int(border) / min(seconds)),
        }
    except Exception as error:
        return {"missing": str(error).splitlines()[0]}


def our_recommend(folder):
    """FactorRecommender on the matrices of a folder."""
    from tacit import FactorRecommender
    from tacit.metrics.evaluation import evaluate

    train, test = (sp.csr_array(sp.load_npz(Path(folder) / f"{part}.npz")) for part in ("train", "test"))
    FactorRecommender(progress=False).fit(train[:50])  # compiles
    began = time.process_time()
    model = FactorRecommender(progress=False).fit(train)
    seconds = time.process_time() - began
    reached = float(evaluate(model, train, test, k=10, metrics=("ndcg",))["ndcg@10"])
    return {"ndcg@10": round(reached, 4), "processor_seconds": round(seconds, 2)}


def our_tag(folder, estimator, arguments, parameters):
    """A tagger on the arrays of a folder; ``top.npy`` gets the five best labels of each test row."""
    import tacit

    folder = Path(folder)
    X, Y, X_test = (sp.csr_array(sp.load_npz(folder / f"{part}.npz")) for part in ("X", "Y", "X_test"))
    make = getattr(tacit, estimator)
    few = np.flatnonzero(np.diff(Y.indptr))[:200]
    make(*arguments, progress=False, **parameters).fit(X[few], Y[few]).predict_topk(X[few], 5)
    began = time.process_time()
    model = make(*arguments, progress=False, **parameters).fit(X, Y)
    seconds = time.process_time() - began
    np.save(folder / "top.npy", model.predict_topk(X_test, 5))
    return {"processor seconds": round(seconds, 2)}
