"""Taggers beside their opponents.

    python benchmarks/tag.py quality [--sets bibtex,…]   P@k, nDCG@5, PSP@k and seconds on the published sets
    python benchmarks/tag.py hidden                      80 % of the training labels hidden, five seeds
    python benchmarks/tag.py best                        the blend that validation chooses on Bibtex
    python benchmarks/tag.py scale                       200,000 rows × 50,000 features × 20,000 labels, made
    python benchmarks/tag.py audit                       a fifth of Debian's tags hidden, and found again

Parameters are chosen by nDCG@5 on a fifth of the training rows, from the grid that stands below, three points for
every method; then the method is fitted on all of them. Sets without a published split give a fifth of their rows to
the test (seed 0). Each command writes ``results/tag-COMMAND.json``.
"""

import argparse
import json
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import results
from tacit import BlendTagger, FactorTagger, NeighbourTagger
from tacit.baselines import LemlImcTagger, OneVsRestTagger, PopularTagger, SleecTagger, leml
from tacit.data.debian import load_debian
from tacit.data.loaders.tags import load_multilabel
from tacit.data.matrix import as_csr
from tacit.metrics.labels import inverse_propensities, ndcg_at_k, precision_at_k, psp_at_k
from workers import HERE, peers_python

Make = Callable[..., Any]
SETS = ("bibtex", "rcv1v2", "corel5k", "stackex_cooking", "stackex_cs")


def neighbour(method: str, **fixed: Any) -> Make:
    return lambda **own: NeighbourTagger(method, progress=False, **{**fixed, **own})


RIDGES = [{"regularization": strength} for strength in (0.5, 1.0, 3.0)]
METHODS: dict[str, tuple[Make, list[dict[str, Any]]]] = {
    "NeighbourTagger sppmi": (neighbour("sppmi"), RIDGES),
    "NeighbourTagger weighted": (neighbour("weighted"), RIDGES),
    "NeighbourTagger skipgram": (neighbour("skipgram"), RIDGES),
    "NeighbourTagger joint": (neighbour("joint"), RIDGES),
    "NeighbourTagger end_to_end": (neighbour("end_to_end", iterations=3, negatives=1), RIDGES),
    "FactorTagger LR-wSQ": (
        lambda **own: FactorTagger(progress=False, **own),
        [{"regularization": strength} for strength in (0.3, 0.7, 1.5)],
    ),
    "BlendTagger": (
        lambda weight: BlendTagger(
            [
                {"tagger": "neighbour", "method": "end_to_end", "iterations": 3, "negatives": 1},
                {"tagger": "factor", "weight": weight},
            ],
            progress=False,
        ),
        [{"weight": weight} for weight in (0.5, 1.0, 2.0)],
    ),
    "label frequency": (PopularTagger, [{}]),
    "one-vs-rest logistic": (OneVsRestTagger, [{"strength": strength} for strength in (3.0, 10.0, 30.0)]),
    "LEML": (
        lambda **own: leml(progress=False, **own),
        [{"regularization": strength} for strength in (0.3, 1.0, 3.0)],
    ),
    "SLEEC": (SleecTagger, RIDGES),
}
PEERS = ("napkinXC PLT", "omikuji Parabel", "omikuji Bonsai")


class Split:
    """Training and test part of one set."""

    def __init__(self, name: str) -> None:
        data = load_multilabel(name)
        if data.X_test is None or data.Y_test is None:
            order = np.random.default_rng(0).permutation(data.X.shape[0])
            cut = len(order) // 5
            self.X_test, self.Y_test = data.X[order[:cut]], data.Y[order[:cut]]
            self.X, self.Y = data.X[order[cut:]], data.Y[order[cut:]]
        else:
            self.X, self.Y, self.X_test, self.Y_test = data.X, data.Y, data.X_test, data.Y_test

    def validation(self) -> tuple[Any, Any, Any, Any]:
        order = np.random.default_rng(1).permutation(self.X.shape[0])
        cut = len(order) // 5
        return self.X[order[cut:]], self.Y[order[cut:]], self.X[order[:cut]], self.Y[order[:cut]]

    def measure(self, top: np.ndarray) -> dict[str, float]:
        inverse = inverse_propensities(np.bincount(self.Y.indices, minlength=self.Y.shape[1]), self.Y.shape[0])
        figures = {f"P@{k}": 100 * precision_at_k(self.Y_test, top, k) for k in (1, 3, 5)}
        figures["nDCG@5"] = 100 * ndcg_at_k(self.Y_test, top, 5)
        figures |= {f"PSP@{k}": 100 * psp_at_k(self.Y_test, top, k, inverse) for k in (1, 3, 5)}
        return {name: round(value, 2) for name, value in figures.items()}


