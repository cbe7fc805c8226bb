"""Full rank beside low rank: defaults against tuned EASE, irspack and implicit, on many sets; and Gowalla.

    python -m benchmarks.peers.full_rank sets [--set NAME] [--ours] [--quick]
    python -m benchmarks.peers.full_rank gowalla [--quick]
    python -m benchmarks.peers.full_rank dense [--quick]

``sets``: NDCG@10 over the full ranking; a fifth of the positives is held out at random (seed 0). Positives are ratings
of at least 4 (MovieLens, CiaoDVD), 3 (FilmTrust, whose scale ends at 4), 5 (Jester), 70 (Yahoo! Music), and all pairs
elsewhere. Peers are tuned on a fifth of the training part (seed 1); EASE on the 3,000 most frequent columns where there
are more than 5,000. What ``recommend.py`` has measured on the same split is taken from its results.

``gowalla``: the published split of LightGCN, Recall@20 and NDCG@20, defaults. ``dense``: a fit of 10,000 columns
against SciPy's ``cho_factor`` and inverse of the same matrix in float32. Results go to ``results/full-rank.json``.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from benchmarks import results
from benchmarks.peers import recommend
from benchmarks.peers.workers import Worker
from benchmarks.render.recommend import PEERS
from tacit import BlendRecommender, FactorRecommender, Interactions, LinearRecommender, data
from tacit.data.matrix import as_csr
from tacit.estimators.recommend.blend_recommender import FACTORS
from tacit.metrics.evaluation import evaluate
from tacit.solvers.linear_weights import dense_weights
from tacit.threads import single_threaded_blas

FILE = "full-rank"
RIDGES = [0.03, 0.1, 0.3, 1.0, 3.0, 5.0, 10.0, 30.0]
EASE_COLUMNS, MOST_EASE_COLUMNS = 3000, 5000
DENSE = 10_000


def yahoo_music() -> Interactions:
    train, test = data.load_yahoo_music().published_split(minimum=70, binary=True)
    return Interactions(train.matrix + test.matrix, train.row_ids, train.col_ids)


SETS: dict[str, Callable[[], Interactions]] = {
    "Yahoo! Music": yahoo_music,
    "FilmTrust": lambda: data.load_filmtrust().positives(minimum=3),
    "MovieLens 100K": lambda: data.load_movielens_100k().positives(minimum=4),
    "COCO": data.load_coco,
    "CiaoDVD": lambda: data.load_ciaodvd().positives(minimum=4),
    "Last.fm HetRec": lambda: data.load_lastfm().interactions(binary=True),
    "Toys sequences": lambda: data.load_sequences("Toys_and_Games").interactions(),
    "Jester": lambda: data.load_jester().positives(minimum=5),
    "MovieLens 1M": lambda: data.load_movielens_1m().positives(minimum=4),
}


def ndcg(model: Any, train: Interactions, test: Interactions) -> float:
    return round(float(evaluate(model, train, test, k=10, metrics=("ndcg",))["ndcg@10"]), 4)


def tuned_ease(train: Interactions, test: Interactions) -> dict[str, Any]:
    """EASE as published, its ridge chosen on a validation part."""

    def fitted(part: Interactions, ridge: float) -> Any:
        counts = np.bincount(part.matrix.indices, minlength=part.shape[1])
        kept = np.ones(part.shape[1], dtype=bool)
        if part.shape[1] > MOST_EASE_COLUMNS:
            kept[np.argsort(-counts, kind="stable")[EASE_COLUMNS:]] = False
        cells = part.matrix.tocoo()
        stays = kept[cells.coords[1]]
        places = (cells.coords[0][stays], np.cumsum(kept)[cells.coords[1][stays]] - 1)
        shape = (part.shape[0], int(kept.sum()))
        narrow = sp.csr_array((cells.data[stays], places), shape=shape)
        model = LinearRecommender("dense", regularization=ridge, dense_exponents=(0.0, 0.0), positive_weight="one").fit(
            narrow
        )
        return Narrow(model, np.flatnonzero(kept))

    part, validation = train.split(test=0.2, seed=1)
    found = {ridge: ndcg(fitted(part, ridge), part, validation) for ridge in RIDGES}
    best = max(found, key=lambda ridge: found[ridge])
    return {"ndcg@10": ndcg(fitted(train, best), train, test), "parameters": {"ridge": best}}


class Narrow:
    """A model of some of the columns, which lists them under their numbers among all."""

    def __init__(self, model: Any, columns: np.ndarray) -> None:
        self.model, self.columns = model, columns

    def recommend(self, rows: Any, k: int) -> Any:
        numbers = self.model.row_ids_.numbers(rows) if not isinstance(rows[0], str) else rows
        found = self.model.recommend(numbers, k=k)
        found.ids[found.filled] = self.columns[found.ids[found.filled]]
        return found


def tuned_peer(adapter: str, train: Interactions, test: Interactions) -> dict[str, Any]:
    point = recommend.tuned(adapter, train)
    with Worker(adapter, train.matrix) as worker:
        answer = worker.fit(save=True, factors=recommend.FACTORS, **point)
        return {"ndcg@10": recommend.ndcg(answer, train, test), "parameters": point}


def named(blend: BlendRecommender) -> dict[str, Any]:
    """The members of a blend by their class; local weights by their method too."""
    return {
        type(member).__name__ + "('local')" * (getattr(member, "method", "") == "local"): member
        for member in blend.members_
    }


def one_set(name: str, quick: bool, earlier: dict[str, Any]) -> dict[str, Any]:
    """``earlier`` are methods that were measured before and are not measured again."""
    whole = SETS[name]()
    # Under numbers: ids of images would only slow the lists down.
    train, test = Interactions.from_matrix(whole.matrix).split(test=0.2, seed=0)
    began, processor = time.perf_counter(), time.process_time()
    blend = BlendRecommender(progress=False).fit(train)
    seconds = time.perf_counter() - began, time.process_time() - processor
    linear = next((member for member in blend.members_ if isinstance(member, LinearRecommender)), None)
    methods: dict[str, Any] = {
        "BlendRecommender()": {"ndcg@10": ndcg(blend, train, test)},
        **{f"its {name}": {"ndcg@10": ndcg(member, train, test)} for name, member in named(blend).items()},
    }
    # A member without weight is not in the blend; its figure is that of the same model alone.
    for single in (FactorRecommender(factors=FACTORS, random_state=0, progress=False), LinearRecommender()):
        if f"its {type(single).__name__}" not in methods:
            methods[f"its {type(single).__name__}"] = {"ndcg@10": ndcg(single.fit(train), train, test)}
    methods |= {method: row for method, row in earlier.items() if method in PEERS}
    if not quick and not earlier:
        methods["EASE, tuned"] = tuned_ease(train, test)
        for adapter, peer in (("irspack", "Irspack, tuned"), ("implicit", "Implicit, tuned")):
            known = results.read("recommend")["figures"].get(name, {}).get("methods", {}).get(peer)
            taken = known and {"ndcg@10": known["ndcg@10"], "parameters": known["parameters"], "from": "recommend.json"}
            methods[peer] = taken or tuned_peer(adapter, train, test)
    return {
        "rows": train.shape[0],
        "columns": train.shape[1],
        "train": train.nnz,
        "seconds": round(seconds[0], 1),
        "processor_seconds": round(seconds[1], 1),
        "weights": blend.weights_.tolist(),
        "linear": linear
        and {
            "method": linear.method_,
            "exponents": linear.exponents_,
            "ridge": linear.regularization_,
            "sharpening": linear.sharpening_,
        },
        "sentence": blend.validation_["sentence"],
        "methods": methods,
    }


def gowalla(quick: bool) -> dict[str, Any]:
    """Default parameters on the published split; quickly: linear weights with given exponents."""
    train, test = data.load_gowalla()
    if quick:
        began, processor = time.perf_counter(), time.process_time()
        model = LinearRecommender("sparse", sparse_exponents=(0.5, 1.0, 0.25)).fit(train)
        seconds = time.perf_counter() - began, time.process_time() - processor
        found = evaluate(model, train, test, k=20, metrics=("recall", "ndcg"))
        ours = [round(float(found[name]), 4) for name in ("recall@20", "ndcg@20")]
        return {"methods": {"LinearRecommender": ours}, "seconds": seconds[0], "processor_seconds": seconds[1]}
    LinearRecommender("sparse", sparse_exponents=(1, 1, 0)).fit(train.matrix[:200]).recommend([0])  # compiles
    began, processor = time.perf_counter(), time.process_time()
    blend = BlendRecommender(progress=False).fit(train)
    seconds = time.perf_counter() - began, time.process_time() - processor
    with tempfile.TemporaryDirectory() as folder:
        blend.save(Path(folder) / "model")
        size = (Path(folder) / "model").stat().st_size
    methods = {}
    for name, model in {"BlendRecommender()": blend, **named(blend)}.items():
        found = evaluate(model, train, test, k=20, metrics=("recall", "ndcg"))
        methods[name] = [round(float(found["recall@20"]), 4), round(float(found["ndcg@20"]), 4)]
    began, start = time.perf_counter(), time.process_time()
    LinearRecommender("sparse", sparse_exponents=(0.5, 1.0, 0.25)).fit(train)
    return {
        "methods": methods,
        "seconds": round(seconds[0], 1),
        "processor_seconds": round(seconds[1], 1),
        "bytes": size,
        "sparse_fit_seconds": round(time.perf_counter() - began, 2),
        "sparse_fit_processor_seconds": round(time.process_time() - start, 2),
        "sentence": blend.validation_["sentence"],
    }


def dense(quick: bool) -> dict[str, Any]:
    """Processor seconds of a dense fit of so many columns, and of SciPy's inverse by Cholesky, both on one thread,
    alternating, the best of two."""
    columns = DENSE // 5 if quick else DENSE
    rng = np.random.default_rng(0)
    cells = sp.random_array((20_000, columns), density=0.002, rng=rng, format="csr", dtype=np.float32)
    cells.data[:] = 1
    gram = (cells.T @ cells).toarray()
    gram[np.diag_indices(columns)] += 2 * gram.diagonal().mean()
    positives = as_csr(cells, "positives")
    ours, theirs = [], []
    for _ in range(2):
        began = time.process_time()
        dense_weights(positives, 2.0, threads=1)
        ours.append(time.process_time() - began)
        with single_threaded_blas():
            began = time.process_time()
            factor = scipy.linalg.cho_factor(gram, lower=True, check_finite=False)
            scipy.linalg.lapack.spotri(factor[0], lower=1)
            theirs.append(time.process_time() - began)
    return {
        "columns": columns,
        "processor_seconds": round(min(ours), 2),
        "scipy_processor_seconds": round(min(theirs), 2),
        "ratio": round(min(ours) / min(theirs), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["sets", "gowalla", "dense"])
    parser.add_argument("--set", default="", help="only sets with this in their name")
    parser.add_argument("--ours", action="store_true", help="measure ours again and keep the peers' figures")
    parser.add_argument("--quick", action="store_true", help="three small sets without peers")
    given = parser.parse_args()
    file = f"{FILE}-quick" if given.quick else FILE
    if given.part != "sets":
        print(results.write_part(file, given.part, {"gowalla": gowalla, "dense": dense}[given.part](given.quick)))
        return
    path = results.FOLDER / f"{file}.json"
    found = results.read(file)["figures"].get("sets", {}) if path.exists() else {}
    for name in list(SETS)[: 3 if given.quick else None]:
        if given.set in name:
            earlier = found.get(name, {}).get("methods", {}) if given.ours else {}
            found[name] = one_set(name, given.quick, earlier)
            print(name, {method: row["ndcg@10"] for method, row in found[name]["methods"].items()}, flush=True)
            # After every set, so that an interrupted run keeps what it has measured.
            results.write_part(file, "sets", found)


if __name__ == "__main__":
    main()
