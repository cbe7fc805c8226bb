"""``tacit warm``: compile all kernels now, so that no later command waits for it."""

import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.doctor import compiled_files
from tacit.cli.options import json_option
from tacit.cli.output import console, print_json, size

if TYPE_CHECKING:
    import scipy.sparse as sp

_ROWS, _COLUMNS = 40, 30


def _positives() -> "sp.csr_array":
    import numpy as np
    import scipy.sparse as sp

    return sp.random_array((_ROWS, _COLUMNS), density=0.2, rng=np.random.default_rng(0), format="csr", dtype=np.float32)


def _recommender() -> None:
    from tacit import BlendRecommender, FactorRecommender, LinearRecommender
    from tacit.metrics.evaluation import evaluate
    from tacit.solvers.registry import WITH_AUTO

    positives = _positives()
    for factors in (4, 160):
        grown = FactorRecommender(factors, iterations=1, progress=False).fit(positives)
        # What a service learns from: an event at a time, and several together.
        grown.add(_ROWS, [1, 2]).add_each([0, _ROWS + 1], [1, 2])
    for solver in WITH_AUTO:
        for loss in ("square", "logistic"):
            model = FactorRecommender(4, loss=loss, solver=solver, iterations=1, progress=False).fit(positives)
    model.recommend([0, 1], k=3, include={0: [1, 2, 3]}, exclude={1: [4]})
    model.recommend([0, 1], k=3, include=[1, 2, 3])
    model.similar_cols([0])
    for method in ("dense", "sparse", "local"):
        LinearRecommender(method).fit(positives).recommend([0, 1], k=3, include={0: [1, 2, 3]})
    members = [("linear", LinearRecommender()), ("factors", FactorRecommender(4))]
    BlendRecommender(members, progress=False).fit(positives)
    evaluate(model, positives, _positives().T.tocsr().reshape((_ROWS, _COLUMNS)), k=3, metrics=("ndcg", "auc"))


def _words() -> None:
    from tacit import WordVectors

    lines = ["bread and cheese and soup", "iron and zinc and copper", "soup with bread", "copper with iron"] * 10
    WordVectors(4, window=3, iterations=1, progress=False).fit(lines).most_similar("bread")


def _taggers() -> None:
    from tacit import BlendTagger, FactorTagger, KernelTagger, NeighbourTagger, TextTagger

    X, Y = _positives(), _positives()[:, :6]
    members = [
        ("near", NeighbourTagger(factors=4, partitions=2)),
        ("sampled", NeighbourTagger("skipgram", factors=4)),
        ("factor", FactorTagger(factors=4)),
        ("kernel", KernelTagger()),
    ]
    BlendTagger(members, progress=False).fit(X, Y).predict_topk(X, 3)
    texts, labels = ["red apples", "a red ball", "the blue sea", "blue sky"], [["red"], ["red"], ["blue"], ["blue"]]
    TextTagger(NeighbourTagger(factors=2), min_count=1, progress=False).fit(texts, labels)


def _streams() -> None:
    from tacit import ExpertRatingStream, RatingStream

    users, items, ratings = ["ann", "bob", "ann"], [1, 1, 2], [5.0, 4.0, 1.0]
    for adaptation in ("diagonal", "full", None):
        RatingStream(2, adaptation=adaptation).fit(users, items, ratings).recommend("ann")
    ExpertRatingStream().fit(users, items, ratings).predict(users, items)


def _grades() -> None:
    import numpy as np

    from tacit import OrdinalRanker
    from tacit.metrics import concordance_index

    X = np.random.default_rng(0).random((60, 3))
    y = np.where(np.arange(60) < 40, (X[:, 0] * 3).astype(int), -1)
    shape: dict[str, Any] = {"n_components": 8, "bandwidth": 1.0}
    kernels: list[dict[str, Any]] = [
        {"kernel": "gaussian", **shape}, {"kernel": "laplacian", **shape}, {"kernel": "linear"},
    ]  # fmt: skip
    solvers: list[dict[str, Any]] = [{"solver": "exact"}, {"solver": "stochastic", "iterations": 2, "batch_size": 8}]
    for kernel in kernels:
        for solver in solvers:
            model = OrdinalRanker(**kernel, **solver, regularization=0.1, progress=False)
            concordance_index(y, model.fit(X, y).rank_score(X))


STEPS: dict[str, Callable[[], None]] = {
    "recommend": _recommender,
    "words": _words,
    "tag": _taggers,
    "rate a stream": _streams,
    "grade": _grades,
}
"""Job → a tiny fit of it. What one step compiles, the next finds ready."""


@click.command("warm")
@click.option("--clear", is_flag=True, help="First remove what was compiled before.")
@json_option
def command(clear: bool, as_json: bool) -> None:
    """Compile all kernels by tiny fits of every estimator, and keep them for later processes."""
    from tacit.kernels import _jit
    from tacit.neighbours.first_answers import allowance

    allowance.end()
    _import_kernels()
    folder = _jit.cache_folder()
    removed = _clear(folder) if clear and folder is not None else 0
    outcome: dict[str, Any] = {"folder": folder, "removed": removed, "seconds": {}}
    for job, step in STEPS.items():
        began = time.perf_counter()
        with console().status(f"compiling what it takes to {job}"):
            step()
        outcome["seconds"][job] = round(time.perf_counter() - began, 2)
        if not as_json:
            click.echo(f"{job:<20} {outcome['seconds'][job]:6.1f} s")
    if as_json:
        print_json(outcome)
        return
    if folder is None:
        click.echo("nothing is kept, because no folder can be written; set NUMBA_CACHE_DIR to one that can")
    else:
        click.echo(f"kernels are ready in {folder} ({_size(folder)})")


def _import_kernels() -> None:
    import tacit.kernels

    for module in iter_modules(tacit.kernels.__path__):
        import_module(f"tacit.kernels.{module.name}")


def _clear(folder: str) -> int:
    files = compiled_files(Path(folder))
    for file in files:
        file.unlink(missing_ok=True)
    return len(files)


def _size(folder: str) -> str:
    return size(sum(file.stat().st_size for file in compiled_files(Path(folder))))