def chosen(make: Make, grid: list[dict[str, Any]], split: Split) -> dict[str, Any]:
    """The point of the grid that does best on a fifth of the training rows."""
    if len(grid) == 1:
        return grid[0]
    X, Y, X_held, Y_held = split.validation()
    scores = [ndcg_at_k(Y_held, make(**point).fit(X, Y).predict_topk(X_held, 5), 5) for point in grid]
    return grid[int(np.argmax(scores))]


def run_ours(make: Make, grid: list[dict[str, Any]], split: Split) -> dict[str, Any]:
    point = chosen(make, grid, split)
    seconds = []
    for _ in range(2):
        began = time.perf_counter()
        model = make(**point).fit(split.X, split.Y)
        seconds.append(time.perf_counter() - began)
    return {**split.measure(model.predict_topk(split.X_test, 5)), "seconds": round(min(seconds), 2), "chosen": point}


def run_peer(method: str, split: Split) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("X", "Y", "X_test"):
            sp.save_npz(Path(folder) / f"{name}.npz", sp.csr_matrix(getattr(split, name)))
        command = [peers_python(), str(HERE / "peers" / "xmc.py"), method, folder]
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode:
            return {"failed": done.stderr.strip().splitlines()[-1][:200]}
        seconds = json.loads(done.stdout.strip().splitlines()[-1])["seconds"]
        return {**split.measure(np.load(Path(folder) / "top.npy")), "seconds": round(seconds, 2), "chosen": "defaults"}


def keep(command: str, figures: dict[str, Any], name: str, method: str) -> None:
    """Write what there is so far: a long run that is interrupted keeps it."""
    results.write(f"tag-{command}", figures)
    print(name, method, figures[name][method], flush=True)


