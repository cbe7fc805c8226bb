"""Recommend: the ten best items that a user does not have yet.

MovieLens: ratings of at least 4, a fifth held out at random (seed 0). The synthetic set has users with three tastes of
200 each, items by popularity within a taste, and the same split. Factor models have 64 factors. Every method is tuned
on a validation part of the training data over as many points, for the synthetic set on a tenth of its users.
"""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.contest import Data, Method, save

K = 10
FACTORS = 64
SYNTHETIC = "synthetic, 100,000 × 20,000"
SIZES = ("MovieLens 100K", "MovieLens 1M", SYNTHETIC)
MEASURES = {"NDCG@10": True, "recall@10": True}


def grid(**values: list[Any]) -> tuple[dict[str, Any], ...]:
    return tuple(dict(zip(values, point)) for point in itertools.product(*values.values()))


def made(rows: int = 100_000, cols: int = 20_000, draws: int = 6_000_000, tastes: int = 200) -> sp.csr_array:
    """Positives of rows that have three tastes each; a third of them are what everybody has."""
    rng = np.random.default_rng(0)
    taste = rng.integers(tastes, size=(rows, 3))
    home = rng.permutation(cols)
    row = np.minimum((rows * rng.random(draws) ** 1.3).astype(np.int64), rows - 1)
    own = taste[row, rng.integers(3, size=draws)]
    near = home[(own * (cols // tastes) + (cols // tastes * rng.random(draws) ** 2.5).astype(np.int64)) % cols]
    popular = home[np.minimum((cols * rng.random(draws) ** 4).astype(np.int64), cols - 1)]
    col = np.where(rng.random(draws) < 0.3, popular, near)
    cells = sp.csr_array((np.ones(draws, np.float32), (row, col)), shape=(rows, cols))
    cells.sum_duplicates()
    cells.data[:] = 1
    return cells


def prepare(size: str, folder: Path) -> dict[str, Any]:
    from tacit import Interactions
    from tacit.data import load_movielens_1m, load_movielens_100k

    loaders = {"MovieLens 100K": load_movielens_100k, "MovieLens 1M": load_movielens_1m}
    data = Interactions.from_matrix(made()) if size == SYNTHETIC else loaders[size]().positives(minimum=4)
    train, test = data.split(test=0.2, seed=0)
    rows = np.random.default_rng(0).permutation(train.shape[0])[:10_000]
    save(folder, "main", train=train.matrix.astype(np.float32), rows=rows, test=test.matrix[rows])
    small = sp.csr_array(train.matrix[:200].astype(np.float32))
    save(folder, "small", train=small, rows=np.arange(100))
    kept = train.matrix[np.arange(0, train.shape[0], 10)] if size == SYNTHETIC else train.matrix
    part, validation = Interactions.from_matrix(sp.csr_array(kept)).split(test=0.2, seed=1)
    every = np.arange(part.shape[0])
    save(folder, "validation", train=part.matrix.astype(np.float32), rows=every, test=validation.matrix)
    return {"rows": train.shape[0], "columns": train.shape[1], "positives": train.nnz, "asked": len(rows)}


def evaluate(data: Data, answers: np.ndarray) -> dict[str, float]:
    from tacit.metrics.evaluation import evaluate_lists

    found = evaluate_lists(answers.astype(np.int64), sp.csr_array(data["test"]), k=K, metrics=("ndcg", "recall"))
    return {"NDCG@10": float(found["ndcg@10"]), "recall@10": float(found["recall@10"])}


def fit_tacit(data: Data, threads: int, **point: Any) -> Any:
    import tacit
    from tacit.objective.default_ridge import noise_level

    # Units that carry over from a part of the data to all of them: the weight of all cells over that of the positives,
    # and the ridge over the noise.
    if "unlabelled_total" in point:
        cells = data["train"].shape[0] * data["train"].shape[1]
        point["unlabelled_weight"] = point.pop("unlabelled_total") * data["train"].nnz / cells
    if "noise" in point:
        point["regularization"] = point.pop("noise") * noise_level(data["train"])
    return tacit.FactorRecommender(FACTORS, threads=threads, progress=False, **point).fit(data["train"])


def fit_warp(data: Data, threads: int, **point: Any) -> Any:
    from tacit.baselines import Warp

    return Warp(FACTORS, **point).fit(data["train"])


def recommend(model: Any, data: Data, threads: int) -> np.ndarray:
    return np.asarray(model.recommend(data["rows"], k=K).ids)


def fit_implicit(data: Data, threads: int, **point: Any) -> Any:
    from implicit.als import AlternatingLeastSquares

    model = AlternatingLeastSquares(FACTORS, num_threads=threads, random_state=0, use_gpu=False, **point)
    model.fit(data["train"], show_progress=False)
    return model


def fit_bpr(data: Data, threads: int, **point: Any) -> Any:
    from implicit.bpr import BayesianPersonalizedRanking

    model = BayesianPersonalizedRanking(FACTORS, num_threads=threads, random_state=0, use_gpu=False, **point)
    model.fit(data["train"], show_progress=False)
    return model


def recommend_implicit(model: Any, data: Data, threads: int) -> np.ndarray:
    found, _ = model.recommend(data["rows"], data["train"][data["rows"]], N=K)
    return np.asarray(found)


def fit_irspack(data: Data, threads: int, **point: Any) -> Any:
    from irspack import IALSRecommender

    return IALSRecommender(data["train"], n_components=FACTORS, n_threads=threads, **point).learn()


def fit_ease(data: Data, threads: int, **point: Any) -> Any:
    from irspack import DenseSLIMRecommender

    return DenseSLIMRecommender(data["train"], **point).learn()


def recommend_irspack(model: Any, data: Data, threads: int) -> np.ndarray:
    return in_blocks(data["rows"], model.get_score_remove_seen)


def in_blocks(rows: np.ndarray, scores_of: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The ten best columns of each row, for libraries that give scores of all columns."""
    lists = []
    for start in range(0, len(rows), 1000):
        scores = scores_of(rows[start : start + 1000])
        best = np.argpartition(-scores, K, axis=1)[:, :K]
        order = np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1)
        lists.append(np.take_along_axis(best, order, axis=1))
    return np.concatenate(lists)


def fit_cmfrec(data: Data, threads: int, **point: Any) -> Any:
    from cmfrec import CMF_implicit

    return CMF_implicit(k=FACTORS, nthreads=threads, random_state=0, verbose=False, **point).fit(data["train"].tocoo())


def recommend_cmfrec(model: Any, data: Data, threads: int) -> np.ndarray:
    """cmfrec lists one user at a time; its own matrices are multiplied here in blocks instead, which is faster."""

    def unseen(rows: np.ndarray) -> np.ndarray:
        scores = model.A_[rows] @ model.B_.T
        seen = data["train"][rows]
        scores[np.repeat(np.arange(len(rows)), np.diff(seen.indptr)), seen.indices] = -np.inf
        return np.asarray(scores)

    return in_blocks(data["rows"], unseen)


METHODS = {
    "Tacit FactorRecommender": Method(fit_tacit, recommend, "tacit"),
    "Tacit FactorRecommender, tuned": Method(
        fit_tacit, recommend, "tacit",
        grid(noise=[0.5, 0.7], frequency_exponent=[(0.7, 0.1), (0.5, 0.4)], unlabelled_total=[8.0, 20.0]),
    ),
    "implicit ALS": Method(
        fit_implicit, recommend_implicit, "implicit",
        grid(regularization=[0.01, 1.0, 10.0, 30.0], alpha=[1.0, 5.0], iterations=[15]),
    ),
    "irspack iALS": Method(
        fit_irspack, recommend_irspack, "irspack",
        grid(alpha0=[0.02, 0.05, 0.2, 0.5], reg=[0.003, 0.01], train_epochs=[12]),
    ),
    "cmfrec implicit": Method(
        fit_cmfrec, recommend_cmfrec, "cmfrec",
        grid(lambda_=[1.0, 10.0, 30.0, 100.0], alpha=[1.0, 5.0], niter=[15]),
    ),
    "EASE (irspack)": Method(
        fit_ease, recommend_irspack, "irspack", grid(reg=[10.0, 30.0, 100.0, 200.0, 300.0, 500.0, 1000.0, 2000.0]),
        absent={SYNTHETIC: "needs the dense inverse of a 20,000 × 20,000 matrix"},
    ),
    "BPR (implicit)": Method(
        fit_bpr, recommend_implicit, "implicit",
        grid(learning_rate=[0.003, 0.01, 0.03, 0.1], regularization=[0.01, 0.03], iterations=[100]),
        absent={SYNTHETIC: "not run: a hundred passes over five million positives at each of eight points"},
    ),
    "WARP (tacit.baselines)": Method(
        fit_warp, recommend, "tacit",
        grid(learning_rate=[0.005, 0.01, 0.02, 0.04], regularization=[0.03, 0.1], epochs=[15]),
        absent={SYNTHETIC: "not run: one thread, and several draws for each of five million positives"},
    ),
}  # fmt: skip
