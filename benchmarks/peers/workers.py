"""Methods in processes of their own, each in the interpreter that has its library, so that runs alternate."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from benchmarks.processes import ROOT, call, environment


class Worker:
    """One adapter with one training matrix, waiting for requests."""

    def __init__(self, adapter: str, train: sp.csr_array, threads: int = 2) -> None:
        self.adapter = adapter
        self.folder = tempfile.TemporaryDirectory()
        matrix = Path(self.folder.name) / "train.npz"
        sp.save_npz(matrix, sp.csr_matrix(train), compressed=False)
        peers = adapter != "tacit_"
        self.process = subprocess.Popen(
            call("benchmarks.peers.worker", adapter, str(matrix), str(threads), peers=peers),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Bounded BLAS: each library brings its own threads, and oversubscription would punish it.
            env=environment(peers, blas=1),
            cwd=ROOT,
            text=True,
        )
        self.version = self._answer()["ready"]

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.adapter} ended without an answer")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def fit(self, save: bool = False, **parameters: Any) -> dict[str, Any]:
        """Seconds and peak memory of one fit; with ``save`` also its factors."""
        path = str(Path(self.folder.name) / "factors.npz") if save else None
        assert self.process.stdin is not None
        print(json.dumps({"fit": parameters, "save": path}), file=self.process.stdin, flush=True)
        answer = self._answer()
        if path and "error" not in answer:
            with np.load(path) as factors:
                answer["factors"] = factors["rows"], factors["cols"]
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=60)
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