def quality(sets: list[str]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name in sets:
        split = Split(name)
        figures[name] = {}
        for method, (make, grid) in METHODS.items():
            figures[name][method] = run_ours(make, grid, split)
            keep("quality", figures, name, method)
        for method in PEERS:
            figures[name][method] = run_peer(method, split)
            keep("quality", figures, name, method)
    return figures


HIDDEN: dict[str, tuple[Make, bool]] = {
    "joint, graph of all labels": (
        lambda: NeighbourTagger("joint", 200, regularization=3.0, impute=2, idf_power=0.5, progress=False), True,
    ),
    "joint, graph of the visible labels": (
        lambda: NeighbourTagger("joint", 200, regularization=3.0, impute=2, idf_power=0.5, progress=False), False,
    ),
    "joint as in the paper, graph of all labels": (
        lambda: NeighbourTagger("joint", 100, regularization=3.0, progress=False), True,
    ),
    "LEML-IMC, graph of all labels": (lambda: LemlImcTagger(100, 1.0), True),
    "LEML": (lambda: leml(100, 1.0, progress=False), False),
    "SLEEC": (lambda: SleecTagger(100), False),
    "one-vs-rest logistic": (lambda: OneVsRestTagger(10.0), False),
}  # fmt: skip


def hide(Y: sp.csr_array, share: float, seed: int) -> sp.csr_array:
    """Y without this share of its positives, drawn at random."""
    cells = as_csr(Y, "Y").tocoo()
    kept = np.random.default_rng(seed).permutation(Y.nnz)[: round((1 - share) * Y.nnz)]
    row, col = cells.coords
    return sp.csr_array((cells.data[kept], (row[kept], col[kept])), shape=Y.shape)


def hidden() -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name in ("bibtex", "rcv1v2"):
        split = Split(name)
        graph = sp.csr_array(split.Y.T @ split.Y)
        figures[name] = {}
        for method, (make, uses_graph) in HIDDEN.items():
            runs = []
            for seed in range(5):
                model = make()
                visible = hide(split.Y, 0.8, seed)
                model.fit(split.X, visible, graph) if uses_graph else model.fit(split.X, visible)
                runs.append(
                    [100 * precision_at_k(split.Y_test, model.predict_topk(split.X_test, 5), k) for k in (1, 3, 5)]
                )
            figures[name][method] = {
                **{f"P@{k}": round(float(mean), 2) for k, mean in zip((1, 3, 5), np.mean(runs, axis=0))},
                "spread of P@1": round(float(np.std([run[0] for run in runs])), 2),
            }
            keep("hidden", figures, name, method)
    return figures


NEAR = {
    "tagger": "neighbour",
    "method": "end_to_end",
    "iterations": 3,
    "negatives": 1,
    "neighbours": 40,
    "vote_power": 4.0,
}
NEAR_RARE = {**NEAR, "idf_power": 0.5, "regularization": 2.0}
SQUARE = {"tagger": "factor", "loss": "square"}
EVEN = {
    "tagger": "factor",
    "loss": "square",
    "unlabelled_weight": 1.0,
    "regularization": 0.3,
    "factors": 159,
    "iterations": 10,
}
RARE = {"tagger": "factor", "idf_power": 0.5}
BLENDS = {
    "neighbours + square": [NEAR, SQUARE],
    "neighbours + even square": [NEAR, EVEN],
    "neighbours twice + square + logistic": [NEAR, NEAR_RARE, SQUARE, RARE],
    "neighbours twice + square + even square + logistic": [NEAR, NEAR_RARE, SQUARE, EVEN, RARE],
}


def best() -> dict[str, Any]:
    """Blends compared by P@1 + P@3 + P@5 on three parts of the training rows; the winner meets the test rows."""
    split = Split("bibtex")
    order = np.random.default_rng(0).permutation(split.X.shape[0])
    figures: dict[str, Any] = {"validation": {}}
    for name, members in BLENDS.items():
        runs = []
        for fold in range(3):
            held = order[fold::5]
            rest = np.setdiff1d(order, held)
            top = BlendTagger(members, progress=False).fit(split.X[rest], split.Y[rest]).predict_topk(split.X[held], 5)
            runs.append([100 * precision_at_k(split.Y[held], top, k) for k in (1, 3, 5)])
        figures["validation"][name] = [round(float(mean), 2) for mean in np.mean(runs, axis=0)]
        print(name, figures["validation"][name], flush=True)
    winner = max(figures["validation"], key=lambda name: sum(figures["validation"][name]))
    began = time.perf_counter()
    model = BlendTagger(BLENDS[winner], progress=False).fit(split.X, split.Y)
    figures["test"] = {
        "blend": winner,
        "seconds": round(time.perf_counter() - began, 2),
        **split.measure(model.predict_topk(split.X_test, 5)),
    }
    print(figures["test"], flush=True)
    return figures


def scale(rows: int = 220_000, features: int = 50_000, labels: int = 20_000) -> dict[str, Any]:
    """Rows of made topics: words and labels of the topic, and others whose frequencies fall like 1 / rank."""
    rng = np.random.default_rng(0)
    topics = 500
    topic = rng.integers(topics, size=rows)

    def cells(columns: int, per_row: int, own: float) -> sp.csr_array:
        ranks = np.minimum((np.exp(rng.random((rows, per_row)) * np.log(columns)) - 1).astype(np.int64), columns - 1)
        near = (topic[:, None] * (columns // topics) + rng.geometric(0.2, (rows, per_row))) % columns
        col = np.where(rng.random((rows, per_row)) < own, near, ranks)
        matrix = sp.csr_array((np.ones(col.size, np.float32), (np.repeat(np.arange(rows), per_row), col.ravel())),
                              shape=(rows, columns))  # fmt: skip
        matrix.data[:] = 1.0
        return matrix

    X, Y = cells(features, 40, 0.6), cells(labels, 4, 0.9)
    held = 20_000
    began = time.perf_counter()
    model = NeighbourTagger(factors=50, strongest=200, progress=False).fit(X[held:], Y[held:])
    fitted = time.perf_counter()
    model.predict_topk(X[:1000], 5)
    warm, busy = time.perf_counter(), time.process_time()
    top = model.predict_topk(X[:held], 5)
    done, worked = time.perf_counter(), time.process_time()
    figures = {
        "rows": rows - held, "features": features, "labels": labels, "partitions": len(model.learners_[0].partitions),
        "seconds to fit": round(fitted - began, 1), "rows per second to predict": round(held / (done - warm)),
        "rows per processor second to predict": round(held / (worked - busy)),
        "peak memory in GB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        "P@1 on made rows": round(100 * precision_at_k(Y[:held], top, 1), 1),
    }  # fmt: skip
    print(figures, flush=True)
    return figures


def audit() -> dict[str, Any]:
    """Of the hidden tags, how many are among the n best suggestions; and the best suggestions on all tags."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    debian = load_debian()
    tags = debian.tags
    vectorizer = TfidfVectorizer(min_df=2, sublinear_tf=True)
    X = sp.csr_array(vectorizer.fit_transform(debian.descriptions()).astype(np.float32))
    Y = as_csr(tags.matrix, "Y").native()
    visible = hide(Y, 0.2, 0)
    lost = (Y - visible).astype(bool)
    total = lost.nnz
    figures: dict[str, Any] = {"hidden": int(total), "recall among the n best": {}}
    ours = {
        "NeighbourTagger joint": NeighbourTagger("joint", 100, neighbours=50, regularization=3.0, progress=False),
        "FactorTagger": FactorTagger(progress=False),
        "label frequency": PopularTagger(),
        "one-vs-rest logistic": OneVsRestTagger(3.0),
    }
    sizes = (1000, 5000, 10_000, 20_000)
    for name, tagger in ours.items():
        rows, columns = ranked_cells(tagger, X, visible, max(sizes))
        hit = np.asarray(sp.csr_array(lost)[rows, columns]).ravel()
        found = {n: round(float(hit[:n].sum()) / total, 4) for n in sizes}
        figures["recall among the n best"][name] = found
        print(name, found, flush=True)
    found = FactorTagger(progress=False).missing_labels(
        X, Y, 200, per_row=1, labels=tags.col_ids.all(), row_ids=tags.row_ids.all(),
        feature_names=vectorizer.get_feature_names_out(), texts=debian.descriptions(),
    )  # fmt: skip
    figures["suggestions on all tags"] = [
        {"package": one.row, "tag": one.label, "text": one.text, "carries": list(one.carries)} for one in found[:200:10]
    ]
    return figures


def ranked_cells(tagger: Any, X: sp.csr_array, Y: sp.csr_array, n: int, folds: int = 3) -> tuple[Any, Any]:
    """The n best unlabelled cells, scored out of fold as ``missing_labels`` does, without its evidence."""
    from sklearn.base import clone

    fold_of = np.random.default_rng(0).permutation(np.arange(X.shape[0]) % folds)
    parts = []
    for fold in range(folds):
        mine, others = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        scores = clone(tagger).fit(X[others], Y[others]).decision_function(X[mine])
        known = Y[mine]
        scores[np.repeat(np.arange(len(mine)), np.diff(known.indptr)), known.indices] = -np.inf
        best = np.argpartition(-scores.ravel(), n)[:n]
        parts.append((mine[best // Y.shape[1]], best % Y.shape[1], scores.ravel()[best]))
    rows, columns, values = (np.concatenate(part) for part in zip(*parts))
    order = np.argsort(-values, kind="stable")[:n]
    return rows[order], columns[order]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["quality", "hidden", "best", "scale", "audit"])
    parser.add_argument("--sets", default=",".join(SETS))
    given = parser.parse_args()
    if given.command == "quality":
        figures = quality(given.sets.split(","))
    else:
        figures = {"hidden": hidden, "best": best, "scale": scale, "audit": audit}[given.command]()
    print(results.write(f"tag-{given.command}", figures))
