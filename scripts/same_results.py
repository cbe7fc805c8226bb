"""Do fits give what they gave at an older commit? Every job with explicit parameters, array by array.

    git worktree add ../older COMMIT
    python scripts/same_results.py ../older/src

Each side runs in a process of its own, with ``TACIT_DATA`` naming the data. Defaults may change on purpose, so every
parameter that matters is given; a parameter that was renamed is given under either name.
"""

import argparse
import contextlib
import functools
import inspect
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

TOLERANCE = 1e-6
"""Largest difference, in units of the largest value of an array, that counts as the same."""

OLD_NAMES = {
    "n_components": "frequencies",
    "cold_start": "newcomers",
    "max_partners": "strongest",
    "n_imputed": "impute",
    "standardize": "standardise",
}
NEUTRAL = {"unlabelled": "all", "trees": False, "shrinkage": 2.0, "intercept": False}
"""Parameters that only one side has, at the value that changes nothing."""

REASONS = {
    "5 MB of text": "sums over a side come in fixed groups and positives keep no coefficients: other rounding of sums",
    "ML-100K stream": "random starts depend on side and number, no longer on how many experts and factors there are",
}
"""Why a job, or one array of it, may differ from commits before the redesign (40aedf7); the others have no reason to.

Word vectors have the bits of 40aedf7 up to the commit before dfb6d89; that one, 3750789, 3223cff and 5aa6699 move them,
by 8e-5 of the largest value in all. Streams that are given the random numbers of 40aedf7 agree with it to 2e-7.
"""

TEXT_BYTES = 5_000_000


def estimator(name: str, **parameters: Any) -> Any:
    """An estimator of this name, with the parameters that its constructor knows."""
    import tacit

    kind = getattr(tacit, name)
    known = inspect.signature(kind).parameters
    given = {}
    for parameter, value in parameters.items():
        own = parameter if parameter in known else OLD_NAMES.get(parameter, parameter)
        if own in known:
            given[own] = value
        elif NEUTRAL.get(parameter, parameter) != value:
            raise SystemExit(f"{name} has no {parameter}")
    return kind(**given, random_state=0)


@contextlib.contextmanager
def double_precision() -> Iterator[None]:
    """Fits of features in float64 from the float32 start, with whatever Tacit this process imports.

    What differs by rounding alone agrees here.
    """
    from tacit.objective.maps import SparseMap
    from tacit.objective.two_towers import TwoTowers
    from tacit.objective.whole_data import WholeData

    build, start, init = WholeData.build.__func__, TwoTowers.start, SparseMap.__init__

    def start_in_double(self: Any, *parameters: Any) -> Any:
        drawn = start(self, *parameters)
        return type(drawn)(drawn.rows.astype(np.float64), drawn.cols.astype(np.float64))

    def init_in_double(self: Any, features: Any) -> None:
        data = features.data.astype(np.float64)
        init(self, type(features)((data, features.indices, features.indptr), shape=features.shape))

    with contextlib.ExitStack() as patches:
        for owner, name, replacement in (
            (WholeData, "build", classmethod(functools.partial(build, dtype=np.float64))),
            (TwoTowers, "start", start_in_double),
            (SparseMap, "__init__", init_in_double),
        ):
            patches.enter_context(mock.patch.object(owner, name, replacement))
        yield


def recommend() -> dict[str, Any]:
    from tacit.data import load_movielens_100k

    positives = load_movielens_100k().positives().matrix
    arrays: dict[str, Any] = {}
    for solver, iterations in (("als", 5), ("newton_linesearch", 5), ("adagrad", 20)):
        setting = {"iterations": iterations, "regularization": 0.1, "unlabelled_weight": 0.4}
        model = estimator("FactorRecommender", factors=32, solver=solver, **setting).fit(positives)
        best = model.recommend(np.arange(100), k=10)
        arrays |= {
            f"{solver}: rows": model.row_factors_,
            f"{solver}: columns": model.col_factors_,
            f"{solver}: lists": best.ids,
            f"{solver}: scores": best.scores,
            f"{solver}: rows folded in": model.fold_in(positives[:50]),
        }
    arrays["als: similar columns"] = model.similar_cols(np.arange(50), k=5).scores
    setting = {"iterations": 3, "regularization": 0.1, "unlabelled_weight": 0.05}
    logistic = estimator("FactorRecommender", factors=16, loss="logistic", **setting).fit(positives)
    return arrays | {"logistic: columns": logistic.col_factors_}


def tag() -> dict[str, Any]:
    from tacit.data import load_multilabel

    data = load_multilabel("bibtex")
    X, Y, test = data.X[:2000], data.Y[:2000], data.X_test[:500]
    arrays = {}
    setting = {"regularization": 0.7, "iterations": 4, "inner_steps": 5, "unlabelled_weight": 0.01, "intercept": False}
    for loss, target in (("logistic", -2.0), ("square", 0.0)):
        model = estimator("FactorTagger", factors=50, loss=loss, unlabelled_target=target, **setting)
        arrays[f"factors, {loss}"] = np.asarray(model.fit(X, Y).decision_function(test))
        with double_precision():
            model.fit(X, Y)
        for name in ("weights_", "label_factors_"):
            arrays[f"factors, {loss}, in float64: {name}"] = getattr(model, name)
    model = estimator("NeighbourTagger", factors=50, neighbours=25, vote_power=3.0, regularization=1.0, n_imputed=0)
    arrays["neighbours"] = np.asarray(model.fit(X, Y).decision_function(test))
    return arrays | {"neighbours, first five": np.asarray(model.predict_topk(test, 5)).astype(np.int64)}


