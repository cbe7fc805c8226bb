"""Factorizations in processes of their own, each in the interpreter that has its library, so that runs alternate."""

import tempfile
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from benchmarks.processes import THREADS, Failed, Process

ADAPTER = "peers.adapters.factors"


class Worker:
    """One library with one training matrix, waiting for requests."""

    def __init__(self, library: str, train: sp.csr_array, threads: int = THREADS) -> None:
        self.library, self.threads = library, threads
        self.folder = tempfile.TemporaryDirectory()
        self.matrix = str(Path(self.folder.name) / "train.npz")
        sp.save_npz(self.matrix, sp.csr_matrix(train), compressed=False)
        # Bounded BLAS: each library brings its own threads, and oversubscription would punish it.
        self.process = Process(peers=library != "tacit", blas=1)
        self.version = self.process.ask(f"{ADAPTER}:ready", library=library, path=self.matrix)

    def fit(self, save: bool = False, **parameters: Any) -> dict[str, Any]:
        """Seconds and peak memory of one fit, or its ``error``; with ``save`` also its factors."""
        path = str(Path(self.folder.name) / "factors.npz") if save else None
        asked = {"library": self.library, "path": self.matrix, "threads": self.threads, "save": path}
        try:
            answer: dict[str, Any] = self.process.ask(f"{ADAPTER}:fit", **asked, parameters=parameters)
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
