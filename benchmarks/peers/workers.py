"""Factorizations of positives in processes of their own, each in the interpreter that has its library.

``LIBRARIES``, ours among them, are ``(train, threads, **parameters) -> (P, Q)``. A ``Worker`` holds one of them with
its data, so that methods can run in turn.
"""

import functools
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from benchmarks.processes import THREADS, Failed, Process, forget_peak, peak_mib


def implicit(train, threads, *, factors=64, regularization=0.01, alpha=1.0, iterations=15):
    """Alternating least squares with conjugate gradient."""
    from implicit.als import AlternatingLeastSquares

    model = AlternatingLeastSquares(
        factors=factors,
        regularization=regularization,
        alpha=alpha,
        iterations=iterations,
        num_threads=threads,
        use_gpu=False,
        random_state=0,
    )
    model.fit(train, show_progress=False)
    return np.asarray(model.user_factors), np.asarray(model.item_factors)


def irspack(train, threads, *, factors=64, alpha0=0.2, reg=0.01, epochs=12):
    """Implicit ALS with frequency-scaled regularization."""
    from irspack import IALSRecommender

    model = IALSRecommender(train, n_components=factors, alpha0=alpha0, reg=reg, n_threads=threads, train_epochs=epochs)
    model.learn()
    return model.get_user_embedding(), model.get_item_embedding()


def tacit(train, threads, **parameters):
    """Tacit itself."""
    from tacit import FactorRecommender

    model = FactorRecommender(**parameters, threads=threads, progress=False).fit(train)
    return model.row_factors_, model.col_factors_


LIBRARIES = {"implicit": implicit, "irspack": irspack, "tacit": tacit}


@functools.cache
def matrix(path):
    """The training matrix, loaded once."""
    return sp.load_npz(path)


def ready(library, path):
    """Import the library and load the data, before any clock starts; gives back the library's version."""
    __import__(library)
    matrix(path)
    return version(library)


def fit(library, path, threads, save, parameters):
    """Seconds and peak memory of one fit; its factors go to the file ``save``, unless that is nothing."""
    train = matrix(path)
    forget_peak()
    began, worked = time.perf_counter(), time.process_time()
    rows, cols = LIBRARIES[library](train, threads, **parameters)
    seconds, peak, worked = time.perf_counter() - began, peak_mib(), time.process_time() - worked
    if save:
        np.savez(save, rows=rows, cols=cols)
    return {"seconds": seconds, "processor_seconds": worked, "peak_mib": round(peak, 1)}


class Worker:
    """One library with one training matrix, waiting for requests."""

    def __init__(self, library: str, train: sp.csr_array, threads: int = THREADS) -> None:
        self.library, self.threads = library, threads
        self.folder = tempfile.TemporaryDirectory()
        self.matrix = str(Path(self.folder.name) / "train.npz")
        sp.save_npz(self.matrix, sp.csr_matrix(train), compressed=False)
        # Bounded BLAS: each library brings its own threads, and oversubscription would punish it.
        self.process = Process(peers=library != "tacit", blas=1)
        self.version = self.process.ask("peers.workers:ready", library=library, path=self.matrix)

    def fit(self, save: bool = False, **parameters: Any) -> dict[str, Any]:
        """Seconds and peak memory of one fit, or its ``error``; with ``save`` also its factors."""
        path = str(Path(self.folder.name) / "factors.npz") if save else None
        asked = {"library": self.library, "path": self.matrix, "threads": self.threads, "save": path}
        try:
            answer: dict[str, Any] = self.process.ask("peers.workers:fit", **asked, parameters=parameters)
        except Failed as error:
            return {"error": str(error)}
        if path:
            with np.load(path) as factors:
                answer["factors"] = factors["rows"], factors["cols"]
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.__exit__()
        self.folder.cleanup()


def alternate(methods: dict[str, tuple[Worker, dict[str, Any]]], repeats: int) -> dict[str, list[float]]:
    """Seconds of every method, run in turn: A B C A B C …; the first round of each is not counted."""
    for worker, parameters in methods.values():
        worker.fit(**parameters)
    seconds: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(repeats):
        for name, (worker, parameters) in methods.items():
            seconds[name].append(worker.fit(**parameters)["seconds"])
    return seconds
