"""OrdinalRanker with default parameters against tuned peers, on every development set: the defaults table of grades.

    python -m benchmarks.peers.defaults_grade [--quick] [--sets A,B] [--methods "A;B"] [--draws N] [--first N]
        [--before SRC]

500 labels (half of the rows of a small set), equal-frequency classes where the target is a number, all other rows
unlabelled, AUC of at most 5,000 of them, the same draws for all; ``--first 2`` begins with the third draw.
``--before`` names the ``src`` folder of another commit, whose OrdinalRanker() is measured beside this one. mord,
skordinal, gradient boosting and kernel ridge are tuned over small grids by 3 folds of the labelled rows. Figures are
written to ``results/grade-defaults.json`` as they come; what is not asked for is kept. ``render/grade.py`` shows
the gaps.
"""

import argparse
import itertools
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, KFold

from benchmarks.papers.grade import Figures
from benchmarks.papers.grade_methods import SETS, Answer, Draw, Unavailable, peer
from benchmarks.processes import ROOT, Failed, Process
from tacit.metrics.ordinal import ordinal_auc

LABELS, EVALUATED, DRAWS = 500, 5_000, 5
OURS, BEFORE = "OrdinalRanker()", "OrdinalRanker() before"
QUICK = ("SWD", "irrelevant columns")


def ranker(process: Process) -> Callable[[Draw], tuple[Answer, dict[str, Any]]]:
    """OrdinalRanker() of the source tree that a process sees, on one thread."""

    def run(draw: Draw) -> tuple[Answer, dict[str, Any]]:
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/job.npz"
            X = draw.X
            parts = ("data", "indices", "indptr", "shape") if sp.issparse(X) else ()
            rows = {part: getattr(X, part) for part in parts} or {"X": X}
            given = {"evaluated": draw.evaluated, "seed": draw.seed, "classes": np.unique(draw.truth)}
            np.savez(path, seen=draw.seen, **given, **rows)
            try:
                said = process.ask("peers.adapters:our_grade", path=path)
            except Failed as error:
                raise Unavailable(str(error)) from None
            score = np.load(path + ".npy")
            return Answer(score, score), said

    return run


def tuned(make: Callable[[int], tuple[Any, dict[str, list[Any]]]], scaled: bool) -> Callable[[Draw], Answer]:
    """A scikit-learn regressor of the class numbers, tuned by 3 folds of the ordinal AUC."""

    def run(draw: Draw) -> Answer:
        X, y, test = columns_for(draw, scaled)
        model, grid = make(X.shape[1])
        score = lambda fitted, rows, labels: ordinal_auc(labels, fitted.predict(rows))  # noqa: E731
        search = GridSearchCV(model, grid, scoring=score, cv=KFold(3, shuffle=True, random_state=0))
        found = search.fit(X, y).predict(test)
        return Answer(found, found)

    return run


def columns_for(draw: Draw, scaled: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labelled rows, grades and evaluated rows; sparse ones keep the columns of two labelled rows or more."""
    X, y = draw.known
    if sp.issparse(X):
        kept = np.flatnonzero(np.diff(sp.csc_array(X).indptr) >= 2)
        return X[:, kept].toarray(), y, draw.asked[:, kept].toarray()
    if not scaled:
        return X, y, draw.asked
    mean, scale = X.mean(axis=0), np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    return (X - mean) / scale, y, (draw.asked - mean) / scale


def boosting(columns: int) -> tuple[Any, dict[str, list[Any]]]:
    share = None if columns < 100 else "sqrt"
    model = GradientBoostingRegressor(learning_rate=0.05, subsample=0.7, max_features=share, random_state=0)
    return model, {"n_estimators": [100, 300], "max_depth": [2, 4]}


def ridge(columns: int) -> tuple[Any, dict[str, list[Any]]]:
    wide = columns if columns < 100 else 1.0
    gammas = [gamma / wide for gamma in (0.02, 0.1, 0.5, 2.0)]
    return KernelRidge(kernel="rbf"), {"alpha": [1e-3, 1e-2, 0.1, 1.0], "gamma": gammas}


def dense_peer(name: str) -> Callable[[Draw], Answer]:
    def run(draw: Draw) -> Answer:
        if not sp.issparse(draw.X):
            return peer(name)(draw)
        X, y, test = columns_for(draw, False)
        truth = np.concatenate([y, draw.answers])
        rows = np.arange(len(truth))
        dense = Draw(np.vstack([X, test]), truth, np.where(rows < len(y), truth, -1), rows[len(y) :], draw.seed)
        return peer(name)(dense)

    return run


PEERS: dict[str, Callable[[Draw], Answer]] = {
    "mord": dense_peer("mord"),
    "skordinal": dense_peer("skordinal"),
    "gradient boosting": tuned(boosting, False),
    "kernel ridge": tuned(ridge, True),
}


def measure(sets: list[str], methods: list[str], draws: range, before: Path | None, figures: Figures) -> None:
    sources = {OURS: ROOT / "src", BEFORE: before}
    with ExitStack() as stack:
        rankers = {
            method: ranker(stack.enter_context(Process(source=sources[method], blas=1)))
            for method in methods
            if method in sources
        }
        for seed, one in itertools.product(draws, sets):
            X, y = SETS[one]()
            draw = Draw.of(X, y, min(LABELS, len(y) // 2), EVALUATED, seed)
            for method in methods:
                began = time.process_time()
                record: dict[str, Any] = {}
                try:
                    if method in PEERS:
                        answer = PEERS[method](draw)
                        record["seconds"] = time.process_time() - began
                    else:
                        answer, record = rankers[method](draw)
                    record["auc"] = ordinal_auc(draw.answers, answer.score)
                except Unavailable as reason:
                    record = {"missing": str(reason)}
                figures.put(lambda found, s=one, m=method, n=str(seed), r=record: _add(found, s, m, n, r))
                print(one, seed, method, record, flush=True)


def _add(figures: dict[str, Any], one: str, method: str, seed: str, record: dict[str, Any]) -> None:
    figures.setdefault(one, {}).setdefault(method, {})[seed] = record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two sets, one draw")
    parser.add_argument("--sets", help="some sets, separated by commas")
    parser.add_argument("--methods", help="some methods, separated by semicolons")
    parser.add_argument("--draws", type=int, default=DRAWS, help="how many draws of labels")
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--before", type=Path, help="src folder of the commit to compare with")
    given = parser.parse_args()
    sets = given.sets.split(",") if given.sets else list(QUICK if given.quick else SETS)
    methods = given.methods.split(";") if given.methods else [*PEERS, OURS, *([BEFORE] if given.before else [])]
    figures = Figures("defaults", given.quick, "peers.defaults_grade")
    draws = range(1) if given.quick else range(given.first, given.first + given.draws)
    measure(sets, methods, draws, given.before, figures)


if __name__ == "__main__":
    main()
