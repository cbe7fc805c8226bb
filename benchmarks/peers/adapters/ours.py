"""Our estimators with default parameters, under whichever Tacit is on the path, so that commits can be compared."""

import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp


def grade(path):
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
    kept = ("kernel_", "loss_", "bandwidth_", "regularization_", "preparation_", "tree_share_")
    chosen = {name: getattr(model, name) for name in kept if hasattr(model, name)}
    return {"seconds": seconds, "unlabelled": float(np.mean(model.unlabelled_weight_)), **chosen}


def stream(path, estimator, repeats):
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


def recommend(folder):
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


def tag(folder, estimator, arguments, parameters):
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