def words() -> dict[str, Any]:
    from tacit.data import load_text

    sentences, size = [], 0
    for sentence in load_text().sentences():
        size += sum(map(len, sentence)) + len(sentence)
        if size > TEXT_BYTES:
            break
        sentences.append(sentence)
    parameters = {"factors": 50, "min_count": 5, "iterations": 4, "unlabelled_weight": 0.002, "regularization": 0.1}
    model = estimator("WordVectors", window=5, **parameters).fit(sentences)
    return {"vectors": model.vectors, "words": np.array([len(one) for one in model.words])}


def without_biases() -> dict[str, Any]:
    """``biases`` was a truth value once."""
    import tacit

    none = False if inspect.signature(tacit.RatingStream).parameters["biases"].default is False else None
    return {"biases": none}


def stream() -> dict[str, Any]:
    from tacit.data import load_movielens_100k

    table = load_movielens_100k().ratings.sort("time", maintain_order=True)
    users, items, ratings = (table[name].to_numpy() for name in ("user", "item", "rating"))
    setting = {"factors": 10, "variant": "PA-II", "aggressiveness": 0.05, "delta": 0.05, "epsilon": 0.0}
    shared = {"clip": None, "cold_start": "random", "shrinkage": 2.0}
    one = estimator("RatingStream", **setting, **shared, adaptation="diagonal", nonnegative=True, **without_biases())
    adapted = setting | {"nonnegative": True, "adaptation": "diagonal"} | without_biases()
    plain = {name: value for name, value in adapted.items() if name != "delta"} | {"adaptation": None}
    experts = [adapted, plain]
    many = estimator("ExpertRatingStream", experts=experts, beta=0.999, exploration=0.1, **shared)
    arrays = {}
    for name, model in (("one", one), ("two experts", many)):
        model.partial_fit(users, items, ratings)
        arrays[name] = model.predict(users[:2000], items[:2000])
    return arrays


def grade() -> dict[str, Any]:
    import tacit
    from tacit.data import load_ordinal

    data = load_ordinal("kin40k")
    y = np.asarray(data.y[:4000]).copy()
    y[np.arange(len(y)) % 4 != 0] = -1
    arrays = {}
    is_old = "standardise" in inspect.signature(tacit.OrdinalRanker).parameters
    for name, loss in (("square", "squared" if is_old else "square"), ("logistic", "logistic")):
        parameters = {"bandwidth": 2.0, "regularization": 1e-3, "standardize": True, "trees": False}
        model = estimator("OrdinalRanker", kernel="gaussian", n_components=256, loss=loss, **parameters)
        model.fit(data.X[:4000], y)
        arrays[f"{name}: scores"] = model.decision_function(data.X[4000:5000])
        arrays[f"{name}: classes"] = model.predict(data.X[4000:5000])
    return arrays


JOBS = {"ML-100K": recommend, "Bibtex": tag, "5 MB of text": words, "ML-100K stream": stream, "kin40k": grade}


def write(path: str, jobs: list[str]) -> None:
    """Run some jobs with the Tacit that this process imports."""
    arrays = {}
    for job in jobs:
        arrays |= {f"{job} | {name}": array for name, array in JOBS[job]().items()}
    np.savez(path, **arrays)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("older", help="src folder of the older commit, or with --write the file to write")
    parser.add_argument("--job", action="append", choices=list(JOBS), help="one of the jobs; all without it")
    parser.add_argument("--write", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    jobs = arguments.job or list(JOBS)
    if arguments.write:
        write(arguments.older, jobs)
        return 0
    here = Path(__file__).resolve().parents[1] / "src"
    chosen = [part for job in jobs for part in ("--job", job)]
    with tempfile.TemporaryDirectory() as folder:
        sides = []
        for number, source in enumerate((Path(arguments.older).resolve(), here)):
            path = f"{folder}/{number}.npz"
            command = [sys.executable, __file__, path, "--write", *chosen]
            subprocess.run(command, env=os.environ | {"PYTHONPATH": str(source)}, check=True)
            sides.append(np.load(path))
        differ, unexplained = 0, 0
        for name in sides[0].files:
            old, new = (side[name].astype(np.float64) for side in sides)
            if old.shape != new.shape:
                differs, said = True, f"shapes {old.shape} and {new.shape}"
            else:
                largest = np.abs(np.nan_to_num(old - new)).max() / max(np.abs(np.nan_to_num(old)).max(), 1e-30)
                differs = largest > TOLERANCE
                said = "the same bits" if np.array_equal(old, new, equal_nan=True) else f"{largest:.1e}"
            reason = REASONS.get(name, REASONS.get(name.split(" | ")[0])) if differs else None
            differ, unexplained = differ + differs, unexplained + (differs and reason is None)
            print(f"{name}: {said}" + (f" ({reason})" if reason else ""))
    print(f"{differ} of {len(sides[0].files)} arrays differ by more than {TOLERANCE:g}, {unexplained} without a reason")
    return int(unexplained > 0)


if __name__ == "__main__":
    raise SystemExit(main())
