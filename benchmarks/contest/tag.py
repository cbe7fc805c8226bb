"""Tag: the five best labels of rows that were not seen.

Bibtex in its published split; Stack Exchange (cooking) and Debian's packages by their descriptions with a fifth of the
rows held out (seed 0). All methods run as their libraries set them; the tuned ones are in ``tag.py quality``.
"""

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.contest import Data, Method, save

K = 5
DEBIAN = "Debian packages"
SIZES = ("bibtex", "stackex_cooking", DEBIAN)
MEASURES = {"nDCG@5": True, "P@1": True}


def prepare(size: str, folder: Path) -> dict[str, Any]:
    X, Y, X_test, Y_test = debian() if size == DEBIAN else published(size)
    save(folder, "main", X=X, Y=Y, X_test=X_test, Y_test=Y_test)
    few = np.flatnonzero(np.diff(Y.indptr) > 0)[:300]
    save(folder, "small", X=X[few], Y=Y[few], X_test=X[few[:50]], Y_test=Y[few[:50]])
    return {"rows": X.shape[0], "features": X.shape[1], "labels": Y.shape[1], "asked": X_test.shape[0]}


def published(name: str) -> tuple[Any, ...]:
    from tacit.data import load_multilabel

    data = load_multilabel(name)
    if data.X_test is not None:
        return data.X, data.Y, data.X_test, data.Y_test
    return held_out(data.X, data.Y)


def debian() -> tuple[Any, ...]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    from tacit.data.debian import load_debian

    packages = load_debian()
    X = TfidfVectorizer(min_df=2, sublinear_tf=True).fit_transform(packages.descriptions()).astype(np.float32)
    return held_out(sp.csr_array(X), sp.csr_array(packages.tags.matrix))


def held_out(X: sp.csr_array, Y: sp.csr_array) -> tuple[Any, ...]:
    order = np.random.default_rng(0).permutation(X.shape[0])
    cut = len(order) // 5
    return X[order[cut:]], Y[order[cut:]], X[order[:cut]], Y[order[:cut]]


def evaluate(data: Data, answers: np.ndarray) -> dict[str, float]:
    from tacit.metrics.labels import ndcg_at_k, precision_at_k

    truth = sp.csr_array(data["Y_test"])
    return {"nDCG@5": ndcg_at_k(truth, answers, K), "P@1": precision_at_k(truth, answers, 1)}


def fit_factors(data: Data, threads: int) -> Any:
    from tacit import FactorTagger

    return FactorTagger(threads=threads, progress=False).fit(sp.csr_array(data["X"]), sp.csr_array(data["Y"]))


def fit_neighbours(data: Data, threads: int) -> Any:
    from tacit import NeighbourTagger

    return NeighbourTagger(threads=threads, progress=False).fit(sp.csr_array(data["X"]), sp.csr_array(data["Y"]))


def fit_blend(data: Data, threads: int) -> Any:
    from tacit import BlendTagger

    return BlendTagger(threads=threads, progress=False).fit(sp.csr_array(data["X"]), sp.csr_array(data["Y"]))


def fit_kernel(data: Data, threads: int) -> Any:
    from tacit import KernelTagger

    return KernelTagger(threads=threads, progress=False).fit(sp.csr_array(data["X"]), sp.csr_array(data["Y"]))


def fit_linear(data: Data, threads: int) -> Any:
    """The quick setting: nothing but the columns, and the ridge by leave-one-out."""
    from tacit import KernelTagger

    tagger = KernelTagger("linear", iterations=5, threads=threads, progress=False)
    return tagger.fit(sp.csr_array(data["X"]), sp.csr_array(data["Y"]))


def fit_one_vs_rest(data: Data, threads: int) -> Any:
    from tacit.baselines import OneVsRestTagger

    return OneVsRestTagger().fit(sp.csr_array(data["X"]), sp.csr_array(data["Y"]))


def best_labels(model: Any, data: Data, threads: int) -> np.ndarray:
    return np.asarray(model.predict_topk(sp.csr_array(data["X_test"]), K))


def fit_napkinxc(data: Data, threads: int) -> Any:
    from napkinxc.models import PLT

    model = PLT(str(data["folder"] / "plt"), threads=threads, seed=0)
    model.fit(data["X"], [labels.indices.tolist() for labels in data["Y"]])
    return model


def labels_napkinxc(model: Any, data: Data, threads: int) -> np.ndarray:
    return padded(model.predict(data["X_test"], top_k=K))


def fit_omikuji(data: Data, threads: int) -> Any:
    """Its only way in is a text file, so that writing and reading it belong to the fit; it refuses empty rows."""
    import omikuji

    full = (np.diff(data["X"].indptr) > 0) & (np.diff(data["Y"].indptr) > 0)
    X, Y = data["X"][full], data["Y"][full]
    path = data["folder"] / "omikuji.txt"
    with path.open("w") as file:
        file.write(f"{X.shape[0]} {X.shape[1]} {Y.shape[1]}\n")
        for row in range(X.shape[0]):
            labels = ",".join(map(str, Y.indices[Y.indptr[row] : Y.indptr[row + 1]]))
            span = slice(X.indptr[row], X.indptr[row + 1])
            cells = " ".join(f"{col}:{value:.6g}" for col, value in zip(X.indices[span], X.data[span]))
            file.write(f"{labels} {cells}\n")
    return omikuji.Model.train_on_data(str(path), omikuji.Model.default_hyper_param(), n_threads=threads)


def labels_omikuji(model: Any, data: Data, threads: int) -> np.ndarray:
    X = data["X_test"]
    found = []
    for start, stop in zip(X.indptr[:-1], X.indptr[1:]):
        pairs = list(zip(X.indices[start:stop].tolist(), X.data[start:stop].tolist()))
        found.append([label for label, _ in model.predict(pairs, top_k=K)])
    return padded(found)


def padded(lists: Any) -> np.ndarray:
    """Lists of at most five labels as one array; −1 where there is none."""
    top = np.full((len(lists), K), -1)
    for row, labels in enumerate(lists):
        top[row, : len(labels)] = list(labels)[:K]
    return top


METHODS = {
    "Tacit FactorTagger": Method(fit_factors, best_labels, "tacit"),
    "Tacit NeighbourTagger": Method(fit_neighbours, best_labels, "tacit"),
    "Tacit KernelTagger": Method(fit_kernel, best_labels, "tacit"),
    "Tacit KernelTagger, linear": Method(fit_linear, best_labels, "tacit"),
    "Tacit BlendTagger": Method(fit_blend, best_labels, "tacit"),
    "napkinXC PLT": Method(fit_napkinxc, labels_napkinxc, "napkinxc"),
    "omikuji Parabel": Method(fit_omikuji, labels_omikuji, "omikuji"),
    "one-vs-rest (scikit-learn)": Method(fit_one_vs_rest, best_labels, "scikit-learn"),
}
